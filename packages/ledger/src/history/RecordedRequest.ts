/**
 * The request of an action, read from its own transitions, to ask its system of record about it again.
 *
 * A settled action keeps no arguments in the state. The trace has the arguments, the key, the tool's answer, and the
 * times from which the deadlines of its request and of its key are counted.
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"
import * as OpenAction from "../state/OpenAction.ts"

/**
 * The request of an action, with the times of its first and its last start in epoch milliseconds. With `isAsked`,
 * `observed` is the status of its key, not an answer to the call. With `isOwn`, the record was established as the
 * action's own effect before its undoing.
 */
export interface RecordedRequest {
  readonly action: string
  readonly tool: string
  readonly params: Json
  readonly key: string | undefined
  readonly observed: Json | undefined
  readonly isAsked?: boolean | undefined
  readonly isOwn?: boolean | undefined
  /** The target that it changes and the actor that it names, if its start names them. */
  readonly target?: string | undefined
  readonly actor?: string | undefined
  readonly firstAt: number
  readonly startedAt: number
  readonly isSettled: boolean
}

/** Reads the request of an action; `undefined` if no transition requests it. */
export const of = (transitions: Iterable<Transition>, action: string): RecordedRequest | undefined => {
  let found: RecordedRequest | undefined
  for (const transition of transitions) {
    if (transition.body.action?.id === action) found = follow(found, transition)
  }
  return found
}

/**
 * Continues a request with the next transition of its action. A transition after the settlement only tells whether
 * the effect is the action's own.
 */
export const follow = (self: RecordedRequest | undefined, transition: Transition): RecordedRequest | undefined => {
  const { body, stamp } = transition
  switch (body.type) {
    case "action.request": {
      const { id = "", params = null, tool = "" } = body.action ?? {}
      const at = { firstAt: stamp.asOf, startedAt: stamp.asOf }
      return { action: id, tool, params, key: stamp.key, observed: undefined, isSettled: false, ...at }
    }
    case "action.started":
      return self?.isSettled === false ? again(self, transition) : self
    case "action.result": {
      const isAnswer = self?.isSettled === false && OpenAction.toldBy(transition) === undefined
      if (!isAnswer) return self
      const { isAsked: _, ...asked } = self
      const isStatus = body.result?.basis === "status"
      return { ...asked, observed: body.result?.output ?? null, ...(isStatus ? { isAsked: true } : {}) }
    }
    case "action.reconciled":
      return self && { ...self, isSettled: true }
    case "action.verified": {
      const { undoing, via } = Payload.of(body, "action.verified") ?? {}
      const isFound = undoing !== undefined && via === "status" && body.result?.status === "ok"
      return self && isFound ? { ...self, isOwn: true } : self
    }
    case "recovery.decided": {
      if (self === undefined || Payload.of(body, "recovery.decided")?.stop !== "not_own") return self
      const { isOwn: _, ...asked } = self
      return asked
    }
    default:
      return self
  }
}

/** Under another key it is sent for the first time. */
const again = (self: RecordedRequest, { body, stamp: { asOf, key } }: Transition): RecordedRequest => {
  const isFirst = self.key === undefined || self.key !== key
  const { action } = body
  const actor = Payload.of(body, "action.started")?.actor
  return {
    ...self,
    key,
    startedAt: asOf,
    firstAt: isFirst ? asOf : self.firstAt,
    ...(action?.target === undefined ? {} : { target: action.target }),
    ...(typeof actor === "string" ? { actor } : {})
  }
}
