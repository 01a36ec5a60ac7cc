/**
 * Acts that succeeded twice: two calls of one act whose answers both say that it was done, under two keys or none. A
 * user has got two emails, or was charged twice.
 *
 * `Repeats` names calls that were made again before anybody knew what the first one came to. Here both are known to
 * have succeeded, so nothing is left to find out: one of them is to be taken back.
 *
 * | two calls of one tool are the same act if | basis |
 * | --- | --- |
 * | their arguments are equal, except for a key in them | `arguments` |
 * | the contract's identity fields agree, in any spelling | `identity` |
 *
 * Both answers have to say that it was done: one that is an error, a refusal or undecided is no success. Answers that
 * give what was made one name, such as `id`, are about one act. A call that was undone in between, or that the user
 * wanted once more, counts for nothing. A tool without a contract counts if its name says that it acts on somebody: it
 * sends, charges, books. Names are a hint, and prove nothing.
 *
 * @source Crash Recovery, real-world recognition: "Missing idempotency key"
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as ActionHistories from "../history/ActionHistories.ts"
import * as ArgumentKey from "../keys/argumentKey.ts"
import * as ActingTool from "./actingTool.ts"
import type * as Repeats from "./Repeats.ts"
import * as SentCalls from "./sentCalls.ts"
import * as SuccessAnswer from "./successAnswer.ts"

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
  const exact = new Map<string, SentCalls.SentCall>()
  const identified = new Map<string, SentCalls.SentCall>()
  const found: Array<Double> = []
  for (const call of SentCalls.within(all, contractOf)) {
    const { action, identity, tick, tool } = call
    if (!ends.done.has(action) || !(contractOf(tool).known || ActingTool.isActing(tool))) continue
    const text = `${tool} ${Canonical.encode(ArgumentKey.of(call.params).rest)}`
    const same = exact.get(text)
    const before = same ?? (identity === undefined ? undefined : identified.get(identity.text))
    if (before !== undefined && !isTakenBack(ends, before, tick) && !isOneThing(ends, before, call)) {
      const keys = [before, call].map((each) => ends.keys.get(each.action) ?? ArgumentKey.of(each.params).key)
      const isOneKey = keys[0] !== undefined && keys[0] === keys[1]
      const basis = same === undefined ? "identity" : "arguments"
      const about = { action, tick, tool, of: { action: before.action, tick: before.tick }, basis } as const
      if (!isOneKey) found.push({ ...about, keys: keys.includes(undefined) ? "none" : "two" })
    }
    exact.set(text, call)
    if (identity !== undefined) identified.set(identity.text, call)
  }
  return found
}

/** Answers of successes by action, keys by action, and what took something back. */
interface Ends {
  readonly done: ReadonlyMap<string, Canonical.Json>
  readonly keys: ReadonlyMap<string, string>
  readonly undone: ReadonlySet<string>
  readonly takingBack: ReadonlyArray<{ readonly action: string; readonly tick: number }>
}

const endsOf = (transitions: ReadonlyArray<Transition>): Ends => {
  const done = new Map<string, Canonical.Json>()
  const keys = new Map<string, string>()
  const undone = new Set<string>()
  const takingBack: Array<Ends["takingBack"][number]> = []
  for (const { id, key, observed, reconciled, tool, undoes } of ActionHistories.all(transitions).values()) {
    if (key !== undefined) keys.set(id, key)
    const last = reconciled ?? observed
    if (last?.outcome.status !== "ok") continue
    // A reconciliation has looked for the effect; an answer alone has to say that there is one.
    if (reconciled !== undefined || SuccessAnswer.verdictOf(last.outcome) === "done") {
      done.set(id, observed?.outcome.output ?? null)
    }
    if (undoes !== undefined) undone.add(undoes)
    if (ActingTool.isTakingBack(tool)) takingBack.push({ action: id, tick: last.tick })
  }
  return { done, keys, undone, takingBack }
}

/** Tells whether an act was undone, or another call took something back between it and a tick. */
const isTakenBack = ({ takingBack, undone }: Ends, before: SentCalls.SentCall, until: number): boolean =>
  undone.has(before.action) ||
  takingBack.some(({ action, tick }) => action !== before.action && tick > before.tick && tick < until)

/** Tells whether two answers give one name to what was made, which the arguments do not give: it was made once. */
const isOneThing = ({ done }: Ends, before: SentCalls.SentCall, again: SentCalls.SentCall): boolean => {
  const one = SuccessAnswer.namesIn(done.get(before.action) ?? null)
  const other = SuccessAnswer.namesIn(done.get(again.action) ?? null)
  const given = new Set(Object.values(Canonical.objectOf(again.params)).map(String))
  const made = [...one].filter(([field, name]) => other.has(field) && !given.has(name))
  return made.length > 0 && made.every(([field, name]) => other.get(field) === name)
}
