/**
 * Undoing: which plan is admitted, and what its next step is, one reversing action after the other.
 *
 * A reversal is an action like any other: proposed by the kernel, on the same
 * commit path, keyed by the action that it undoes, read back and reconciled.
 * Before it is begun the own record of that action is asked whether there is
 * anything to undo (L5, see `Presence`), and before each further sending, too
 * (see `UndoStep`). A reversal that fails stops the plan: a person is asked, and
 * nothing is tried again by itself.
 *
 * | asked by | cause |
 * | --- | --- |
 * | a record that does not meet the contract | `recovery` |
 * | the final failure of a step that aborts its subtask | `saga` |
 * | whoever revises the goal, or moves a branch | `revision`, `rebase` |
 *
 * @source docs/decisions/0035, 0040; Action Verification, "Compensation"
 * @since 0.1.0
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as Saga from "@backstitch/ledger/Saga"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Scopes from "@backstitch/reducer/Scopes"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Check from "./Check.ts"
import * as Compensation from "./Compensation.ts"
import { type Decision, end } from "./Decision.ts"
import * as Finding from "./Finding.ts"
import { held } from "./internal/continuation.ts"
import * as Presence from "./Presence.ts"
import * as Recovery from "./Recovery.ts"
import * as Settlement from "./Settlement.ts"
import * as Terms from "./Terms.ts"
import * as Turns from "./Turns.ts"
import * as UndoStep from "./UndoStep.ts"
import * as Workflow from "./Workflow.ts"

/**
 * Decides a wish to undo actions that were settled (decision 0040).
 *
 * @category combinators
 * @since 0.1.0
 */
export const begin = (terms: Terms.Terms, state: State, wanted: UndoPlan.Wanted): Decision => {
  const verdict = judge(terms, state, wanted, Workflow.allSteps(terms, state))
  switch (verdict._tag) {
    case "Admitted":
      return undertaken(terms, state, verdict.plan)
    case "Nothing":
      return end({ _tag: "Done", tick: Terms.standsAt(terms), output: { undone: [] }, basis: "recorded" })
    case "Blocked": {
      const checks = verdict.blocks.map(({ action = "undo", why }) => Check.found("policy", action, why))
      return end({ _tag: "Refused", tick: undefined, checks })
    }
  }
}

/**
 * The plan that was admitted, or what stands in its way.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer extends JsonObject {
  readonly plan?: UndoPlan.UndoPlan
  /** The turns that it takes of what other runs may rely on. */
  readonly turns?: Turns.Turns
  readonly blocks?: ReadonlyArray<UndoPlan.Block>
}

/**
 * What recovery adds where the table asks for a reversal: the plan if it is admitted, or what stands in its way.
 *
 * @category combinators
 * @since 0.1.0
 */
export const ofRecovery = (
  terms: Terms.Terms,
  state: State,
  subject: Recovery.Subject,
  { actual, because }: { readonly actual: Json; readonly because: Finding.Finding }
): Answer => {
  const { by, class: reversibility, with: params } = Compensation.resolved(state, subject, actual)
  const own: Saga.Step = {
    action: subject.id,
    state: "reconciliation_failed",
    reversibility,
    repeatable: false,
    ...(by === undefined || params === undefined ? {} : { compensation: { tool: by, params } })
  }
  const instances = aborted(terms, subject)
  const steps = Workflow.stepsOf(terms, state, instances)
  const others = steps.filter(({ action }) => action !== subject.id)
  const actions = [...others.map(({ action }) => action), subject.id]
  const wanted = { actions, because, cause: "recovery", subject: subject.id, ...scopesOf(instances) } as const
  const verdict = judge(terms, state, wanted, [...others, own])
  if (verdict._tag === "Admitted") return answerOf(terms, state, verdict.plan)
  return { blocks: verdict._tag === "Blocked" ? verdict.blocks : [] }
}

