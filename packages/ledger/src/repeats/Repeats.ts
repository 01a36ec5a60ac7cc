/**
 * Acts that were repeated although nobody knew what the first call came to: for example a charge that may have been
 * made twice.
 *
 * There is one rule for every trace. A call repeats an earlier one if it is the same act, and the trace does not show
 * what the latest such call came to: it has no answer, or its answer says that none came in time, or that a process
 * ended in between. A trace cannot show which of the two took effect, so a repeat is named and proves nothing.
 *
 * | two calls of one tool are the same act if | basis |
 * | --- | --- |
 * | their arguments are equal | `arguments` |
 * | the contract's identity fields agree, in any spelling | `identity` |
 * | no contract names an identity, and only comments or a request's own id differ | `likeness` |
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"
import * as Likeness from "./likeness.ts"
import * as SentCalls from "./sentCalls.ts"

/** The ways in which the first call has no known end. */
export const After = Schema.Literals(["silence", "timeout", "crash"])

/** The ways in which the first call has no known end. */
export type After = typeof After.Type

/** The reasons for which two calls count as the same act. */
export const Basis = Schema.Literals(["arguments", "identity", "likeness"])

/** The reasons for which two calls count as the same act. */
export type Basis = typeof Basis.Type

/**
 * A call that repeats another one.
 *
 * **Details**
 *
 * `of` is the earlier call. `after` tells what became of it: no answer, an answer that none came in time or that the
 * connection was lost, or an answer that a process ended. `fields` are the arguments that agree and `differ` those
 * that do not; equal arguments are not listed.
 */
export const Repeat = Schema.Struct({
  action: Schema.String,
  tick: Schema.Natural,
  tool: Schema.String,
  of: Schema.Struct({ action: Schema.String, tick: Schema.Natural }),
  after: After,
  basis: Basis,
  fields: Schema.Array(Schema.String),
  differ: Schema.Array(Schema.String)
})

/** A call that repeats another one. */
export type Repeat = typeof Repeat.Type

/** Finds the contract of a tool. Reads are no acts. */
export type ContractOf = (tool: string) => ToolContract.ToolContract

/**
 * Lists the repeats of a trace, in order.
 *
 * **Example** (Finding a payment that was sent twice)
 *
 * ```ts import.meta.vitest
 * import { ToolContract } from "@backstitch/contracts"
 * import { Repeats } from "@backstitch/ledger"
 *
 * const part = { stamp: { asOf: 0 }, envelope: { ts: 0 } }
 * const pays = (tick: number, id: string) => {
 *   const action = { id, tool: "pay", params: { amount: 3 } }
 *   return { tick, body: { type: "action.request", author: "agent", action } as const, ...part }
 * }
 * const [found] = Repeats.of([pays(14, "a"), pays(19, "b")], ToolContract.unknown)
 *
 * found?.of // => { action: "a", tick: 14 }
 * found?.after // => "silence"
 * found?.basis // => "arguments"
 * ```
 */
export const of = (transitions: Iterable<Transition>, contractOf: ContractOf): ReadonlyArray<Repeat> => {
  const seen = new Seen()
  return SentCalls.within([...transitions], contractOf).flatMap((call) => {
    const found = seen.repeated(call)
    seen.add(call)
    return found === undefined ? [] : [found]
  })
}

/**
 * Lists the calls of a trace that repeat one of an earlier trace whose end is not known there, such as those of an
 * agent that was started again under another name. The ticks of `of` are those of the earlier trace.
 */
export const between = (
  before: Iterable<Transition>,
  after: Iterable<Transition>,
  contractOf: ContractOf
): ReadonlyArray<Repeat> => {
  const seen = new Seen()
  for (const call of SentCalls.within([...before], contractOf)) seen.add(call)
  const again = new Set<string>()
  return SentCalls.within([...after], contractOf).flatMap((call) => {
    const found = seen.repeated(call)
    // Repetitions within the later trace are repeats of its own first call.
    if (found === undefined || again.has(found.of.action)) return []
    again.add(found.of.action)
    return [found]
  })
}

/** The latest calls, by each of their names. */
class Seen {
  private readonly exact = new Map<string, SentCalls.SentCall>()
  private readonly identity = new Map<string, SentCalls.SentCall>()
  private readonly alike = new Map<string, SentCalls.SentCall>()

  add(call: SentCalls.SentCall): void {
    this.exact.set(call.exact, call)
    if (call.identity !== undefined) this.identity.set(call.identity.text, call)
    if (call.likeness !== undefined) this.alike.set(`${call.tool} ${call.likeness.text}`, call)
  }

  repeated(call: SentCalls.SentCall): Repeat | undefined {
    return this.same(call) ?? this.identified(call) ?? this.likely(call)
  }

  private same(call: SentCalls.SentCall): Repeat | undefined {
    return repeat(call, this.exact.get(call.exact), "arguments", () => ({ fields: [], differ: [] }))
  }

  private identified(call: SentCalls.SentCall): Repeat | undefined {
    if (call.identity === undefined) return undefined
    const { fields, text } = call.identity
    return repeat(call, this.identity.get(text), "identity", ({ params }) => ({
      fields,
      differ: differing(params, call.params)
    }))
  }

  private likely(call: SentCalls.SentCall): Repeat | undefined {
    const { likeness } = call
    if (likeness === undefined) return undefined
    const before = this.alike.get(`${call.tool} ${likeness.text}`)
    return repeat(
      call,
      before,
      "likeness",
      (earlier) => earlier.likeness && Likeness.compare(earlier.likeness, likeness)
    )
  }
}

const repeat = (
  { action, tick, tool }: SentCalls.SentCall,
  before: SentCalls.SentCall | undefined,
  basis: Basis,
  compare: (before: SentCalls.SentCall) => Likeness.Alike | undefined
): Repeat | undefined => {
  if (before?.after === undefined) return undefined
  const compared = compare(before)
  if (compared === undefined) return undefined
  return {
    action,
    tick,
    tool,
    of: { action: before.action, tick: before.tick },
    after: before.after,
    basis,
    ...compared
  }
}

const differing = (one: Canonical.Json, other: Canonical.Json): ReadonlyArray<string> => {
  const [left, right] = [Canonical.objectOf(one), Canonical.objectOf(other)]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .filter((name) => !Canonical.equals(left[name] ?? null, right[name] ?? null))
    .sort()
}
