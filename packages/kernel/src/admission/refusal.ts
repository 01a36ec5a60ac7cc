/**
 * The refusal of a proposal as a trace keeps it: the checks that failed, the arguments, and what the attempt used up.
 *
 * A refusal counts as a step and against the budget `refusals`, so that an agent which repeats itself stops. One of a
 * person uses up nothing of the agent.
 */
import type { State } from "@backstitch/reducer/State"
import * as BudgetCheck from "../budget/BudgetCheck.ts"
import type * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import { described, intent, steps, usage, versionOf } from "../decision/intentBody.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as Check from "../payload/Check.ts"
import type * as Payload from "../payload/Payload.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/** Refuses a proposal. The evaluated checks are committed, and an exhausted budget is reported once. */
export const refuse = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: {
    readonly proposal: Proposal
    readonly checks: ReadonlyArray<Check.Check>
    /** The act of another run because of which the proposal is refused. */
    readonly holder?: Payload.Of<"intent.refused">["holder"]
  }
): Decision => {
  const { checks, holder, proposal } = about
  const refused: CommitContent.Said<"intent.refused"> = {
    ...described(proposal, "kernel"),
    data: {
      checks: checks.filter((check) => !Check.isOk(check) || check.step === "guard").map(Check.kept),
      ...personOf(proposal),
      ...(holder === undefined ? {} : { holder }),
      proposed: proposal.type ?? "action.request",
      ...(proposal.tool === undefined ? {} : { params: proposal.params ?? {}, tool: proposal.tool })
    },
    ...intent(proposal, undefined),
    policy: { checks: steps(checks), decision: "deny", version: versionOf(terms) },
    ...usage(proposal)
  }
  return end({ _tag: "Refused", tick: terms.tick, checks }, { refused, short: BudgetCheck.exhausted(state, checks) })
}

/** A refused call by a person costs the agent nothing. Otherwise anybody could use up the agent's budgets. */
const personOf = ({ author }: Proposal): Pick<Payload.Of<"intent.refused">, "author"> =>
  author === "user" || author === "institution" ? { author } : {}
