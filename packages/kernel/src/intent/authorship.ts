/**
 * Authorship: an agent that writes a type which only the kernel, a user or an institution may write, and the trust in
 * an observation.
 */

import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as Anomalies from "@backstitch/reducer/Anomalies"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Ontology from "@backstitch/trace/Ontology"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import { described, intent, usage } from "../decision/intentBody.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as Check from "../payload/Check.ts"
import * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as RunTypes from "./RunTypes.ts"

/**
 * Records the anomaly of an agent that writes a type of other authors (Dendrer, appendix A), with the intent that it
 * gave. The name of its command is left out: nothing was carried out under it.
 */
export const overstep = (
  terms: DecisionTerms.DecisionTerms,
  proposal: Proposal,
  type: string,
  author: Ontology.Author
): Decision => {
  const authors = RunTypes.authors(terms, type).filter((each) => each !== "kernel")
  const check = Check.fail("authorship", type, "author.not_allowed", { author, authors })
  const body: Payload.BodyOf<"kernel.anomaly"> = {
    ...described(proposal, "kernel"),
    data: { author, kind: "author" satisfies Anomalies.AnomalyKind, type },
    ...intent({ ...proposal, command: undefined }, undefined),
    type: "kernel.anomaly"
  }
  const anomaly = DecisionTerms.draft(terms, body, usage(proposal))
  return end({ _tag: "Refused", tick: terms.tick, checks: [check] }, CommitContent.records(anomaly))
}

/**
 * An observation that cites an action has the trust of that action's answer; any other has only the agent's word.
 * `isAction` says whether the trace has a request of that name, because a state does not keep reads.
 */
export const trust = (state: State, type: Ontology.TypeName, given: JsonObject, isAction = false): JsonObject => {
  const observed = Payload.of({ data: given, type }, "observation.add")
  if (observed === undefined) return given
  const open = OpenActions.of(state)[String(observed.cites)]
  const isAnswered = open === undefined || OpenAction.isAnswered(open) || OpenAction.isRead(open)
  return { ...given, trust: isAction && isAnswered ? 1 : 0 }
}
