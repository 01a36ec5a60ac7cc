/**
 * Data keys: the names of what a subtask takes and hands over, by which a consumer is told from others.
 *
 * A key is a field of the state, or a name that skeletons agree on. `working.slots` names all of it, and
 * `working.slots[args.slot]` the one part whose name the expression answers. A whole overlaps with each of its parts,
 * and two parts with one another only where they are the same.
 *
 * @source DART, definition 3 (input and output keys)
 */
import * as Expression from "@backstitch/expressions/Expression"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"

/** A key as a contract declares it. Without a `part` it names the whole. */
export interface DataKey {
  readonly name: string
  readonly part?: Expression.Expression
}

/** Splits a written key into its name and the text of its part; `undefined` where its brackets do not fit. */
export const split = (written: string): { readonly name: string; readonly part?: string } | undefined => {
  const [, name, part] = /^([^[\]]+)(?:\[(.+)\])?$/s.exec(written) ?? []
  return name === undefined ? undefined : { name, ...(part === undefined ? {} : { part }) }
}

/** The text of one part of a name. */
export const partOf = (name: string, part: Json): string => `${name}[${Canonical.encode(part)}]`

/** The whole that a key is a part of; `undefined` for a whole. */
export const wholeOf = (key: string): string | undefined => {
  const at = key.indexOf("[")
  return at > 0 && key.endsWith("]") ? key.slice(0, at) : undefined
}

/** The text of a key for one call. A part that has no answer is the whole, which overlaps with every part. */
export const resolve = ({ name, part }: DataKey, bindings: Expression.Bindings): string => {
  const answer = part && Expression.evaluate(part, bindings)
  return answer === undefined || Result.isFailure(answer) ? name : partOf(name, answer.success)
}
