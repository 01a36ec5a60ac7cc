/**
 * Takes over an act that another run has done: nothing is sent, and the system of record shows the outcome.
 *
 * | its contract has | it is settled by |
 * | --- | --- |
 * | `status: by_key` | what the system of record says of the key, then its readback |
 * | a readback alone | its readback; the answer to the holder only says which record to read |
 * | neither | what the holder's trace says, on the basis `recorded` at trust 1 |
 *
 * The status of a key is not asked for once the tool may have forgotten the key: "not found" would prove nothing.
 *
 * @source docs/decisions/0009, 0018
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as Trust from "@backstitch/ledger/Trust"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as SendingAgain from "../action/SendingAgain.ts"
import type { Adopted } from "../decision/CommandFacts.ts"
import type { Said } from "../decision/CommitContent.ts"
import type { CallRequest, Decision } from "../decision/Decision.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as ActTurns from "../identity/ActTurns.ts"
import { prove, settle } from "../settlement/actionSettlement.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Deduplication from "./Deduplication.ts"

/** Turns a decided proposal into one that takes an act over, if another run has done it. */
export const takingOver = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  decided: Decision,
  { adopted, proposal }: { readonly adopted?: Adopted | undefined; readonly proposal: Proposal }
): Decision => {
  const contract = TaskPack.tool(terms.pack, proposal.tool ?? "")
  if (adopted === undefined || !contract.known) return decided
  return adopted.believed === true && decided.content.started !== undefined
    ? Deduplication.ofOther(terms, proposal, adopted)
    : adopting(terms, state, { contract, decided, adopted })
}

/** Turns a decision that would have begun an act into one that takes it over. Any other decision stays as it is. */
const adopting = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: { readonly contract: ToolContract.ToolContract; readonly decided: Decision; readonly adopted: Adopted }
): Decision => {
  const { adopted, contract, decided } = about
  const { requested, started } = decided.content
  const sent = requestOf(decided)
  if (requested === undefined || started === undefined || sent === undefined) return decided
  const { action, run, startedAt, tick, turn } = adopted
  const holder = { action, run, tick }
  const begun = withStart(requested, started)
  const { reserved: _, ...stamp } = begun.stamp ?? {}
  const turns = stamp.key === undefined ? {} : { [sent.action]: ActTurns.of(stamp.key, turn) }
  const { begins, shared } = decided.names ?? {}
  const taken = ActTurns.toData({ ...shared, ...turns })
  const data = { ...requested.data, adopted: holder, ...defined({ startedAt }), ...taken }
  const names = { shared, turns, ...(begins === undefined ? {} : { begins: { ...begins, isTakenOver: true } }) }
  const request = { ...begun, data, stamp }
  if (isAsked(terms, state, contract, startedAt)) {
    return {
      ...decided,
      names,
      content: { requested: request },
      flush: "now",
      next: { _tag: "Ask", request: sent }
    }
  }
  const { output = null } = adopted
  const answered: Said<"action.result"> = {
    action: { id: sent.action },
    data: { adopted: holder },
    result: { output, status: "ok", trust: Trust.of("word") }
  }
  const subject = { terms, state, id: sent.action, open: openOf(terms, request, sent, output), contract }
  const before = { requested: request, answered }
  const next =
    contract.readback === undefined ? settle(subject, { basis: "recorded", output, before }) : prove(subject, before)
  return { ...next, context: decided.context, names, flush: "now" }
}

/** Adds the fields of a start to a request, although nothing is started here. */
export const withStart = (
  requested: Said<"action.request">,
  { action: begun, stamp }: Said<"action.started">
): Said<"action.request"> => {
  const { action } = requested
  if (action === undefined || begun === undefined) return requested
  const { requestHash, target } = begun
  const keyed = {
    ...action,
    ...defined({ requestHash, target })
  }
  const key = stamp?.key === undefined ? {} : { key: stamp.key }
  return { ...requested, action: keyed, stamp: { ...requested.stamp, ...key } }
}

/** Finds the request that a decision would send, at once or after a read. */
export const requestOf = ({ next }: Decision): CallRequest | undefined => ("request" in next ? next.request : undefined)

/** The first rules ask in the very moment from which the key may be forgotten, too. */
const isAsked = (
  { now }: DecisionTerms.DecisionTerms,
  state: State,
  contract: ToolContract.ToolContract,
  firstAt: number | undefined
): boolean => {
  const at = DecisionRules.binds(state, DecisionRules.forgottenKeysUnasked) ? now : now - 1
  return contract.status === "by_key" && (firstAt === undefined || !SendingAgain.isForgotten(contract, { at, firstAt }))
}

/** Makes the action from its request and the recorded answer, as the fold does once both are committed. */
const openOf = (
  { now }: DecisionTerms.DecisionTerms,
  { action }: Said<"action.request">,
  { key, params, tool }: CallRequest,
  output: JsonObject[string]
): OpenAction.OpenAction => ({
  adopted: true,
  answer: { as: "done", at: now, output: output ?? null },
  class: action?.class ?? "",
  ...defined({ key }),
  heard: "answer",
  params,
  startedAt: now,
  state: "pending",
  tick: 0,
  tool
})
