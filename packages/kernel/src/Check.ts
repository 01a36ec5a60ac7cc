/**
 * One conjunct of a decision: that it holds, or what was found instead, as a code with its arguments.
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type * as Trace from "@backstitch/trace/Finding"
import type * as Finding from "./Finding.ts"

/**
 * Steps of the commit path at which an intent can be refused, in their order.
 *
 * @category constants
 * @since 0.1.0
 */
export const steps = [
  "authorship",
  "contract",
  "schema",
  "required_state",
  "guard",
  "policy",
  "budget",
  "context",
  "key",
  "target",
  "approval"
] as const

/**
 * A step of the commit path.
 *
 * @category models
 * @since 0.1.0
 */
export type Step = (typeof steps)[number]

/**
 * One conjunct. One that does not hold has a code.
 *
 * @category models
 * @since 0.1.0
 */
export interface Check extends JsonObject {
  readonly id: string
  readonly ok: boolean
  readonly step: Step
  /** It failed, and was only observed. */
  readonly observed?: boolean
  readonly code?: Finding.Code
  readonly args?: JsonObject
  /** What a compiler or an engine says of it, for people. It is not committed. */
  readonly detail?: string
}

/**
 * A conjunct that holds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const pass = (step: Step, id: string): Check => ({ id, ok: true, step })

/**
 * A conjunct that does not hold.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fail = <C extends Finding.Code>(
  step: Step,
  id: string,
  code: C,
  args: Finding.Args<C>,
  detail?: string
): Check => ({ args, code, ...(detail === undefined ? {} : { detail }), id, ok: false, step })

/**
 * A conjunct that does not hold, by a finding that was made before.
 *
 * @category constructors
 * @since 0.1.0
 */
export const found = (step: Step, id: string, { args, code }: Trace.Finding): Check => ({
  args,
  code: code as Finding.Code,
  id,
  ok: false,
  step
})

/**
 * A check as a trace keeps it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const kept = ({ detail: _, ...check }: Check): Check => check as Check

/**
 * What a check found; `undefined` where it holds.
 *
 * @category conversions
 * @since 0.1.0
 */
export const findingOf = ({ args = {}, code }: Check): Finding.Finding | undefined =>
  code === undefined ? undefined : ({ args, code } as Finding.Finding)

/**
 * Tells whether checks that a body keeps fail at a step first.
 *
 * @category guards
 * @since 0.1.0
 */
export const isBy = (checks: Json | undefined, step: Step): boolean => {
  const failed = Array.isArray(checks) ? (checks as ReadonlyArray<Check>).find(({ ok }) => !ok) : undefined
  return failed?.step === step
}

/**
 * What the first conjunct found that does not hold.
 *
 * @category getters
 * @since 0.1.0
 */
export const reason = (checks: ReadonlyArray<Check>): Finding.Finding | undefined => {
  const failed = checks.find(({ ok }) => !ok)
  return failed && findingOf(failed)
}
