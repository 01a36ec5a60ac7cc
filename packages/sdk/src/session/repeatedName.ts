/**
 * Refuses a name under which something else is on record.
 *
 * A call under a known name is answered from the record, without a look at its contract. Some providers number the
 * calls of each answer anew ("call_0" every time): then the second charge would be told as done and never sent.
 * `RepeatedCommand` of the kernel says what is another request. It is asked here also for runs whose earlier rules do
 * not ask it.
 */
import * as HandledCommands from "@backstitch/kernel/HandledCommands"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as RepeatedCommand from "@backstitch/kernel/RepeatedCommand"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type { Body } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import { BackstitchError } from "../failures/Failures.ts"
import * as NextSteps from "../values/nextSteps.ts"
import * as CommittedArgs from "./committedArgs.ts"
import * as PackInForce from "./packInForce.ts"

/** Refuses a proposal whose name is that of another call or fact. */
export const refuse = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, proposal: Proposal) {
  const { command } = proposal
  if (command === undefined) return
  const { state } = yield* handle.standing
  const known = HandledCommands.find(state, command)
  const [first] = known === undefined ? [] : yield* handle.transitions(known.tick, known.tick)
  if (first === undefined) return
  const other = yield* difference(handle, first.body, proposal)
  if (other === undefined) return
  const { id } = handle.run
  const { action, type } = first.body
  const message =
    `"${command}" is the name of ${nameOf(action?.tool, type)} in run ${id} (tick ${first.tick}), and now of ${other}, ` +
    "so this one was not sent. Give each call a callId of its own: where a provider numbers the calls of each answer " +
    `anew, put the number of the answer before it, such as "2:${command}". Or leave callId out: the contract tells ` +
    "acts apart"
  const next = [NextSteps.told({ verb: "propose", say: "call again, with another callId or without one" })]
  return yield* Effect.fail(new BackstitchError({ code: "call_id_taken", message, run: id, action: action?.id, next }))
})

/** Refuses an answer that is not the proposal's own: another call may have taken the name since it was looked up. */
export const refuseAnswer = (handle: RunHandle.RunHandle, proposal: Proposal, found: Outcome) =>
  found._tag === "Done" && found.adopted === undefined ? Effect.void : refuse(handle, proposal)

/** Names what is proposed by what differs from the record, never by its values; `undefined` if it is the same. */
const difference = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, first: Body, proposal: Proposal) {
  const { occurrence = 1, tool, type = "action.request" } = proposal
  const params = tool === undefined ? {} : yield* CommittedArgs.of(handle, proposal)
  // A call that cannot be committed is refused for that.
  const isCall = first.type === type && first.action?.tool === tool
  if (params === undefined && isCall) return undefined
  const pack = yield* PackInForce.of(handle)
  const found = RepeatedCommand.difference(pack, first, { ...proposal, params: params ?? {} })
  switch (found?.by) {
    case undefined:
      return undefined
    case "arguments":
      return `a call of ${tool} with another ${found.fields.join(", ")}`
    case "occurrence":
      return `${tool} with { occurrence: ${occurrence} }`
    case "tool":
    case "type":
      return nameOf(tool, type)
  }
})

const nameOf = (tool: string | undefined, type: string): string =>
  tool === undefined ? `a fact (${type})` : `a call of ${tool}`
