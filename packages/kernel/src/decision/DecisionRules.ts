/**
 * The numbered rules by which a kernel decides. A run records the version that decided it.
 *
 * The fold of a recorded decision never changes, but the rules for new decisions do: a call that was allowed is
 * refused, or an outcome that counted as settled is asked about. Each change is listed here with the version that
 * introduced it. `run.started` pins a version. A run that continues under other rules commits a `run.migrated` before
 * the first decision under them. So the state before a decision tells its rules, and making the decision again does
 * not call a run wrong that was right then.
 *
 * | a change | the kernel | the decision that is made again |
 * | --- | --- | --- |
 * | keeps the older rule behind {@link binds} | decides by the rules that the state names | is the same |
 * | drops the older rule | decides by the newer rule | may differ, and is reported with the change that explains it |
 *
 * @see `docs/decisions/0021-decisions-say-by-which-rules.md`
 */
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { State } from "@backstitch/reducer/State"
import type { Body } from "@backstitch/trace/Transition"
import type { DecisionTerms } from "../state/DecisionTerms.ts"
import type { Command } from "./Command.ts"

/** A recorded decision that comes out differently: its tick, the committed body, and the body decided now. */
export interface ChangedDecision {
  readonly terms: DecisionTerms
  readonly state: State
  readonly command: Command
  readonly committed: Body
  /** Absent if nothing is decided now. */
  readonly decided: Body | undefined
}

/**
 * A change of the rules. `since` is the first version that has it.
 *
 * **Details**
 *
 * `accounts` tells whether an earlier decision may differ because of this change alone. It excuses every difference
 * that it accepts, so it tests the class, the command and the fields that the change is about. It is absent if the
 * kernel keeps the older rule: then no earlier decision differs.
 */
export interface RuleChange {
  readonly id: string
  readonly since: number
  readonly accounts?: ((judged: ChangedDecision) => boolean) | undefined
}

/** The rules of a kernel: their version, and the list of changes that led to it. */
export interface DecisionRules {
  readonly version: number
  readonly changes: ReadonlyArray<RuleChange>
}

/**
 * A failure that its provider contradicts stays disputed until a person says that it did not happen, and a record that
 * contradicts a failure disputes it as well.
 */
export const failuresInDispute: RuleChange = { id: "failures_in_dispute", since: 2 }

/** An analysis or an anomaly that a program records has a type and a payload that fit. */
export const annotationsInForm: RuleChange = { id: "annotations_in_form", since: 2 }

/** A request under the name of a command that another request has is refused, and not answered from the record. */
export const commandsNameOneRequest: RuleChange = { id: "commands_name_one_request", since: 2 }

/** An act that has crossed a boundary stops the changes of its run until a person has decided about it. */
export const breachesStop: RuleChange = { id: "breaches_stop", since: 2 }

/** A saga or a recovery undoes no subtask from which another part of its run has read. */
export const consumersForbid: RuleChange = { id: "consumers_forbid", since: 2 }

/** A call that its tool has answered is not sent again to a tool that may act twice. */
export const answeredOnce: RuleChange = { id: "answered_once", since: 2 }

/** An undoing that waits is not forgotten: another failure joins it, and any other undoing comes after it. */
export const waitingUndoingsStay: RuleChange = { id: "waiting_undoings_stay", since: 2 }

/**
 * A key that may be forgotten when an answer about it comes is not believed to be unknown, although it was surely known
 * when it was asked about: nobody can tell at which moment in between the answer was made.
 */
export const keysForgottenMeanwhile: RuleChange = { id: "keys_forgotten_meanwhile", since: 2 }

/**
 * A failure beside an open undoing is undone after it, and of two failures that one undoing covers both stay visible
 * to planners.
 */
export const failuresQueue: RuleChange = { id: "failures_queue", since: 2 }

/** A revision undoes an act that no longer fits, also if a person has called off an earlier undoing of it. */
export const calledOffIsUndone: RuleChange = { id: "called_off_is_undone", since: 2 }

/** A fork is told of an act whose undoing had begun where it begins, and which its parent has undone since. */
export const begunUndoingsAreTold: RuleChange = { id: "begun_undoings_are_told", since: 2 }

/** A plan of a revision gives up an act as lost if its undoing needs a value that was erased. */
export const erasedActsStay: RuleChange = { id: "erased_acts_stay", since: 2 }

/** A request that is refused because another one has its key tells whether it has sealed values. */
export const sealedRequestsAreTold: RuleChange = { id: "sealed_requests_are_told", since: 2 }

/** Nobody asks about the key of an act that is taken over in the moment from which it may be forgotten. */
export const forgottenKeysUnasked: RuleChange = { id: "forgotten_keys_unasked", since: 2 }

/** The rules in force. */
export const standard: DecisionRules = {
  version: 2,
  changes: [
    failuresInDispute,
    breachesStop,
    annotationsInForm,
    commandsNameOneRequest,
    consumersForbid,
    answeredOnce,
    waitingUndoingsStay,
    keysForgottenMeanwhile,
    failuresQueue,
    calledOffIsUndone,
    begunUndoingsAreTold,
    erasedActsStay,
    sealedRequestsAreTold,
    forgottenKeysUnasked
  ]
}

/** The version of the rules for the next decision in a state. */
export const of = (state: State): number => PackInForce.of(state).rules ?? 1

/** Tells whether a change applies to the next decision in a state. A decider that keeps an older rule asks this. */
export const binds = (state: State, { since }: Pick<RuleChange, "since">): boolean => of(state) >= since

/** Tells whether a state names other rules than those of the kernel that is to decide in it. */
export const isOther = ({ version }: DecisionRules, state: State): boolean =>
  Object.keys(state.kernel).length > 0 && of(state) !== version

/** The change that explains why a decision was right when it was made and comes out differently now. */
export const accountable = ({ changes }: DecisionRules, judged: ChangedDecision): RuleChange | undefined =>
  changes.find((change) => !binds(judged.state, change) && change.accounts?.(judged) === true)
