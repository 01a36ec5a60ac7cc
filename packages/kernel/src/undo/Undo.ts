/**
 * The undo plan: its admission, and its beginning for a recovery, a subtask, a revision or a rebase.
 *
 * A reversal is an action like any other: proposed by the kernel, on the same commit path, under a key made from the
 * action that it undoes, read back and reconciled. Before it is begun, the own record of that action shows whether
 * there is anything to undo (L5, see `Presence`). The same is asked before each further sending (see `UndoStep`). A
 * reversal that fails stops the plan: a person is asked, and nothing is tried again by itself.
 *
 * | asked by | cause |
 * | --- | --- |
 * | a record that does not meet the contract | `recovery` |
 * | the final failure of a step that aborts its subtask | `saga` |
 * | a revision of the goal, or a rebase | `revision`, `rebase` |
 *
 * @source docs/decisions/0035, 0040; Action Verification, "Compensation"
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as Saga from "@backstitch/ledger/Saga"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Scopes from "@backstitch/reducer/Scopes"
import * as State from "@backstitch/reducer/State"
import * as WorkingPatch from "@backstitch/reducer/WorkingPatch"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import * as Compensation from "../action/Compensation.ts"
import * as SagaSteps from "../action/SagaSteps.ts"
import type * as CommitContent from "../decision/CommitContent.ts"
import { commit, type Decision, end, held } from "../decision/Decision.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import type { Looked } from "../decision/Evidence.ts"
import * as ActTurns from "../identity/ActTurns.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Presence from "../verification/Presence.ts"
import * as ConsumerCheck from "./ConsumerCheck.ts"

/** Decides a request to undo settled actions (decision 0040). */
export const begin = (
  terms: DecisionTerms.DecisionTerms,
  state: State.State,
  wanted: UndoPlan.UndoRequest
): Decision => {
  const before = waiting(state)
  if (before !== undefined) return afterwards(before)
  const verdict = judge(terms, state, wanted, SagaSteps.all(terms, state))
  switch (verdict._tag) {
    case "Admitted":
      return undertaken(terms, state, verdict.plan)
    case "Nothing":
      return over(terms, state, wanted.actions)
    case "Blocked":
      return refused(verdict.blocks)
  }
}

/** Refuses an undoing with the blocks that forbid it. */
export const refused = (blocks: ReadonlyArray<UndoPlan.Obstacle>): Decision => {
  const checks = blocks.map(({ action = "undo", why }) => Check.found("policy", action, why))
  return end({ _tag: "Refused", tick: undefined, checks })
}

/** The undoing that waits, unless the rules of the run let another one take its place. */
export const waiting = (state: State.State): UndoPlan.UndoRequest | undefined =>
  DecisionRules.binds(state, DecisionRules.waitingUndoingsStay) ? UndoPlan.wanted(state) : undefined

/** Refuses an undoing while another one waits: its plan would take the place of the other one's request. */
export const afterwards = ({ because }: UndoPlan.UndoRequest): Decision => {
  const checks = [Check.fail("policy", "undoing", "undoing.open", { because })]
  return end({ _tag: "Refused", tick: undefined, checks })
}

/** Answers that there is nothing to undo. An act whose undoing a person gave up is refused instead. */
const over = (terms: DecisionTerms.DecisionTerms, state: State.State, actions: ReadonlyArray<string>): Decision => {
  const checks = actions.flatMap((action) =>
    SettledActions.of(state).get(action)?.undo === "undo_abandoned"
      ? [Check.fail("policy", action, "undo.given_up", {})]
      : []
  )
  return checks.length > 0
    ? end({ _tag: "Refused", tick: undefined, checks })
    : end({ _tag: "Done", tick: DecisionTerms.standsAt(terms), output: { undone: [] }, basis: "recorded" })
}

/** The admitted plan, or the blocks that forbid it. */
export interface UndoAdmission extends JsonObject {
  readonly plan?: UndoPlan.UndoPlan
  /** The turns that the plan claims for acts on which other runs may rely. */
  readonly turns?: ActTurns.ActTurns
  readonly blocks?: ReadonlyArray<UndoPlan.Obstacle>
}

/** Makes the plan for a recovery that asks for a reversal, or lists what blocks it. */
export const ofRecovery = (
  subject: ActionInFlight,
  { actual, because }: { readonly actual: Json; readonly because: Finding.Finding }
): UndoAdmission => {
  const { state, terms } = subject
  const { by, class: reversibility, with: params } = Compensation.resolved(subject, actual)
  const own: Saga.SagaStep = {
    action: subject.id,
    state: "reconciliation_failed",
    reversibility,
    repeatable: false,
    ...(by === undefined || params === undefined ? {} : { compensation: { tool: by, params } })
  }
  const { steps: others, wanted } = joined(subject, { because, cause: "recovery" })
  const actions = [...wanted.actions, subject.id]
  const verdict = judge(terms, state, { ...wanted, actions }, [...others, own])
  if (verdict._tag === "Admitted") return answerOf(terms, state, verdict.plan)
  return { blocks: verdict._tag === "Blocked" ? verdict.blocks : [] }
}

