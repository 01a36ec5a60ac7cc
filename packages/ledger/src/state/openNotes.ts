/** Notes on an open action beside its state: keys, times, counts, answers and readings. */
import { defined } from "@backstitch/trace/Defined"
import type { Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"
import { type LastAnswer, type OpenAction, toldBy } from "./OpenAction.ts"

type Body = Transition["body"]

/** The fields of an open action that a fact changes; `undefined` if the fact settles it. */
export type Note = (open: OpenAction, transition: Transition) => Partial<OpenAction> | undefined

const nothing: Partial<OpenAction> = {}

/** The note of a fact that changes no field. */
export const unmoved: Note = () => nothing

/** The note of a settlement: the action is not open any more. */
export const settled: Note = () => undefined

/** The class whose actions are settled by their answer. */
const readOnly = "read_only"

/** Tells whether an answer settles its action: that of a read, or one that was recorded elsewhere. */
export const settles = ({ class: sideEffect }: OpenAction, result: Body["result"]): boolean =>
  sideEffect === readOnly || result?.basis === "recorded"

/** The fields of an action that was requested. */
export const requested = ({ body, stamp, tick }: Transition): Omit<OpenAction, "state"> => {
  const { class: sideEffect = "", params = null, tool = "", undoes } = body.action ?? {}
  const { reverses, within } = Payload.of(body, "action.request") ?? {}
  const { occurrence } = body.intent ?? {}
  return {
    class: sideEffect,
    params,
    tick,
    tool,
    ...adopted(body, stamp),
    ...defined({ occurrence, reverses, undoes, within })
  }
}

/** A request with a key was imported: the act is done, and its outcome is not known here yet. */
const adopted = ({ action }: Body, { asOf, key }: Transition["stamp"]): Partial<OpenAction> =>
  key === undefined ? nothing : { adopted: true, key, requestHash: action?.requestHash, startedAt: asOf }

/** The note of questions to the system of record, which are counted. */
export const asked: Note = (open, { stamp: { spent } }) => ({
  asked: (open.asked ?? 0) + Number(spent?.["verification"] ?? 0)
})

/** The note of a start: its time, its key, its review and the registered undo. */
export const started: Note = (open, transition) => {
  const { body, stamp } = transition
  const { actor, review, undo } = Payload.of(body, "action.started") ?? {}
  return {
    ...defined({ actor, review }),
    // A further attempt registers nothing new.
    ...defined({ undo }),
    ...attempted(open, transition),
    deferred: undefined,
    due: undefined,
    heard: undefined,
    key: stamp.key,
    requestHash: body.action?.requestHash,
    startedAt: stamp.asOf,
    target: body.action?.target
  }
}

/**
 * Counts an attempt and keeps the time of the first one. A deferred attempt was not sent. An attempt that a person
 * ordered clears the last answer.
 */
const attempted = (open: OpenAction, transition: Transition): Partial<OpenAction> => {
  const { asOf } = transition.stamp
  if (open.deferred === true) return { attempts: open.attempts, before: undefined, firstAt: asOf }
  const again = open.resend === true ? unanswered : nothing
  return isRenewed(open, transition)
    ? { ...again, attempts: 1, before: undefined, firstAt: asOf, renewed: undefined, transaction: undefined }
    : { ...again, attempts: (open.attempts ?? 0) + 1, firstAt: open.firstAt ?? asOf }
}

/** Under another key it is sent for the first time: the attempts under the earlier key have failed for good. */
const isRenewed = (open: OpenAction, { stamp: { key } }: Transition): boolean =>
  open.key !== undefined && open.key !== key

const unanswered: Partial<OpenAction> = {
  actual: undefined,
  answer: undefined,
  before: undefined,
  resend: undefined
}

/** The note of an answer; it settles a read. */
export const answered: Note = (open, transition) => {
  const { body, stamp } = transition
  if (settles(open, body.result)) return undefined
  const told = toldBy(transition)
  if (told !== undefined) return { ...delivered(open, body), told }
  return {
    answer: { as: answeredAs(body), at: stamp.asOf, output: body.result?.output ?? null },
    deferred: undefined,
    ...delivered(open, body),
    ...held(body),
    heard: "answer",
    told: undefined
  }
}

const answeredAs = (body: Body): LastAnswer["as"] => {
  switch (body.result?.status) {
    case "unknown":
      return "unknown"
    case "error":
      return "refused"
    default:
      return Payload.of(body, "action.result")?.stage ?? "done"
  }
}

/** A repeated delivery counts once. */
const delivered = (open: OpenAction, body: Body): Pick<OpenAction, "deliveries"> => {
  const { delivery } = Payload.of(body, "action.result") ?? {}
  return delivery === undefined ? {} : { deliveries: [...(open.deliveries ?? []), delivery] }
}

/** Reads the progress of a local transaction from a body: open, judged, or committed. */
const held = (body: Body): Pick<OpenAction, "transaction"> => {
  const { transaction, verdict } = Payload.of(body, "action.result") ?? {}
  const { concluded, verdict: judged } = Payload.of(body, "action.verified") ?? {}
  const known = concluded === "committed" ? concluded : (verdict ?? judged ?? transaction)
  return known === undefined ? {} : { transaction: known }
}

/** The note of a readback: its verdict, its mismatches, and the record before the sending. */
export const verified: Note = (_, { body }) => {
  const { before, mismatches, undoing, verdict } = Payload.of(body, "action.verified") ?? {}
  // A question before the undoing does not describe the record before the sending.
  if (undoing !== undefined) return nothing
  if (before !== undefined) return { before }
  // A read inside the transaction: the answer still has to be proven.
  if (verdict !== undefined) return held(body)
  return {
    ...held(body),
    ...defined({ mismatches }),
    actual: body.result?.output ?? null,
    // A readback that failed leaves the answer to be read back again.
    ...(body.result?.status === "unknown" ? nothing : { deferred: undefined, heard: "record" as const })
  }
}

/** The note of a recovery: waits, deferrals, and the time at which it is due. */
export const decided: Note = (open, { body, stamp }) => {
  const { awaits, defers, due, tried, unsent } = Payload.of(body, "recovery.decided") ?? {}
  return {
    ...(defers === true ? { deferred: true, deferredAt: open.deferredAt ?? stamp.asOf } : {}),
    ...(awaits === true ? { awaited: true } : {}),
    ...(due === true ? { due } : {}),
    // The attempt was begun and could not be sent.
    ...(unsent === true ? { attempts: (open.attempts ?? 1) - 1 } : {}),
    ...defined({ tried })
  }
}

/** A person has the action verified or sent again. */
export const reviewed: Note = (open, { body }) => {
  const { state, undo } = Payload.of(body, "review.decided") ?? {}
  const isTriedAgain = state === "pending" && undo === undefined
  return isTriedAgain && open.state === "review_required" ? reopened(open, body) : nothing
}

/** Reopens an action. Attempts before the person's decision do not count towards any limit. */
export const reopened = ({ attempts }: OpenAction, body: Body): Partial<OpenAction> => ({
  renewed: attempts,
  ...(Payload.of(body, "review.decided")?.as === "resent" ? { resend: true } : {})
})
