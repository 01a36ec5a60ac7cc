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

/** An identity field of a call, as its contract reads it. An absent value is no word, such as "null". */
export type IdentityField = { readonly name: string } & (
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Sealed"; readonly value: SealedValue.SealedValue }
  | { readonly _tag: "Normal"; readonly normal: Normaliser.Normal }
  /** The normaliser of the field cannot read its value. */
  | { readonly _tag: "Unread"; readonly normaliser: Normaliser.Normaliser; readonly value: Canonical.Json }
)

/** A text for each identity field of a call, in the order of the contract; `null` for an absent field. */
export type Texts = ReadonlyArray<string | null>

type Field = ToolContract.ToolContract["input"][string]

/** Reads the identity fields of a call, in the order of the contract. */
export const read = (
  { identity, input }: ToolContract.ToolContract,
  params: Canonical.Json
): ReadonlyArray<IdentityField> => {
  const given = Canonical.objectOf(params)
  return (identity?.fields ?? []).map(({ field: name, normaliser }): IdentityField => {
    const value = given[name] ?? null
    if (value === null) return { _tag: "Absent", name }
    if (SealedValue.isSealedValue(value)) return { _tag: "Sealed", name, value }
    const normal = Normaliser.read(normaliser, value, input[name])
    return Result.isSuccess(normal)
      ? { _tag: "Normal", name, normal: normal.success }
      : { _tag: "Unread", name, normaliser, value }
  })
}

/** The keys of a call's identity fields. Calls with the same keys may be the same act. */
export const keys = (contract: ToolContract.ToolContract, params: Canonical.Json): Texts =>
  texts(contract, params, ({ key }) => key)

/** The spellings of a call's identity fields. Calls with the same spellings are the same act. */
export const spellings = (contract: ToolContract.ToolContract, params: Canonical.Json): Texts =>
  texts(contract, params, ({ spelling }) => Canonical.encode(spelling))

/**
 * Tells whether two calls of a tool in one run are the same act, by their identity fields. Without such fields nothing
 * tells calls apart, and each is the same as any other.
 */
export const isSame = (contract: ToolContract.ToolContract, one: Canonical.Json, other: Canonical.Json): boolean =>
  isEqual(spellings(contract, one), spellings(contract, other))

/** Tells whether two calls of a tool in one run may be the same act: their keys are equal, whatever their spelling. */
export const mayBeSame = (contract: ToolContract.ToolContract, one: Canonical.Json, other: Canonical.Json): boolean =>
  isEqual(keys(contract, one), keys(contract, other))

const isEqual = (one: Texts, other: Texts): boolean => one.every((text, index) => text === other[index])

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

/**
 * Texts by which calls of one run are compared. There a sealed value without a key is known by its commitment, whatever
 * the scope of the identity. An idempotency key also has to be found by other runs, so it is made in the kernel, which
 * derives none from such a value unless the scope is the run.
 */
const texts = (
  contract: ToolContract.ToolContract,
  params: Canonical.Json,
  part: (normal: Normaliser.Normal) => string
): Texts => read(contract, params).map((field) => textOf(field, part))

const textOf = (field: IdentityField, part: (normal: Normaliser.Normal) => string): string | null => {
  switch (field._tag) {
    case "Absent":
      return null
    case "Sealed":
      return field.value.identity?.key ?? field.value.$sealed
    case "Normal":
      return part(field.normal)
    case "Unread":
      return JSON.stringify(field.value)
  }
}
