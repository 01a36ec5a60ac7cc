/**
 * The rules of a pack as a fold applies them: changes of `world` and `working` by transitions, and predicates.
 *
 * `Rules` keep the fold independent of the form of a pack. `PackRules` compiles them from a TaskPack; they can
 * also be written by hand.
 */
import type { Transition } from "@backstitch/trace/Transition"
import type { Section, State } from "../state/State.ts"

/** The two sections that a pack governs. */
export interface Sections {
  readonly world: Section
  readonly working: Section
}

/** A registered predicate, compiled. */
export interface Predicate {
  readonly id: string
  /** Types and tools at whose ticks it is evaluated. Without them, whenever a field that it reads changes. */
  readonly scope?: ReadonlySet<string> | undefined
  /** The state over which it is evaluated: before the transition, or after it. */
  readonly window: "before" | "after"
  /** Fields that it reads, as `world.name` or `working.name`; absent if they are not known. */
  readonly reads?: ReadonlyArray<string> | undefined
  /** The table whose changed rows alone are evaluated, as `world.name` or `working.name`. */
  readonly each?: string | undefined
  readonly monotone: "monotone" | "lift"
  /** Pure. Throws when it cannot be evaluated. */
  readonly holds: (scope: PredicateView) => boolean
}

/** The view of a predicate. `state` is that of its window; `before` and `after` are both states. */
export interface PredicateView {
  readonly state: State
  readonly before: State
  readonly after: State
  readonly transition: Transition
  readonly key?: string | undefined
  readonly row?: unknown
}

/** Compiled rules of one pack. */
export interface Rules {
  /** Sections in which a run begins, unless its first transition names others. */
  readonly initial: Sections
  /** Pure. Answers the sections after a transition, or those of `before` if nothing changed. */
  readonly apply: (before: State, transition: Transition) => Sections
  readonly predicates: ReadonlyArray<Predicate>
}

/** Rules of a run without a pack: nothing changes and no predicate is evaluated. */
export const none: Rules = {
  initial: { world: {}, working: {} },
  apply: (before) => before,
  predicates: []
}
