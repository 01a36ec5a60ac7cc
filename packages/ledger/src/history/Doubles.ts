/**
 * Acts that succeeded twice: two calls of one act, both answered as done, under two keys or under none. A user has got
 * two emails, or was charged twice.
 *
 * `Repeats` names calls that were made again before anybody knew what the first one came to. Here both are known to
 * have succeeded, so nothing is left to find out: one of them is to be taken back.
 *
 * | two calls of one tool are the same act if | basis |
 * | --- | --- |
 * | their arguments are equal | `arguments` |
 * | the contract's identity fields agree, in any spelling | `identity` |
 *
 * A call that was undone in between, or that the user wanted once more, counts for nothing. A tool without a contract
 * counts if its name says that it acts on somebody: it sends, charges, books. Names are a hint, and prove nothing.
 *
 * @source Crash Recovery, real-world recognition: "Missing idempotency key"
 */
import type { Transition } from "@backstitch/trace/Transition"
import * as ActionHistories from "./ActionHistories.ts"
import type * as Repeats from "./Repeats.ts"
import * as SentCalls from "./sentCalls.ts"

/** A call that did what an earlier call had done. `keys` is `none` if either was sent without a key. */
export interface Double {
  readonly action: string
  readonly tick: number
  readonly tool: string
  readonly of: { readonly action: string; readonly tick: number }
  readonly basis: Exclude<Repeats.Basis, "likeness">
  readonly keys: "none" | "two"
}

/**
 * Lists the doubles of a trace, in order.
 *
 * **Example** (Two receipts for one charge)
 *
 * ```ts import.meta.vitest
 * import { ToolContract } from "@backstitch/contracts"
 * import { Doubles } from "@backstitch/ledger"
 *
 * const part = { stamp: { asOf: 0 }, envelope: { ts: 0 } }
 * const pays = (tick: number, id: string) => {
 *   const action = { id, tool: "charge_card", params: { order: "4711" } }
 *   const result = { status: "ok", output: "charged" } as const
 *   return [
 *     { tick, body: { type: "action.request", author: "agent", action } as const, ...part },
 *     { tick: tick + 1, body: { type: "action.result", author: "kernel", action, result } as const, ...part }
 *   ]
 * }
 * const [found] = Doubles.of([...pays(2, "a"), ...pays(4, "b")], ToolContract.unknown)
 *
 * found?.of // => { action: "a", tick: 2 }
 * found?.keys // => "none"
 * ```
 */
export const of = (transitions: Iterable<Transition>, contractOf: Repeats.ContractOf): ReadonlyArray<Double> => {
  const all = [...transitions]
  const ends = endsOf(all)
  const exact = new Map<string, SentCalls.Call>()
  const identified = new Map<string, SentCalls.Call>()
  const found: Array<Double> = []
  for (const call of SentCalls.within(all, contractOf)) {
    const { action, identity, tick, tool } = call
    if (ends.done.get(action) === undefined || !(contractOf(tool).known || isActing(tool))) continue
    const same = exact.get(call.exact)
    const before = same ?? (identity === undefined ? undefined : identified.get(identity.text))
    if (before !== undefined && !isTakenBack(ends, before, tick)) {
      const keys = [before.action, action].map((id) => ends.keys.get(id))
      const isOneKey = keys[0] !== undefined && keys[0] === keys[1]
      const basis = same === undefined ? "identity" : "arguments"
      const about = { action, tick, tool, of: { action: before.action, tick: before.tick }, basis } as const
      if (!isOneKey) found.push({ ...about, keys: keys.includes(undefined) ? "none" : "two" })
    }
    exact.set(call.exact, call)
    if (identity !== undefined) identified.set(identity.text, call)
  }
  return found
}

/** Successes by action with their ticks, keys by action, and ticks of calls that took something back. */
interface Ends {
  readonly done: ReadonlyMap<string, number>
  readonly keys: ReadonlyMap<string, string>
  readonly undone: ReadonlySet<string>
  readonly takingBack: ReadonlyArray<number>
}

const endsOf = (transitions: ReadonlyArray<Transition>): Ends => {
  const done = new Map<string, number>()
  const keys = new Map<string, string>()
  const undone = new Set<string>()
  const takingBack: Array<number> = []
  for (const { id, key, observed, reconciled, tool, undoes } of ActionHistories.all(transitions).values()) {
    if (key !== undefined) keys.set(id, key)
    const last = reconciled ?? observed
    if (last?.outcome.status !== "ok") continue
    done.set(id, last.tick)
    if (undoes !== undefined) undone.add(undoes)
    if (isTakingBack(tool)) takingBack.push(last.tick)
  }
  return { done, keys, undone, takingBack }
}

/** Tells whether an act was undone, or something was taken back between it and a tick. */
const isTakenBack = ({ takingBack, undone }: Ends, { action, tick }: SentCalls.Call, until: number): boolean =>
  undone.has(action) || takingBack.some((at) => at > tick && at < until)

const wordsOf = (tool: string): ReadonlyArray<string> =>
  tool
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const acts = set("book buy charge email invite mail notify order pay purchase refund reserve send ship submit transfer")

const makes = set("add create issue make place post")

const things = set("booking charge email invoice message order payment purchase refund reservation ticket transfer")

const takes = set("cancel delete refund remove revert undo void")

/** Tells whether the name of a tool says that it acts on somebody: `send_email`, `createPayment`. */
const isActing = (tool: string): boolean => {
  const [first = "", ...rest] = wordsOf(tool)
  return acts.has(first) || (makes.has(first) && rest.some((word) => things.has(word)))
}

const isTakingBack = (tool: string): boolean => wordsOf(tool).some((word) => takes.has(word))
