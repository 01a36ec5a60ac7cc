/**
 * A delivery by a provider: evidence for an open action, compared with the settlement of any other action.
 *
 * A genuine delivery may end a wait; its content is read back before it is believed. A delivery counts once in a
 * tenant, however often it arrives. A delivery with a wrong signature or time may come from anybody and is no
 * evidence: it is refused, and nothing of it is committed. This module has no secret: the caller, who has it, says
 * whether the signature fits.
 *
 * While a person has to decide about the action, a delivery changes nothing. It is kept, and counts once the action
 * is reopened.
 *
 * @source Action Verification, HS-03 and "Pending"
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as Expression from "@backstitch/expressions/Expression"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Trust from "@backstitch/ledger/Trust"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as Result from "effect/Result"
import { type ActionInFlight, after, findAction } from "../action/ActionInFlight.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end, gone, held } from "../decision/Decision.ts"
import type { Delivery, DeliveryFault, Evidence, Heard } from "../decision/Evidence.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as UndoProgress from "../undo/undoProgress.ts"
import * as LateEvidence from "./LateEvidence.ts"
import * as Settle from "./Settle.ts"

/** Decides a delivery. */
export const decide = (terms: DecisionTerms.DecisionTerms, state: State, self: Delivery): Decision => {
  const { delivery, fault, heard, taken, tool } = self
  if (heard !== undefined) return news(terms, state, { action: heard.action, delivery, said: heard })
  const webhook = TaskPack.tool(terms.pack, tool).webhook
  if (webhook === undefined) return refuse(self, "delivery.not_declared")
  if (fault !== undefined) return refuse(self, faults[fault])
  if (taken !== undefined) {
    return end({
      _tag: "Refused",
      tick: undefined,
      checks: [Check.fail("contract", tool, "delivery.replayed", taken)]
    })
  }
  const said = saidBy(state, webhook, self.body)
  if (said === undefined) return refuse(self, "delivery.unreadable")
  const found = Object.entries(OpenActions.of(state)).find(([_, open]) => open?.tool === tool && open.key === said.key)
  if (found !== undefined) return news(terms, state, { action: found[0], delivery, said })
  const used = UsedKeys.find(state, said.key)
  return used === undefined
    ? refuse(self, "delivery.key_unknown")
    : late(terms, state, { action: used.action, delivery, said })
}

/** Decides a delivery about an open action. */
const news = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { action, delivery, said }: { readonly action: string; readonly delivery: Digest; readonly said: Told }
): Decision => {
  const subject = findAction(terms, state, action)
  if (subject === undefined) return late(terms, state, { action, delivery, said })
  const { contract, open } = subject
  const { outcome, output } = said
  const isNews = outcome !== "pending" && open.deliveries?.includes(delivery) !== true
  if (OpenAction.isFrozen(open)) return kept(subject, isNews ? { delivery, outcome, output } : undefined)
  // An action that is being undone continues by its plan: neither a delivery nor its absence changes that.
  if (isNews && UndoProgress.byOpenPlan(subject) === undefined) return believed(subject, said, delivery)
  return held(terms, action, Finding.make("delivery.nothing_new", { tool: contract.name }))
}

/**
 * Continues an action that a person has reopened, with the delivery or the late answer that was kept meanwhile;
 * `undefined` if there is none, or if the record decides.
 *
 * **Details**
 *
 * They count as if they arrived now. A failure is not believed on the provider's word if a record contradicted
 * it; the record is read again.
 */
export const reopened = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { action }: { readonly action: string }
): Decision | undefined => {
  const subject = findAction(terms, state, action)
  if (subject?.open.told === undefined || OpenAction.isFrozen(subject.open)) return undefined
  if (UndoPlan.open(state) !== undefined) return undefined
  const { delivery, ...said } = subject.open.told
  if (said.outcome === "failed" && OpenAction.isRead(subject.open) && !canBeAsked(subject)) return undefined
  return delivery === undefined
    ? Settle.answered(terms, state, { action, via: "call", evidence: evidenceOf(said) })
    : believed(subject, said, delivery as Digest)
}

type Told = Omit<Heard, "action">

