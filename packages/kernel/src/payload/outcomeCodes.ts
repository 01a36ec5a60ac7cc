/** Codes of holds, waits for a person, failures, and reviews. */
import type { InadmissibleReason } from "@backstitch/admissibility/RollbackAdmission"
import * as Field from "@backstitch/expressions/Field"
import { State } from "@backstitch/ledger/ActionState"
import { SideEffect } from "@backstitch/ledger/Payload"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import * as Form from "@backstitch/trace/Form"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import { DiscrepancyClass, RecoveryName, Section } from "./recoveryWords.ts"

const { Mark, Names, Written, closed, optional } = Payload
const { Boolean: Flag, Natural, String: Text } = Schema

const nothing = Payload.Nothing

/** Any finding of the kernel. */
type Any = Schema.Decoder<FindingForm.AnyFinding>

/** A finding, or the words of a tool or a person. */
const reasonOf = (finding: Any) => Schema.Union([finding, Written])

/** A discrepancy and the row that decided on it; `alone` if the contract names no strong source. */
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

/** Reasons why an action is held, and its run with it. */
export const holds = (finding: Any) =>
  ({
    /** The outcome of an action is unknown; `why` is the reason why the evidence does not settle it. */
    "outcome.unknown": closed({ ...tool, ...target, recovery: optional(Recovery), why: reasonOf(finding) }),
    /** The record does not meet the contract; `blocks` forbid its undoing. */
    "outcome.unmet": closed({
      ...tool,
      ...recovery,
      blocks: optional(Schema.Array(finding)),
      executing: Flag,
      frozen: Flag,
      unmet: Schema.Array(finding)
    }),
    /** The recovery table leaves the action as it is. */
    "outcome.recovered": closed(recovery),
    /**
     * The tool's word alone proves nothing for its class. Without `recovery`, a delivery of its provider is awaited.
     */
    "outcome.word_alone": closed({ ...tool, ...target, class: SideEffect, recovery: optional(Recovery) }),
    /** The call was accepted and is not known to be done. Without `recovery`, a delivery of its provider is awaited. */
    "outcome.accepted": closed({ ...tool, ...target, recovery: optional(Recovery) }),
    /** An alarm of the topology is raised since a tick, and no person has written to the run after it. */
    "alarm.unheard": closed({ predicate: Text, since: Natural }),
    /** An action was requested before, and is not settled. */
    "action.begun": closed({ action: Text, since: Natural, state: State }),
    /** The action waits for a person's decision; it may arrive until `overAt`. */
    "action.frozen": closed({
      ...tool,
      overAt: optional(Form.Moment),
      told: optional(Schema.Literals(["done", "failed"])),
      verifiable: Flag
    }),
    /** A delivery is kept for an action that waits for a person's decision. */
    "delivery.kept": closed(tool),
    /** The provider's delivery contains nothing new. */
    "delivery.nothing_new": closed(tool),
    /** A topology asks a person about a crack that its own medicine could not treat. */
    "topology.asked": closed({ crack: Text, error: optional(Written), subjects: Names }),
    /** No key can be derived for the next attempt. */
    "key.underivable": closed({ ...tool, why: finding }),
    /** The record before a call could not be read, and nothing was sent. */
    "before.unread": closed({ ...tool, ...recovery }),
    /** The record that would show whether a reversal was done could not be read, and nothing was sent. */
    "before.reversal_unread": closed({ ...tool, ...recovery, undoes: Text }),
    /** The record before a call forbids the call, and nothing was sent. */
    "before.refrained": closed({ ...tool, ...recovery }),
    /** A transaction was rolled back, and a person has to look at what it did inside. */
    "transaction.frozen": closed({ ...tool, ...target }),
    /** A transaction was rolled back, and afterwards the record had changed or could not be read. */
    "transaction.remains": closed({ ...tool, ...target, unmet: finding }),
    /** A loop of the kernel has used up its budget. */
    "budget.stopped": closed({ ...tool, budget: Text, why: finding }),
    /** The budget of verification is used up. */
    "verification.stopped": closed({ ...tool, why: finding }),
    /** A reviewer did not accept the act for which the glass was broken. */
    "glass.denied": closed({ ...tool, by: Written })
  }) as const

/** The reasons for which no checkpoint of a subtask may be restored. */
const blocks = [
  "ambiguous_instance",
  "boundary_not_closed",
  "committed_consumers_present",
  "effect_unsettled",
  "irreversible_effect_policy",
  "no_checkpoint",
  "open_consumers_present",
  "overwritten_since",
  "undo_window_closed"
] as const satisfies ReadonlyArray<InadmissibleReason["code"]>

