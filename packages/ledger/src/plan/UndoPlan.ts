/**
 * The one plan for every kind of undoing: the actions that it reverses, in order, the call for each, and its cause.
 *
 * A saga that cannot go on, a recovery, a revision of the goal and a rebase all
 * need the same thing: actions that reverse others, the last one first, each
 * verified before the next. So there is one type, judged by one function, and
 * at most one plan of a run is open. Whoever knows more than this package,
 * such as which consumers a result has, adds conjuncts of their own.
 *
 * | folded | the plan |
 * | --- | --- |
 * | `recovery.decided` with `data.wanted` | is wanted, and waits for what is in flight |
 * | `recovery.decided` with `data.plan` | is open |
 * | `action.verified` of a step with `data.absent` | has nothing to undo there |
 * | the same with `data.altered` | may read what it has begun there, and send nothing |
 * | the same with `data.attested` | has done the step, on the word of a person |
 * | `action.request` that undoes a step | is at that step |
 * | `action.reconciled` of it | has done the step, or has failed at it |
 * | `recovery.decided` with `data.stops` | waits for a person; `data.stop` says why, where nothing has failed |
 * | `review.decided` | goes on, with the reversal of `data.reopens` if that is open, or is given up |
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
import type * as Finding from "@backstitch/trace/Finding"
import * as EffectStatus from "../machine/EffectStatus.ts"
import * as Codes from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as OpenActions from "../state/OpenActions.ts"
import * as Saga from "./Saga.ts"

/** The occasion on which an undoing is asked for. */
export type Cause = (typeof Payload.causes)[number]

/** One step: the action that is undone, and the call that undoes it. With `residue` something of it remains. */
export interface Step extends JsonObject {
  readonly undoes: string
  readonly tool: string
  readonly params: Json
  readonly residue: boolean
}

/**
 * A plan. `subject` is the action whose failure caused it. `masks` are actions that the planner is not shown again.
 *
 * **Details**
 *
 * The transition that opens the plan carries `restore`: the patch that puts `working` back to where its `scopes`
 * began, and the digest of the section after it. With `overwritten` there is none, because somebody else has written
 * at those places since. Either way the epoch of every scope is raised: what its actions still answer settles the
 * ledger and the world, and is masked.
 */
export interface UndoPlan extends JsonObject {
  readonly because: Finding.Finding
  readonly cause: Cause
  readonly masks: ReadonlyArray<string>
  readonly steps: ReadonlyArray<Step>
  readonly overwritten?: ReadonlyArray<Overwritten>
  readonly restore?: Restore
  readonly scopes?: ReadonlyArray<Scopes.Raised>
  readonly subject?: string
}

/**
 * A patch that puts `working` back: it covers the places that the undone scopes wrote and nobody else has written since
 * (decision 0031).
 */
export interface Restore extends JsonObject {
  readonly digest: string
  readonly patch: WorkingPatch.WorkingPatch
}

/** A place of `working` that another scope has written since. */
export interface Overwritten extends JsonObject {
  readonly by: string
  readonly path: string
}

/** A request for an undoing: the actions, the reason, and the scopes whose fields of `working` go back with them. */
export interface Wanted extends JsonObject {
  readonly actions: ReadonlyArray<string>
  readonly because: Finding.Finding
  readonly cause: Cause
  readonly masks?: ReadonlyArray<string>
  readonly scopes?: ReadonlyArray<string>
  readonly subject?: string
}

/**
 * The facts that a plan is judged on: the steps of the workflow, in the order in which they were begun, and the open
 * plan.
 */
export interface Ledger {
  readonly steps: ReadonlyArray<Saga.Step>
  readonly open: Open | undefined
  /** The patch that would put the wanted scopes back. */
  readonly restore?: Scopes.Restore | undefined
}

/**
 * Why a plan is not admitted, as a code, and the action that stands in the way, if it is one. `by` is an action of
 * another run, where that stands in the way.
 */
export interface Obstacle extends JsonObject {
  readonly why: Finding.Finding
  readonly action?: string
  readonly by?: { readonly run: string; readonly action: string; readonly tick: number }
}

/** One condition of an admission: what it finds in the way. */
export type Conjunct = (wanted: Wanted, ledger: Ledger) => ReadonlyArray<Obstacle>

/** A verdict. */
export type Verdict =
  | { readonly _tag: "Admitted"; readonly plan: UndoPlan }
  | { readonly _tag: "Blocked"; readonly blocks: ReadonlyArray<Obstacle> }
  | { readonly _tag: "Nothing" }

/** A run has one open plan at most: two planners would each undo what the other has undone already. */
const oneAtATime: Conjunct = (_, { open }) =>
  open === undefined ? [] : [{ why: Codes.make("undo.plan_open", { plan: open.id }) }]

