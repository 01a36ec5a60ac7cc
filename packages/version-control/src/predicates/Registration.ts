/**
 * Registration of predicates: the properties that a predicate has to show before bisect may rely on it.
 *
 * A predicate that is declared monotone is evaluated along sample traces and refused at the first recovery. One that
 * is declared a lift needs no such property, because the kernel latches it. A refused predicate may still be used for
 * monitoring and for comparisons.
 *
 * @source Dendrer, section 3.3.3 and appendix C
 */
import type * as Rules from "@backstitch/reducer/Rules"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Monotonicity from "./Monotonicity.ts"

/** A predicate that was accepted, with its samples. */
export interface Registration {
  readonly id: string
  readonly as: "monotone" | "lift"
  readonly evaluations: number
  /** Runs on which it was tried. */
  readonly samples: ReadonlyArray<string>
  /** Runs in which it held, so that a recovery could have shown. Without any, monotonicity was not tested. */
  readonly tested: ReadonlyArray<string>
  /** The number of generated traces on which it was tried, and of those in which it held. */
  readonly generated?: { readonly traces: number; readonly tested: number }
}

/** Error for a predicate that recovers, so that binary search would give a wrong tick. */
export class NotMonotone extends Schema.TaggedError<NotMonotone>("@backstitch/version-control/NotMonotone")(
  "NotMonotone",
  {
    id: Schema.String,
    run: Schema.String,
    violatedAt: Schema.Natural,
    recoveredAt: Schema.Natural,
    violatedAgainAt: Schema.optionalKey(Schema.Natural)
  }
) {
  override get message(): string {
    const again = this.violatedAgainAt === undefined ? "" : ` and is violated again at tick ${this.violatedAgainAt}`
    return (
      `Predicate ${this.id} is not prefix-monotone: in run ${this.run} it is violated at tick ${this.violatedAt}, ` +
      `recovers at tick ${this.recoveredAt}${again}, so binary search would give a wrong tick. ` +
      `Declare it as a lift (monotone: lift), and bisect finds where it was first violated`
    )
  }
}

/** Error for a predicate that cannot be evaluated at a tick of a sample. */
export class NotEvaluable extends Schema.TaggedError<NotEvaluable>("@backstitch/version-control/NotEvaluable")(
  "NotEvaluable",
  { id: Schema.String, run: Schema.String, failedAt: Schema.Natural }
) {
  override get message(): string {
    return (
      `Predicate ${this.id} could not be evaluated at tick ${this.failedAt} of run ${this.run}. ` +
      `Check that every field that it reads is declared, and set by then`
    )
  }
}

/**
 * Tries a predicate on samples, and accepts it with its declared property, or says why not.
 *
 * **Details**
 *
 * A predicate that is declared monotone is also tried on `generated` traces, such as variations of the samples. A
 * field may be missing there, so a failed evaluation counts against it only in the samples.
 */
export const register = (
  predicate: Rules.Predicate,
  samples: Iterable<Monotonicity.Sample>,
  options: { readonly generated?: Iterable<Monotonicity.Sample> | undefined } = {}
): Result.Result<Registration, NotMonotone | NotEvaluable> => {
  const { id, monotone } = predicate
  const seen: Array<string> = []
  const tested: Array<string> = []
  let evaluations = 0
  for (const { run, steps } of samples) {
    const verdict = Monotonicity.verify(predicate, steps)
    seen.push(run)
    if (verdict._tag === "Failed") return Result.fail(new NotEvaluable({ id, run, failedAt: verdict.failedAt }))
    if (verdict._tag === "Kept") {
      evaluations += verdict.evaluations
      if (verdict.violatedAt !== undefined) tested.push(run)
      continue
    }
    tested.push(run)
    if (monotone === "lift") continue
    return Result.fail(notMonotone(id, run, verdict))
  }
  const accepted = { id, as: monotone, evaluations, samples: seen, tested }
  if (monotone === "lift" || options.generated === undefined) return Result.succeed(accepted)
  const generated = { traces: 0, tested: 0 }
  for (const { run, steps } of options.generated) {
    const verdict = Monotonicity.verify(predicate, steps)
    generated.traces++
    if (verdict._tag === "Recovered") return Result.fail(notMonotone(id, run, verdict))
    if (verdict._tag === "Kept" && verdict.violatedAt !== undefined) generated.tested++
  }
  return Result.succeed({ ...accepted, generated })
}

const notMonotone = (
  id: string,
  run: string,
  { recoveredAt, violatedAgainAt, violatedAt }: Extract<Monotonicity.SampleVerdict, { readonly _tag: "Recovered" }>
): NotMonotone =>
  new NotMonotone({
    id,
    run,
    violatedAt,
    recoveredAt,
    ...(violatedAgainAt === undefined ? {} : { violatedAgainAt })
  })
