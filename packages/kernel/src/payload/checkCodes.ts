/**
 * The codes of checks that an intent, a decision of a person or a delivery does not pass, in the order of the steps.
 */

import * as Normaliser from "@backstitch/contracts/Normaliser"
import * as Field from "@backstitch/expressions/Field"
import { State } from "@backstitch/ledger/ActionState"
import * as Obligation from "@backstitch/ledger/Finding"
import type * as Finding from "@backstitch/trace/Finding"
import * as Form from "@backstitch/trace/Form"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import { StandingName } from "./recoveryWords.ts"

const { Json, Names, Written, closed, optional } = Payload
const { Boolean: Flag, Natural, String: Text } = Schema
const { Amount } = Form

/** An action of a run. */
const act = { action: Text, run: Text, tick: Natural }

/** It says all there is. */
const nothing = Payload.Nothing

/** Findings about authors and contracts. */
export const authorship = {
  /** The type is not for this author. */
  "author.not_allowed": closed({ author: Ontology.Author, authors: Schema.Array(Ontology.Author) }),
  /** A model asked for one more of the same of its own accord. */
  "occurrence.author": closed({ occurrence: Natural }),
  /** Nobody here knows the type; `namespace` is the one that it names. */
  "type.unknown": closed({ namespace: optional(Text), type: Text }),
  /** The run began without the namespace, or with a version that does not have the type. */
  "type.unpinned": closed({ namespace: Text, pinned: optional(Natural), since: Natural, type: Text }),
  /** An extension does not fit the contract. */
  "extension.invalid": nothing,
  /** An extension of a run without a contract. */
  "contract.missing": nothing,
  /** The contract does not name the tool; without `contract` the run has none. */
  "tool.unknown": closed({ contract: optional(Text), tool: Text }),
  /** The cost of the call cannot be evaluated. */
  "cost.unanswered": closed({ tool: Text }),
  /** The contract of the tool has no webhook. */
  "delivery.not_declared": nothing,
  /** The body carries another signature than that of its provider. */
  "delivery.not_genuine": nothing,
  /** The delivery is of another time. */
  "delivery.not_timely": nothing,
  /** The delivery was taken in before. */
  "delivery.replayed": closed(act),
  /** The contract cannot read the body. */
  "delivery.unreadable": nothing,
  /** The key in the body is of no action of the run. */
  "delivery.key_unknown": nothing
} as const satisfies Finding.Codes

/** The shape of arguments and of the state. */
export const shapes = {
  /** An argument is not of the shape that its contract declares. */
  "argument.mismatch": closed({ has: Field.Seen, path: Text, wants: Field.Shape }),
  /** An intent declares a dependency that its contract does not allow. */
  "dependency.not_allowed": closed({ allowed: Names }),
  /** A field that the intent needs is not in the state; `wants` is its shape, where one is declared. */
  "state.missing": closed({ field: Text, subject: Text, wants: optional(Field.Shape) }),
  /** A field that the intent needs is not of the shape that its contract declares. */
  "state.mismatch": closed({ field: Text, has: Field.Seen, subject: Text, wants: Field.Shape }),
  /** A field that the intent was decided on has changed since. */
  "context.changed": nothing,
  /** The payload is none of its type. */
  "payload.misfit": closed({ path: Text, type: Text }),
  /** An erasure names a value to which the trace has not committed. */
  "erasure.uncommitted": nothing,
  /** A proposal holds something that a trace cannot carry. */
  "proposal.not_recordable": nothing,
  /** The run has begun no action of this name. */
  "action.unknown": closed({ tick: Natural })
} as const satisfies Finding.Codes

