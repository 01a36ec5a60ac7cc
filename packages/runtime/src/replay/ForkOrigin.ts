/**
 * Origins of forks: the state of the parent's head in which a fork was decided. The fork records that head as `seen`.
 *
 * If the fork began at its parent's head, the shared history contains it. Otherwise the trace of the parent is
 * needed, from the same store: it alone tells what was left of a budget, or what was undone, at that time. A fork
 * without a share may claim to have seen less of its parent than it had; no trace refutes that, and it may then use
 * what was left at that earlier tick.
 *
 * @source docs/decisions/0039
 */
import type { Command } from "@backstitch/kernel/Command"
import * as DecisionRules from "@backstitch/kernel/DecisionRules"
import type { DecisionTerms } from "@backstitch/kernel/DecisionTerms"
import * as Payload from "@backstitch/kernel/Payload"
import * as UndoneActs from "@backstitch/ledger/UndoneActs"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { State } from "@backstitch/reducer/State"
import type * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Fork from "@backstitch/version-control/Fork"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"

/** The decision that began a fork, with what is needed to make it again. */
export interface ForkOrigin {
  readonly terms: DecisionTerms
  readonly state: State
  readonly command: Command & { readonly _tag: "Fork" }
}

/**
 * Finds the origin of a run and of each fork in its lineage, by the tick at which it begins. A fork has none if its
 * parent's trace is missing, or ends before the tick that it has seen.
 */
export const all = Effect.fn("ForkOrigin.all")(function* (run: Run.Run) {
  const history = yield* History.History
  const origins = new Map<number, ForkOrigin>()
  const transitions = yield* history.transitions(run)
  for (const transition of transitions) {
    const origin = yield* of(run, transition, transitions)
    if (origin !== undefined) origins.set(transition.tick, origin)
  }
  return origins
})

const of = Effect.fnUntraced(function* (
  run: Run.Run,
  { body, stamp, tick }: Transition,
  shared: ReadonlyArray<Transition>
) {
  const data = Payload.of(body, "run.fork")
  if (data === undefined) return undefined
  const { budget = {}, child, seen } = data
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const at = tick - 1
  const left = yield* history.at(run, at)
  const parent = Run.make(data.parent, run.tenant)
  const line = yield* lineOf(parent, { at: left.head, seen })
  // If the fork began at its parent's head, the shared history is the parent's whole history.
  if (line === undefined && seen > at) return undefined
  const known = line ?? shared
  const given = known.find((each) => Payload.of(each.body, "budget.sliced")?.child === child)
  // A fork with a share has seen the transition that gave it.
  const last = Math.max(seen, given?.tick ?? 0)
  const { state } = yield* history.at(line === undefined ? run : parent, last)
  const digest = data.pack ?? PackInForce.of(left.state).pack
  const pack = digest === "" ? undefined : yield* library.pack(digest)
  const undone = Fork.undoneOf(
    UndoneActs.since(
      known.filter((each) => each.tick <= last),
      at,
      { standing: !DecisionRules.binds(left.state, DecisionRules.begunUndoingsAreTold) }
    )
  )
  const { enforcement: _, reason, ...changed } = data
  const begins = { parent, head: left.head, last, reason, changes: { ...changed, undone } }
  const command = { _tag: "Fork", amounts: budget, begins } as const
  // Nothing in it depends on a key, so no secret is needed.
  const own = Run.make(child, run.tenant)
  const terms: DecisionTerms = { lineage: child, now: stamp.asOf, pack, run: own, secret: "", tick }
  return { command, state, terms } satisfies ForkOrigin
})

/**
 * The trace of the parent, if it is in the store, is the one that the fork left, and reaches the tick that the fork
 * has seen.
 */
const lineOf = Effect.fnUntraced(function* (
  parent: Run.Run,
  { at, seen }: { readonly at: HashChain.Head; readonly seen: number }
) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const known = yield* store.info(parent)
  if (known === undefined || known.head.tick < seen) return undefined
  const [sealed] = yield* store.read(parent, { from: at.tick, to: at.tick })
  return sealed?.link === at.link ? yield* history.transitions(parent) : undefined
})