/**
 * What becomes of a subtask of which a step has failed, and the turns that a plan takes for it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Following {
  readonly follows: Settlement.Said<"recovery.decided">
  readonly undoes: boolean
  readonly turns?: Turns.Turns | undefined
}

/**
 * What follows the final failure of a step that aborts its subtask: before the pivot what the others did is undone,
 * behind it the rest is completed, and where neither is safe a person decides. `undefined` where nothing else stands.
 *
 * @category combinators
 * @since 0.1.0
 */
export const ofFailure = (
  terms: Terms.Terms,
  state: State,
  subject: Recovery.Subject,
  because: Finding.Finding
): Following | undefined => {
  const instances = aborted(terms, subject)
  const steps = Workflow.stepsOf(terms, state, instances).filter(({ action }) => action !== subject.id)
  const recovery = Recovery.ofWorkflow(terms, subject, steps)
  if (recovery === undefined) return undefined
  const actions = steps.map(({ action }) => action)
  const wanted: UndoPlan.Wanted = { actions, because, cause: "saga", subject: subject.id, ...scopesOf(instances) }
  const { action } = recovery.decision
  if (action === "recover_forward") return { follows: Recovery.said(terms, subject.id, recovery), undoes: false }
  const verdict: UndoPlan.Verdict =
    action === "compensate_backward" ? judge(terms, state, wanted, steps) : { _tag: "Blocked", blocks: [] }
  const data: Answer & { readonly wanted?: UndoPlan.Wanted } =
    verdict._tag === "Admitted"
      ? answerOf(terms, state, verdict.plan)
      : verdict._tag === "Blocked"
        ? { blocks: verdict.blocks, wanted }
        : {}
  return {
    follows: Recovery.said(terms, subject.id, recovery, data),
    undoes: verdict._tag !== "Nothing",
    turns: data.turns
  }
}

/**
 * Goes on with the open plan: asks about its next step, starts it, ends the plan, or says what it waits for.
 *
 * @category combinators
 * @since 0.1.0
 */
export const proceed = (terms: Terms.Terms, state: State, looked?: Presence.Looked): Decision => {
  const open = UndoPlan.open(state)
  if (open === undefined) return admitWaiting(terms, state)
  if (open.status === "stopped") return waits(terms, open)
  if (open.failed !== undefined)
    return stop(terms, open, { undoes: open.failed, why: Finding.make("reversal.refused", {}) })
  const step = UndoPlan.next(open)
  const begun = open.at === undefined ? undefined : OpenActions.of(state)[open.at]
  if (open.at !== undefined && (begun === undefined || !UndoStep.isDue(begun))) {
    const undoes = step === undefined ? {} : { undoes: step.undoes }
    return held(terms, open.at, Finding.make("reversal.begun", undoes))
  }
  if (step === undefined) return finish(terms, state, open)
  return looked?.action === step.undoes
    ? UndoStep.judged(terms, state, open, { step, looked })
    : UndoStep.ask(terms, state, step)
}

/**
 * Tells what stands before recovering an action by itself: it is part of the open plan, which goes on or waits.
 *
 * @category combinators
 * @since 0.1.0
 */
export const instead = (terms: Terms.Terms, state: State, { id, open }: Recovery.Subject): Decision | undefined => {
  const plan = UndoPlan.open(state)
  if (plan === undefined) return undefined
  if (plan.status === "stopped" && (open.undoes !== undefined || isStep(plan, id))) return waits(terms, plan)
  return isStep(plan, id) ? go(Settlement.nothing) : undefined
}

/**
 * Stops the open plan at a reversal that failed: a person is asked, and nothing is tried again (row 17).
 * With `stop` nothing has failed, and a person is asked all the same; `review` names the approval that was denied.
 *
 * @category combinators
 * @since 0.1.0
 */
