/**
 * Confirms actions at level 4 of trust: reconciled state that is bound to evidence which the owner of the store cannot
 * rewrite.
 *
 * The level is computed when somebody asks, against a head that they kept elsewhere, and is never stored: a store that
 * could write it down could write it down falsely. An action has it if it was confirmed at level 3, its ledger entry
 * lacks nothing, its contract and the rules of its decisions are on record, and the chain is as it was committed and
 * anchored past its settlement. Approvals and keys that the contract demands are part of a complete entry.
 *
 * Laws: only transitions up to the kept head confirm an action. Later ones, which the owner of the store may have
 * written, can take the level away and never give it.
 *
 * @source Action Verification, "Observation Trust Ladder"
 */
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as Trust from "@backstitch/ledger/Trust"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
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
  const whole = yield* project(run, transitions)
  const kept = yield* project(
    run,
    transitions.filter(({ tick }) => tick <= anchoredTo)
  )
  const found: AuditConfirmation = {
    verification,
    anchoredTo,
    actions: [...whole.histories.values()].flatMap((each) => {
      const entry = ActionLedgerEntry.fromHistory(each, whole.context)
      if (entry.side_effect_class === "READ_ONLY") return []
      const anchored = kept.histories.get(each.id)
      const against = new Set([
        ...groundsOf(each, whole, verification),
        ...(anchored?.reconciled === undefined ? (["not_anchored"] as const) : groundsOf(anchored, kept, verification))
      ])
      return [
        { action: each.id, confirmed: against.size === 0, grounds: grounds.filter((ground) => against.has(ground)) }
      ]
    })
  }
  return found
})

/** The actions in a part of a run, and the context of their entries at its end. */
interface Projected {
  readonly histories: ActionHistories.ActionHistories
  readonly context: ActionLedgerEntry.Context
}

const project = Effect.fnUntraced(function* (run: Run, transitions: ReadonlyArray<Transition>) {
  const context = yield* Ledger.context(run, transitions)
  const projected: Projected = { histories: ActionHistories.all(transitions), context }
  return projected
})

/** The grounds against an action by its own evidence and entry; whether it is anchored is another. */
const groundsOf = (
  self: ActionHistory.ActionHistory,
  { context }: Projected,
  verification: RunVerification.RunVerdict
): ReadonlyArray<Ground> => {
  const entry = ActionLedgerEntry.fromHistory(self, context)
  const isReconciled = entry.reconciliation.status === "RECONCILED_SUCCESS" && self.trust >= Trust.believable
  const { schema_version, version, wrapper_version } = entry.tool_contract
  const isRecorded = ![schema_version, version, wrapper_version].some((each) => unrecorded.has(each))
  const holds: { readonly [Each in Exclude<Ground, "not_anchored">]: boolean } = {
    not_reconciled: !isReconciled,
    entry_incomplete: ActionLedgerEntry.missing(entry).length > 0,
    policy_unrecorded: !isRecorded,
    chain_broken: !RunVerification.isSound(verification)
  }
  return grounds.filter((ground) => ground !== "not_anchored" && holds[ground])
}

const unrecorded: ReadonlySet<string> = new Set([ActionLedgerEntry.none, ActionLedgerEntry.unrecorded])
