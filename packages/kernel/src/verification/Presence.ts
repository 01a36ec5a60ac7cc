/**
 * The presence of an effect that is to be undone, read from the own record of its action (L5).
 *
 * The record of a reversal only shows whether the reversal happened. Without a reversal the original may stand or may
 * never have happened. So the original is asked about, with its own request. Sagas, recovery, revisions and rebase
 * use this one rule, before the first sending of a reversal and before each further one.
 *
 * | the original's own record | the step of the plan |
 * | --- | --- |
 * | shows it unchanged, or says that it is under way | is begun |
 * | shows that it has changed | is over if the reversal's own record shows that; else held, and never sent |
 * | does not show it, and it may still arrive | waits, or is held if that time is unknown |
 * | does not show it, and nothing can arrive any more | is over: there was nothing to undo |
 * | says under its key that it was refused | is over: there was nothing to undo |
 * | cannot be read, or proves nothing | is held |
 * | has no way to be asked, by contract | is not admitted: see {@link decidable} |
 *
 * A record is unchanged if its contract reads the same from it: it meets the expectations that it met at the last
 * read, and would be undone by the same call. The status of a key is unchanged if it says the same as before. An
 * original that is not found while its reversal is under way counts as changed: the reversal's own record shows
 * whether the reversal did that.
 *
 * @source law L5; docs/decisions/0036, 0040; Action Verification, "Compensation"
 */

import * as Condition from "@backstitch/contracts/Condition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Trust from "@backstitch/ledger/Trust"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import { strongOf } from "../action/ActionInFlight.ts"
import * as ArrivalWindow from "../action/ArrivalWindow.ts"
import * as Compensation from "../action/Compensation.ts"
import * as SendingAgain from "../action/SendingAgain.ts"
import type { Said } from "../decision/CommitContent.ts"
import type * as Decision from "../decision/Decision.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import { type Looked, originOf, readOf, recordOf } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Confirmation from "./Confirmation.ts"
import { digestOf } from "./classification.ts"

/**
 * The presence of an effect.
 *
 * - `Present`: there is something to undo.
 * - `Altered`: the effect is there and has changed.
 * - `Absent`: there is no effect, and none can arrive any more.
 * - `Early`: the effect may arrive until `untilMillis` (epoch), and is asked about again then.
 * - `Unread`: unknown; `why` is for people.
 */
export type Presence =
  | { readonly _tag: "Present" }
  | { readonly _tag: "Altered"; readonly difference: RecordDifference }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Early"; readonly untilMillis: number }
  | { readonly _tag: "Unread"; readonly why: Finding.Any | string }

/**
 * A difference between a record and an earlier read of it: an expectation that holds now or no longer holds, another
 * call to undo the action, or another status of the key.
 */
export type RecordDifference =
  | { readonly code: "expectation"; readonly source: string; readonly holds: boolean }
  | { readonly code: "reversal" }
  | { readonly code: "key" }

/** Names the question to ask about an action; `undefined` if its contract declares none. */
export const question = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  action: string
): Decision.Original | undefined => {
  const contract = contractOf(terms, state, action)
  const via = contract && ToolContract.absenceBy(contract)
  return contract === undefined || via === undefined
    ? undefined
    : {
        action,
        via,
        deadlineMillis: ArrivalWindow.sendWithinOf(contract),
        ...(via === "readback" ? strongOf(contract) : {})
      }
}

/** Blocks a plan with a reversal whose contract declares no way to find out whether there is anything to undo. */
export const decidable =
  (terms: DecisionTerms.DecisionTerms, state: State): UndoPlan.Conjunct =>
  ({ actions }, { steps }) =>
    steps.flatMap(({ action, compensation }) => {
      if (compensation === undefined || !actions.includes(action)) return []
      const contract = contractOf(terms, state, action)
      if (contract === undefined || ToolContract.absenceBy(contract) !== undefined) return []
      return [{ action, why: Finding.make("undo.undecidable", { tool: contract.name }) }]
    })

