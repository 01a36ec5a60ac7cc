/** Codes of holds, waits for a person, failures, and reviews. */
import * as Field from "@backstitch/expressions/Field"
import { State } from "@backstitch/ledger/ActionState"
import { SideEffect } from "@backstitch/ledger/Payload"
import type * as Finding from "@backstitch/trace/Finding"
import * as Form from "@backstitch/trace/Form"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import { DiscrepancyClass, RecoveryName, Section } from "./recoveryWords.ts"

const { Mark, Names, Written, closed, optional } = Payload
const { Boolean: Flag, Natural, String: Text } = Schema

const nothing = Payload.Nothing

/** Any finding of the kernel. */
type Any = Schema.Decoder<Finding.Finding>

/** A finding, or the words of somebody else. */
const reasonOf = (finding: Any) => Schema.Union([finding, Written])

/** A discrepancy and the row that decided about it; `alone` where its contract names no source of a strong read. */
export const Recovery = closed({
  action: RecoveryName,
  alone: optional(Mark),
  discrepancy: DiscrepancyClass,
  row: Natural,
  section: Section
}).annotate({ identifier: "recovery" })

const tool = { tool: Text }
const target = { target: optional(Text) }
const recovery = { recovery: Recovery }

/** Findings because of which an action is held, and a run with it. */
export const holds = (finding: Any) =>
  ({
    /** The outcome of an action is not known; `why` is the finding that settles nothing. */
    "outcome.unknown": closed({ ...tool, ...target, recovery: optional(Recovery), why: reasonOf(finding) }),
    /** The record does not meet the contract; `blocks` forbid what would undo it. */
    "outcome.unmet": closed({
      ...tool,
      ...recovery,
      blocks: optional(Schema.Array(finding)),
      executing: Flag,
      frozen: Flag,
      unmet: Schema.Array(finding)
    }),
    /** The table has an answer that leaves the action as it is. */
    "outcome.recovered": closed(recovery),
    /** The tool's own word proves nothing of its class; without `recovery` its provider tells. */
    "outcome.word_alone": closed({ ...tool, ...target, class: SideEffect, recovery: optional(Recovery) }),
    /** The call was accepted, and is not done as far as anybody knows; without `recovery` its provider tells. */
    "outcome.accepted": closed({ ...tool, ...target, recovery: optional(Recovery) }),
    /** An action was requested before, and is not settled. */
    "action.begun": closed({ action: Text, since: Natural, state: State }),
    /** A person decides about the action before anything else happens to it; it may arrive until `overAt`. */
    "action.frozen": closed({ ...tool, overAt: optional(Form.Moment), verifiable: Flag }),
    /** A delivery is kept for an action that a person decides about. */
    "delivery.kept": closed(tool),
    /** Its provider has told nothing new. */
    "delivery.nothing_new": closed(tool),
    /** No key can be derived for the next attempt. */
    "key.underivable": closed({ ...tool, why: finding }),
    /** The record before a call could not be read, and nothing was sent. */
    "before.unread": closed({ ...tool, ...recovery }),
    /** The record that would show whether a reversal was done could not be read, and nothing was sent. */
    "before.reversal_unread": closed({ ...tool, ...recovery, undoes: Text }),
    /** The record before a call forbids it, and nothing was sent. */
    "before.refrained": closed({ ...tool, ...recovery }),
    /** A transaction was rolled back, and what it did inside is for a person to look at. */
    "transaction.frozen": closed({ ...tool, ...target }),
    /** A transaction was rolled back, and the record is not as it was before, or could not be read. */
    "transaction.remains": closed({ ...tool, ...target, unmet: finding }),
    /** A loop of the kernel has used its budget up. */
    "budget.stopped": closed({ ...tool, budget: Text, why: finding }),
    /** Verification may ask no more. */
    "verification.stopped": closed({ ...tool, why: finding }),
    /** The act for which the glass was broken was not accepted. */
    "glass.denied": closed({ ...tool, by: Written })
  }) as const

