/**
 * The undo plan, for every kind of undoing: the actions to reverse, in order, the call for each, and the cause.
 *
 * A saga that cannot continue, a recovery, a revision of the goal and a rebase all need the same: actions that
 * reverse others, the last one first, each verified before the next. So there is one type and one function that
 * judges it, and a run has at most one open plan. Packages that know more, such as the consumers of a result, add
 * conditions of their own.
 *
 * | folded | the plan |
 * | --- | --- |
 * | `recovery.decided` with `data.wanted` | is requested, and waits for actions in flight |
 * | the same with `data.after` | is requested, and waits for the open plan that it names |
 * | `recovery.decided` with `data.plan` | is open |
 * | `action.verified` of a step with `data.absent` | has nothing to undo there |
 * | the same with `data.altered` | finds its record changed: it may read the reversal begun there, and sends nothing |
 * | the same with `data.attested` | has done the step, on a person's word |
 * | `action.request` that undoes a step | is at that step |
 * | `action.reconciled` of it | has done the step, or has failed at it |
 * | `recovery.decided` with `data.stops` | waits for a person; `data.stop` is the reason, if nothing has failed |
 * | `review.decided` | continues, with the open reversal of `data.reopens`, or is given up |
 * | `recovery.restored` | is done |
 *
 * @source docs/decisions/0040
 */

import * as Part from "@backstitch/reducer/Part"
import type * as Scopes from "@backstitch/reducer/Scopes"
import type { State } from "@backstitch/reducer/State"
import type * as WorkingPatch from "@backstitch/reducer/WorkingPatch"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import * as EffectStatus from "../moves/EffectStatus.ts"
import type * as Payload from "../payload/Payload.ts"
import * as PlanCodes from "../payload/PlanCodes.ts"
import * as OpenActions from "../state/OpenActions.ts"
import * as Saga from "./Saga.ts"

/** The cause of an undoing. */
export type Cause = (typeof Payload.causes)[number]

/** One step: the action to undo, and the call that undoes it. `residue` means that a part of the effect remains. */
export interface ReversalStep extends JsonObject {
  readonly undoes: string
  readonly tool: string
  readonly params: Json
  readonly residue: boolean
}

/**
 * A plan. `subject` is the action whose failure caused it. `masks` are actions that the planner is not shown any
 * more.
 *
 * **Details**
 *
 * The transition that opens the plan carries `restore`: the patch that puts `working` back to where its `scopes`
 * began, and the digest of the section after it. With `overwritten` there is no patch, because other scopes have
 * changed those fields since. In both cases the epoch of every scope is raised: later answers to its actions settle
 * the ledger and the world, and are masked.
 */
export interface UndoPlan extends JsonObject {
  readonly because: FindingForm.AnyFinding
  readonly cause: Cause
  readonly masks: ReadonlyArray<string>
  readonly steps: ReadonlyArray<ReversalStep>
  readonly overwritten?: ReadonlyArray<Overwritten>
  readonly restore?: WorkingRestore
  readonly scopes?: ReadonlyArray<Scopes.RaisedEpoch>
  readonly subject?: string
  /** The checkpoint of a subtask to which `restore` puts it back, if it does not go back to its beginning. */
  readonly checkpoint?: typeof Payload.Checkpoint.Type
  /** The policy that admitted the checkpoint. */
  readonly policy?: typeof Payload.RollbackPolicy.Type
}

/**
 * A patch that puts `working` back. It covers the fields that the undone scopes wrote and no other scope has written
 * since (decision 0031).
 */
export interface WorkingRestore extends JsonObject {
  readonly digest: string
  readonly patch: WorkingPatch.WorkingPatch
}

/** A field of `working` that another scope has written since. */
export interface Overwritten extends JsonObject {
  readonly by: string
  readonly path: string
}

/**
 * A request for an undoing: the actions, the reason, and the scopes whose fields of `working` are put back with them.
 * `failed` are actions whose failures asked for a part of it before its `subject` failed.
 */
export interface UndoRequest extends JsonObject {
  readonly actions: ReadonlyArray<string>
  readonly because: FindingForm.AnyFinding
  readonly cause: Cause
  readonly failed?: ReadonlyArray<string>
  readonly masks?: ReadonlyArray<string>
  readonly scopes?: ReadonlyArray<string>
  readonly subject?: string
}

/**
 * The facts by which a plan is judged: the steps of the workflow, in the order in which they were begun, and the open
 * plan.
 */
