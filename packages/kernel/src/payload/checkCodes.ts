/** The codes of checks that fail for an intent, a person's decision or a delivery, in the order of the steps. */

import * as Normaliser from "@backstitch/contracts/Normaliser"
import * as Field from "@backstitch/expressions/Field"
import { State } from "@backstitch/ledger/ActionState"
import * as PlanCodes from "@backstitch/ledger/PlanCodes"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import * as Form from "@backstitch/trace/Form"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import { StandingName } from "./recoveryWords.ts"

const { Json, Mark, Names, Written, closed, optional } = Payload
const { Boolean: Flag, Natural, String: Text } = Schema
const { Amount } = Form

/** An action of a run. */
const act = { action: Text, run: Text, tick: Natural }

/** The code needs no argument. */
const nothing = Payload.Nothing

/** Findings about authors and contracts. */
export const authorship = {
  /** The author may not write the type. */
  "author.not_allowed": closed({ author: Ontology.Author, authors: Schema.Array(Ontology.Author) }),
  /** A planner asked for a further occurrence of an act on its own authority. */
  "occurrence.author": closed({ occurrence: Natural }),
  /** The type is unknown to this kernel; `namespace` is its namespace. */
  "type.unknown": closed({ namespace: optional(Text), type: Text }),
  /** The run began without the namespace, or with a version of it that lacks the type. */
  "type.unpinned": closed({ namespace: Text, pinned: optional(Natural), since: Natural, type: Text }),
  /** An extension does not fit the contract. */
  "extension.invalid": nothing,
  /** A contract extension was proposed in a run without a pack. */
  "contract.missing": nothing,
  /** The contract does not declare the tool. Without `contract`, the run has no contract. */
  "tool.unknown": closed({ contract: optional(Text), tool: Text }),
  /** The cost of the call cannot be evaluated. */
  "cost.unanswered": closed({ tool: Text }),
  /** The contract of the tool has no webhook. */
  "delivery.not_declared": nothing,
  /** The signature of the body is not that of its provider. */
  "delivery.not_genuine": nothing,
  /** The time of the delivery is outside the tolerance. */
  "delivery.not_timely": nothing,
  /** The delivery was taken in before. */
  "delivery.replayed": closed(act),
  /** The contract cannot read the body. */
  "delivery.unreadable": nothing,
  /** The key in the body belongs to no action of the run. */
  "delivery.key_unknown": nothing
} as const satisfies FindingForm.Codes

/** The shape of arguments and of the state. */
export const shapes = {
  /** An argument does not have the shape that its contract declares. */
  "argument.mismatch": closed({ has: Field.Seen, path: Text, wants: Field.FieldShape }),
  /** An intent declares a dependency that its contract does not allow. */
  "dependency.not_allowed": closed({ allowed: Names }),
  /** A field that the intent requires is not in the state; `wants` is its declared shape, if there is one. */
  "state.missing": closed({ field: Text, subject: Text, wants: optional(Field.FieldShape) }),
  /** A field that the intent requires does not have the shape that its contract declares. */
  "state.mismatch": closed({ field: Text, has: Field.Seen, subject: Text, wants: Field.FieldShape }),
  /** A field on which the intent was decided has changed since. */
  "context.changed": nothing,
  /** The payload does not fit its type. */
  "payload.misfit": closed({ path: Text, type: Text }),
  /** An erasure names a value to which the trace holds no commitment. */
  "erasure.uncommitted": nothing,
  /** A proposal contains a value that a trace cannot carry. */
  "proposal.not_recordable": nothing,
  /** The run has begun no action of this name. */
  "action.unknown": closed({ tick: Natural })
} as const satisfies FindingForm.Codes

