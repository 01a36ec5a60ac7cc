/**
 * One conjunct of a decision, with what was expected, what was found and what would make it pass.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "@backstitch/trace/Canonical"

/**
 * Steps of the commit path at which an intent can be refused, in their order.
 *
 * @category models
 * @since 0.1.0
 */
export type Step =
  | "authorship"
  | "contract"
  | "schema"
  | "required_state"
  | "guard"
  | "policy"
  | "budget"
  | "context"
  | "key"
  | "target"
  | "approval"

/**
 * One conjunct.
 *
 * @category models
 * @since 0.1.0
 */
export interface Check extends JsonObject {
  readonly id: string
  readonly ok: boolean
  readonly step: Step
  readonly expected?: string | undefined
  readonly found?: string | undefined
  readonly remedy?: string | undefined
  /** It failed, and was only observed. */
  readonly observed?: boolean | undefined
  /** What was found, as a code with its arguments: the words follow from it. */
  readonly code?: string | undefined
  readonly args?: JsonObject | undefined
}

/**
 * A conjunct that holds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const pass = (step: Step, id: string, detail: Omit<Check, "ok" | "step" | "id"> = {}): Check => ({
  ...detail,
  id,
  ok: true,
  step
})

/**
 * A conjunct that does not hold.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fail = (
  step: Step,
  id: string,
  detail: {
    readonly expected: string
    readonly found: string
    readonly remedy: string
  }
): Check => ({ ...detail, id, ok: false, step })

/**
 * The sentence for people: the first conjunct that fails.
 *
 * @category getters
 * @since 0.1.0
 */
export const reason = (checks: ReadonlyArray<Check>): string => {
  const failed = checks.find((check) => !check.ok)
  return failed === undefined
    ? "every check holds"
    : `${failed.step} ${failed.id}: expected ${failed.expected}, found ${failed.found}`
}