/** Judges the answer of an action's own record. */
export const judge = (terms: DecisionTerms.DecisionTerms, state: State, looked: Looked): Presence => {
  const { action, evidence, via } = looked
  const subject = subjectOf(terms, state, looked)
  if (subject === undefined) return { _tag: "Unread", why: Finding.make("original.unknown", { action }) }
  const { contract } = subject
  const from = via === "status" ? undefined : (contract.readback?.strong ?? contract.readback)?.from
  const origins = evidence._tag === "Ok" ? [from, evidence.from] : [from]
  const barred = Confirmation.barredBy(contract, origins)
  if (barred !== undefined) return { _tag: "Unread", why: barred }
  switch (evidence._tag) {
    case "Ok": {
      const difference = differing(subject, { looked, output: evidence.output })
      return difference === undefined ? { _tag: "Present" } : { _tag: "Altered", difference }
    }
    case "Accepted":
    case "Pending":
      return { _tag: "Present" }
    case "NotFound":
      return missing(subject, looked)
    case "Error":
      return via === "status"
        ? { _tag: "Absent" }
        : { _tag: "Unread", why: Finding.make("original.refused", { tool: contract.name }) }
    case "Unknown":
      return { _tag: "Unread", why: evidence.reason }
  }
}

/** Finds the difference between a record and the last read of it. */
const differing = (
  subject: ActionInFlight,
  { looked, output }: { readonly looked: Looked; readonly output: Json }
): RecordDifference | undefined => {
  const { isAsked, observed, via } = looked
  if (via === "status") {
    // A status and the answer to a call have different shapes, so each is compared with its own kind.
    return isAsked === true && !Canonical.equals(observed ?? null, output) ? { code: "key" } : undefined
  }
  const [unmet, before] = [unmetBy(subject, output), unmetBefore(subject)]
  if (before === undefined) return undefined
  const source = [...unmet, ...before].find((each) => !unmet.includes(each) || !before.includes(each))
  if (source !== undefined) return { code: "expectation", holds: !unmet.includes(source), source }
  const registered = SettledActions.of(subject.state).get(looked.action)
  return registered === undefined || Compensation.isStill(subject, { actual: output, registered })
    ? undefined
    : { code: "reversal" }
}

/** Makes the action with its request, open or settled; `undefined` if the run has no such action. */
export const subjectOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  looked: Looked
): ActionInFlight | undefined => {
  const { action, actor, firstAt, key, observed, params, startedAt, target, tool } = looked
  const contract = contractOf(terms, state, action)
  if (contract === undefined) return undefined
  const stood: OpenAction.OpenAction = {
    ...defined({ actor }),
    answer: { as: "done", at: startedAt, output: observed ?? null },
    class: contract.class,
    firstAt,
    ...defined({ key }),
    heard: "record",
    params,
    startedAt,
    state: "reconciled_success",
    ...defined({ target }),
    tick: 0,
    tool
  }
  return { terms, state, id: action, open: OpenActions.of(state)[action] ?? stood, contract }
}

/** Lists the expectations that the record did not meet at its last read. `undefined` if it was never read. */
const unmetBefore = (subject: ActionInFlight): ReadonlyArray<string> | undefined => {
  if (SettledActions.of(subject.state).has(subject.id)) return []
  const { actual } = subject.open
  return actual === undefined || actual === null ? undefined : unmetBy(subject, actual)
}

/**
 * The expectations that a record does not meet. An expectation that reads the state applies only to the moment of the
 * action, and is left out.
 */
const unmetBy = (subject: ActionInFlight, output: Json): ReadonlyArray<string> => {
  const evidence = { _tag: "Ok", output } as const
  const isStrong = subject.contract.readback?.strong !== undefined
  const [{ predicates }] = Confirmation.judge(subject, { evidence, isStrong }).readings
  const passing = (subject.contract.readback?.expect ?? []).filter(readsState).map(Condition.source)
  return predicates.flatMap(({ held, source }) => (held === true || passing.includes(source) ? [] : [source]))
}

