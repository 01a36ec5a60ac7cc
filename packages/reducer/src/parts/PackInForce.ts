/**
 * The pack in force, as folded state: which pack, and which extensions from which tick.
 *
 * Extensions are state, so a fork inherits those that are still pending, and the pack at any tick follows from
 * the trace alone.
 *
 * @source Dendrer, section 4.4 (controlled contract evolution)
 */
import * as Expression from "@backstitch/expressions/Expression"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type { Transition } from "@backstitch/trace/Transition"
import * as Part from "../state/Part.ts"
import * as Payload from "../state/Payload.ts"
import type { State } from "../state/State.ts"

/** A committed extension of a contract. It is in force from its `effective_from_tick` on. */
export type Extension = (typeof Payload.payloads)["policy.contract_extension"]["Type"]

/** The pack in force: the pack's digest and the committed extensions, in order. */
export interface PackInForce extends JsonObject {
  readonly pack: string
  readonly extensions: ReadonlyArray<Extension>
  /** The parts with which the run is folded, as it pins them. */
  readonly fold?: string | undefined
  /**
   * Versions of embedders' vocabularies by namespace, as the run pins them. Types of other namespaces are not
   * accepted in it.
   */
  readonly namespaces?: { readonly [namespace: string]: number } | undefined
  /** Version of the ontology under which the run is written. */
  readonly ontology?: number | undefined
  /** The engine for which the run's expressions are compiled, as it pins it. */
  readonly engine?: string | undefined
  /** Version of the rules for decisions from here on. */
  readonly rules?: number | undefined
}

type Pins = {
  readonly [Name in "engine" | "fold" | "namespaces" | "ontology" | "pack" | "rules"]?: PackInForce[Name] | undefined
}

/** Replaces the pins that a transition names; the others stay. */
const pin = (self: PackInForce, { engine, fold, namespaces, ontology, pack, rules }: Pins): PackInForce => ({
  ...self,
  ...defined({ engine, fold, namespaces, ontology, pack, rules })
})

/** The part of the fold that keeps the pack in force. */
export const part: Part.Part<PackInForce> = Part.make<PackInForce, typeof Payload.views>("contract", {
  version: 1,
  init: { extensions: [], pack: "" },
  on: {
    "run.started": (self, { body }) => pin(self, body.data),
    "run.fork": (self, { body }) => pin(self, { pack: body.data?.pack }),
    "run.migrated": (self, { body: { data = {} } }) => {
      const { fold, pack, rules } = data
      return pin(self, { fold, pack, rules })
    },
    "policy.contract_extension": (self, { body }) => ({ ...self, extensions: [...self.extensions, body.data] })
  }
})

/** The parts that a transition pins: those that begin or migrate a run do. */
export const pinned = ({ body }: Transition): string | undefined =>
  (Payload.of(body, "run.started") ?? Payload.of(body, "run.migrated"))?.fold

/** The engine for which expressions of a run are compiled, from its beginning to its end. */
export const engineOf = (self: PackInForce): string => self.engine ?? Expression.engine

/** The contract of a state. */
export const of = (state: State): PackInForce => Part.get(part, state)

/** Extensions in force at a tick, in the order in which they were committed. */
export const bindingAt = (self: PackInForce, tick: number): ReadonlyArray<Extension> =>
  self.extensions.filter((extension) => extension.effective_from_tick <= tick)
