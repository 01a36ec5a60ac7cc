/**
 * What settled actions did to the world, and what would undo each, as folded state.
 *
 * An action is settled for good once it is reconciled; whether its effect still
 * stands is a relation to the action that undid it. What would undo it was
 * registered when it started and completed when it was reconciled, so that
 * recovery needs neither a model nor the contract's author (L5).
 *
 * @source docs/decisions/0040
 * @since 0.1.0
 */
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import type { Undo } from "./ActionHistory.ts"
import * as OpenActions from "./OpenActions.ts"
import * as Payload from "./Payload.ts"

/**
 * A settled action that changed the world. `class` is its reversibility, for this instance; `by` and `with` are the
 * tool and arguments that undo it; `within` names the subtasks that it belongs to, each with its entity. Where a fork
 * shares it, `owner` did it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settled extends JsonObject {
  readonly class: string
  readonly started: number
  readonly tick: number
  readonly tool: string
  readonly undo: Undo
  readonly by?: string | undefined
  readonly key?: string | undefined
  readonly owner?: Owner | undefined
  readonly undoneBy?: string | undefined
  readonly with?: JsonObject | undefined
  readonly within?: JsonObject | undefined
}

/**
 * The run that an action belongs to, and its name there.
 *
 * @category models
 * @since 0.1.0
 */
export interface Owner extends JsonObject {
  readonly action: string
  readonly run: string
}

/**
 * Level of trust from which an undoing counts: the system of record was asked, by key or by name.
 *
 * @category constants
 * @since 0.1.0
 */
export const verified = 2

/**
 * Tells whether the effect of an action is gone: it was undone, be it on the word of a person, or was not there.
 *
 * @category guards
 * @since 0.1.0
 */
export const isGone = ({ undo }: Pick<Settled, "undo">): boolean =>
  undo === "undone" || undo === "absent" || undo === "attested"

/**
 * Tells whether a settlement rests on what the system of record says.
 *
 * @category guards
 * @since 0.1.0
 */
export const isVerified = ({ body: { result } }: Transition): boolean =>
  result?.status === "ok" && (result.trust ?? 0) >= verified

type Self = Table.Table<Settled>

const relate = (self: Self, action: string, change: Partial<Settled>): Self => {
  const settled = self.get(action)
  return settled === undefined ? self : self.set(action, { ...settled, ...change } as Settled)
}

/** What a planner took back of its own accord is undone once that is verified, and stands where it failed. */
const reverse = (self: Self, transition: Transition, { reverses }: OpenActions.Open): Self => {
  const { action = "", whole } = reverses ?? {}
  if (self.get(action)?.undo !== "undoing") return self
  if (transition.body.result?.status !== "ok") return relate(self, action, { undo: "standing" })
  return relate(self, action, { undo: whole === true && isVerified(transition) ? "undone" : "doubtful" })
}

const settle = (all: Self, transition: Transition, before: State): Self => {
  const { body, tick } = transition
  const open = OpenActions.of(before)[body.action?.id ?? ""]
  if (body.action === undefined || open === undefined || OpenActions.isRefused(transition, before)) return all
  const self = reverse(all, transition, open)
  if (open.undoes !== undefined) {
    if (isVerified(transition)) return relate(self, open.undoes, { undo: "undone" })
    return self.get(open.undoes)?.undo === "undoing" ? relate(self, open.undoes, { undo: "undo_failed" }) : self
  }
  if (body.result?.status !== "ok") return self
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
 * A fork undoes nothing that its parent did: what is shared is kept as its parent's, in the world as it is, under a
 * name that no action has.
 */
const inherit = (self: Self, { body }: Transition): Self => {
  const { parent, undone = {} } = Payload.of(body, "run.fork") ?? {}
  if (parent === undefined) return Table.empty
  return Table.from<Settled>(
    [...self].map(([id, settled]) => {
      const owner = settled.owner ?? { action: id, run: parent }
      const since = Object.hasOwn(undone, owner.action) ? undone[owner.action] : undefined
      const change = since === undefined ? {} : { undo: since.undo as Undo, undoneBy: since.by }
      return [`${owner.run}/${owner.action}`, { ...settled, ...change, owner }] as const
    })
  )
}

/** What a person may say of an undoing. */
const isDecided = (undo: string | undefined): undo is Undo =>
  undo === "standing" || undo === "undo_failed" || undo === "undo_abandoned" || undo === "attested"

/**
 * The part of the fold that keeps settled actions.
 *
 * @category parts
 * @since 0.1.0
 */
export const part: Part.Part<Self> = Part.make<Self>("settled", {
  version: 1,
  init: Table.empty,
  on: {
    "action.request": (self, { body }) => {
      const { action, policy } = body
      const undone = action?.undoes ?? Payload.of(body, "action.request")?.reverses?.action
      return action === undefined || undone === undefined || policy?.decision === "deny"
        ? self
        : relate(self, undone, { undo: "undoing", undoneBy: action.id })
    },
    "action.reconciled": settle,
    "action.verified": (self, { body }) =>
      body.action !== undefined && Payload.of(body, "action.verified")?.absent === true
        ? relate(self, body.action.id, { undo: "absent" })
        : self,
    "review.decided": (self, { body }) => {
      const { action, undo } = Payload.of(body, "review.decided") ?? {}
      return action !== undefined && isDecided(undo) ? relate(self, action, { undo }) : self
    },
    "run.fork": inherit
  }
})

/**
 * The part of the fold that keeps the names of tools that would undo some settled action, or would have.
 *
 * @category parts
 * @since 0.1.0
 */
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
 * The settled actions of a state, by id, and those that a fork shares with its parents by names that are no ids.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (state: State): Self => Part.get(part, state)

/**
 * Settled actions whose effect stands and that a tool would undo, in the order in which they were begun, those that a
 * fork shares with its parents too. Most tools undo nothing: for them no action is looked at.
 *
 * @category getters
 * @since 0.1.0
 */
export const undoneBy = (state: State, tool: string): ReadonlyArray<readonly [string, Settled]> =>
  Part.get(undoers, state).has(tool) ? inBegun(standing(of(state), tool)) : []

const standing = Table.finder<Settled>(({ by, undo }) => (undo === "standing" ? by : undefined))

/**
 * Settled actions of the run itself, in the order in which they were begun.
 *
 * @category getters
 * @since 0.1.0
 */
export const inOrder = (state: State): ReadonlyArray<readonly [string, Settled]> =>
  withShared(state).filter(([, { owner }]) => owner === undefined)

/**
 * The same, with those that it shares with its parents.
 *
 * @category getters
 * @since 0.1.0
 */
export const withShared = (state: State): ReadonlyArray<readonly [string, Settled]> => inBegun(of(state))

const inBegun = (all: Iterable<readonly [string, Settled]>): ReadonlyArray<readonly [string, Settled]> =>
  [...all].sort(([, one], [, other]) => one.started - other.started)
