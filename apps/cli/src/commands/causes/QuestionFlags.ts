/** Flags that ask questions about a run, shared by several commands. */
import type * as ContributorSearch from "@backstitch/runtime/ContributorSearch"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"
import { Usage } from "../../terminal/Failure.ts"

/** Flags for questions that every state answers. */
export const flags = {
  predicate: Flags.text(
    "predicate",
    "ID|EXPR",
    "A registered predicate, kernel.anomaly_free, or an expression over the state"
  ),
  anomaly: Flag.String("anomaly").pipe(
    Flag.withMetavar("KIND"),
    Flag.withDescription("The first kernel.anomaly, of a kind or of any"),
    Flag.withOptionalValue(""),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  ),
  policyFlip: Flags.text("policy-flip", "SUBJECT", "Policy going from allow to deny, as on action.request:book_flight")
}

/** The questions in these flags. */
export const asked = (input: {
  readonly predicate: string | undefined
  readonly anomaly: string | undefined
  readonly policyFlip: string | undefined
}): ReadonlyArray<ContributorSearch.StateQuestion> => [
  ...(input.predicate === undefined ? [] : [{ predicate: input.predicate }]),
  ...(input.anomaly === undefined
    ? []
    : [{ _tag: "Anomaly" as const, ...(input.anomaly === "" ? {} : { kind: input.anomaly }) }]),
  ...(input.policyFlip === undefined ? [] : [{ _tag: "PolicyFlip" as const, subject: input.policyFlip }])
]

/** Takes exactly one question. `others` are further flags that may ask one. */
export const one = <A>(questions: ReadonlyArray<A>, others: ReadonlyArray<string> = []): Effect.Effect<A, Usage> => {
  const [first, ...more] = questions
  if (first !== undefined && more.length === 0) return Effect.succeed(first)
  const names = ["--predicate", "--anomaly", "--policy-flip", ...others]
  return Effect.fail(new Usage({ problem: `Ask one question: ${names.slice(0, -1).join(", ")} or ${names.at(-1)}` }))
}