/** Reasons why an undoing or a subtask waits. */
export const undoings = (finding: Any) =>
  ({
    /** The open plan waits for a person; `why` is the reason for the stop at the action `undoes`. */
    "plan.stopped": closed({ because: finding, undoes: Text, why: finding }),
    /** Acts that were done earlier cannot be undone. */
    "plan.blocked": closed({ action: optional(Text), because: finding, block: optional(finding) }),
    /**
     * A subtask failed, and its run is held or done again: no checkpoint may be restored for the `reasons`, or the
     * `tries` of its contract are used up.
     */
    "subtask.blocked": closed({
      fallback: Schema.Literals(["hold", "person", "rerun"]),
      instance: optional(Text),
      reasons: Schema.Array(Schema.Literals(blocks)),
      tries: optional(Natural),
      ...tool
    }),
    /** A reversal is under way. */
    "reversal.begun": closed({ undoes: optional(Text) }),
    /** A reversal is open, but no plan asks for it. */
    "reversal.unplanned": closed({ ...tool, undoes: optional(Text) }),
    /** The contract declares no way to find out whether there is anything to undo. */
    "reversal.undecidable": closed({ ...tool, undoes: Text }),
    /** It is unknown whether the effect to be undone is there. */
    "reversal.unread": closed({ ...tool, undoes: Text, why: reasonOf(finding) }),
    /** The reversal was refused for good. */
    "reversal.refused": nothing,
    /** The reversal failed. */
    "reversal.failed": nothing,
    /** The effect to be undone has changed. */
    "reversal.altered": nothing,
    /** The record to be undone is not established as the action's own. */
    "reversal.not_own": nothing,
    /** The approval of the reversal was denied, so the plan waits. */
    "reversal.not_approved": nothing,
    /** The time in which the effect could be undone is over. */
    "reversal.too_late": nothing,
    /** The reversal was not sent, because its record shows an effect of another party. */
    "reversal.astray": closed({ ...tool, ...recovery }),
    /** The record of the reversal does not meet its contract. */
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
    /** The time for a step is over. */
    "forward.late": nothing,
    /** A step was refused `times` times. */
    "forward.refused": closed({ times: Natural }),
    /** The contract does not say how to derive these arguments of a step. */
    "forward.unsaid": closed({ arguments: Names }),
    /** The derived argument of a step does not have the shape that its contract declares. */
    "forward.mismatch": closed({ argument: Text, has: Field.Seen, wants: Field.FieldShape }),
    /** The argument of a step cannot be evaluated. */
    "forward.unanswered": closed({ argument: Text })
  }) as const

/** Causes of an undoing, as codes; a person's reason stays as written. */
export const causes = (finding: Any) =>
  ({
    /** An action failed for good; `error` is the answer of its tool. */
    "cause.failed": closed({ ...tool, action: Text, error: Payload.Json }),
    /** The record of an action does not meet its contract. */
    "cause.unmet": closed({ ...tool, action: Text, unmet: Schema.Array(finding) }),
    /** A person asked for it. */
    "cause.asked": closed({ reason: Written }),
    /** The user revised the goal at these ticks. */
    "cause.revised": closed({ revisions: Schema.Array(Natural) })
  }) as const

/** Reasons why a call needs an approval. */
export const approvals = {
  /** The contract asks for an approval. */
  "approval.needed": closed(tool),
  /** The tool is a critical mutation. */
  "approval.critical": closed(tool),
  /** The policy of a fork asks for an approval. */
  "approval.forked": closed(tool)
} as const satisfies FindingForm.Codes

/** Reasons why a person is asked to look at an action. */
export const reviews = {
  /** The glass was broken; `reason` is the person's reason. */
  "glass.broken": closed({ ...tool, by: Written, reason: Written }),
  /** The act for which the glass was broken is verified and not yet reviewed. */
  "glass.verified": closed(tool),
  /** Verification noticed something about an action of this class. */
  "verification.noticed": closed({ class: SideEffect }),
  /** A later record contradicts a success. */
  "verification.contradicted": nothing,
  /** The provider reported a different outcome after the settlement. `person`: a person had settled the action. */
  "verification.disputed": closed({ person: Flag, said: Schema.Literals(["done", "failed"]), settled: State })
} as const satisfies FindingForm.Codes

/** Reasons for a failure that the tool did not give. */
export const failures = (finding: Any) =>
  ({
    /** The recovery table decided on a failure, for this discrepancy. */
    "failure.found": closed(recovery),
    /** No source could be read. */
    "failure.unavailable": closed({ ...tool, why: reasonOf(finding) }),
    /** The answer is about another tenant or target, and is not shown. */
    "failure.astray": closed({ ...tool, ...recovery }),
    /** The call was rolled back, and no effect remains. */
    "failure.rolled_back": closed(tool),
    /** The action was undone. */
    "failure.undone": closed({ because: finding })
  }) as const
