/**
 * When a person has to say yes before a tool is used.
 *
 * @since 0.1.0
 */
import type * as Condition from "./Condition.ts"

/**
 * The rule of one tool. Without `when`, every use is asked about.
 *
 * @category models
 * @since 0.1.0
 */
export interface Approval {
  readonly tool: string
  readonly when?: Condition.Condition
  /** Roles of which one has to approve. */
  readonly by: ReadonlyArray<string>
  /** How long an answer is good for. */
  readonly expiresMillis?: number
}
