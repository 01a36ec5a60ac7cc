/**
 * Confirms actions at level 4 of trust: reconciled state that is bound to evidence which the owner of the store cannot
 * rewrite.
 *
 * The level is computed when somebody asks, against a head that they kept elsewhere, and is never stored: a store that
 * could write it down could write it down falsely. An action has it if it was confirmed at level 3, its ledger entry
 * lacks nothing, its contract and the rules of its decisions are on record, and the chain is as it was committed and
 * anchored past its settlement. Approvals and keys that the contract demands are part of a complete entry.
 *
 * @source Action Verification, "Observation Trust Ladder"
 */
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as Trust from "@backstitch/ledger/Trust"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as RunVerification from "../proof/RunVerification.ts"
import * as Ledger from "./Ledger.ts"

/** The grounds on which an action is not confirmed. */
export const grounds = [
  "not_reconciled",
  "entry_incomplete",
  "policy_unrecorded",
  "chain_broken",
  "not_anchored"
] as const

/** A ground on which an action is not confirmed. */
export type Ground = (typeof grounds)[number]

/** One action, with the grounds against its confirmation; none if it is confirmed. */
export interface ConfirmedAction {
  readonly action: string
  readonly confirmed: boolean
  readonly grounds: ReadonlyArray<Ground>
}

/** The confirmation of a run's actions under a head, as plain JSON. */
export interface AuditConfirmation {
  readonly verification: RunVerification.RunVerdict
  /** The tick up to which the kept head anchors the run; 0 if it does not. */
  readonly anchoredTo: number
  readonly actions: ReadonlyArray<ConfirmedAction>
}

/** Confirms the actions of a run that change the world, under a head that was kept elsewhere: `LINK` or `TICK:LINK`. */
export const of = Effect.fn("AuditConfirmation.of")(function* (run: Run, head: string) {
  const verification = yield* RunVerification.verify(run, { head })
  const anchoredTo = verification.anchored ? yield* RunVerification.tickOf(run, head) : 0
  const history = yield* History.History
  const transitions = verification.consistent ? yield* history.transitions(run) : []
  const context = yield* Ledger.context(run, transitions)
  const histories = [...ActionHistories.all(transitions).values()]
  const found: AuditConfirmation = {
    verification,
    anchoredTo,
    actions: histories.flatMap((each) => {
      const entry = ActionLedgerEntry.fromHistory(each, context)
      if (entry.side_effect_class === "READ_ONLY") return []
      const against = groundsOf(each, entry, { anchoredTo, verification })
      return [{ action: each.id, confirmed: against.length === 0, grounds: against }]
    })
  }
  return found
})

const groundsOf = (
  { reconciled, trust }: ActionHistory.ActionHistory,
  entry: ActionLedgerEntry.ActionLedgerEntry,
  { anchoredTo, verification }: Pick<AuditConfirmation, "anchoredTo" | "verification">
): ReadonlyArray<Ground> => {
  const isReconciled = entry.reconciliation.status === "RECONCILED_SUCCESS" && trust >= Trust.believable
  const { schema_version, version, wrapper_version } = entry.tool_contract
  const isRecorded = ![schema_version, version, wrapper_version].some((each) => unrecorded.has(each))
  const holds: { readonly [Each in Ground]: boolean } = {
    not_reconciled: !isReconciled,
    entry_incomplete: ActionLedgerEntry.missing(entry).length > 0,
    policy_unrecorded: !isRecorded,
    chain_broken: !RunVerification.isSound(verification),
    not_anchored: reconciled === undefined || reconciled.tick > anchoredTo
  }
  return grounds.filter((ground) => holds[ground])
}

const unrecorded: ReadonlySet<string> = new Set([ActionLedgerEntry.none, ActionLedgerEntry.unrecorded])
