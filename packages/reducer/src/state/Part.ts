/**
 * A named, versioned piece of the fold: its own state, and how each transition changes it.
 *
 * Parts make up the `kernel` section. A package whose decisions read state owns one part; an embedder adds parts of
 * their own. Name and version are pinned in `run.started`, so a stored trace always folds in the same way.
 *
 * **Gotchas**
 *
 * `evolve` sees the transition and the state *before* it. It sees no clock, no store and no unfinished change of
 * another part.
 */
import type * as Ontology from "@backstitch/trace/Ontology"
import type * as Payload from "@backstitch/trace/Payload"
import type { Body, Transition } from "@backstitch/trace/Transition"
import type { payloads } from "./Payload.ts"
import type { State, StateField } from "./State.ts"

/** Changes a part by a transition. */
export type Evolve<S extends StateField, B = Body> = (self: S, transition: Transition<B>, before: State) => S

/**
 * Reducers of a part by type of transition, each with the payload that `P` declares for it. `"*"` sees every
 * transition, after the entry of its own type.
 */
export type Reducers<S extends StateField, P extends Payload.Schemas> = {
  readonly [T in Ontology.Type | (keyof P & string)]?: Evolve<S, Payload.BodyOf<P, T>>
} & { readonly "*"?: Evolve<S, Payload.Body<P>> }

/** A piece of the fold. */
export interface Part<S extends StateField> {
  readonly name: string
  readonly version: number
  readonly init: S
  /** Per type; `"*"` sees every transition, after the entry of its own type. */
  readonly on: { readonly [type: string]: Evolve<S> | undefined }
}

/** A part of any state, as a fold holds it. */
export interface Any {
  readonly name: string
  readonly version: number
  readonly init: StateField
  readonly on: {
    readonly [type: string]: ((self: never, transition: Transition, before: State) => StateField) | undefined
  }
}

/**
 * Makes a part. Its handlers get typed payloads: those of every fold, or those of `P`.
 *
 * **Example** (Counting started actions)
 *
 * ```ts import.meta.vitest
 * import { Part } from "@backstitch/reducer"
 *
 * const Quota = Part.make("@acme/quota", {
 *   version: 1,
 *   init: { calls: 0 },
 *   on: { "action.started": (quota) => ({ calls: quota.calls + 1 }) }
 * })
 *
 * Part.pin(Quota) // => "@acme/quota@1"
 * ```
 */
export const make = <S extends StateField, P extends Payload.Schemas = typeof payloads>(
  name: string,
  { init, on, version }: Pick<Part<S>, "init" | "version"> & { readonly on: Reducers<S, NoInfer<P>> }
): Part<S> => ({ name, version, init, on: on as Part<S>["on"] })

/** Writes the pin of a part, as in `run.started`. */
export const pin = (part: Pick<Any, "name" | "version">): string => `${part.name}@${part.version}`

/**
 * Tells whether a pin belongs to an embedder's part: its name begins with `@`. The rest of a state does not depend on
 * it.
 */
export const isForeign = (pin: string): boolean => pin.startsWith("@")

/** Reads a part's own state out of a state. */
export const get = <S extends StateField>(part: Part<S>, state: State): S => (state.kernel[part.name] ?? part.init) as S