/** Rules of the contract, of forks and of the kernel, where `finding` is any finding of the kernel. */
export const rules = (finding: Schema.Decoder<Finding.Finding>) =>
  ({
    /** A guard holds. `name` is its own, where no check beside the finding says it. */
    "guard.refuses": closed({ condition: Written, name: optional(Written) }),
    /** A guard has no answer. */
    "guard.unanswered": closed({ condition: Written, name: optional(Written) }),
    /** A condition of a fork holds. */
    "fork.refuses": nothing,
    /** A condition of a fork has no answer. */
    "fork.unanswered": nothing,
    /** The fork denies the tool. */
    "fork.denies": closed({ tool: Text }),
    /** The effects of the tool no longer fold: its operations failed at this tick. */
    "reducer.failed": closed({ since: Natural }),
    /** A violation that halts mutations holds since this tick. */
    "violation.halts": closed({ since: Natural }),
    /** A violation that halts mutations has no answer since this tick. */
    "violation.unanswered": closed({ since: Natural }),
    /** Something is being undone; without `plan` it waits to be. */
    "undoing.open": closed({ because: finding, plan: optional(Text), status: optional(Text) }),
    /** A step behind a pivot is not done. */
    "forward.remains": closed({ pivot: Text, steps: Names }),
    /** A step behind a pivot is under way. */
    "forward.begun": closed({ action: Text, state: State }),
    /** The call would undo what lies before a pivot that stands. `steps` remain behind it. */
    "pivot.passed": closed({
      action: Text,
      pivot: Text,
      skeleton: Text,
      steps: optional(Names),
      tool: Text,
      tools: closed({ pivot: Text, undone: Text })
    }),
    /** The goal was declared reached before. */
    "goal.reached": closed({ since: Natural }),
    /** A message does not say which actions it reports. */
    "message.unclaimed": closed({ reports: optional(Json) }),
    /** A message reports an action otherwise than it stands. */
    "message.unreconciled": closed({ action: Text, claimed: StandingName, found: StandingName }),
    /** A call was requested, and never started. */
    "action.never_started": nothing
  }) as const

/** Findings that forbid an undoing. */
export const undoings = {
  ...Obligation.codes,
  /** The tool that would undo the action has no readback. */
  "undo.unverifiable": closed({ tool: Text }),
  /** Neither a strong read nor a question by key says whether there is anything to undo. */
  "undo.undecidable": closed({ tool: Text }),
  /** A person gave the undoing of the action up: it may stand, or not. */
  "undo.given_up": nothing,
  /** The subtask may not be undone by a machine. */
  "undo.forbidden": closed({ skeleton: Text })
} as const satisfies Finding.Codes

/** Budgets. */
export const budgets = {
  /** A budget does not cover what is asked of it. `given` was given to forks, `held` is reserved for actions. */
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
  /** Verification may ask no more, about one action or in the run. */
  "budget.questions": closed({ asked: Amount, max: Amount, per: Schema.Literals(["action", "run"]) })
} as const satisfies Finding.Codes

/** Keys, targets, and the acts of other runs. */
export const keys = {
  /** The act was given up: nobody knows what it came to; `told` is what its provider has said since. */
  "act.abandoned": closed({ ...act, told: optional(Schema.Literals(["done", "failed"])) }),
  /** Evidence that came since contradicts how the act was settled, and nobody has looked at that. */
  "act.disputed": closed({ ...act, since: Natural }),
  /** Another run did the act and took back a part of it, or all of it on its tool's word: something may be left. */
  "act.doubtful": closed({ ...act, reversal: Text, reversed: Natural }),
  /** Another run has begun the act, and it has failed for good. */
  "act.failed": closed(act),
  /** Another run relies on what would be undone. */
  "act.relied": closed({ ...act, undoes: Text }),
  /** Another run of the lineage made the same request, and no key tells whether this is that act or one more. */
  "act.repeated": closed({ ...act, startedAt: Form.Moment }),
  /** Another run did the act and reversed it since. */
  "act.reversed": closed({ ...act, reversal: Text, reversed: Natural }),
  /** Another run did the act and is about to undo it, or undoes it just now. */
  "act.undoing": closed(act),
  /** Another run has begun the act, and it is not settled. */
  "act.unsettled": closed(act),
  /** The key was used for another request; without `run` by this run. */
  "key.reused": closed({ action: Text, run: optional(Text), tick: Natural }),
  /** A normaliser has no answer for a field of the key. */
  "key.not_normal": closed({ normaliser: Schema.Literals(Normaliser.names), value: Json }),
  /** An identity field of the act is sealed, and no digest beside it would be recognised by another run. */
  "key.sealed": nothing,
  /** A name is held by another run. */
  "name.held": closed({ ...act, namespace: Text }),
  /** An open action holds the target. */
  "target.held": closed({ action: Text, state: State, tick: Natural, tool: Text }),
  /** The target cannot be evaluated. */
  "target.unanswered": nothing
} as const satisfies Finding.Codes

