/**
 * The contract in force, as folded state: which pack, and which extensions from which tick.
 *
 * Because extensions are state, a fork inherits those that are still pending,
 * and the contract at any tick follows from the trace alone.
 *
 * @source seed 5, section 4.4 (controlled contract evolution)
 * @since 0.1.0
 */
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
  /** Version of the rules by which verification deepens with what is at stake; absent in runs older than they are. */
  readonly depth?: number | undefined
}

const adopt = (self: Contract, { body }: Transition): Contract => {
  const pack = body.data?.["pack"]
  return typeof pack === "string" ? { ...self, pack } : self
}

const begin = (self: Contract, transition: Transition): Contract => {
  const depth = transition.body.data?.["depth"]
  return { ...adopt(self, transition), ...(typeof depth === "number" ? { depth } : {}) }
}

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
    "run.started": begin,
    "run.fork": adopt,
    "run.migrated": adopt,
    "policy.contract_extension": (self, { body }) =>
      body.data === undefined ? self : { ...self, extensions: [...self.extensions, body.data as JsonObject] }
  }
})

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
