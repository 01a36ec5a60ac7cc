/**
 * A request that was accepted and is not done: how it is verified, and the hold if it cannot be.
 *
 * An acceptance is no effect: it is evidence that work was queued. The request is followed by the schedule of the
 * contract. The system of record settles it, never the tool's word.
 *
 * | the contract has | followed by |
 * | --- | --- |
 * | `status: by_key` | asking for the status of the key, then reading back |
 * | a readback | reading back, as often as its `poll` says, until its time is over |
 * | a webhook alone | waiting for a delivery |
 * | none of them | nothing: the action is held, and a person looks |
 *
 * @source Action Verification, "Accepted" and "Pending"; HS-03
 */

import * as Backoff from "@backstitch/contracts/Backoff"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Trust from "@backstitch/ledger/Trust"
import { type ActionInFlight, targetOf } from "../action/ActionInFlight.ts"
import type { Said } from "../decision/CommitContent.ts"
import { type Decision, end, held as heldOpen } from "../decision/Decision.ts"
import type { Evidence } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as Recovery from "../recovery/Recovery.ts"
import { answerOf } from "../verification/toolAnswer.ts"

/** The ways to follow an accepted request. */
type Way = "status" | "readback" | "webhook"

/** Names the way in which a contract follows an accepted request; `undefined` if it has none. */
export const wayOf = ({ readback, status, webhook }: ToolContract.ToolContract): Way | undefined =>
  status === "by_key" ? "status" : readback !== undefined ? "readback" : webhook === undefined ? undefined : "webhook"

/** The schedule of verification as the trace keeps it: the way, the first wait and the deadline. */
export const schedule = (contract: ToolContract.ToolContract): Payload.Of<"action.result">["verify"] => {
  const by = wayOf(contract)
  if (by === undefined || by === "webhook") return by === undefined ? undefined : { by }
  const { poll = Backoff.standard, withinMillis } = by === "status" ? contract.asking : contract.readback!
  return { by, firstMillis: poll.firstMillis, ...(withinMillis === undefined ? {} : { withinMillis }) }
}

/** Commits that a call was accepted, with its schedule. */
export const toContent = (
  { contract, id }: ActionInFlight,
  command: {
    readonly evidence: Extract<Evidence, { readonly _tag: "Accepted" }>
    readonly latencyMillis?: number | undefined
  }
): Said<"action.result"> => {
  const verify = schedule(contract)
  const data = { stage: "accepted" as const, ...(verify === undefined ? {} : { verify }) }
  const { output } = command.evidence
  return answerOf(id, { output, status: "ok", trust: Trust.of("word") }, { ...command, data })
}

/** Holds an accepted request that can be neither asked about nor read. */
export const held = (subject: ActionInFlight): Decision => {
  const { contract, id, terms } = subject
  const word = { tool: contract.name, ...targetOf(subject) }
  if (contract.webhook !== undefined) return heldOpen(terms, id, Finding.make("outcome.accepted", word))
  const recovery = Recovery.unverifiable(subject, Finding.make("record.no_way", {}))
  const why = Finding.make("outcome.accepted", { ...word, ...Recovery.toArgs(recovery) })
  return end({ _tag: "Held", tick: terms.tick, action: id, why }, { recovery: Recovery.toContent(subject, recovery) })
}