export interface Ledger {
  readonly steps: ReadonlyArray<Saga.SagaStep>
  readonly open: OpenPlan | undefined
  /** The patch that would put the requested scopes back. */
  readonly restore?: Scopes.ScopeRestore | undefined
}

/**
 * The reason why a plan is not admitted, as a code, and the action that causes it, if there is one. `by` is an action
 * of another run, if that is the cause.
 */
export interface Obstacle extends JsonObject {
  readonly why: FindingForm.AnyFinding
  readonly action?: string
  readonly by?: { readonly run: string; readonly action: string; readonly tick: number }
}

/** One condition of an admission: answers the obstacles that it finds. */
export type Conjunct = (wanted: UndoRequest, ledger: Ledger) => ReadonlyArray<Obstacle>

/** The verdict on an undoing: its plan, or the obstacles. */
export type UndoVerdict =
  | { readonly _tag: "Admitted"; readonly plan: UndoPlan }
  | { readonly _tag: "Blocked"; readonly blocks: ReadonlyArray<Obstacle> }
  | { readonly _tag: "Nothing" }

/** A run has at most one open plan: two plans would each undo what the other has undone already. */
const oneAtATime: Conjunct = (_, { open }) =>
  open === undefined ? [] : [{ why: PlanCodes.make("undo.plan_open", { plan: open.id }) }]

/**
 * Blocks a plan while an action is unsettled that was begun after the first action to undo. Its outcome is asked for
 * first, never assumed (L5).
 */
const nothingInFlight: Conjunct = (wanted, { steps }) => {
  const first = steps.findIndex(({ action }) => wanted.actions.includes(action))
  return steps
    .slice(Math.max(0, first))
    .filter(({ action, state }) => Saga.isUnsettled(state) && action !== wanted.subject)
    .map(({ action, state }) => ({ action, why: PlanCodes.make("undo.unsettled", { state }) }))
}

/** Behind the pivot the workflow is completed, not undone. */
const beforeThePivot: Conjunct = (_, { steps }) => {
  const pivot = Saga.pivot(steps)
  return pivot === undefined ? [] : [{ action: pivot.action, why: PlanCodes.make("undo.pivot", {}) }]
}

/**
 * Blocks a revision and a rebase if another scope has written to `working` since: they have to be planned again with
 * all of it. A saga and a recovery are not blocked: they undo the effects, and the other scope's fields stay.
 */
const writtenByNobodyElse: Conjunct = ({ cause }, { restore }) =>
  cause === "saga" || cause === "recovery"
    ? []
    : (restore?.overwritten ?? []).map(({ by, path }) => ({
        why: PlanCodes.make("undo.overwritten", { by, path })
      }))

/** Blocks a rebase over an action that cannot be undone any more: a rebase undoes all that it replaces, or nothing. */
const inTimeForARebase: Conjunct = ({ actions, cause }, { steps }) =>
  cause === "rebase" ? tooLate(steps.filter(({ action }) => actions.includes(action))) : []

/** Lists the steps that stand and cannot be undone any more. Other plans leave them to a person, after all others. */
export const tooLate = (steps: ReadonlyArray<Saga.SagaStep>): ReadonlyArray<Obstacle> =>
  steps
    .filter((step) => Saga.stands(step) && step.isTooLate === true)
    .map(({ action }) => ({ action, why: PlanCodes.make("undo.too_late", {}) }))

/** The conditions of every plan. */
export const conjuncts: ReadonlyArray<Conjunct> = [
  oneAtATime,
  nothingInFlight,
  beforeThePivot,
  writtenByNobodyElse,
  inTimeForARebase
]

/**
 * Judges an undoing (L10): every condition has to hold, and each step needs the reversal that was registered for it.
 *
 * **Example** (Undoing two bookings, the last one first)
 *
 * ```ts import.meta.vitest
 * import { UndoPlan } from "@backstitch/ledger"
 *
 * const booked = (action: string) =>
 *   ({
 *     action,
 *     state: "reconciled_success",
 *     reversibility: "R",
 *     repeatable: true,
 *     compensation: { tool: "cancel", params: { booking: action } }
 *   }) as const
 * const because = { args: { reason: "the card was declined" }, code: "cause.asked" }
 * const wanted = { actions: ["flight", "hotel"], because, cause: "saga" } as const
 * const verdict = UndoPlan.admit(wanted, { steps: [booked("flight"), booked("hotel")], open: undefined })
 *
 * verdict._tag === "Admitted" && verdict.plan.steps.map(({ undoes }) => undoes) // => ["hotel", "flight"]
 * ```
 */
