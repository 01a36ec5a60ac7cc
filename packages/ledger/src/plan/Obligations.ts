/**
 * Obligations behind a pivot, as folded state: the steps that a subtask still has to complete.
 *
 * Once the pivot of a subtask is reconciled, the steps that its contract declares behind it are due. The planner
 * completes them while it continues by itself; the kernel does so once one of them has failed or the planner has
 * ended. An obligation ends when its last step is reconciled, or when a person gives it up. Until then the goal
 * cannot be reached.
 *
 * | folded | the obligation |
 * | --- | --- |
 * | `action.reconciled` with `data.obliges` | begins: part of the subtask is committed |
 * | `action.request` with `data.completes`, `recovery.decided` with `data.obligation` | is taken on by the kernel |
 * | `action.reconciled` of a step | has one step less, and ends with the last |
 * | the same with `data.owes` | stays: the tool did another act than the owed one |
 * | `review.requested` with `data.obligation` | waits for a person |
 * | `review.decided` of it, or of its step | continues, or is given up |
 * | `run.fork` | stays with the parent (decision 0039) |
 *
 * @source Action Verification, "Forward Recovery" and "The Pivot Transaction"
 */
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"
import type * as OpenAction from "../state/OpenAction.ts"
import * as OpenActions from "../state/OpenActions.ts"

/**
 * An obligation. `steps` are the remaining tools, in order. `seen` holds, by tool, the arguments, answers and records
 * of the pivot and of the steps since.
 *
 * **Details**
 *
 * `failedAt` is when the next step first failed, and `failed` its latest failure: the action, the time, and the
 * number of failures so far.
 */
export interface Obligation extends JsonObject {
  readonly entity: Json
  readonly id: string
  readonly pivot: string
  readonly seen: JsonObject
  readonly since: number
  readonly skeleton: string
  readonly state: "partially_committed" | "forward_recovery" | "review_required"
  readonly steps: ReadonlyArray<string>
  readonly failed?: { readonly action: string; readonly at: number; readonly count: number } | undefined
  readonly failedAt?: number | undefined
}

/** An obligation that a pivot creates: the subtask, its entity, and the remaining steps. */
export interface Obliges extends JsonObject {
  readonly entity: Json
  readonly skeleton: string
  readonly steps: ReadonlyArray<string>
}

/** Obligations by id. */
export interface Obligations extends JsonObject {
  readonly [id: string]: Obligation | undefined
}

/** Tells whether an obligation belongs to the subtask of an action, by the data registered when the action started. */
export const concerns = (self: Obligation, registered: JsonObject | undefined): boolean => {
  const entity = Canonical.objectOf(registered?.["within"])[self.skeleton]
  return entity !== undefined && Canonical.equals(entity, self.entity)
}

/** The obligation of a subtask and its entity, if it has one. */
export const ofSubtask = (state: State, skeleton: string, entity: Json): Obligation | undefined =>
  all(state).find((each) => each.skeleton === skeleton && Canonical.equals(each.entity, entity))

/** The obligation to which an open action is a step, if it is one. */
export const ofAction = (state: State, action: string): Obligation | undefined => {
  const open = OpenActions.of(state)[action]
  return open === undefined || open.undoes !== undefined
    ? undefined
    : all(state).find((each) => each.steps.includes(open.tool) && concerns(each, open.undo))
}

/** The part of the fold that keeps obligations. */
export const part: Part.Part<Obligations> = Part.make<Obligations>("obligations", {
  version: 1,
  init: {},
  on: {
    "action.request": (self, transition, before) => {
      const { completes } = Payload.of(transition.body, "action.request") ?? {}
      if (completes === undefined || OpenActions.isRefused(transition, before)) return self
      return change(self, completes, (each) => ({ ...each, state: "forward_recovery" }))
    },
    "action.reconciled": (self, transition, before) => {
      const { action, result } = transition.body
      const open = OpenActions.of(before)[action?.id ?? ""]
      if (action === undefined || open === undefined || open.undoes !== undefined) return self
      if (OpenActions.isRefused(transition, before)) return self
      const mine = ofAction(before, action.id)
      if (result?.status !== "ok") {
        return mine === undefined ? self : change(self, mine.id, (each) => failed(each, transition, action.id))
      }
      const { obliges, owes } = Payload.of(transition.body, "action.reconciled") ?? {}
      const left = mine === undefined || owes === mine.id ? self : completed(self, mine, open)
      if (obliges === undefined) return left
      const begun = obliges.map(({ entity, skeleton, steps }): [string, Obligation] => {
        const id = `${action.id}/${skeleton}`
        const seen = { [open.tool]: shown(open) }
        const since = transition.tick
        return [id, { entity, id, pivot: action.id, seen, since, skeleton, state: "partially_committed", steps }]
      })
      return { ...left, ...Object.fromEntries(begun) }
    },
    "recovery.decided": (self, transition) => {
      const { action } = transition.body
      const { done, obligation, refused } = Payload.of(transition.body, "recovery.decided") ?? {}
      return change(self, obligation, (each) => {
        if (done !== undefined) return without(each, done)
        const next = refused === true && action !== undefined ? failed(each, transition, action.id) : each
        return { ...next, failedAt: next.failedAt ?? transition.stamp.asOf, state: "forward_recovery" }
      })
    },
    "review.requested": (self, { body }) =>
      change(self, Payload.of(body, "review.requested")?.obligation, (each) => ({ ...each, state: "review_required" })),
    "review.decided": (self, { body }, before) => {
      const { action, as, obligation } = Payload.of(body, "review.decided") ?? {}
      const id = obligation ?? (action === undefined ? undefined : ofAction(before, action)?.id)
      return change(self, id, (each) => {
        if (as === "failure" || as === "abandoned") return undefined
        const { failed: _, failedAt: __, ...rest } = each
        return { ...rest, state: "forward_recovery" } as Obligation
      })
    },
    "run.fork": () => ({})
  }
})

/** The obligations of a state, in the order in which they began. */
export const all = (state: State): ReadonlyArray<Obligation> =>
  Object.values(Part.get(part, state))
    .filter((each) => each !== undefined)
    .sort((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1))

const change = (
  self: Obligations,
  id: string | undefined,
  update: (each: Obligation) => Obligation | undefined
): Obligations => {
  const each = id !== undefined && Object.hasOwn(self, id) ? self[id] : undefined
  if (each === undefined) return self
  const next = update(each)
  const { [each.id]: _, ...rest } = self
  return next === undefined ? rest : { ...rest, [each.id]: next }
}

const completed = (self: Obligations, { id }: Obligation, open: OpenAction.OpenAction): Obligations =>
  change(self, id, (each) => without({ ...each, seen: { ...each.seen, [open.tool]: shown(open) } }, open.tool))

const without = (each: Obligation, tool: string): Obligation | undefined => {
  const steps = each.steps.filter((step) => step !== tool)
  if (steps.length === 0) return undefined
  const { failed: _, failedAt: __, ...rest } = each
  const state = each.state === "review_required" ? "forward_recovery" : each.state
  return { ...rest, state, steps } as Obligation
}

const failed = (each: Obligation, { stamp: { asOf } }: Transition, action: string): Obligation => ({
  ...each,
  failed: { action, at: asOf, count: (each.failed?.count ?? 0) + 1 },
  failedAt: each.failedAt ?? asOf
})

/** The parts of an action that later steps may read: its arguments, its answer and its record. */
export const shown = ({ actual, answer, params }: OpenAction.OpenAction): JsonObject => ({
  actual: actual ?? answer?.output ?? null,
  args: params,
  observed: answer?.output ?? null
})
