/**
 * The contract in force, as folded state: which pack, and which extensions from which tick.
 *
 * Because extensions are state, a fork inherits those that are still pending,
 * and the contract at any tick follows from the trace alone.
 *
 * @source seed 5, section 4.4 (controlled contract evolution)
 * @since 0.1.0
 */
import * as Expression from "@backstitch/contracts/Expression"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Part from "./Part.ts"
import type { State } from "./State.ts"

/**
 * The contract in force: the pack's digest and what was added on the ledger, in order. Each extension is the `data` of
 * its transition, whose `effective_from_tick` says when it binds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Contract extends JsonObject {
  readonly pack: string
  readonly extensions: ReadonlyArray<JsonObject>
  /** The parts that the run is folded with, as it pins them. */
  readonly fold?: string | undefined
  /** The engine that the run's expressions are compiled for, as it pins it. */
  readonly engine?: string | undefined
  /** Version of the rules by which decisions are made from here on. */
  readonly rules?: number | undefined
}

const adopt = (self: Contract, { body }: Transition): Contract => {
  const { pack, rules } = body.data ?? {}
  return {
    ...self,
    ...(typeof pack === "string" ? { pack } : {}),
    ...(typeof rules === "number" ? { rules } : {})
  }
}

const begin = (self: Contract, transition: Transition): Contract => {
  const { engine } = transition.body.data ?? {}
  return {
    ...adopt(self, transition),
    ...(typeof engine === "string" ? { engine } : {})
  }
}

const refold = (self: Contract, transition: Transition): Contract => {
  const fold = pinned(transition)
  return fold === undefined ? self : { ...self, fold }
}

const extend = (self: Contract, { body }: Transition): Contract =>
  body.data === undefined ? self : { ...self, extensions: [...self.extensions, body.data as JsonObject] }

/**
 * The part of the fold that keeps the contract in force.
 *
 * @category parts
 * @since 0.1.0
 */
export const part: Part.Part<Contract> = Part.make<Contract>("contract", {
  version: 1,
  init: { extensions: [], pack: "" },
  on: {
    "run.started": (self, transition) => refold(begin(self, transition), transition),
    "run.fork": adopt,
    "run.migrated": (self, transition) => refold(adopt(self, transition), transition),
    "policy.contract_extension": extend
  }
})

/**
 * The parts that a transition pins: those that begin or migrate a run do.
 *
 * @category getters
 * @since 0.1.0
 */
export const pinned = ({ body }: Transition): string | undefined => {
  if (body.type !== "run.started" && body.type !== "run.migrated") return undefined
  const fold = body.data?.["fold"]
  return typeof fold === "string" ? fold : undefined
}

/**
 * The engine that expressions of a run are compiled for, from its beginning to its end.
 *
 * @category getters
 * @since 0.1.0
 */
export const engineOf = (self: Contract): string => self.engine ?? Expression.engine

/**
 * The contract of a state.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (state: State): Contract => Part.get(part, state)

/**
 * Extensions that bind at a tick, in the order in which they were committed.
 *
 * @category getters
 * @since 0.1.0
 */
export const bindingAt = (self: Contract, tick: number): ReadonlyArray<JsonObject> =>
  self.extensions.filter((extension) => Number(extension["effective_from_tick"]) <= tick)