/**
 * Blocks a plan while an action is unsettled that was begun after the first action to undo: its outcome is asked first,
 * never assumed (L5).
 */
const nothingInFlight: Conjunct = (wanted, { steps }) => {
  const first = steps.findIndex(({ action }) => wanted.actions.includes(action))
  return steps
    .slice(Math.max(0, first))
    .filter(({ action, state }) => Saga.isUnsettled(state) && action !== wanted.subject)
    .map(({ action, state }) => ({ action, why: Codes.make("undo.unsettled", { state }) }))
}

/** Behind the pivot the workflow is completed, not undone. */
const beforeThePivot: Conjunct = (_, { steps }) => {
  const pivot = Saga.pivot(steps)
  return pivot === undefined ? [] : [{ action: pivot.action, why: Codes.make("undo.pivot", {}) }]
}

/**
 * Blocks a revision and a rebase where another scope has written to `working` since: they plan anew on all of it. A
 * saga and a recovery are not blocked: effects are undone all the same, and the other scope's fields stay.
 */
const writtenByNobodyElse: Conjunct = ({ cause }, { restore }) =>
  cause === "saga" || cause === "recovery"
    ? []
    : (restore?.overwritten ?? []).map(({ by, path }) => ({
        why: Codes.make("undo.overwritten", { by, path })
      }))

/** The conditions of every plan. */
export const conjuncts: ReadonlyArray<Conjunct> = [oneAtATime, nothingInFlight, beforeThePivot, writtenByNobodyElse]

/**
 * Judges an undoing (L10): every conjunct has to hold, and each step needs the reversal that was registered for it.
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
export const admit = (wanted: Wanted, ledger: Ledger, more: ReadonlyArray<Conjunct> = []): Verdict => {
  const blocks = [...conjuncts, ...more].flatMap((conjunct) => conjunct(wanted, ledger))
  if (blocks.length > 0) return { _tag: "Blocked", blocks }
  const { because, cause, subject } = wanted
  const plan = Saga.plan(ledger.steps.filter(({ action }) => wanted.actions.includes(action)))
  switch (plan._tag) {
    case "Nothing":
      return { _tag: "Nothing" }
    case "Backward": {
      const steps = plan.steps.map(
        ({ by, residue, undoes }): Step => ({ params: by.params, residue, tool: by.tool, undoes })
      )
      return {
        _tag: "Admitted",
        plan: { because, cause, steps, ...restored(wanted, ledger), ...(subject === undefined ? {} : { subject }) }
      }
    }
    case "Hold":
      return blocked(plan.actions, plan.why)
    case "Ask":
      return {
        _tag: "Blocked",
        blocks: ledger.steps
          .filter(({ action }) => plan.actions.includes(action))
          .map(({ action, state }) => ({ action, why: Codes.make("undo.unsettled", { state }) }))
      }
    case "Forward":
      return blocked([plan.pivot], Codes.make("undo.pivot", {}))
  }
}

/** The failure that caused a plan stays in sight: it says why everything else is gone. */
const restored = (
  { masks = [], subject }: Wanted,
  { restore }: Ledger
): Pick<UndoPlan, "masks" | "overwritten" | "restore" | "scopes"> => {
  if (restore === undefined) return { masks }
  const { digest, overwritten, patch, scopes } = restore
  const hidden = [...new Set([...masks, ...restore.masks])].filter((action) => action !== subject)
  return {
    masks: hidden,
    scopes,
    ...(overwritten.length > 0 ? { overwritten } : patch.length === 0 ? {} : { restore: { digest, patch } })
  }
}

const blocked = (actions: ReadonlyArray<string>, why: Finding.Finding): Verdict => ({
  _tag: "Blocked",
  blocks: actions.map((action) => ({ action, why }))
})

/** An open plan: what was done of it, where it is, and what it failed at. */
export interface Open extends UndoPlan {
  readonly id: string
  readonly status: "running" | "stopped"
  readonly done: ReadonlyArray<string>
  /** Those of `done` of which there was nothing to undo. */
  readonly absent?: ReadonlyArray<string> | undefined
  /** Those of which a person attests that they are undone. */
  readonly attested?: ReadonlyArray<string> | undefined
  /** The action that is to be undone next, where its own record is not as it was, and the digest of that. */
  readonly altered?: Altered | undefined
  /** The digest of a record that a person has seen: the action is undone although its record shows that. */
  readonly regardless?: string | undefined
  /** Why it waits for a person, where its reversal has not failed, and the approval that was denied. */
  readonly stop?: Stop | undefined
  readonly approval?: string | undefined
  /** The action under way that undoes a step. */
  readonly at?: string | undefined
  /** The action whose undoing failed, and the action that failed at it. */
  readonly failed?: string | undefined
  readonly failedBy?: string | undefined
}

