/**
 * The ledger of a run: one entry an action, projected from the trace under the pack in force.
 *
 * @source Action Verification, "Action Ledger and Auditability"
 */
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { Run } from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as EmergencyActions from "../pending/EmergencyActions.ts"
import * as UndoWindow from "../undo/UndoWindow.ts"

/** The entries of a run, in the order in which its actions were proposed. */
export type Ledger = ReadonlyArray<ActionLedgerEntry.ActionLedgerEntry>

/** The actor behind the entries: the version of the program, and the principal for whom it acts. */
export interface About {
  readonly wrapper: string
  readonly principal?: string | undefined
}

/** Reads the context of a run's entries: the pack in force at its head, versions and the time. */
export const context = Effect.fnUntraced(function* (run: Run, about: About) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  const { state } = yield* history.at(run, head.tick)
  const isGoverned = PackInForce.of(state).pack !== ""
  const found: ActionLedgerEntry.Context = {
    run: run.id,
    tenant: run.tenant,
    principal: about.principal ?? "agent",
    pack: isGoverned ? yield* library.folding(() => library.packAt(state, head.tick)) : undefined,
    wrapper: about.wrapper,
    recoveryPolicy: RecoveryTable.policyVersion(),
    now: yield* Clock.currentTimeMillis
  }
  return found
})

/** Projects the ledger of a run. `wrapper` is the version of the program that carried the actions out. */
export const of = Effect.fn("Ledger.of")(function* (run: Run, about: About) {
  const history = yield* History.History
  const entries: Ledger = ActionLedgerEntry.all(yield* history.transitions(run), yield* context(run, about))
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
  /** Effects that stand and can be undone until a time. */
  readonly windows: ReadonlyArray<UndoWindow.OfAction>
}

/** Projects the ledger of a run and names the gaps in it. */
export const audit = Effect.fn("Ledger.audit")(function* (run: Run, about: About) {
  const history = yield* History.History
  const entries = yield* of(run, about)
  const { head } = yield* history.info(run)
  const { state } = yield* history.at(run, head.tick)
  const audited: Audited = {
    run: run.id,
    entries,
    ...ActionLedgerEntry.completeness(entries),
    incomplete: entries.flatMap((entry) => {
      const lacks = ActionLedgerEntry.missing(entry)
      return lacks.length === 0 ? [] : [{ action: entry.action_id, lacks }]
    }),
    glass: [...EmergencyActions.all(yield* history.transitions(run)).values()],
    windows: UndoWindow.inState(state, yield* Clock.currentTimeMillis)
  }
  return audited
})
