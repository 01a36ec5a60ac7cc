/** One condition of a decision. It holds, or it has a finding: a code with arguments. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as FindingForm from "@backstitch/trace/FindingForm"
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
export type CommitPathStep = (typeof steps)[number]

/** One condition. If it does not hold, `why` is the finding. A guard's name is kept only in `id`. */
export interface Check extends JsonObject {
  readonly id: string
  readonly step: CommitPathStep
  readonly why?: Finding.CheckFinding
  /** The condition failed, but the pack is only observed there, so the intent passes. */
  readonly observed?: true
  /** A message of a compiler or an engine, for people. It is not committed. */
  readonly detail?: string
}

/** A condition that holds. */
export const pass = (step: CommitPathStep, id: string): Check => ({ id, step })

/** A condition that does not hold. */
export const fail = <C extends Finding.CheckFinding["code"]>(
  step: CommitPathStep,
  id: string,
  code: C,
  args: Finding.Args<C>,
  detail?: string
): Check => found(step, id, { args, code }, detail)

/** A condition that does not hold, with a finding made earlier. */
export const found = (step: CommitPathStep, id: string, why: FindingForm.AnyFinding, detail?: string): Check => ({
  ...(detail === undefined ? {} : { detail }),
  id,
  step,
  why: why as Finding.CheckFinding
})

/** A check as a trace keeps it. */
export const kept = ({ detail: _, ...check }: Check): Check => check as Check

/** Tells whether a check lets an intent pass: it holds, or was only observed. */
export const isOk = ({ observed, why }: Judged): boolean => why === undefined || observed === true

/** The fields of a check that say whether it lets an intent pass. */
interface Judged {
  readonly observed?: true
  readonly why?: unknown
}

/** The checks that do not let an intent pass. */
export const failing = <C extends Judged>(checks: ReadonlyArray<C>): ReadonlyArray<C> =>
  checks.filter((check) => !isOk(check))

/**
 * Finds the finding of a check in a form that stands alone: a guard's finding includes the guard's name. `undefined`
 * if the check holds.
 */
export const findingOf = ({ id, step, why }: Check): Finding.CheckFinding | undefined =>
  why === undefined || step !== "guard" ? why : ({ ...why, args: { ...why.args, name: id } } as Finding.CheckFinding)

/** Tells whether the first failing check of a body is at the given step. */
export const isBy = (checks: ReadonlyArray<Judged & Pick<Check, "step">>, step: CommitPathStep): boolean =>
  failing(checks)[0]?.step === step

/** Finds the finding of the first condition that does not hold. */
export const reason = (checks: ReadonlyArray<Check>): Finding.CheckFinding | undefined => {
  const [failed] = failing(checks)
  return failed && findingOf(failed)
}
