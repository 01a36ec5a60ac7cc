/** The fields of a transition that come from its proposal. */
import type { Amounts } from "@backstitch/contracts/Amount"
import * as Quantise from "@backstitch/contracts/Quantise"
import { defined } from "@backstitch/trace/Defined"
import type { Digest } from "@backstitch/trace/Digest"
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Body } from "@backstitch/trace/Transition"
import type * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import type { Said } from "./CommitContent.ts"
import type { Proposal } from "./Proposal.ts"

/** The pack in force, by name. */
export const versionOf = (terms: DecisionTerms.DecisionTerms): string =>
  terms.pack === undefined ? "none" : `${terms.pack.id}@${terms.pack.version}`

/** The number of steps taken. */
export const steps = (checks: ReadonlyArray<Check.Check>): ReadonlyArray<string> => [
  ...new Set(checks.map(({ step }) => step))
]

/** Lists the proposer, and their confidence. */
export const described = (
  proposal: Proposal,
  author: Ontology.Author
): Pick<Body, "agent" | "author" | "confidence" | "uncertainty"> => ({
  ...defined({ agent: proposal.agent }),
  author,
  ...(proposal.confidence === undefined ? {} : { confidence: Quantise.number(proposal.confidence, 3) }),
  ...defined({ uncertainty: proposal.uncertainty })
})

/** Lists the intent, and the hash of the context that justified it. */
export const intent = (proposal: Proposal, hash: Digest | undefined): Pick<Body, "intent"> => {
  const { basis, command, dependsOn, description, occurrence = 1, occurrenceBy } = proposal
  const intent = {
    ...defined({ basis, command, contextHash: hash, dependsOn, description }),
    ...(occurrence === 1 ? {} : { occurrence }),
    ...(occurrence === 1 || occurrenceBy === undefined ? {} : { occurrenceBy })
  }
  return Object.keys(intent).length === 0 ? {} : { intent }
}

/** Sums the costs of a proposal, by budget. */
export const spentOf = ({ spent = {}, tokens }: Proposal): Amounts =>
  tokens === undefined ? spent : { ...spent, tokens }

/** Lists the costs of a proposal, and the amounts reserved for its call. */
export const usage = (
  proposal: Proposal,
  reserved: Amounts = {}
): Pick<Said<"action.request">, "envelope" | "stamp"> => {
  const { tokens } = proposal
  const spent = spentOf(proposal)
  const stamp = {
    ...(Object.keys(reserved).length === 0 ? {} : { reserved }),
    ...(Object.keys(spent).length === 0 ? {} : { spent })
  }
  return { stamp, ...(tokens === undefined ? {} : { envelope: { tokens } }) }
}