/** Rules of the contract, of forks and of the kernel; `finding` is any finding of the kernel. */
export const rules = (finding: Schema.Decoder<FindingForm.AnyFinding>) =>
  ({
    /**
     * The condition of a guard holds, so the guard refuses. `name` is the guard's name, if no check beside the
     * finding gives it.
     */
    "guard.refuses": closed({ condition: Written, name: optional(Written) }),
    /** The condition of a guard could not be evaluated. */
    "guard.unanswered": closed({ condition: Written, name: optional(Written) }),
    /** The guard would refuse, or have no answer, if these open actions have the effect that was asked for. */
    "guard.unsettled": closed({
      actions: Schema.Array(Schema.Struct({ action: Text, state: State, tick: Natural, tool: Text })),
      condition: Written,
      name: optional(Written)
    }),
    /** A condition of a fork holds. */
    "fork.refuses": nothing,
    /** A condition of a fork could not be evaluated. */
    "fork.unanswered": nothing,
    /** The fork denies the tool. */
    "fork.denies": closed({ tool: Text }),
    /** The effects of the tool are no longer folded, because its operations failed at this tick. */
    "reducer.failed": closed({ since: Natural }),
    /** A violation that halts mutations holds since this tick. */
    "violation.halts": closed({ since: Natural }),
    /** A violation that halts mutations could not be evaluated since this tick. */
    "violation.unanswered": closed({ since: Natural }),
    /** An undoing is open; without `plan` it waits to begin. */
    "undoing.open": closed({ because: finding, plan: optional(Text), status: optional(Text) }),
    /** An act crossed a boundary, and a person has not decided about it yet. */
    "breach.open": closed({ action: Text, state: State, tick: Natural, tool: Text }),
    /** A step behind a pivot is not done. */
    "forward.remains": closed({ pivot: Text, steps: Names }),
    /** A step behind a pivot is under way. */
    "forward.begun": closed({ action: Text, state: State }),
    /** The call would undo an action from before a pivot that was passed. `steps` remain behind the pivot. */
    "pivot.passed": closed({
      action: Text,
      pivot: Text,
      skeleton: Text,
      steps: optional(Names),
      tool: Text,
      tools: closed({ pivot: Text, undone: Text })
    }),
    /** Revisions of the goal were not absorbed yet; the first was injected at tick `since`. */
    "revision.pending": closed({ since: Natural }),
    /** Tools of the checklist have not done their work, so the goal may not be declared reached. */
    "checklist.open": closed({ tools: Names }),
    /** The goal was declared reached before. */
    "goal.reached": closed({ since: Natural }),
    /** A message does not say which actions it reports. */
    "message.unclaimed": closed({ reports: optional(Json) }),
    /** A message reports an action with a standing that it does not have. */
    "message.unreconciled": closed({ action: Text, claimed: StandingName, found: StandingName }),
    /** A call was requested, and never started. */
    "action.never_started": nothing
  }) as const

/** Findings that forbid an undoing. */
export const undoings = {
  ...PlanCodes.codes,
  /** Another part of the run has read from the subtask, or stands on an effect of it. A step of none has no `by`. */
  "undo.consumed": closed({ by: optional(Written), keys: Names, subtask: Written }),
  /** The tool that would undo the action has no readback. */
  "undo.unverifiable": closed({ tool: Text }),
  /** Neither a strong read nor status by key can tell whether there is anything to undo. */
  "undo.undecidable": closed({ tool: Text }),
  /** A person gave up the undoing of the action: its effect may stand or not. */
  "undo.given_up": nothing,
  /** A machine may not undo the subtask. */
  "undo.forbidden": closed({ skeleton: Text })
} as const satisfies FindingForm.Codes

/** Budgets. */
export const budgets = {
  /** A budget does not cover the requested amount. `given` went to forks, `held` is reserved for actions. */
  "budget.exceeded": closed({
    asked: Amount,
    budget: Text,
    given: optional(Schema.Array(closed({ amount: Amount, run: Text }))),
    held: optional(Schema.Array(closed({ action: Text, amount: Amount }))),
    max: Amount,
    reserved: Amount,
    used: Amount
  }),
  /** The time of the run is over. */
  "budget.elapsed": closed({ elapsedMillis: Natural, maxMillis: Natural }),
  /** The budget of verification is used up, for one action or for the run. */
  "budget.questions": closed({ asked: Amount, max: Amount, per: Schema.Literals(["action", "run"]) })
} as const satisfies FindingForm.Codes

