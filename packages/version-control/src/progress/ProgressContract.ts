/**
 * The progress contract of an institution: a pure function that judges a state as fine, as a violation, or as
 * uncertain.
 *
 * The kernel does not know what success is. It runs the institution's own definition over committed states, always
 * with the same answer, so that its first violation is found like that of any predicate.
 *
 * **When to use** in a program that embeds bisect: a judgement with a score is a function, and a pack holds none. A
 * predicate of a pack is under `violations`.
 *
 * @source Dendrer, section 4.6
 */
import * as FunctionSource from "@backstitch/functions/FunctionSource"
import * as Purity from "@backstitch/functions/Purity"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import type * as Rules from "@backstitch/reducer/Rules"
import type { State } from "@backstitch/reducer/State"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as OnsetQuestion from "../onset/OnsetQuestion.ts"

const Score = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** A judgement of one state. Scores are between 0 and 1. */
export const Judgement = Schema.TaggedUnion({
  Ok: { score: Score },
  Violation: { reason: Schema.Json },
  /** Too uncertain for either judgement; no violation. */
  Uncertain: { score: Score }
})

/** A judgement of one state. */
export type Judgement = typeof Judgement.Type

/** A contract of progress. */
export interface ProgressContract {
  readonly name: string
  readonly version: string
  readonly evaluate: (state: State) => Judgement
}

/** Error for an answer that is no judgement. */
export class JudgementInvalid extends Schema.TaggedError<JudgementInvalid>(
  "@backstitch/version-control/JudgementInvalid"
)("JudgementInvalid", { contract: Schema.String, found: Schema.String }) {
  override get message(): string {
    return (
      `The progress contract ${this.contract} answered ${this.found}. Answer { _tag: "Ok", score }, ` +
      '{ _tag: "Violation", reason } or { _tag: "Uncertain", score }, with a score from 0 to 1'
    )
  }
}

/** Makes a contract from a function, which has to prove on sample states that it is pure. */
export const make = (
  definition: {
    readonly name: string
    readonly version: string
    readonly evaluate: ((state: State) => Judgement) | { readonly function: string }
  },
  samples: ReadonlyArray<State>
): Result.Result<ProgressContract, Purity.Impure | JudgementInvalid> => {
  const { evaluate, name, version } = definition
  const { source } = typeof evaluate === "function" ? FunctionSource.of(evaluate) : { source: evaluate.function }
  const checked = Purity.check(
    { id: name, source },
    samples.map((state) => [state])
  )
  if (Result.isFailure(checked)) return Result.fail(checked.failure)
  const run = checked.success
  const judge = (state: State): Judgement => {
    const judgement = run(state)
    if (Schema.is(Judgement)(judgement)) return judgement
    throw new JudgementInvalid({ contract: name, found: JSON.stringify(judgement) ?? "nothing" })
  }
  for (const state of samples) {
    const judgement = run(state)
    if (Schema.is(Judgement)(judgement)) continue
    return Result.fail(new JudgementInvalid({ contract: name, found: JSON.stringify(judgement) ?? "nothing" }))
  }
  return Result.succeed({ name, version, evaluate: judge })
}

/** The contract as a predicate for bisect. It may recover, so it is a lift. */
export const toPredicate = ({ evaluate, name, version }: ProgressContract): Rules.Predicate => ({
  id: `${name}@${version}`,
  scope: undefined,
  window: "after",
  reads: undefined,
  each: undefined,
  monotone: "lift",
  holds: ({ state }) => evaluate(state)._tag === "Violation"
})

/** The contract that every run has: no anomaly of the kernel. */
export const kernelAnomalyFree: ProgressContract = {
  name: OnsetQuestion.anomalyFree,
  version: "1",
  evaluate: (state) => {
    const first = Anomalies.first(state)
    return first === undefined ? { _tag: "Ok", score: 1 } : { _tag: "Violation", reason: { first } }
  }
}