export const admit = (wanted: UndoRequest, ledger: Ledger, more: ReadonlyArray<Conjunct> = []): UndoVerdict => {
  const blocks = [...conjuncts, ...more].flatMap((conjunct) => conjunct(wanted, ledger))
  if (blocks.length > 0) return { _tag: "Blocked", blocks }
  const { because, cause, subject } = wanted
  const plan = Saga.plan(ledger.steps.filter(({ action }) => wanted.actions.includes(action)))
  switch (plan._tag) {
    case "Nothing":
      return { _tag: "Nothing" }
    case "Backward": {
      const steps = plan.steps.map(
        ({ by, residue, undoes }): ReversalStep => ({ params: by.params, residue, tool: by.tool, undoes })
      )
      return {
        _tag: "Admitted",
        plan: { because, cause, steps, ...restored(wanted, ledger), ...defined({ subject }) }
      }
    }
    case "Hold":
      return blocked(plan.actions, plan.why)
    case "Ask":
      return {
        _tag: "Blocked",
        blocks: ledger.steps
          .filter(({ action }) => plan.actions.includes(action))
          .map(({ action, state }) => ({ action, why: PlanCodes.make("undo.unsettled", { state }) }))
      }
    case "Forward":
      return blocked([plan.pivot], PlanCodes.make("undo.pivot", {}))
  }
}

/** The failures that caused a plan stay visible, because they explain why everything else is gone. */
const restored = (
  { failed = [], masks = [], subject }: UndoRequest,
  { restore }: Ledger
): Pick<UndoPlan, "masks" | "overwritten" | "restore" | "scopes"> => {
  if (restore === undefined) return { masks }
  const { digest, overwritten, patch, scopes } = restore
  const hidden = [...new Set([...masks, ...restore.masks])].filter(
    (action) => action !== subject && !failed.includes(action)
  )
  return {
    masks: hidden,
    scopes,
    ...(overwritten.length > 0 ? { overwritten } : patch.length === 0 ? {} : { restore: { digest, patch } })
  }
}

const blocked = (actions: ReadonlyArray<string>, why: FindingForm.AnyFinding): UndoVerdict => ({
  _tag: "Blocked",
  blocks: actions.map((action) => ({ action, why }))
})

/** An open plan: the steps that are done, its present step, and a failure. */
export interface OpenPlan extends UndoPlan {
  readonly id: string
  readonly status: "running" | "stopped"
  readonly done: ReadonlyArray<string>
  /** Steps of `done` with nothing to undo. */
  readonly absent?: ReadonlyArray<string> | undefined
  /** Steps of `done` that a person attests as undone. */
  readonly attested?: ReadonlyArray<string> | undefined
  /** The action that is to be undone next, if its own record has changed, and the digest of that record. */
  readonly altered?: Altered | undefined
  /** The digest of a record that a person has seen: the action is undone although its record has changed to that. */
  readonly regardless?: string | undefined
  /** The reason why the plan waits for a person although its reversal has not failed, and the denied approval. */
  readonly stop?: Stop | undefined
  readonly approval?: string | undefined
  /** The action under way that undoes the present step. */
  readonly at?: string | undefined
  /** The action whose undoing failed, and its failed reversal. */
  readonly failed?: string | undefined
  readonly failedBy?: string | undefined
}

/**
 * The reason why a plan waits for a person although nothing has failed: the approval of its reversal was denied, its
 * original has changed, its original is not established as the action's own, or the time to undo it is over.
 */
export type Stop = typeof Payload.Stop.Type

/** An action whose record has changed, with the digest of the record; without one, the record shows nothing. */
export interface Altered extends JsonObject {
  readonly action: string
  readonly record?: string | undefined
}

/** The open plan, the request for one, or both: the request then waits for the end of the plan. */
interface Plans extends JsonObject {
  readonly open?: OpenPlan | undefined
  readonly wanted?: UndoRequest | undefined
}

/** The plan without its stop: without its present step, its failure and the reason for which it waited. */
const standing = ({
  altered: _,
  approval: __,
  at: ___,
  failed: ____,
  failedBy: _____,
  regardless: ______,
  stop: _______,
  ...rest
}: OpenPlan): OpenPlan => rest as OpenPlan

/** The request that waits for a plan, once that is over. */
const afterwards = ({ wanted }: Plans): Plans => defined({ wanted })

