/** Events of a topology, read from transitions: calls and answers, messages, memos, and the end of the goal. */
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Memo from "./Memo.ts"

/** The place of an event: its tick, the time of the run in epoch milliseconds, and the agent. */
interface At {
  readonly tick: number
  readonly at: number
  readonly agent?: string | undefined
}

/** A tool call. */
export interface Called extends At {
  readonly _tag: "Called"
  readonly action: string
  readonly tool: string
  readonly params: Json
}

/** The answer to a call. `ok` is false if the tool refused, or if nobody knows what came of it. */
export interface Answered extends At {
  readonly _tag: "Answered"
  readonly action: string
  readonly ok: boolean
  readonly output: Json
}

/** A message of an agent, to another agent if `to` names one. */
export interface Said extends At {
  readonly _tag: "Said"
  readonly text: string
  readonly to?: string | undefined
}

/** A memo that an agent committed. */
export interface Noted extends At {
  readonly _tag: "Noted"
  readonly memo: Memo.Malformed | Memo.Memo
}

/** The goal was declared reached. */
export interface Finished extends At {
  readonly _tag: "Finished"
}

/** One event of a topology, whichever it is. */
export type TopologyEvent = Answered | Called | Finished | Noted | Said

/** Reads the events of a transition, the memo last. Most transitions have none. */
export const of = ({ body, stamp, tick }: Transition): ReadonlyArray<TopologyEvent> => {
  const { action, agent, result, type } = body
  const place: At = { tick, at: stamp.asOf, ...(agent === undefined ? {} : { agent }) }
  const memo = Memo.of(body) ?? planOf(body)
  const noted: ReadonlyArray<TopologyEvent> = memo === undefined ? [] : [{ ...place, _tag: "Noted", memo }]
  if (type === "action.request" && action?.tool !== undefined && action.undoes === undefined) {
    return [{ ...place, _tag: "Called", action: action.id, tool: action.tool, params: action.params ?? null }]
  }
  if (type === "action.result" && action !== undefined && result !== undefined) {
    const { output = null, status } = result
    return [{ ...place, _tag: "Answered", action: action.id, ok: status === "ok", output }]
  }
  if (type === "message.sent" && noted.length === 0) {
    const { content, to } = Memo.payloadOf(body, "message.sent") ?? {}
    const text = typeof content === "string" ? content : Canonical.encode(content ?? null)
    return [{ ...place, _tag: "Said", text, ...(typeof to === "string" ? { to } : {}) }]
  }
  return type === "goal.complete" ? [...noted, { ...place, _tag: "Finished" }] : noted
}

/** Reads the plan of a `plan.update` that has its steps in the usual place and no memo. */
const planOf = (body: Transition["body"]): Memo.Memo | undefined => {
  const steps = Memo.payloadOf(body, "plan.update")?.steps
  if (!Array.isArray(steps)) return undefined
  return {
    memo: "plan",
    steps: steps.map((step: Json) => (typeof step === "string" ? step : Canonical.encode(step)))
  }
}
