/**
 * The verdict of a person on a review, such as an approval or a denial, before it is committed: whether it can be
 * given, and by whom.
 *
 * A call that a person started by breaking the glass is accepted by another person. No other self-approval is
 * forbidden: a requester may approve.
 *
 * Each review is decided once. Of two concurrent decisions the first committed one counts, and the second is refused
 * with a reference to the first.
 */
import type { State } from "@backstitch/reducer/State"
import type * as Canonical from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import type { Proposal } from "../decision/Proposal.ts"
import * as Check from "../payload/Check.ts"
import * as Payload from "../payload/Payload.ts"
import * as Reviews from "./Reviews.ts"

/**
 * Checks a decision before it is committed: its review is there and open, its verdict exists, and its role may
 * decide. Data that do not fit the payload of a decision are refused before this check.
 */
export const verdictChecks = (state: State, data: Canonical.JsonObject): ReadonlyArray<Check.Check> => {
  const said = { data, type: "review.decided" } as const
  if (hasNoVerdict(state, data)) {
    const { review = "", verdict: given = null } = data
    return [Check.fail("approval", String(review), "verdict.unknown", { given, verdicts: ["approved", "denied"] })]
  }
  if (Payload.misfit(said) !== undefined) return []
  const { by = "", review: name = "", role = "" } = Payload.of(said, "review.decided") ?? {}
  const review = Reviews.of(state).get(name)
  if (review === undefined) return [Check.fail("approval", name, "review.unknown", {})]
  const made = Reviews.madeBefore(review)
  if (made !== undefined) return [Check.fail("approval", name, "decision.made", made)]
  if (by.trim() === "") return [Check.fail("approval", name, "decision.unsigned", {})]
  if (Reviews.isBrokenBy(review, by)) {
    return [Check.fail("approval", name, "decision.own_glass", { brokenBy: review.brokenBy ?? "" })]
  }
  if (!review.needs.includes(role)) {
    const given = role === "" ? {} : { role }
    return [Check.fail("approval", name, "decision.role", { needs: review.needs, ...given })]
  }
  return [Check.pass("approval", name)]
}

/**
 * Checks that a person decides about the question that they saw: the same review may ask another one by now, such as
 * the same call once more. Then the decision is not committed: nobody has decided about the present question.
 */
export const otherQuestion = (
  run: Run,
  state: State,
  { data: { review: name } = {}, question }: Pick<Proposal, "data" | "question">
): Check.Check | undefined => {
  const review = question === undefined || typeof name !== "string" ? undefined : Reviews.of(state).get(name)
  return review === undefined || Reviews.digestOf(run, String(name), review) === question
    ? undefined
    : Check.fail("context", String(name), "context.changed", {})
}

/**
 * Tells whether data name a verdict that does not exist. This check comes before the schema, so that the refusal can
 * list the possible verdicts.
 */
const hasNoVerdict = (state: State, { review, verdict }: Canonical.JsonObject): boolean =>
  typeof review === "string" && Reviews.of(state).has(review) && verdict !== "approved" && verdict !== "denied"