/** The part of the fold that keeps the open plan. */
export const part: Part.Part<Plans> = Part.make<Plans, typeof Payload.views>("undoing", {
  version: 1,
  init: {},
  on: {
    "recovery.decided": (self, { body: { data = {} }, tick }) => {
      const { after, plan, stop, stops, unwanted, wanted } = data
      // A request beside an open plan is kept if `after` names that plan. The first rules named none, and forgot it.
      if (Canonical.isObject(wanted) && after === self.open?.id) return { ...self, wanted: wanted as UndoRequest }
      if (unwanted === true) return {}
      if (typeof stops === "string" && self.open !== undefined) {
        const { approval } = data
        const why: Pick<OpenPlan, "approval" | "stop"> = {
          ...(typeof approval === "string" ? { approval } : {}),
          ...defined({ stop })
        }
        return { ...self, open: { ...self.open, failed: self.open.failed ?? stops, status: "stopped", ...why } }
      }
      if (!Canonical.isObject(plan) || self.open !== undefined) return self
      // The patch is in the transition; a state keeps no copy of it.
      const { restore: _, ...rest } = plan as UndoPlan
      return { open: { ...(rest as UndoPlan), id: `u${tick}`, status: "running", done: [] } }
    },
    "action.request": (self, { body: { action } }) =>
      self.open === undefined || action?.undoes === undefined
        ? self
        : { ...self, open: { ...self.open, at: action.id } },
    "action.verified": (self, { body: { action, data = {} } }) => {
      const { open } = self
      if (open === undefined || action === undefined || data.undoing !== open.id) return self
      const { altered: _, ...rest } = open
      if (data.altered === true) {
        const record = data.before?.record
        return { ...self, open: { ...rest, altered: { action: action.id, ...defined({ record }) } } }
      }
      const done = [...open.done, action.id]
      if (data.attested === true) return { ...self, open: { ...rest, done } }
      if (data.absent !== true) return open.altered === undefined ? self : { ...self, open: rest }
      return { ...self, open: { ...rest, absent: [...(open.absent ?? []), action.id], done } }
    },
    "action.reconciled": (self, transition, before) => {
      const { open } = self
      const id = transition.body.action?.id ?? ""
      const undoes = OpenActions.of(before)[id]?.undoes
      // An action that a person has closed is no longer the present step of the plan.
      if (open === undefined || undoes === undefined || open.at !== id) return self
      if (OpenActions.isRefused(transition, before)) return self
      const { altered: _, at: __, regardless: ___, ...rest } = open
      return EffectStatus.isVerified(transition)
        ? { ...self, open: { ...rest, done: [...open.done, undoes] } }
        : { ...self, open: { ...rest, failed: undoes, failedBy: id } }
    },
    "review.decided": (self, { body: { data = {} } }) => {
      const { open } = self
      if (data.unwanted === true && (open === undefined || self.wanted !== undefined)) return defined({ open })
      if (open === undefined || data.plan !== open.id) return self
      const { action, as, reopens, undo } = data
      const running: OpenPlan = { ...standing(open), status: "running" }
      if (undo === "attested")
        return { ...self, open: { ...running, attested: [...(open.attested ?? []), String(action)] } }
      if (undo !== "undoing") return afterwards(self)
      if (typeof reopens !== "string") return { ...self, open: running }
      const seen = as === "resent" ? open.altered?.record : undefined
      return { ...self, open: { ...running, at: reopens, ...defined({ regardless: seen }) } }
    },
    "recovery.restored": (self, { body: { data } }) => (data.plan === self.open?.id ? afterwards(self) : self),
    "run.fork": () => ({})
  }
})

/** The open plan of a state, if there is one. */
export const open = (state: State): OpenPlan | undefined => Part.get(part, state).open

/** Reads the request for an undoing that waits until no action is in flight. */
export const wanted = (state: State): UndoRequest | undefined => Part.get(part, state).wanted

/** The next step, if any is left. A step whose time is over comes after all others. */
export const next = (self: OpenPlan, isTooLate: IsTooLate = () => false): ReversalStep | undefined => {
  const left = self.steps.filter(({ undoes }) => !self.done.includes(undoes))
  return left.find(({ undoes }) => !isTooLate(undoes)) ?? left[0]
}

/** Tells whether the time in which an action could be undone is over. */
export type IsTooLate = (action: string) => boolean

/** The action that an open plan is to undo next, if no reversal of it has begun and nothing has failed. */
export const waiting = (self: OpenPlan): string | undefined =>
  self.status === "running" && self.at === undefined && self.failed === undefined ? next(self)?.undoes : undefined