/** Findings because of which an undoing waits, or a subtask behind its pivot. */
export const undoings = (finding: Any) =>
  ({
    /** The open plan waits for a person: `why` says what stopped it at the action `undoes`. */
    "plan.stopped": closed({ because: finding, undoes: Text, why: finding }),
    /** Acts that were done before cannot be undone. */
    "plan.blocked": closed({ action: optional(Text), because: finding, block: optional(finding) }),
    /** A reversal is under way. */
    "reversal.begun": closed({ undoes: optional(Text) }),
    /** A reversal is open, and no plan asks for it. */
    "reversal.unplanned": closed({ ...tool, undoes: optional(Text) }),
    /** By its contract nobody finds out whether there is anything to undo. */
    "reversal.undecidable": closed({ ...tool, undoes: Text }),
    /** The presence of the effect that would be undone is not known. */
    "reversal.unread": closed({ ...tool, undoes: Text, why: reasonOf(finding) }),
    /** The reversal was refused for good. */
    "reversal.refused": nothing,
    /** The reversal failed. */
    "reversal.failed": nothing,
    /** The effect that would be undone is not as it was. */
    "reversal.altered": nothing,
    /** The record that would be undone is not established to be of the action that is to be undone. */
    "reversal.not_own": nothing,
    /** The approval of the reversal was denied, as the plan that waits says. */
    "reversal.not_approved": nothing,
    /** The reversal was not sent: what its own record shows is somebody else's. */
    "reversal.astray": closed({ ...tool, ...recovery }),
    /** The reversal did not come out as its contract wants. */
    "reversal.unmet": closed({ ...tool, executing: Flag, unmet: Schema.Array(finding) }),
    /** A step remains behind a pivot while something is being undone. */
    "forward.undoing": closed(tool),
    /** A step remains behind a pivot, and an action of it is under way. */
    "forward.under_way": closed({ ...tool, action: Text }),
    /** A step remains behind a pivot, and its arguments are not known. */
    "forward.underivable": closed({ ...tool, lacks: finding, pivot: Text }),
    /** A step remains behind a pivot, and a person was asked about it. */
    "forward.escalated": closed({ ...tool, pivot: Text, why: finding }),
    /** Steps remain behind a pivot, and a person decides about them. */
    "forward.waits": closed({ pivot: Text, steps: Names }),
    /** The time in which a step is tried is up. */
    "forward.late": nothing,
    /** A step was refused this often. */
    "forward.refused": closed({ times: Natural }),
    /** The contract does not say what these arguments of a step are made of. */
    "forward.unsaid": closed({ arguments: Names }),
    /** The argument of a step is not of the shape that its contract declares. */
    "forward.mismatch": closed({ argument: Text, has: Field.Seen, wants: Field.Shape }),
    /** The argument of a step cannot be evaluated. */
    "forward.unanswered": closed({ argument: Text })
  }) as const

/** Causes of an undoing, in codes; a person's reason stays as they wrote it. */
export const causes = (finding: Any) =>
  ({
    /** An action failed for good; `error` is what its tool answered. */
    "cause.failed": closed({ ...tool, action: Text, error: Payload.Json }),
    /** An action did not come out as its contract wants. */
    "cause.unmet": closed({ ...tool, action: Text, unmet: Schema.Array(finding) }),
    /** Somebody asked for it. */
    "cause.asked": closed({ reason: Written })
  }) as const

/** Reasons why somebody has to approve a call. */
export const approvals = {
  /** By the contract. */
  "approval.needed": closed(tool),
  /** The tool is critical. */
  "approval.critical": closed(tool),
  /** By the policy of a fork. */
  "approval.forked": closed(tool)
} as const satisfies Finding.Codes

/** Reasons why a person is asked to look at what was done. */
export const reviews = {
  /** The glass was broken; `reason` is what they said. */
  "glass.broken": closed({ ...tool, by: Written, reason: Written }),
  /** The act for which the glass was broken is verified, and not reviewed. */
  "glass.verified": closed(tool),
  /** Verification noticed something about an action of this class. */
  "verification.noticed": closed({ class: SideEffect }),
  /** A record shows since that a success is not as it has to be. */
  "verification.contradicted": nothing,
  /** Its provider says since that it was done, or that it failed. `person`: a person had settled it otherwise. */
  "verification.disputed": closed({ person: Flag, said: Schema.Literals(["done", "failed"]), settled: State })
} as const satisfies Finding.Codes

/** Findings with which a call has failed, where its tool has not said so. */
export const failures = (finding: Any) =>
  ({
    /** By the table, for what was found. */
    "failure.found": closed(recovery),
    /** No source could be read. */
    "failure.unavailable": closed({ ...tool, why: reasonOf(finding) }),
    /** The answer is from behind a boundary, and is not shown. */
    "failure.astray": closed({ ...tool, ...recovery }),
    /** It was rolled back, and nothing of it remains. */
    "failure.rolled_back": closed(tool),
    /** It was undone. */
    "failure.undone": closed({ because: finding })
  }) as const