const readsState = (expectation: Condition.Condition): boolean => {
  const reads = Condition.reads(expectation)
  return reads !== "any" && reads.some((path) => !lasting.has(path.split(".")[0] ?? ""))
}

/** The names whose values stay the same after the action, so that an expectation over them can be judged again. */
const lasting: ReadonlySet<string> = new Set([
  "actor",
  "actual",
  "args",
  "key",
  "observed",
  "startedAt",
  "target",
  "tenant"
])

/** Judges "not found": absent once nothing can arrive any more, if the key is still remembered (decision 0036). */
const missing = ({ contract, state, terms }: ActionInFlight, looked: Looked): Presence => {
  const { action, askedAt = terms.now, firstAt, startedAt, via } = looked
  if (isUnderWay(state, action)) {
    return { _tag: "Unread", why: Finding.make("original.under_way", { action, tool: contract.name }) }
  }
  const at = DecisionRules.binds(state, DecisionRules.keysForgottenMeanwhile) ? terms.now : askedAt
  if (via === "status" && SendingAgain.isForgotten(contract, { at, firstAt })) {
    return { _tag: "Unread", why: Finding.make("original.forgotten", { action, tool: contract.name }) }
  }
  const proven = ArrivalWindow.closesAt(contract, startedAt)
  const left = ArrivalWindow.left(terms, { startedAt, until: proven })
  if (left > 0) return { _tag: "Early", untilMillis: terms.now + left }
  // An answer describes the moment of its question.
  return DecisionTerms.surely(terms, startedAt, askedAt) < proven
    ? { _tag: "Early", untilMillis: terms.now }
    : { _tag: "Absent" }
}

/**
 * Tells whether an action that is to be undone may still take effect, whatever its record shows: it was given up
 * before its record showed anything.
 */
export const isUnderWay = (state: State, action: string): boolean => {
  const original = OpenActions.of(state)[action]
  return original !== undefined && !OpenAction.isRead(original)
}

/** Commits the presence of the effect before a step of a plan. */
export const toContent = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: { readonly plan: UndoPlan.OpenPlan; readonly looked: Looked; readonly presence: Presence }
): Said<"action.verified"> => {
  const { looked, plan, presence } = about
  const { action, evidence, via } = looked
  const tool = contractOf(terms, state, action)?.name
  const output = recordOf(evidence)
  const found =
    presence._tag === "Present" || presence._tag === "Altered" ? true : presence._tag === "Absent" ? false : undefined
  const before = {
    ...defined({ found }),
    met: false,
    ...(evidence._tag === "Ok" ? { record: digestOf(output) } : {})
  }
  const isAttested = plan.attested?.includes(action) === true
  const isUndoing = plan.at !== undefined
  const more: Payload.Of<"action.verified"> = isAttested
    ? { attested: true }
    : presence._tag === "Altered" || (presence._tag === "Absent" && isUndoing)
      ? { altered: true, ...(presence._tag === "Altered" ? { difference: presence.difference } : {}) }
      : presence._tag === "Absent"
        ? { absent: true }
        : {}
  const status = found === true ? "ok" : found === false ? "mismatch" : "unknown"
  return {
    action: { id: action, ...defined({ tool }) },
    data: { ...more, before, ...readOf(evidence), ...originOf(evidence), undoing: plan.id, via },
    result: { output, status, trust: Trust.of("word") }
  }
}

/** The contract of an action that is to be undone, settled or not. */
const contractOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  action: string
): ToolContract.ToolContract | undefined => {
  const { tool } = SettledActions.known(state, action) ?? {}
  return tool === undefined ? undefined : TaskPack.tool(terms.pack, tool)
}