/**
 * Why a plan waits for a person although nothing has failed: its reversal was denied, or what it would undo is not as
 * it was, or not established to be its own.
 */
export type Stop = "altered" | "denied" | "not_own"

/** An action whose record is not as it was, with the digest of what it shows; without one it shows nothing. */
export interface Altered extends JsonObject {
  readonly action: string
  readonly record?: string | undefined
}

/** The open plan, or the request for one. */
interface Plans extends JsonObject {
  readonly open?: Open | undefined
  readonly wanted?: Wanted | undefined
}

/** The plan without what it was held by: where it was, what failed, and why it waited. */
const standing = ({
  altered: _,
  approval: __,
  at: ___,
  failed: ____,
  failedBy: _____,
  regardless: ______,
  stop: _______,
  ...rest
}: Open): Open => rest as Open

/** The part of the fold that keeps the open plan. */
export const part: Part.Part<Plans> = Part.make<Plans, typeof Payload.views>("undoing", {
  version: 1,
  init: {},
  on: {
    "recovery.decided": (self, { body: { data = {} }, tick }) => {
      const { plan, stop, stops, unwanted, wanted } = data
      if (Canonical.isObject(wanted) && self.open === undefined) return { wanted: wanted as Wanted }
      if (unwanted === true) return {}
      if (typeof stops === "string" && self.open !== undefined) {
        const { approval } = data
        const why: Pick<Open, "approval" | "stop"> = {
          ...(typeof approval === "string" ? { approval } : {}),
          ...(stop === "altered" || stop === "denied" || stop === "not_own" ? { stop } : {})
        }
        return { open: { ...self.open, failed: self.open.failed ?? stops, status: "stopped", ...why } }
      }
      if (!Canonical.isObject(plan) || self.open !== undefined) return self
      // What was put back is in the transition: a state keeps no copy of it.
      const { restore: _, ...rest } = plan as UndoPlan
      return { open: { ...(rest as UndoPlan), id: `u${tick}`, status: "running", done: [] } }
    },
    "action.request": (self, { body: { action } }) =>
      self.open === undefined || action?.undoes === undefined ? self : { open: { ...self.open, at: action.id } },
    "action.verified": (self, { body: { action, data = {} } }) => {
      const { open } = self
      if (open === undefined || action === undefined || data.undoing !== open.id) return self
      const { altered: _, ...rest } = open
      if (data.altered === true) {
        const record = data.before?.record
        return { open: { ...rest, altered: { action: action.id, ...(record === undefined ? {} : { record }) } } }
      }
      const done = [...open.done, action.id]
      if (data.attested === true) return { open: { ...rest, done } }
      if (data.absent !== true) return open.altered === undefined ? self : { open: rest }
      return { open: { ...rest, absent: [...(open.absent ?? []), action.id], done } }
    },
    "action.reconciled": (self, transition, before) => {
      const { open } = self
      const id = transition.body.action?.id ?? ""
      const undoes = OpenActions.of(before)[id]?.undoes
      // What a person has closed is not what the plan is at any more.
      if (open === undefined || undoes === undefined || open.at !== id) return self
      if (OpenActions.isRefused(transition, before)) return self
      const { altered: _, at: __, regardless: ___, ...rest } = open
      return EffectStatus.isVerified(transition)
        ? { open: { ...rest, done: [...open.done, undoes] } }
        : { open: { ...rest, failed: undoes, failedBy: id } }
    },
    "review.decided": (self, { body: { data = {} } }) => {
      const { open } = self
      if (data.unwanted === true && open === undefined) return {}
      if (open === undefined || data.plan !== open.id) return self
      const { action, as, reopens, undo } = data
      const running: Open = { ...standing(open), status: "running" }
      if (undo === "attested") return { open: { ...running, attested: [...(open.attested ?? []), String(action)] } }
      if (undo !== "undoing") return {}
      if (typeof reopens !== "string") return { open: running }
      const seen = as === "resent" ? open.altered?.record : undefined
      return { open: { ...running, at: reopens, ...(seen === undefined ? {} : { regardless: seen }) } }
    },
    "recovery.restored": (self, { body: { data } }) => (data.plan === self.open?.id ? {} : self),
    "run.fork": () => ({})
  }
})

/** The open plan of a state, if there is one. */
export const open = (state: State): Open | undefined => Part.get(part, state).open

/** Reads the request for an undoing that waits until nothing is in flight. */
export const wanted = (state: State): Wanted | undefined => Part.get(part, state).wanted

/** The step that comes next, if any is left. */
export const next = (self: Open): Step | undefined => self.steps.find(({ undoes }) => !self.done.includes(undoes))

/** The action that an open plan is to undo next, as long as nothing undoes it yet and nothing has failed. */
export const waiting = (self: Open): string | undefined =>
  self.status === "running" && self.at === undefined && self.failed === undefined ? next(self)?.undoes : undefined
