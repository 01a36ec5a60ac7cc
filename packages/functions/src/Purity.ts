/**
 * Checks that a function is pure enough for a fold to run it.
 *
 * A reducer, predicate or model in TypeScript is checked in two ways. Its text is searched for free identifiers. And
 * it is run from its source on deeply frozen inputs: as they are, with their keys in another order, in another order
 * of calls, and in a fresh copy. Each time it has to give the same answer, in values with one canonical form. If it
 * fails on a sample, the other samples are still tried.
 *
 * **Gotchas**
 *
 * This catches accidents. It is no sandbox: reducers are reviewed code.
 *
 * @source Dendrer, sections 3.3.2 and 4.3
 */
import * as Canonical from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as FunctionSource from "./FunctionSource.ts"

/** The reason why a fold may not run a function. */
export const Reason = Schema.Literals([
  "source",
  "changes_input",
  "reaches_out",
  "overruns",
  "answers_differently",
  "not_json",
  "throws"
])

/** Error for a function that a fold may not run. */
export class Impure extends Schema.TaggedError<Impure>("@backstitch/functions/Impure")("Impure", {
  id: Schema.String,
  reason: Reason,
  found: Schema.String
}) {
  override get message(): string {
    const what = {
      source: "may not run in a fold",
      changes_input: "changes what it is given; answer a new value instead",
      reaches_out: "reaches for what other folds share",
      overruns: "does not end in time",
      answers_differently: "answers differently when it is run again",
      not_json: "answers something that a trace cannot carry",
      throws: "fails on a sample"
    }[this.reason]
    return `Function ${this.id} ${what}: ${this.found}`
  }
}

/**
 * Checks a function against samples of its arguments, and answers the function compiled from its source.
 *
 * **Example** (Catching a counter outside the function's input)
 *
 * ```ts import.meta.vitest
 * import { Purity } from "@backstitch/functions"
 * import { Result } from "effect"
 *
 * const source = "(state, step) => ({ total: state.total + step.price })"
 * Result.isSuccess(Purity.check({ id: "total", source }, [[{ total: 1 }, { price: 2 }]])) // => true
 *
 * const impure = "(state) => { state.total += 1; return state }"
 * Result.isSuccess(Purity.check({ id: "total", source: impure }, [[{ total: 1 }]])) // => false
 * ```
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
  const first = samples.map((sample) => runOnce(id, compiled.success, sample))
  // Equal values with another order of keys and no shared objects, like a state that was read from a store.
  const copies = samples.map((sample) => sample.map(copyOf))
  for (const copied of copies) for (const argument of copied) deepFreeze(argument)
  // Runs the samples backwards, in a copy that has run nothing yet, so that anything it remembers differs.
  const backwards = [...samples.entries()].reverse()
  const runs: ReadonlyArray<readonly [number, Answer, string]> = [
    ...copies.map((sample, index) => [index, runOnce(id, compiled.success, sample), "an equal input"] as const),
    ...backwards.flatMap(([index, sample]) =>
      [compiled.success, again.success].map((run) => [index, runOnce(id, run, sample), "the same input"] as const)
    )
  ]
  const refused = [...first, ...runs.map(([, answer]) => answer)].find(isRefused)
  if (refused !== undefined) return Result.fail(refused)
  for (const [index, answer, on] of runs) {
    if (textOf(answer) !== textOf(first[index]!)) return Result.fail(differs(id, first[index]!, answer, on))
  }
  const failed = first.find((answer) => typeof answer !== "string")
  return failed === undefined ? Result.succeed(compiled.success) : Result.fail(failed)
}

/** The text of an answer, or the reason why there is none. */
type Answer = string | Impure

const textOf = (answer: Answer): string => (typeof answer === "string" ? answer : answer.reason)

/**
 * A sample that the function does not accept, or an answer that no trace can carry, says nothing about the other
 * samples.
 */
const isRefused = (answer: Answer): answer is Impure =>
  typeof answer !== "string" && answer.reason !== "throws" && answer.reason !== "not_json"

/**
 * Freezes a value with all its parts, so that a change fails where it is made. Tables and lists are immutable
 * already; their rows and items are frozen.
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

const differs = (id: string, once: Answer, again: Answer, on: string): Impure =>
  new Impure({
    id,
    reason: "answers_differently",
    found: `${shorten(textOf(once))}, then ${shorten(textOf(again))} on ${on}`
  })

const copyOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Table.is(value) || List.is(value)) return value
  if (Array.isArray(value)) return value.map(copyOf)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, part]) => [name, copyOf(part)])
  )
}

const runOnce = (id: string, run: FunctionSource.Compiled, sample: ReadonlyArray<unknown>): Answer => {
  let answer: unknown
  try {
    answer = run(...sample)
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause)
    if (FunctionSource.hasReachedOut(cause)) return new Impure({ id, reason: "reaches_out", found })
    if (FunctionSource.hasOverrun(cause) || FunctionSource.isExhausted(cause)) {
      return new Impure({ id, reason: "overruns", found })
    }
    const changes =
      cause instanceof TypeError && /read only|not extensible|Cannot (?:add|delete|define|assign)/.test(found)
    return new Impure({ id, reason: changes ? "changes_input" : "throws", found })
  }
  try {
    return Canonical.encode(plain(answer) as Canonical.Json)
  } catch (cause) {
    return new Impure({ id, reason: "not_json", found: cause instanceof Error ? cause.message : String(cause) })
  }
}

/** An answer with each table and list replaced by its digest. */
const plain = (value: unknown): unknown => {
  if (Table.is(value)) return { table: value.digest() }
  if (List.is(value)) return { list: value.digest() }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]))
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
