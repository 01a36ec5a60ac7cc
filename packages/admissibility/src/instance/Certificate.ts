/** Certificates of boundaries: four tests of a point in an instance's life, each with the evidence against it. */
import type * as Checkpoint from "./Checkpoint.ts"
import type * as Instance from "./Instance.ts"

/** The tests of a boundary, in order. */
export const tests = ["decidable", "closed", "separable", "controllable"] as const

/** A test of a boundary. */
export type BoundaryTest = (typeof tests)[number]

/** A point of an instance's life, and whether the reviewed predicate of its kind holds there. */
export interface Candidate {
  readonly kind: Exclude<Checkpoint.CheckpointKind, "entry">
  readonly tick: number
  readonly holds: boolean
}

/** A handoff that is not complete: the predicate does not hold, or an output was not written. */
export type Gap = { readonly predicate: Candidate["kind"] } | { readonly output: string }

/**
 * The evidence against a candidate, by test: rival occurrences, missing outputs, writes by others, and open effects.
 * Without evidence, the candidate is a recoverable boundary.
 */
export interface Certificate extends Candidate {
  readonly instance: Instance.Instance
  readonly decidable: ReadonlyArray<Instance.Instance>
  readonly closed: ReadonlyArray<Gap>
  readonly separable: ReadonlyArray<{ readonly by: Instance.Instance; readonly key: string }>
  readonly controllable: ReadonlyArray<string>
}

/** Tells whether a candidate passed a test. */
export const passes = (self: Certificate, test: BoundaryTest): boolean => self[test].length === 0

/** Tells whether a candidate passed all tests, but for those that are left out to measure what they prevent. */
export const isCertified = (self: Certificate, without: ReadonlySet<BoundaryTest> = none): boolean =>
  tests.every((test) => without.has(test) || passes(self, test))

const none: ReadonlySet<BoundaryTest> = new Set()