export const stop = (
  terms: Terms.Terms,
  open: UndoPlan.Open,
  failure: {
    readonly undoes: string
    readonly why: Finding.Finding
    readonly before?: Settlement.Settlement
    readonly stop?: UndoPlan.Stop
    readonly review?: string
  }
): Decision => {
  const { before = Settlement.nothing, review: approval, stop: kind, undoes, why } = failure
  const action = { id: undoes }
  const review = `v${terms.tick + Settlement.size(before)}`
  const outcome = waiting(terms, { ...open, failed: undoes }, why)
  if (kind !== undefined) {
    const denied = approval === undefined ? {} : { approval }
    const data = { decision: "review", stop: kind, stops: undoes, ...denied } as const
    const asked = { plan: open.id, review, stop: kind, subject: "undo" } as const
    return end(outcome, { ...before, stops: { action, data }, asks: [{ action, data: asked }] })
  }
  const { tool } = open.steps.find((step) => step.undoes === undoes) ?? { tool: "" }
  const recovery = Recovery.ofCompensationFailure(terms, TaskPack.tool(terms.pack, tool).class)
  const stops = Recovery.said(terms, undoes, recovery, { stops: undoes, why })
  const asked = { plan: open.id, review, subject: "undo", why } as const
  return end(outcome, { ...before, stops, asks: [{ action, data: asked }] })
}

const go = (settlement: Settlement.Settlement): Decision => ({
  settlement,
  flush: "now",
  next: { _tag: "Compensate" }
})

const isStep = ({ steps }: UndoPlan.Open, action: string): boolean => steps.some(({ undoes }) => undoes === action)

/** The subtasks that are over once this action has failed. */
const aborted = (terms: Terms.Terms, { open }: Recovery.Subject): ReadonlyArray<Workflow.Instance> =>
  Workflow.instancesOf(terms, open.undo).filter(({ skeleton }) => skeleton.aborts.includes(open.tool))

/** A subtask that is undone takes back what it wrote into `working`, too. */
const scopesOf = (instances: ReadonlyArray<Workflow.Instance>): Pick<UndoPlan.Wanted, "scopes"> =>
  instances.length === 0 ? {} : { scopes: instances.map(({ entity, skeleton }) => Scopes.nameOf(skeleton.id, entity)) }

const judge = (
  terms: Terms.Terms,
  state: State,
  wanted: UndoPlan.Wanted,
  steps: ReadonlyArray<Saga.Step>
): UndoPlan.Verdict => {
  const open = UndoPlan.open(state)
  const restore = wanted.scopes === undefined ? undefined : Scopes.restore(state, wanted.scopes)
  return UndoPlan.admit(wanted, { steps, open, restore }, [
    verifiable(terms),
    Presence.decidable(terms, state),
    permitted(terms, state),
    Turns.reliedOnByNobody(terms.turns)
  ])
}

/** A reversal that cannot be verified is not begun. */
const verifiable =
  (terms: Terms.Terms): UndoPlan.Conjunct =>
  ({ actions }, { steps }) =>
    steps.flatMap(({ action, compensation }) =>
      compensation === undefined ||
      !actions.includes(action) ||
      TaskPack.tool(terms.pack, compensation.tool).readback !== undefined
        ? []
        : [{ action, why: Finding.make("undo.unverifiable", { tool: compensation.tool }) }]
    )

/** Some subtasks are not undone by a machine, whatever else holds. */
const permitted =
  (terms: Terms.Terms, state: State): UndoPlan.Conjunct =>
  ({ actions }) =>
    actions.flatMap((action) => {
      const registered = SettledActions.of(state).get(action) ?? OpenActions.of(state)[action]?.undo
      const found = Workflow.instancesOf(terms, registered).find(({ skeleton }) => skeleton.effects === "forbid")
      return found === undefined
        ? []
        : [{ action, why: Finding.make("undo.forbidden", { skeleton: found.skeleton.id }) }]
    })

const answerOf = (terms: Terms.Terms, state: State, plan: UndoPlan.UndoPlan): Answer => ({
  plan,
  ...Turns.toData(turnsOf(terms, state, plan))
})

