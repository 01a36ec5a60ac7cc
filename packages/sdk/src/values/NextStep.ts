/** A step that somebody may take next, as data, in words and as a call of this package. */

/**
 * A step that may be taken next. `say` has it in words, and `call` as a call, if this package has one for it. In a
 * text, as in `${step}`, it is both.
 */
export interface NextStep {
  readonly verb: string
  readonly say: string
  readonly call?: string
  readonly run?: string
  readonly action?: string
  readonly review?: string
  /** The verdicts that a person may give. */
  readonly as?: string | ReadonlyArray<string>
  /** The roles of which one has to decide. */
  readonly needs?: ReadonlyArray<string>
  readonly [field: string]: unknown
}
