/**
 * The rules of a contract as a fold applies them: changes of `world` and `working` by transitions, and predicates.
 *
 * `Rules` keep the fold independent of where they come from. `PackRules`
 * compiles them from a TaskPack; a builder may write them by hand.
 */
import type { Transition } from "@backstitch/trace/Transition"
import type { Section, State } from "../state/State.ts"

/** The two sections that a contract governs. */
export interface Sections {
  readonly world: Section
  readonly working: Section
}

/** A registered predicate, compiled. */
export interface Predicate {
  readonly id: string
  /** Types and tools at whose ticks it is evaluated; without them, whenever a field that it reads changes. */
  readonly scope?: ReadonlySet<string> | undefined
  /** Evaluated over the state before the transition, or after it. */
  readonly window: "before" | "after"
  /** Fields that it reads, as `world.name` or `working.name`; left out where they are not known. */
  readonly reads?: ReadonlyArray<string> | undefined
  /** Evaluated for changed rows of one table alone, as `world.name` or `working.name`. */
  readonly each?: string | undefined
  readonly monotone: "monotone" | "lift"
  /** Pure. Throws when it cannot be evaluated. */
  readonly holds: (scope: Scope) => boolean
}

/** The view of a predicate. `state` is the window's state; `before` and `after` are both. */
export interface Scope {
  readonly state: State
  readonly before: State
  readonly after: State
  readonly transition: Transition
  readonly key?: string | undefined
  readonly row?: unknown
}

/** Compiled rules of one contract. */
export interface Rules {
  /** Sections in which a run begins, unless its first transition names others. */
  readonly initial: Sections
  /** Pure. Answers the sections after a transition, those of `before` where nothing changed. */
  readonly apply: (before: State, transition: Transition) => Sections
  readonly predicates: ReadonlyArray<Predicate>
}

/** Rules of a run that has no contract: nothing changes and nothing is watched. */
export const none: Rules = {
  initial: { world: {}, working: {} },
  apply: (before) => before,
  predicates: []
}
