/**
 * What a function has to show before a fold may run it.
 *
 * A reducer, predicate or model that is written in TypeScript is read for free
 * identifiers, run from its source on deeply frozen inputs, run again on equal
 * inputs with another order of keys, in another order and in a fresh copy, and
 * has to answer the same each time, in values that have one canonical form.
 *
 * **Gotchas**
 *
 * This catches accidents. It is no sandbox: reducers are reviewed code.
 *
 * @source seed 5, sections 3.3.2 and 4.3
 * @since 0.1.0
 */
import * as FunctionSource from "@backstitch/contracts/FunctionSource"
import * as Canonical from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * Error for a function that a fold may not run.
 *
 * @category errors
 * @since 0.1.0
 */
export class Impure extends Schema.TaggedError<Impure>("@backstitch/reducer/Impure")("Impure", {
  id: Schema.String,
  reason: Schema.Literals(["source", "changes its input", "reaches out", "answers differently", "not JSON", "throws"]),
  found: Schema.String
}) {
  override get message(): string {
    const what = {
      source: "may not run in a fold",
      "changes its input": "changes what it is given; answer a new value instead",
      "reaches out": "reaches for what other folds share",
      "answers differently": "answers differently when it is run again",
      "not JSON": "answers something that a trace cannot carry",
      throws: "fails on a sample"
    }[this.reason]
    return `Function ${this.id} ${what}: ${this.found}`
  }
}

/**
 * Checks a function against samples of its arguments, and answers it compiled from its source.
 *
 * **Example** (Catching a counter outside the function's input)
 *
 * ```ts import.meta.vitest
 * import { Purity } from "@backstitch/reducer"
 * import { Result } from "effect"
 *
 * const source = "(state, step) => ({ total: state.total + step.price })"
 * Result.isSuccess(Purity.check({ id: "total", source }, [[{ total: 1 }, { price: 2 }]])) // => true
 *
 * const impure = "(state) => { state.total += 1; return state }"
 * Result.isSuccess(Purity.check({ id: "total", source: impure }, [[{ total: 1 }]])) // => false
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const check = (
  subject: { readonly id: string; readonly source: string },
  samples: ReadonlyArray<ReadonlyArray<unknown>>
): Result.Result<FunctionSource.Compiled, Impure> => {
  const { id, source } = subject
  const compiled = FunctionSource.compile(source)
  const again = FunctionSource.compile(source)
  if (Result.isFailure(compiled) || Result.isFailure(again)) {
    return Result.fail(new Impure({ id, reason: "source", found: FunctionSource.reasons(source).join("; ") }))
  }
  for (const sample of samples) for (const argument of sample) deepFreeze(argument)
  const first: Array<string> = []
  for (const sample of samples) {
    const answer = runOnce(id, compiled.success, sample)
    if (Result.isFailure(answer)) return Result.fail(answer.failure)
    first.push(answer.success)
  }
  // Equal values in another order of keys and with nothing shared: a state that was read back from a store is such.
  for (const [index, sample] of samples.entries()) {
    const copied = sample.map(copyOf)
    for (const argument of copied) deepFreeze(argument)
    const answer = runOnce(id, compiled.success, copied)
    if (Result.isFailure(answer)) return Result.fail(answer.failure)
    if (answer.success !== first[index])
      return Result.fail(differs(id, first[index]!, answer.success, "an equal input"))
  }
  // Backwards, and in a copy that has run nothing yet, so that whatever it remembers is another thing each time.
  for (const [index, sample] of [...samples.entries()].reverse()) {
    for (const run of [compiled.success, again.success]) {
      const answer = runOnce(id, run, sample)
      if (Result.isFailure(answer)) return Result.fail(answer.failure)
      if (answer.success === first[index]) continue
      return Result.fail(differs(id, first[index]!, answer.success, "the same input"))
    }
  }
  return Result.succeed(compiled.success)
}

/**
 * Freezes a value and all that it holds, so that a change to it fails where it is made. Tables and lists are immutable
 * already; their rows and items are frozen.
 *
 * @category combinators
 * @since 0.1.0
 */
export const deepFreeze = (value: unknown): void => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return
  if (Table.is(value)) for (const row of value.values()) deepFreeze(row)
  else if (List.is(value)) for (const item of value) deepFreeze(item)
  else {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
}

const differs = (id: string, once: string, again: string, on: string): Impure =>
  new Impure({ id, reason: "answers differently", found: `${shorten(once)}, then ${shorten(again)} on ${on}` })

const copyOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Table.is(value) || List.is(value)) return value
  if (Array.isArray(value)) return value.map(copyOf)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, part]) => [name, copyOf(part)])
  )
}

const runOnce = (
  id: string,
  run: FunctionSource.Compiled,
  sample: ReadonlyArray<unknown>
): Result.Result<string, Impure> => {
  let answer: unknown
  try {
    answer = run(...sample)
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause)
    if (FunctionSource.hasReachedOut(cause)) return Result.fail(new Impure({ id, reason: "reaches out", found }))
    const changes =
      cause instanceof TypeError && /read only|not extensible|Cannot (?:add|delete|define|assign)/.test(found)
    return Result.fail(new Impure({ id, reason: changes ? "changes its input" : "throws", found }))
  }
  try {
    return Result.succeed(Canonical.encode(plain(answer) as Canonical.Json))
  } catch (cause) {
    return Result.fail(
      new Impure({ id, reason: "not JSON", found: cause instanceof Error ? cause.message : String(cause) })
    )
  }
}

/** An answer with its tables and lists written as their digests. */
const plain = (value: unknown): unknown => {
  if (Table.is(value)) return { table: value.digest() }
  if (List.is(value)) return { list: value.digest() }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]))
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