const needs = { needs: Names }

/** The way to a record that shows how an action came out. */
const Way = Schema.Literals(["attest", "attest_or_give_up", "reopen", "resume"])

/** Approvals, and what people decide. */
export const decisions = {
  /** Nobody has approved it. */
  "approval.missing": closed(needs),
  /** It was asked for, and nobody has decided. */
  "approval.pending": closed(needs),
  /** It was denied. */
  "approval.denied": closed({ ...needs, by: Written, role: Text }),
  /** The approval has expired. */
  "approval.expired": closed({ ...needs, by: Written }),
  /** The role may not approve it. */
  "approval.role": closed({ ...needs, role: optional(Text) }),
  /** The approval was for one call, which was made. */
  "approval.used": closed({ ...needs, by: Written }),
  /** There is an approval, for other arguments. */
  "approval.other_arguments": closed({ ...needs, review: Text }),
  /** There is an approval, for another context, contract or occurrence. */
  "approval.other_binding": closed({ ...needs, review: Text }),
  /** No review of this name was asked for. */
  "review.unknown": nothing,
  /** A verdict that may not be given. */
  "verdict.unknown": closed({ given: Json, verdicts: Names }),
  /** Nobody is named who decides. */
  "decision.unsigned": nothing,
  /** The decision rests on nothing. */
  "decision.without_evidence": nothing,
  /** Somebody has decided before: a decision is made once. */
  "decision.made": closed({
    at: Form.Moment,
    by: Written,
    reason: optional(Written),
    role: Text,
    verdict: Schema.Literals(["approved", "denied"])
  }),
  /** The role may not decide. */
  "decision.role": closed({ ...needs, role: optional(Text) }),
  /** The person who broke the glass does not accept the act themselves; `verdicts` stay possible. */
  "decision.own_glass": closed({ brokenBy: Written, verdicts: optional(Names) }),
  /** The action is not held. */
  "action.not_held": nothing,
  /** The action goes on by itself. */
  "action.goes_on": nothing,
  /** The action was sent, and may still arrive: until `overAt`. */
  "action.arriving": closed({ action: Text, overAt: Form.Moment }),
  /** The action was not begun by this run. */
  "action.not_own": nothing,
  /** The action is open. */
  "action.open": nothing,
  /** Verification wants nothing looked at of the action. */
  "action.not_noted": nothing,
  /** A plan of undoing is open. */
  "plan.open": closed({ plan: Text }),
  /** The undoing waits, and goes on by itself: it can be called off alone. */
  "undoing.waits": closed({ verdict: Text }),
  /** No reversal is open that could be sent again. */
  "reversal.not_open": nothing,
  /** Sealed values that the tool needs were erased, or are not in the store. */
  "values.gone": closed({ tool: Text, values: Natural }),
  /** The tool can be neither asked nor read. */
  "tool.unverifiable": closed({ tool: Text }),
  /** Another did not accept what was done when the glass was broken. */
  "glass.not_accepted": closed({ by: Written }),
  /** The act for which the glass was broken waits for its review. */
  "glass.unreviewed": closed({ ...needs, review: Text })
} as const satisfies Finding.Codes

/** The record that a person attests, where `finding` is any finding of the kernel. */
export const records = (finding: Schema.Decoder<Finding.Finding>) =>
  ({
    /** A record goes with a success alone, and with a reversal that is open. */
    "record.not_wanted": nothing,
    /** The record is from before the last sending. */
    "record.outdated": closed({ frozen: Flag }),
    /** The record is empty. */
    "record.empty": closed({ tool: Text, way: Way }),
    /** Another record than the one that was read. */
    "record.other": nothing,
    /** The record does not show the success. */
    "record.not_success": closed({ unmet: Schema.Array(finding) }),
    /** A word alone: what the system of record shows is wanted. */
    "record.missing": closed({ tool: Text, way: Way }),
    /** The beliefs that the tool's success would change do not follow from the record. */
    "record.not_foldable": closed({ tool: Text, way: Way })
  }) as const
