/**
 * What the depth table adds to a decision before it is committed: who looks, what freezes, and what was not checked.
 *
 * The recovery table decides what is done about a discrepancy. Where it leaves
 * that to a person, the action is frozen: nothing is asked, sent or believed
 * of it until somebody has decided. Where the class of the tool names what
 * happened as a reason for a review, a person is asked to look, whether or not
 * the kernel goes on by itself. And what is settled names the checks of its
 * class that its contract leaves out.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class"
 * @since 0.1.0
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as VerificationCheck from "@backstitch/contracts/VerificationCheck"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Body, Draft } from "@backstitch/trace/Transition"
import type { Decision } from "./Decision.ts"
import * as Finding from "./Finding.ts"
import * as Reviews from "./Reviews.ts"
import * as ReviewTrigger from "./ReviewTrigger.ts"
import * as Terms from "./Terms.ts"

/**
 * Adds to a decision what the table asks for.
 *
 * @category combinators
 * @since 0.1.0
 */
export const apply = (terms: Terms.Terms, state: State, decision: Decision): Decision => {
  if (!decision.drafts.some(({ body }) => concerned.has(body.type))) return decision
  const settled = new Set(
    decision.drafts.flatMap((draft) =>
      draft.body.type === "action.reconciled" || OpenActions.isSettledBy(draft, state)
        ? [draft.body.action?.id ?? ""]
        : []
    )
  )
  const drafts = decision.drafts.map((draft): Draft => {
    const more = moreOf(terms, state, draft.body, settled)
    return more === undefined ? draft : { ...draft, body: { ...draft.body, ...more } }
  })
  const asked = reviewsOf(terms, state, drafts)
  if (asked.length === 0) return { ...decision, drafts }
  // What is sent again is begun by the last transition: nothing stands between that and the request (L5).
  const started = drafts.findIndex(({ body }) => body.type === "action.started")
  const at = started < 0 ? drafts.length : started
  return { ...decision, drafts: [...drafts.slice(0, at), ...asked, ...drafts.slice(at)], flush: "now" }
}

const concerned: ReadonlySet<string> = new Set([
  "action.reconciled",
  "action.result",
  "action.verified",
  "recovery.decided"
])

const moreOf = (
  terms: Terms.Terms,
  state: State,
  body: Body,
  settled: ReadonlySet<string>
): Partial<Body> | undefined => {
  const { action, data = {}, result, type } = body
  const open = OpenActions.of(state)[action?.id ?? ""]
  if (open === undefined) return undefined
  switch (type) {
    case "action.verified":
      return result?.status === "mismatch" && data["before"] === undefined
        ? { data: { ...data, mismatches: (open.mismatches ?? 0) + 1 } }
        : undefined
    case "recovery.decided":
      return freezes(data) && !settled.has(action?.id ?? "") ? { data: { ...data, freezes: true } } : undefined
    case "action.reconciled":
      return result?.status === "ok" ? unchecked(TaskPack.tool(terms.pack, open.tool), body) : undefined
    default:
      return undefined
  }
}

/** A person decides, and no plan of undoing does. */
const freezes = ({ decision, plan, stops, wanted }: JsonObject): boolean =>
  typeof decision === "string" &&
  RecoveryAction.needsPerson(decision) &&
  plan === undefined &&
  stops === undefined &&
  wanted === undefined

/** What a contract leaves out is named with what was settled; of what is critical it costs the proof. */
const unchecked = (contract: ToolContract.ToolContract, { data = {}, result }: Body): Partial<Body> | undefined => {
  if (result === undefined || !ToolContract.isMutating(contract) || !contract.known) return undefined
  const { missing } = VerificationCheck.coverage(contract)
  if (missing.length === 0) return undefined
  const trust = VerificationDepth.isStrict(contract.class) ? Math.min(result.trust ?? 0, 2) : (result.trust ?? 0)
  return {
    data: { ...data, unchecked: missing },
    result: { ...result, ...(result.trust === undefined ? {} : { trust: trust as 0 | 1 | 2 | 3 }) }
  }
}

/** A person is asked once about what happened to an action, however often it happens. */
const reviewsOf = (terms: Terms.Terms, state: State, drafts: ReadonlyArray<Draft>): ReadonlyArray<Draft> => {
  const ids = [...new Set(drafts.flatMap(({ body }) => (body.action === undefined ? [] : [body.action.id])))]
  return ids.flatMap((id) => {
    const open = OpenActions.of(state)[id]
    if (open === undefined) return []
    const contract = TaskPack.tool(terms.pack, open.tool)
    const bodies = drafts.flatMap(({ body }) => (body.action?.id === id ? [body] : []))
    const { review } = VerificationDepth.of(contract.class)
    const happened = ReviewTrigger.of(contract, bodies, open.mismatches ?? 0)
    const triggers = review.includes("always") ? happened : happened.filter((trigger) => review.includes(trigger))
    const known = Reviews.standing(state).flatMap(([, each]) => (each.action === id ? (each.triggers ?? []) : []))
    if (triggers.every((trigger) => known.includes(trigger))) return []
    const name = `v${terms.tick + drafts.length}-${id}`
    const why = Finding.make("verification.noticed", { class: contract.class })
    const data = { review: name, subject: Reviews.subject, tool: open.tool, triggers, why }
    return [Terms.draft(terms, { action: { id }, author: "kernel", data, type: "review.requested" })]
  })
}
