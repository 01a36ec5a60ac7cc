/**
 * The two rules on the same traces, and the questions that contracts left open.
 *
 * Before each absorption both rules plan it, so the comparison holds for one trace and one revision; over several
 * revisions the runs diverge.
 */
import type * as Policy from "../harness/Policy.ts"
import type * as Grid from "./Grid.ts"

/** Absorptions of one regime: how often the closure discards fewer acts than the earliest conflict, or more. */
export interface Rules {
  readonly regime: Grid.Regime | "several"
  readonly absorptions: number
  readonly fewer: number
  readonly more: number
}

/** Questions of one policy: absorptions that asked, all questions, and absorptions that asked more than m. */
export interface Questions {
  readonly policy: Policy.Name
  readonly absorptions: number
  readonly asked: number
  readonly questions: number
  readonly tooMany: number
}

/** Compares the rules over every absorption of the absorber, by regime. */
export const rules = (
  observed: ReadonlyArray<Grid.Observation>,
  regimes: ReadonlyArray<Rules["regime"]>
): ReadonlyArray<Rules> =>
  regimes.map((regime) => {
    const found = observed
      .filter((each) => each.policy === "absorber" && (each.regime ?? "several") === regime)
      .flatMap(({ absorptions }) => absorptions.map(({ byRule }) => byRule))
    return {
      regime,
      absorptions: found.length,
      fewer: found.filter(({ closure, earliest }) => closure < earliest).length,
      more: found.filter(({ closure, earliest }) => closure > earliest).length
    }
  })

/** Counts the questions of policies that ask. */
export const questions = (
  observed: ReadonlyArray<Grid.Observation>,
  policies: ReadonlyArray<Policy.Name>
): ReadonlyArray<Questions> =>
  policies.map((policy) => {
    const found = observed.filter((each) => each.policy === policy).flatMap(({ absorptions }) => absorptions)
    return {
      policy,
      absorptions: found.length,
      asked: found.filter(({ questions }) => questions > 0).length,
      questions: found.reduce((sum, { questions }) => sum + questions, 0),
      tooMany: found.filter(({ committed, questions }) => questions > committed).length
    }
  })
