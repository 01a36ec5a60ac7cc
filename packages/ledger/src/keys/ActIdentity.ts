/**
 * The identity of an act as its contract declares it: the identity fields of a call, each read by its normaliser.
 *
 * Two calls with one spelling in all fields are the same act. Two calls that a normaliser makes alike in all fields may
 * be the same act, and nothing is guessed.
 *
 * @source docs/decisions/0019
 */
import * as Normaliser from "@backstitch/contracts/Normaliser"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Canonical from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Result from "effect/Result"

/** A text for each identity field of a call, in the order of the contract; `null` for an absent field. */
export type Texts = ReadonlyArray<string | null>

type Field = ToolContract.ToolContract["input"][string]

/** The keys of a call's identity fields. Calls with the same keys may be the same act. */
export const keys = (contract: ToolContract.ToolContract, params: Canonical.Json): Texts =>
  texts(contract, params, ({ key }) => key)

/** The spellings of a call's identity fields. Calls with the same spellings are the same act. */
export const spellings = (contract: ToolContract.ToolContract, params: Canonical.Json): Texts =>
  texts(contract, params, ({ spelling }) => Canonical.encode(spelling))

/**
 * The identity that a contract declares, as a text, such as `tenant: amount decimal(2), order as code`. Two contracts
 * of one tool make the same keys if they have the same text.
 *
 * **Details**
 *
 * Beside the scope, the fields and their normalisers, a key depends on how a field is rounded, and on whether it is
 * sealed. The order of the fields changes no key.
 */
export const describe = ({ identity, input }: ToolContract.ToolContract): string => {
  if (identity === undefined) return "none"
  const fields = identity.fields.map(({ field, normaliser }) => {
    const rule = normaliser === "exact" ? [] : [`as ${normaliser}`]
    const form = input[field] === undefined ? "" : formOf(input[field])
    return [field, ...(form === "" ? [] : [form]), ...rule].join(" ")
  })
  return `${identity.scope}: ${fields.sort().join(", ")}`
}

/** The properties of a field on which the text of its values depends; empty for most fields. */
const formOf = (field: Field): string => {
  const sealed = field.sensitive === undefined ? [] : [`sealed(${field.sensitive.subject})`]
  return [...roundingOf(field), ...sealed].join(" ")
}

const roundingOf = (field: Field): ReadonlyArray<string> => {
  switch (field.type) {
    case "decimal":
    case "float":
      return field.precision === undefined ? [] : [`${field.type}(${field.precision})`]
    case "list":
      return within(["*", field.item])
    case "table":
      return within(["*", field.row])
    case "object":
      return within(...Object.entries(field.fields))
    default:
      return []
  }
}

const within = (...fields: ReadonlyArray<readonly [string, Field]>): ReadonlyArray<string> => {
  const forms = fields.flatMap(([name, field]) => {
    const form = formOf(field)
    return form === "" ? [] : [`${name} ${form}`]
  })
  return forms.length === 0 ? [] : [`{${forms.sort().join(", ")}}`]
}

const texts = (
  { identity, input }: ToolContract.ToolContract,
  params: Canonical.Json,
  part: (normal: Normaliser.Normal) => string
): Texts => {
  const given = Canonical.objectOf(params)
  return (identity?.fields ?? []).map(({ field, normaliser }) => {
    const value = given[field] ?? null
    if (value === null) return null
    if (SealedValue.isSealedValue(value)) return value.identity?.key ?? value.$sealed
    const normal = Normaliser.read(normaliser, value, input[field])
    return Result.isSuccess(normal) ? part(normal.success) : JSON.stringify(value)
  })
}
