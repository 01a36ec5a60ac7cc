/**
 * Settled actions that changed the world, as folded state, each with the call that would undo it.
 *
 * An action is settled for good once it is reconciled; whether its effect still stands depends on the action that
 * undid it. The call that would undo it was registered when it started and completed when it was reconciled, so that
 * recovery needs neither a model nor the contract's author (L5).
 *
 * @source docs/decisions/0040
 */
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import * as EffectStatus from "../moves/EffectStatus.ts"
import * as Payload from "../payload/Payload.ts"
import * as FoldedActions from "./FoldedActions.ts"
import * as OpenActions from "./OpenActions.ts"

/**
 * A settled action that changed the world. `class` is its reversibility, for this instance; `by` and `with` are the
 * tool and arguments that undo it, `endsAt` the end of the time in which that is possible; `within` names its subtasks,
 * each with its entity. `owner` is the run that did it, if this run is a fork that shares it.
 */
export interface Settled extends JsonObject {
  readonly class: string
  readonly started: number
  readonly tick: number
  readonly tool: string
  readonly undo: EffectStatus.UndoState
  readonly by?: string | undefined
  readonly key?: string | undefined
  readonly owner?: Owner | undefined
  readonly undoneBy?: string | undefined
  readonly endsAt?: number | undefined
  readonly with?: JsonObject | undefined
  readonly within?: JsonObject | undefined
}

/** Tells whether the time in which an action could be undone is over, at a time in epoch milliseconds. */
export const isTooLate = ({ endsAt }: Pick<Settled, "endsAt">, now: number): boolean =>
  endsAt !== undefined && endsAt < now

/** The run that an action belongs to, and its name there. */
export interface Owner extends JsonObject {
  readonly action: string
  readonly run: string
}

type Self = Table.Table<Settled>

/** Changes the status of the settled effects that a fact is about. */
const related = (self: Self, transition: Transition, before: State): Self => {
  const open = OpenActions.of(before)
  const known = { effect: (id: string) => self.get(id), open: (id: string) => open[id] }
  return EffectStatus.next(known, transition).reduce((all, { action, undo, undoneBy }) => {
    const settled = all.get(action)
    return settled === undefined ? all : all.set(action, changed(settled, { undo, undoneBy }))
  }, self)
}

/** A second request of the same action undoes nothing. */
const requested = (self: Self, transition: Transition, before: State): Self =>
  OpenActions.isRefused(transition, before) ? self : related(self, transition, before)

const changed = ({ undoneBy: _, ...settled }: Settled, { undo, undoneBy }: EffectStatus.ActionEffect): Settled =>
  ({ ...settled, undo, ...(undoneBy === undefined ? {} : { undoneBy }) }) as Settled

const settle = (all: Self, transition: Transition, before: State): Self => {
  const { body, tick } = transition
  const open = OpenActions.of(before)[body.action?.id ?? ""]
  const self = related(all, transition, before)
  if (body.action === undefined || open === undefined || !EffectStatus.isDone(open, transition)) return self
  const undo = { ...open.undo, ...Payload.of(body, "action.reconciled")?.undo }
  const settled: Settled = {
    ...undo,
    class: typeof undo["class"] === "string" ? undo["class"] : "X",
    ...(open.key === undefined ? {} : { key: open.key }),
    started: open.tick,
    tick,
    tool: open.tool,
    undo: "standing"
  }
  return self.set(body.action.id, settled)
}

/**
 * A fork may not undo what its parent did: shared actions belong to the parent, with their present status, under a
 * name that no action has.
 */
const inherit = (self: Self, transition: Transition): Self => {
  const { parent } = Payload.of(transition.body, "run.fork") ?? {}
  if (parent === undefined) return Table.empty
  const undone = new Map(EffectStatus.inherited(transition).map((each) => [each.action, each]))
  return Table.from<Settled>(
    [...self].map(([id, settled]) => {
      const owner = settled.owner ?? { action: id, run: parent }
      return [
        `${owner.run}/${owner.action}`,
        { ...changed(settled, undone.get(owner.action) ?? settled), owner }
      ] as const
    })
  )
}

/** The part of the fold that keeps settled actions. */
export const part: Part.Part<Self> = Part.make<Self>(FoldedActions.parts.settled, {
  version: 1,
  init: Table.empty,
  on: {
    "action.request": requested,
    "policy.decision": related,
    "action.result": related,
    "action.verified": related,
    "action.reconciled": settle,
    "recovery.decided": related,
    "review.requested": related,
    "review.decided": related,
    "intent.dropped": related,
    "run.fork": inherit
  }
})

/** The part of the fold that keeps the names of tools that undo some settled action. */
export const undoers: Part.Part<Table.Table<true>> = Part.make<Table.Table<true>>("undoers", {
  version: 1,
  init: Table.empty,
  on: {
    "action.reconciled": (self, { body }, before) => {
      const open = OpenActions.of(before)[body.action?.id ?? ""]
      const by = Payload.of(body, "action.reconciled")?.undo?.["by"] ?? open?.undo?.["by"]
      return typeof by === "string" ? self.set(by, true as const) : self
    }
  }
})

/**
 * The settled actions of a state by id. Actions that a fork shares with its parents are under names that are no ids.
 */
export const of = (state: State): Self => Part.get(part, state)

/** The tool of an action, its key, and the tick of its request, whether it is settled or still open. */
export const known = (
  state: State,
  action: string
): (Pick<Settled, "key" | "tool"> & { readonly requested: number }) | undefined => {
  const settled = of(state).get(action)
  if (settled !== undefined) return { key: settled.key, requested: settled.started, tool: settled.tool }
  const open = OpenActions.of(state)[action]
  return open && { key: open.key, requested: open.tick, tool: open.tool }
}

/**
 * Settled actions whose effect stands and could be undone by a tool, in the order in which they were begun. Those that
 * a fork shares with its parents are among them. Most tools undo nothing: for them no action is read.
 */
export const undoneBy = (state: State, tool: string): ReadonlyArray<readonly [string, Settled]> =>
  Part.get(undoers, state).has(tool) ? inBegun(standing(of(state), tool)) : []

const standing = Table.finder<Settled>(({ by, undo }) => (undo === "standing" ? by : undefined))

/**
 * Settled actions that a fork shares with its parents, and whose effect could be undone: it is there, or may be there,
 * since an undoing that was under way as the fork began may be given up. Their names here are no ids.
 */
export const shared = (state: State): ReadonlyArray<readonly [string, Settled]> => [...sided(of(state), "shared")]

/** Tells whether an effect of the run itself is there or may be there. Effects that it shares do not count. */
export const hasOwn = (state: State): boolean => sided(of(state), "own").next().done === false

const sided = Table.finder<Settled>(({ by, owner, undo }) => {
  if (EffectStatus.isGone({ undo })) return undefined
  if (owner === undefined) return "own"
  return by === undefined ? undefined : "shared"
})

/** Settled actions of the run itself, in the order in which they were begun. */
export const inOrder = (state: State): ReadonlyArray<readonly [string, Settled]> =>
  withShared(state).filter(([, { owner }]) => owner === undefined)

/** The same, with the actions that the run shares with its parents. */
export const withShared = (state: State): ReadonlyArray<readonly [string, Settled]> => inBegun(of(state))

const inBegun = (all: Iterable<readonly [string, Settled]>): ReadonlyArray<readonly [string, Settled]> =>
  [...all].sort(([, one], [, other]) => one.started - other.started)
