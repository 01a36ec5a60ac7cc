/**
 * Events of a topology, read from transitions: calls and answers, messages, memos, waits for people, and the end of the
 * goal.
 */
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import type { Body, Transition } from "@backstitch/trace/Transition"
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
  /** `true` if its contract says that the tool only reads. */
  readonly isRead?: true | undefined
}

/**
 * The answer to a call. `ok` is false if the tool refused, or if nobody knows what came of it, and `isOpen` is there in
 * the second case alone.
 */
export interface Answered extends At {
  readonly _tag: "Answered"
  readonly action: string
  readonly ok: boolean
  readonly output: Json
  readonly isOpen?: true | undefined
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

/** An agent may do something only once a person approves. */
export interface Escalated extends At {
  readonly _tag: "Escalated"
}

/** A person has written to the run, or was asked about a crack: to work behind that is to answer. */
export interface Turned extends At {
  readonly _tag: "Turned"
}

/** One event of a topology, whichever it is. */
export type TopologyEvent = Answered | Called | Escalated | Finished | Noted | Said | Turned

/**
 * Tells whether a transition is the word of a person: the user wrote it, or an institution decided. Facts of an
 * embedder, which its program writes in the name of an institution, are nobody's word.
 */
export const isWord = ({ author, type }: Pick<Body, "author" | "type">): boolean =>
  author === "user" || (author === "institution" && Ontology.isType(type))

/** Tells whether a transition asks a person about a crack that its own medicine could not treat. */
export const isQuestion = (body: Body): boolean => typeof doubtOf(body, "anomaly.flag")?.asked === "string"

/** Tells whether work behind a transition begins anew, as an answer: it is a question, or the word of a person. */
export const isTurn = (body: Body): boolean => isWord(body) || isQuestion(body)

const doubtOf = Payload.getter({ "anomaly.flag": Payload.open({ asked: Payload.optional(Payload.Json) }) })

/** Reads the events of a transition, the memo last. Most transitions have none. */
export const of = ({ body, stamp, tick }: Transition): ReadonlyArray<TopologyEvent> => {
  const { action, agent, policy, result, type } = body
  const place: At = { tick, at: stamp.asOf, ...(agent === undefined ? {} : { agent }) }
  if (isTurn(body)) return [{ ...place, _tag: "Turned" }]
  const memo = Memo.of(body) ?? planOf(body)
  const noted: ReadonlyArray<TopologyEvent> = memo === undefined ? [] : [{ ...place, _tag: "Noted", memo }]
  if (type === "action.request" && action?.tool !== undefined && action.undoes === undefined) {
    const { id, params = null, tool } = action
    const isRead = action.class === "read_only" ? ({ isRead: true } as const) : {}
    return [{ ...place, _tag: "Called", action: id, tool, params, ...isRead }]
  }
  if (type === "action.result" && action !== undefined && result !== undefined) {
    const { output = null, status } = result
    const isOpen = status === "unknown" ? ({ isOpen: true } as const) : {}
    return [{ ...place, _tag: "Answered", action: action.id, ok: status === "ok", output, ...isOpen }]
  }
  if (type === "policy.decision" && policy?.decision === "escalate") return [{ ...place, _tag: "Escalated" }]
  if (type === "message.sent" && noted.length === 0) {
    const { content, to } = Memo.payloadOf(body, "message.sent") ?? {}
    const text = typeof content === "string" ? content : Canonical.encode(content ?? null)
    return [{ ...place, _tag: "Said", text, ...(typeof to === "string" ? { to } : {}) }]
  }
  return type === "goal.complete" ? [...noted, { ...place, _tag: "Finished" }] : noted
}

/** Reads the plan of a `plan.update` that has its steps in the usual place and no memo. */
const planOf = (body: Body): Memo.Memo | undefined => {
  const steps = Memo.payloadOf(body, "plan.update")?.steps
  if (!Array.isArray(steps)) return undefined
  return {
    memo: "plan",
    steps: steps.map((step: Json) => (typeof step === "string" ? step : Canonical.encode(step)))
  }
}