/** Compares a delivery about a settled action with its settlement. */
const late = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { action, delivery, said }: { readonly action: string; readonly delivery: Digest; readonly said: Told }
): Decision => {
  if (OpenActions.of(state)[action] !== undefined) return gone(terms, action)
  const evidence = evidenceOf(said)
  return LateEvidence.decide(terms, state, { _tag: "LateEvidence", action, delivery, evidence, via: "webhook" })
}

const evidenceOf = ({ outcome, output }: Told): Evidence => {
  switch (outcome) {
    case "done":
      return { _tag: "Ok", output }
    case "failed":
      return { _tag: "Error", error: output }
    case "pending":
      return { _tag: "Pending" }
  }
}

/** Reads the body of a delivery by the contract; `undefined` if its expressions fail. */
const saidBy = (state: State, webhook: Webhook.Webhook, body: Json): (Told & { readonly key: string }) | undefined => {
  const names = ExpressionScope.bindings(state, { body })
  const key = Expression.evaluate(webhook.key, names)
  const done = Expression.test(webhook.done, names)
  const failed = webhook.failed === undefined ? Result.succeed(false) : Expression.test(webhook.failed, names)
  const output = webhook.output === undefined ? Result.succeed(body) : Expression.evaluate(webhook.output, names)
  if (Result.isFailure(key) || Result.isFailure(done) || Result.isFailure(failed) || Result.isFailure(output)) {
    return undefined
  }
  if (typeof key.success !== "string" || key.success === "" || (done.success && failed.success)) return undefined
  const outcome = done.success ? "done" : failed.success ? "failed" : "pending"
  return { key: key.success, outcome, output: output.success }
}

const canBeAsked = ({ contract }: ActionInFlight): boolean => contract.status === "by_key"

/** Uses a delivery as evidence, like a status answer: a success is read back, a failure is asked about. */
const believed = (subject: ActionInFlight, said: Told, delivery: Digest): Decision => {
  const { id, state, terms } = subject
  if (said.outcome === "failed" && canBeAsked(subject)) {
    return Settle.inDoubt(subject, {
      action: { id },
      data: { delivery },
      result: { output: said.output, status: "unknown", trust: Trust.of("word") }
    })
  }
  const decision = Settle.answered(terms, state, { action: id, via: "status", evidence: evidenceOf(said) })
  // The origin of the delivery is part of the evidence, and its digest keeps it from counting twice.
  const tell = (each: CommitContent.Said<"action.result">) => ({ ...each, data: { ...each.data, delivery } })
  const decide = (each: CommitContent.Said<"recovery.decided">) => ({
    ...each,
    data: { ...each.data, delivery, via: "webhook" as const }
  })
  const { recovery } = decision.content
  const heard = CommitContent.changed(CommitContent.changed(decision.content, "answered", tell), "read", tell)
  const content = recovery?.data?.via === "status" ? CommitContent.changed(heard, "recovery", decide) : heard
  return { ...decision, content, flush: "now" }
}

/** Keeps a delivery about an action that waits for a person's decision. Until then it changes nothing. */
const kept = (subject: ActionInFlight, news: (Told & { readonly delivery: Digest }) | undefined): Decision => {
  const { contract, id } = subject
  const why = Finding.make("delivery.kept", { tool: contract.name })
  if (news === undefined) return held(subject.terms, id, why)
  const { delivery, outcome, output } = news
  const data = { delivery, told: { outcome, output } }
  return { ...held(after(subject).terms, id, why), content: { answered: { action: { id }, data } } }
}

type Unfit =
  | "delivery.key_unknown"
  | "delivery.not_declared"
  | "delivery.not_genuine"
  | "delivery.not_timely"
  | "delivery.unreadable"

/** Codes by fault. A stranger's text is not kept, or anybody who knows a key could make the trace grow. */
const faults = {
  signature: "delivery.not_genuine",
  time: "delivery.not_timely",
  body: "delivery.unreadable"
} as const satisfies { readonly [F in DeliveryFault]: Unfit }

const refuse = ({ tool }: Delivery, code: Unfit): Decision =>
  end({ _tag: "Refused", tick: undefined, checks: [Check.fail("contract", tool, code, {})] })
