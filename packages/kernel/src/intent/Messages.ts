/**
 * Messages to people, checked against the record: an agent may only say of its actions what the record supports.
 *
 * The standings of the reported actions are a projection of the trace, made only by `Reporting`. The command brings
 * them.
 *
 * The check also covers a goal that is declared reached with words for people (`message` or `content`), or with
 * `reports`.
 *
 * | `data` | holds |
 * | --- | --- |
 * | `reports` | `"a7"`, told as a success, or `{ action, standing }`; committed in the second form |
 * | `marked` | by the kernel, if the pack marks: `{ action, claimed, found }` for each wrong report |
 *
 * @source Action Verification, "Reporting Invariant" (L8)
 */
import * as MessagePolicy from "@backstitch/contracts/MessagePolicy"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import type * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Check from "../payload/Check.ts"
import type { DecisionTerms } from "../state/DecisionTerms.ts"

/** Judges a message, and lists the data that are committed with it. */
export const judge = (
  terms: DecisionTerms,
  given: MessageReport.MessageData,
  standings: MessageReport.Standings
): { readonly checks: ReadonlyArray<Check.Check>; readonly data: JsonObject } => {
  const { marked: _, ...data } = given
  const policy = MessagePolicy.of(terms.pack)
  const claims = MessageReport.claims(given)
  if (claims === undefined) {
    const isFine = given.reports === undefined && policy.reports === "optional"
    return { checks: isFine ? [] : [unclaimed(given.reports)], data }
  }
  const differs = claims.flatMap(({ action, standing: claimed }) => {
    const found = Object.hasOwn(standings, action) ? standings[action]! : "not_attempted"
    return found === claimed ? [] : [{ action, claimed, found }]
  })
  const reported = { ...data, reports: claims }
  if (policy.unreconciled === "mark") {
    return { checks: [], data: differs.length === 0 ? reported : { ...reported, marked: differs } }
  }
  return { checks: differs.map(refused), data: reported }
}

const unclaimed = (reports: Json | undefined): Check.Check =>
  Check.fail("policy", "messages.reports", "message.unclaimed", reports === undefined ? {} : { reports })

const refused = (about: {
  readonly action: string
  readonly claimed: ReconciliationStatus.ReconciliationStatus
  readonly found: ReconciliationStatus.ReconciliationStatus
}): Check.Check => Check.fail("policy", "messages.unreconciled", "message.unreconciled", about)
