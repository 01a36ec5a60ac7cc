/**
 * The ledger of a run: one entry an action, projected from the trace, each under the terms of its time.
 *
 * @source Action Verification, "Action Ledger and Auditability"
 */
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as EmergencyActions from "../pending/EmergencyActions.ts"
import * as UndoWindow from "../undo/UndoWindow.ts"

/** The entries of a run, in the order in which its actions were proposed. */
export type Ledger = ReadonlyArray<ActionLedgerEntry.ActionLedgerEntry>

/**
 * Reads the context of entries: the terms of the run at each tick of the given transitions, and the time.
 *
 * **Details**
 *
 * A run changes its pack as it is forked or migrated, and by extensions from a tick on. What was done before stays done
 * under the earlier contract.
 */
export const context = Effect.fnUntraced(function* (run: Run, transitions: ReadonlyArray<Transition>) {
  const spans = yield* spansOf(run, transitions)
  const found: ActionLedgerEntry.Context = {
    run: run.id,
    tenant: run.tenant,
    termsAt: (tick) => (spans.findLast(({ from }) => from <= tick) ?? spans[0])?.terms ?? ungoverned,
    now: yield* Clock.currentTimeMillis
  }
  return found
})

interface Span {
  readonly from: number
  readonly terms: ActionLedgerEntry.Terms
}

const ungoverned: ActionLedgerEntry.Terms = { pack: undefined }

/** Lists the spans of ticks in which the terms of a run are the same, the first one first. */
const spansOf = Effect.fnUntraced(function* (run: Run, transitions: ReadonlyArray<Transition>) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const first = transitions[0]?.tick ?? 1
  // The own part of a fork goes on under the terms of the part that it shares.
  const before = first === 1 ? [] : [first - 1]
  const changed = transitions.flatMap(({ body, tick }) => (changing.has(body.type) ? [tick] : []))
  const spans: Array<Span> = []
  const changes = [...before, ...changed]
  for (const [index, tick] of changes.entries()) {
    const { state } = yield* history.at(run, tick)
    const self = PackInForce.of(state)
    const until = changes[index + 1] ?? Number.POSITIVE_INFINITY
    const effective = self.extensions.map(({ effective_from_tick: from }) => Number(from))
    const starts = new Set([tick, ...effective.filter((from) => tick < from && from < until)])
    for (const from of [...starts].sort((one, other) => one - other)) {
      const pack = self.pack === "" ? undefined : yield* library.inForce(state, from)
      spans.push({ from, terms: { pack, rules: self.rules, engine: self.engine } })
    }
  }
  return spans
})

/** Types of transitions after which a run may have other terms. */
const changing: ReadonlySet<string> = new Set(["run.started", "run.fork", "run.migrated", "policy.contract_extension"])

/** Projects the ledger of a run. */
export const of = Effect.fn("Ledger.of")(function* (run: Run) {
  const history = yield* History.History
  const transitions = yield* history.transitions(run)
  const entries: Ledger = ActionLedgerEntry.all(transitions, yield* context(run, transitions))
  return entries
})

/** The ledger of a run, the gaps in its entries, and the emergencies. It is JSON already. */
export interface Audited {
  readonly run: string
  readonly entries: Ledger
  /** The number of entries, of actions that change the world, that lack nothing, and the number of all of them. */
  readonly complete: number
  readonly required: number
  readonly incomplete: ReadonlyArray<{ readonly action: string; readonly lacks: ReadonlyArray<string> }>
  readonly glass: ReadonlyArray<EmergencyActions.EmergencyAction>
  /** Actions that were under way or being undone where a fork began. The run that they were left to records them. */
  readonly left: ReadonlyArray<LeftAction>
  /** Effects that stand and can be undone until a time. */
  readonly windows: ReadonlyArray<UndoWindow.OfAction>
}

/** An action that a fork left to its parent. `isUndone` if it was being undone, and else it was under way. */
export interface LeftAction {
  readonly action: string
  readonly isUndone: boolean
  readonly tool: string
  readonly run: string
}

/** Projects the ledger of a run and names the gaps in it. */
export const audit = Effect.fn("Ledger.audit")(function* (run: Run) {
  const history = yield* History.History
  const entries = yield* of(run)
  const { state } = yield* history.at(run)
  const transitions = yield* history.transitions(run)
  const audited: Audited = {
    run: run.id,
    entries,
    ...ActionLedgerEntry.completeness(entries),
    incomplete: entries.flatMap((entry) => {
      const lacks = ActionLedgerEntry.missing(entry)
      return lacks.length === 0 ? [] : [{ action: entry.action_id, lacks }]
    }),
    glass: [...EmergencyActions.all(transitions).values()],
    left: [...ActionHistories.all(transitions).values()].flatMap(({ id, left, tool, undo }) =>
      left === undefined ? [] : [{ action: id, isUndone: EffectStatus.isOpen({ undo }), tool, run: left.run }]
    ),
    windows: UndoWindow.inState(state, yield* Clock.currentTimeMillis)
  }
  return audited
})