const turnsOf = (terms: Terms.Terms, state: State, { steps }: UndoPlan.UndoPlan): Turns.Turns =>
  Turns.ofActions(
    terms,
    state,
    steps.map(({ undoes }) => undoes)
  )

const undertaken = (terms: Terms.Terms, state: State, plan: UndoPlan.UndoPlan): Decision =>
  begun(turnsOf(terms, state, plan), {
    recovery: { data: { decision: "compensate_backward", ...answerOf(terms, state, plan) } }
  })

/**
 * A decision by which a plan is begun, with the turns that it takes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const begun = (turns: Turns.Turns | undefined, settlement: Settlement.Settlement): Decision => ({
  ...go(settlement),
  names: { turns }
})

/** What was to be undone and could not yet, because something was in flight, is judged again. */
const admitWaiting = (terms: Terms.Terms, state: State): Decision => {
  const wanted = UndoPlan.wanted(state)
  const tick = Terms.standsAt(terms)
  if (wanted === undefined) return end({ _tag: "Done", tick, output: { undone: [] }, basis: "recorded" })
  const all = Workflow.allSteps(terms, state)
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
          recovery: { data: { decision: "settle_as_is", wanted: null } }
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

/**
 * Every step is verified, or had nothing to undo: what was open because of it is settled as undone or as failed, and
 * the plan is over.
 */
const finish = (terms: Terms.Terms, state: State, open: UndoPlan.Open): Decision => {
  const { absent = [], attested = [], because, cause, done, id, masks, steps } = open
  const undone = done.filter((action) => !absent.includes(action))
  const residue = steps.flatMap((step) => (step.residue && undone.includes(step.undoes) ? [step.undoes] : []))
  const found = {
    ...(absent.length === 0 ? {} : { absent }),
    ...(attested.length === 0 ? {} : { attested }),
    residue,
    undone
  }
  const data = { because, cause, masks, plan: id, ...found }
  const closed = done.flatMap((action): ReadonlyArray<Settlement.Said<"action.reconciled">> => {
    const original = OpenActions.of(state)[action]
    if (original === undefined) return []
    const target = original.target === undefined ? {} : { target: original.target }
    const comes = absent.includes(action)
      ? ({ result: { basis: "readback", output: nothing, status: "error", trust: 3 } } as const)
      : ({
          data: { state: "compensated" },
          result: {
            ...(attested.includes(action)
              ? ({ basis: "attested", trust: 1 } as const)
              : ({ basis: "readback", trust: 3 } as const)),
            output: Finding.make("failure.undone", { because }),
            status: "error"
          }
        } as const)
    return [{ action: { id: action, ...target }, ...comes }]
  })
  const restored = Terms.draft(terms, { author: "kernel", data, type: "recovery.restored" })
  const output: Json = { because, ...found }
  const settlement = { ...Settlement.records(restored), closed }
  return cause === "saga" || cause === "recovery"
    ? end({ _tag: "Failed", tick: terms.tick, error: output }, settlement)
    : end({ _tag: "Done", tick: terms.tick, output, basis: "committed" }, settlement)
}

/** Its own record does not show it. */
const nothing = { code: "nothing_to_undo" }

const waits = (terms: Terms.Terms, open: UndoPlan.Open): Decision => end(waiting(terms, open, stopped(open)))

/**
 * Why a plan waits for a person.
 *
 * @category getters
 * @since 0.1.0
 */
export const stopped = ({ stop }: { readonly stop?: UndoPlan.Stop | undefined }): Finding.Finding => {
  switch (stop) {
    case "altered":
      return Finding.make("reversal.altered", {})
    case "denied":
      return Finding.make("reversal.not_approved", {})
    default:
      return Finding.make("reversal.failed", {})
  }
}

const waiting = (terms: Terms.Terms, { because, failed = "" }: UndoPlan.Open, why: Finding.Finding) =>
  ({
    _tag: "Held",
    tick: Terms.standsAt(terms),
    action: failed,
    why: Finding.make("plan.stopped", { because, undoes: failed, why })
  }) as const