/** Keys, targets, and the acts of other runs. */
export const keys = {
  /** The act was given up with an unknown outcome; `told` is what its provider has reported since. */
  "act.abandoned": closed({ ...act, told: optional(Schema.Literals(["done", "failed"])) }),
  /** Later evidence contradicts the settlement of the act, and no person has looked at it yet. */
  "act.disputed": closed({ ...act, since: Natural }),
  /** Another run did the act and took it back in part, or in full on its tool's word alone: an effect may remain. */
  "act.doubtful": closed({ ...act, reversal: Text, reversed: Natural }),
  /** Another run began the act, and it failed for good. */
  "act.failed": closed(act),
  /** Another run relies on the act that would be undone. */
  "act.relied": closed({ ...act, undoes: Text }),
  /**
   * Another run of the lineage made the same request. Without a key it is unknown whether this call is that act or
   * one more.
   */
  "act.repeated": closed({ ...act, startedAt: Form.Moment }),
  /** Another run did the act and reversed it since. */
  "act.reversed": closed({ ...act, reversal: Text, reversed: Natural }),
  /** Another run did the act and is undoing it, or is about to. */
  "act.undoing": closed(act),
  /** Another run has begun the act, and it is not settled. */
  "act.unsettled": closed(act),
  /**
   * The key was used for another request; without `run`, by this run. With `sealed`, a value of the request is sealed:
   * if one was erased since, nobody can tell whether it is the same request.
   */
  "key.reused": closed({ action: Text, run: optional(Text), sealed: optional(Mark), tick: Natural }),
  /** A normaliser failed on a field of the key. */
  "key.not_normal": closed({ normaliser: Schema.Literals(Normaliser.names), value: Json }),
  /** An identity field of the act is sealed, and no digest of it would be recognised by another run. */
  "key.sealed": nothing,
  /** A name is held by another run. */
  "name.held": closed({ ...act, namespace: Text }),
  /** An open action holds the target. */
  "target.held": closed({ action: Text, state: State, tick: Natural, tool: Text }),
  /** The target cannot be evaluated. */
  "target.unanswered": nothing
} as const satisfies FindingForm.Codes

const needs = { needs: Names }

/** The way to a record that shows the outcome of an action. */
const Way = Schema.Literals(["attest", "attest_or_give_up", "reopen", "resume"])

