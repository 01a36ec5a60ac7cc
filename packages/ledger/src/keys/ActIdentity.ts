/**
 * The identity of an act as its contract declares it: the identity fields of a call, each read by its normaliser.
 *
 * Two calls with one spelling in all fields are the same act. Two calls with one key in all fields may be the same
 * act, and nothing is guessed.
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

/** The keys of a call's identity fields. Calls with the same keys may be the same act. */
export const keys = (contract: ToolContract.ToolContract, params: Canonical.Json): Texts =>
  texts(contract, params, ({ key }) => key)

/** The spellings of a call's identity fields. Calls with the same spellings are the same act. */
export const spellings = (contract: ToolContract.ToolContract, params: Canonical.Json): Texts =>
  texts(contract, params, ({ spelling }) => Canonical.encode(spelling))

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
