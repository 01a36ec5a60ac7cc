/**
 * The decision on an analysis, an anomaly or a derived fact that a program records.
 *
 * The kernel is the author of what is recorded. So it takes no other type than those of {@link annotations}, and no
 * payload that does not fit its type: TypeScript alone cannot ensure either for a program that embeds the kernel.
 */
import type { State } from "@backstitch/reducer/State"
import { type AnnotationType, annotations, type Command } from "../decision/Command.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import * as Check from "../payload/Check.ts"
import * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as SubtaskFacts from "../subtask/SubtaskFacts.ts"
import * as RunTypes from "./RunTypes.ts"

/** Decides an annotation: it is committed, or refused without a trace. */
export const decide = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { about, data, type }: Command & { readonly _tag: "Annotate" }
): Decision => {
  const action = about === undefined ? {} : { action: { id: about } }
  const body = { ...action, author: "kernel", data, type } as Payload.Body
  const misfit = DecisionRules.binds(state, DecisionRules.annotationsInForm) ? misfitOf(terms, body) : undefined
  if (misfit !== undefined) return end({ _tag: "Refused", tick: undefined, checks: [misfit] })
  const done = { _tag: "Done", tick: terms.tick, output: data, basis: "committed" } as const
  const decision = end(done, CommitContent.records(DecisionTerms.draft(terms, body)))
  // A fact that follows from earlier transitions can be derived again, so it becomes durable with the next commit.
  return SubtaskFacts.isOne(type) || type === "predicate.violation" ? { ...decision, flush: "later" } : decision
}

const misfitOf = (terms: DecisionTerms.DecisionTerms, body: Payload.Body): Check.Check | undefined => {
  const { type } = body
  if (!annotations.includes(type as AnnotationType)) {
    const authors = RunTypes.authors(terms, type).filter((author) => author !== "kernel")
    return Check.fail("authorship", type, "author.not_allowed", { author: "kernel", authors })
  }
  const wrong = Payload.malformed(body)
  return wrong && Check.fail("schema", type, "payload.misfit", { path: wrong.path, type }, wrong.problem)
}