/** The recovery of a subtask with a failed step, and the turns that its plan claims. */
export interface Following {
  readonly follows: CommitContent.Said<"recovery.decided">
  readonly undoes: boolean
  readonly turns?: ActTurns.ActTurns | undefined
}

/**
 * Decides the subtasks that a final failure aborts. Before the pivot the other steps are undone, behind it the rest
 * is completed, and if neither is safe a person decides. `undefined` if no other step stands.
 */
export const ofFailure = (subject: ActionInFlight, because: Finding.Finding): Following | undefined => {
  const { state, terms } = subject
  const steps = stepsOf(subject)
  const recovery = Recovery.ofSubtask(subject, steps)
  if (recovery === undefined) return undefined
  const all = joined(subject, { because, cause: "saga" })
  const { wanted } = all
  const { action } = recovery.decision
  if (action === "recover_forward") return { follows: Recovery.toContent(subject, recovery), undoes: false }
  const verdict: UndoPlan.UndoVerdict =
    action === "compensate_backward" ? judge(terms, state, wanted, all.steps) : { _tag: "Blocked", blocks: [] }
  const data: UndoAdmission & { readonly after?: string; readonly wanted?: UndoPlan.UndoRequest } =
    verdict._tag === "Admitted"
      ? answerOf(terms, state, verdict.plan)
      : verdict._tag === "Blocked"
        ? { blocks: verdict.blocks, wanted, ...queued(state) }
        : {}
  return {
    follows: Recovery.toContent(subject, recovery, data),
    undoes: verdict._tag !== "Nothing",
    turns: data.turns
  }
}

/** The open plan that a request waits for. The first rules forget a request beside an open plan. */
const queued = (state: State.State): { readonly after?: string } =>
  DecisionRules.binds(state, DecisionRules.failuresQueue) ? defined({ after: UndoPlan.open(state)?.id }) : {}

/** The other steps of the subtasks that a failure aborts. */
const stepsOf = (subject: ActionInFlight): ReadonlyArray<Saga.SagaStep> =>
  SagaSteps.of(subject.terms, subject.state, aborted(subject)).filter(({ action }) => action !== subject.id)

/** The request to undo the subtasks that a failure aborts, with its steps. It covers what another request waits for. */
const joined = (
  subject: ActionInFlight,
  why: Pick<UndoPlan.UndoRequest, "because" | "cause">
): { readonly wanted: UndoPlan.UndoRequest; readonly steps: ReadonlyArray<Saga.SagaStep> } => {
  const { state, terms } = subject
  const before = waiting(state)
  const own = { ...why, subject: subject.id, ...scopesOf(aborted(subject)) }
  const ownSteps = stepsOf(subject)
  const actions = ownSteps.map(({ action }) => action)
  if (before === undefined) return { wanted: { ...own, actions }, steps: ownSteps }
  const all = new Set([...before.actions, ...actions])
  const steps = SagaSteps.all(terms, state).filter(({ action }) => action !== subject.id && all.has(action))
  const scopes = [...new Set([...(before.scopes ?? []), ...(own.scopes ?? [])])]
  const isShown = DecisionRules.binds(state, DecisionRules.failuresQueue)
  const failed = isShown ? [...(before.failed ?? []), ...(before.subject === undefined ? [] : [before.subject])] : []
  const more = { ...(scopes.length === 0 ? {} : { scopes }), ...(failed.length === 0 ? {} : { failed }) }
  return { wanted: { ...own, ...more, actions: steps.map(({ action }) => action) }, steps }
}

/** The subtasks that end because this action has failed. */
const aborted = ({ open, terms }: ActionInFlight): ReadonlyArray<SagaSteps.Instance> =>
  SagaSteps.instancesOf(terms, open.undo).filter(({ skeleton }) => skeleton.aborts.includes(open.tool))

/** Undoing a subtask also takes back its changes of `working`. */
const scopesOf = (instances: ReadonlyArray<SagaSteps.Instance>): Pick<UndoPlan.UndoRequest, "scopes"> =>
  instances.length === 0 ? {} : { scopes: instances.map(({ entity, skeleton }) => Scopes.nameOf(skeleton.id, entity)) }

/** Judges an undoing of some steps by every conjunct of the kernel. */
export const judge = (
  terms: DecisionTerms.DecisionTerms,
  state: State.State,
  wanted: UndoPlan.UndoRequest,
  steps: ReadonlyArray<Saga.SagaStep>
): UndoPlan.UndoVerdict => {
  const open = UndoPlan.open(state)
  const restore = wanted.scopes === undefined ? undefined : Scopes.restore(state, wanted.scopes)
  return UndoPlan.admit(wanted, { steps, open, restore }, [
    verifiable(terms),
    Presence.decidable(terms, state),
    permitted(terms, state),
    ActTurns.reliedOnByNobody(terms.turns),
    ConsumerCheck.reliedOnByNobody(terms)
  ])
}