/** Approvals, and decisions by people. */
export const decisions = {
  /** The call needs an approval and has none. */
  "approval.missing": closed(needs),
  /** The approval was requested, and no person has decided yet. */
  "approval.pending": closed(needs),
  /** It was denied. */
  "approval.denied": closed({ ...needs, by: Written, role: Text }),
  /** The approval has expired. */
  "approval.expired": closed({ ...needs, by: Written }),
  /** The role may not approve it. */
  "approval.role": closed({ ...needs, role: optional(Text) }),
  /** The approval was for one call, which was already made. */
  "approval.used": closed({ ...needs, by: Written }),
  /** There is an approval, but for other arguments. */
  "approval.other_arguments": closed({ ...needs, review: Text }),
  /** There is an approval, but for another context, contract or occurrence. */
  "approval.other_binding": closed({ ...needs, review: Text }),
  /** No review of this name was requested. */
  "review.unknown": nothing,
  /** The verdict does not exist. */
  "verdict.unknown": closed({ given: Json, verdicts: Names }),
  /** The decision names no person. */
  "decision.unsigned": nothing,
  /** The decision gives no evidence. */
  "decision.without_evidence": nothing,
  /** A person has already made the decision. */
  "decision.made": closed({
    at: Form.Moment,
    by: Written,
    reason: optional(Written),
    role: Text,
    verdict: Schema.Literals(["approved", "denied"])
  }),
  /** The role may not decide. */
  "decision.role": closed({ ...needs, role: optional(Text) }),
  /** The person who broke the glass may not accept the act; `verdicts` lists the verdicts that they may give. */
  "decision.own_glass": closed({ brokenBy: Written, verdicts: optional(Names) }),
  /** The action is not held. */
  "action.not_held": nothing,
  /** The action continues without a decision. */
  "action.goes_on": nothing,
  /** The action was sent, and may arrive until `overAt`. */
  "action.arriving": closed({ action: Text, overAt: Form.Moment }),
  /** The action was not begun by this run. */
  "action.not_own": nothing,
  /** The action is open. */
  "action.open": nothing,
  /** Verification asks for no review of the action. */
  "action.not_noted": nothing,
  /** A plan of undoing is open. */
  "plan.open": closed({ plan: Text }),
  /** The undoing waits and continues without a decision; it can only be called off. */
  "undoing.waits": closed({ verdict: Text }),
  /** No reversal that could be sent again is open. */
  "reversal.not_open": nothing,
  /** Sealed values that the tool needs were erased, or are not in the store. */
  "values.gone": closed({ tool: Text, values: Natural }),
  /** The tool declares neither status by key nor a readback. */
  "tool.unverifiable": closed({ tool: Text }),
  /** A different person did not accept the act for which the glass was broken. */
  "glass.not_accepted": closed({ by: Written }),
  /** The act for which the glass was broken waits for its review. */
  "glass.unreviewed": closed({ ...needs, review: Text })
} as const satisfies FindingForm.Codes

/** The record that a person attests; `finding` is any finding of the kernel. */
export const records = (finding: Schema.Decoder<FindingForm.AnyFinding>) =>
  ({
    /** A record was given with a verdict other than success, or without an open reversal. */
    "record.not_wanted": nothing,
    /** The record is from before the last sending. */
    "record.outdated": closed({ frozen: Flag }),
    /** The record is empty, so it shows no effect. */
    "record.empty": closed({ tool: Text, way: Way }),
    /** The record differs from the one that was read. */
    "record.other": nothing,
    /** The record does not show the success. */
    "record.not_success": closed({ unmet: Schema.Array(finding) }),
    /** A success needs a record of the system of record; a person's word alone is not enough. */
    "record.missing": closed({ tool: Text, way: Way }),
    /** The record does not determine the beliefs that the tool's success would change. */
    "record.not_foldable": closed({ tool: Text, way: Way })
  }) as const

/** Revisions of the goal. */
export const revisions = {
  /** The contract does not permit revisions. */
  "revision.not_permitted": nothing,
  /** The run began without the types of revisions. */
  "revision.unpinned": nothing,
  /** The revision changes nothing. */
  "revision.empty": nothing,
  /** The revision cannot be absorbed: an act that would be undone was read by another one, which nothing undoes. */
  "revision.blocked": closed({ action: Text, by: Text, keys: Names }),
  /** An act of which nobody has said whether it fits the revision. */
  "revision.unanswered": closed({ action: Text, clauses: Names, tool: Text }),
  /** The change `index` names a clause that is not in force. `near` is a similar name. */
  "clause.unknown": closed({ clause: Text, index: Natural, near: optional(Text) }),
  /** The clause to be added is in force already. */
  "clause.exists": closed({ clause: Text, index: Natural }),
  /** The order names a clause twice. */
  "clause.repeated": closed({ clause: Text, index: Natural }),
  /** The value does not fit the clause. */
  "clause.unfit": closed({ clause: Text, expected: Written, found: Written, index: Natural }),
  /** The condition or the name of an added clause is not valid. */
  "clause.invalid": closed({ clause: Text, expected: Written, found: Written, index: Natural })
} as const satisfies FindingForm.Codes
