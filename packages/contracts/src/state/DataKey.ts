/**
 * Data keys: the names of the values that a subtask takes and hands over. They tell which other subtasks consume its
 * values.
 *
 * A key is a field of the state, or a name that several skeletons use for the same value. `working.slots` names the
 * whole field, and `working.slots[args.slot]` only the part whose name is the result of the expression. A whole
 * overlaps with each of its parts. Two parts overlap only if they are the same part.
 *
 * @source DART, definition 3 (input and output keys)
 */
import * as Expression from "@backstitch/expressions/Expression"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"

/** A key as a contract declares it. A key without a `part` names the whole. */
export interface DataKey {
  readonly name: string
  readonly part?: Expression.Expression
}

/** Splits a written key into its name and the text of its part; `undefined` if its brackets do not match. */
export const split = (written: string): { readonly name: string; readonly part?: string } | undefined => {
  const [, name, part] = /^([^[\]]+)(?:\[(.+)\])?$/s.exec(written) ?? []
  return name === undefined ? undefined : { name, ...(part === undefined ? {} : { part }) }
}

/** The text of a key for one part of a name. */
export const partOf = (name: string, part: Json): string => `${name}[${Canonical.encode(part)}]`

/** The whole of which a key is a part; `undefined` if the key is a whole. */
export const wholeOf = (key: string): string | undefined => {
  const at = key.indexOf("[")
  return at > 0 && key.endsWith("]") ? key.slice(0, at) : undefined
}

/**
 * The text of a key for one call. If the expression of a part has no result, the key is the whole, which overlaps
 * with every part.
 */
export const resolve = ({ name, part }: DataKey, bindings: Expression.Bindings): string => {
  const answer = part && Expression.evaluate(part, bindings)
  return answer === undefined || Result.isFailure(answer) ? name : partOf(name, answer.success)
}