/** Blocks a plan that contains a reversal which could not be verified. */
const verifiable =
  (terms: DecisionTerms.DecisionTerms): UndoPlan.Conjunct =>
  ({ actions }, { steps }) =>
    steps.flatMap(({ action, compensation }) =>
      compensation === undefined ||
      !actions.includes(action) ||
      TaskPack.tool(terms.pack, compensation.tool).readback !== undefined
        ? []
        : [{ action, why: Finding.make("undo.unverifiable", { tool: compensation.tool }) }]
    )

/** Blocks a plan over subtasks that a machine may not undo. */
const permitted =
  (terms: DecisionTerms.DecisionTerms, state: State.State): UndoPlan.Conjunct =>
  ({ actions }) =>
    actions.flatMap((action) => {
      const registered = SettledActions.of(state).get(action) ?? OpenActions.of(state)[action]?.undo
      const found = SagaSteps.instancesOf(terms, registered).find(({ skeleton }) => skeleton.effects === "forbid")
      return found === undefined
        ? []
        : [{ action, why: Finding.make("undo.forbidden", { skeleton: found.skeleton.id }) }]
    })

const answerOf = (terms: DecisionTerms.DecisionTerms, state: State.State, plan: UndoPlan.UndoPlan): UndoAdmission => ({
  plan,
  ...ActTurns.toData(turnsOf(terms, state, plan))
})

const turnsOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State.State,
  { steps }: UndoPlan.UndoPlan
): ActTurns.ActTurns =>
  ActTurns.ofActions(
    terms,
    state,
    steps.map(({ undoes }) => undoes)
  )

/** Begins a plan that was admitted. */
export const undertaken = (terms: DecisionTerms.DecisionTerms, state: State.State, plan: UndoPlan.UndoPlan): Decision =>
  begun(turnsOf(terms, state, plan), {
    recovery: { data: { decision: "compensate_backward", ...answerOf(terms, state, plan) } }
  })

/**
 * Begins an undoing that undoes all it was asked for and puts `working` back by a patch, also if no effect is left to
 * undo. `more` are further fields of its plan.
 */
export const wholly = (
  terms: DecisionTerms.DecisionTerms,
  state: State.State,
  { because, cause, masks = [] }: UndoPlan.UndoRequest,
  about: {
    readonly verdict: UndoPlan.UndoVerdict
    readonly patch: WorkingPatch.WorkingPatch
    readonly more?: Pick<UndoPlan.UndoPlan, "checkpoint" | "policy">
  }
): Decision => {
  const { more = {}, patch, verdict } = about
  const plan = verdict._tag === "Admitted" ? verdict.plan : { because, cause, masks, steps: [] }
  const digest = State.sectionDigest(WorkingPatch.apply(state.working, patch))
  const restore = patch.length === 0 ? {} : { restore: { digest, patch } }
  return undertaken(terms, state, { ...plan, ...more, ...restore })
}

/** A decision that begins a plan, with the turns that the plan claims. */
export const begun = (turns: ActTurns.ActTurns | undefined, content: CommitContent.CommitContent): Decision => ({
  ...commit(content, { _tag: "Compensate" }),
  names: { turns }
})

/** Judges an undoing again that had to wait for actions in flight. */
export const judgeAgain = (terms: DecisionTerms.DecisionTerms, state: State.State, looked?: Looked): Decision => {
  const wanted = UndoPlan.wanted(state)
  // If another process was faster, or a person has decided, the plan covers the remaining actions.
  const actions = looked === undefined ? SettledActions.inOrder(state).map(([action]) => action) : [looked.action]
  if (wanted === undefined) return over(terms, state, actions)
  const all = SagaSteps.all(terms, state)
  const verdict = judge(
    terms,
    state,
    wanted,
    all.filter(({ action }) => wanted.actions.includes(action))
  )
  switch (verdict._tag) {
    case "Admitted":
      return undertaken(terms, state, verdict.plan)
    case "Nothing":
      return end(
        { _tag: "Failed", tick: terms.tick, error: { because: wanted.because, undone: [] } },
        {
          recovery: { data: { decision: "settle_as_is", unwanted: true } }
        }
      )
    case "Blocked": {
      const [first] = verdict.blocks
      const action = first?.action === undefined ? {} : { action: first.action }
      const block = first === undefined ? {} : { block: first.why }
      const why = Finding.make("plan.blocked", { ...action, because: wanted.because, ...block })
      return held(terms, wanted.subject ?? "", why)
    }
  }
}
