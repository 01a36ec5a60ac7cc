/** One conjunct of a decision: it holds, or has a finding, as a code with its arguments. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Trace from "@backstitch/trace/Finding"
import type * as Finding from "./Finding.ts"

/** Steps of the commit path at which an intent can be refused, in their order. */
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

/** A step of the commit path. */
export type Step = (typeof steps)[number]

/** One conjunct: `why` says what was found where it does not hold. A guard's name stands as `id` alone. */
export interface Check extends JsonObject {
  readonly id: string
  readonly step: Step
  readonly why?: Finding.Checked
  /** The finding was only observed: the contract is not enforced there. */
  readonly observed?: true
  /** The words of a compiler or an engine about it, for people. They are not committed. */
  readonly detail?: string
}

/** A conjunct that holds. */
export const pass = (step: Step, id: string): Check => ({ id, step })

/** A conjunct that does not hold. */
export const fail = <C extends Finding.Checked["code"]>(
  step: Step,
  id: string,
  code: C,
  args: Finding.Args<C>,
  detail?: string
): Check => found(step, id, { args, code }, detail)

/** A conjunct that does not hold, by a finding that was made before. */
export const found = (step: Step, id: string, why: Trace.Finding, detail?: string): Check => ({
  ...(detail === undefined ? {} : { detail }),
  id,
  step,
  why: why as Finding.Checked
})

/** A check as a trace keeps it. */
export const kept = ({ detail: _, ...check }: Check): Check => check as Check

/** Tells whether a check lets an intent pass: nothing was found, or it was only observed. */
export const isOk = ({ observed, why }: Judged): boolean => why === undefined || observed === true

/** As much of a check as says whether it lets an intent pass. */
interface Judged {
  readonly observed?: true
  readonly why?: unknown
}

/** The checks that do not let an intent pass. */
export const failing = <C extends Judged>(checks: ReadonlyArray<C>): ReadonlyArray<C> =>
  checks.filter((check) => !isOk(check))

/**
 * Finds the finding of a check as it stands without the check: a guard's with its name. `undefined` where it found
 * nothing.
 */
export const findingOf = ({ id, step, why }: Check): Finding.Checked | undefined =>
  why === undefined || step !== "guard" ? why : ({ ...why, args: { ...why.args, name: id } } as Finding.Checked)

/** Tells whether checks that a body keeps fail at a step first. */
export const isBy = (checks: ReadonlyArray<Judged & Pick<Check, "step">>, step: Step): boolean =>
  failing(checks)[0]?.step === step

/** Finds the finding of the first conjunct that does not hold. */
export const reason = (checks: ReadonlyArray<Check>): Finding.Checked | undefined => {
  const [failed] = failing(checks)
  return failed && findingOf(failed)
}
