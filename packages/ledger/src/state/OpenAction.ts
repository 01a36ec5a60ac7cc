/**
 * An action that is not settled: its request, its key, and the answers so far.
 *
 * `OpenActions` folds them; the kernel reads from them what it may do next.
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Draft } from "@backstitch/trace/Transition"
import type * as ActionState from "../machine/ActionState.ts"
import * as Payload from "../payload/Payload.ts"

/**
 * The last answer to a call, or to a status question. `refused` states that nothing happened; `unknown` means that
 * the outcome is unknown.
 */
export interface LastAnswer extends JsonObject {
  readonly as: "accepted" | "done" | "refused" | "unknown"
  readonly at: number
  readonly output: Json
}

/** An action that is not settled. */
export interface OpenAction extends JsonObject {
  readonly class: string
  readonly params: Json
  readonly state: ActionState.State
  readonly tick: number
  readonly tool: string
  /** The actor, kept if the contract compares it. */
  readonly actor?: string | undefined
  readonly actual?: Json | undefined
  /** Another run did it under this key: it is asked about, and never sent from here. */
  readonly adopted?: boolean | undefined
  readonly answer?: LastAnswer | undefined
  /** The number of questions about it, if the contract limits them. */
  readonly asked?: number | undefined
  /** The record as it was before anything was sent. */
  readonly before?: Verified["before"] | undefined
  readonly attempts?: number | undefined
  /** The first read did not show the effect, so the record is read again within its time. */
  readonly awaited?: boolean | undefined
  /** Nothing of the last attempt was sent. */
  readonly deferred?: boolean | undefined
  /** Epoch milliseconds since which the call waits for a record that could not be read before it. */
  readonly deferredAt?: number | undefined
  /** The reversal is sent again after its original was asked about. No attempt is under way. */
  readonly due?: boolean | undefined
  /** Digests of the deliveries of its provider. */
  readonly deliveries?: ReadonlyArray<string> | undefined
  readonly firstAt?: number | undefined
  /** The last news about the latest attempt: an answer or a record. Absent if there is none. */
  readonly heard?: "answer" | "record" | undefined
  readonly key?: string | undefined
  /** The number of times that the record contradicted the action after its time was over. */
  readonly mismatches?: number | undefined
  /** The number of the occurrence, if it is not the first. */
  readonly occurrence?: number | undefined
  /** The number of attempts before a person last had the action tried again. They do not count towards any limit. */
  readonly renewed?: number | undefined
  readonly requestHash?: string | undefined
  /** A person found that nothing happened, and has the action sent again. */
  readonly resend?: boolean | undefined
  /** The review that has to accept the action before it is settled, because the glass was broken for it. */
  readonly review?: string | undefined
  readonly startedAt?: number | undefined
  readonly target?: string | undefined
  /** The last news while a person decides: a delivery of its provider, or a late answer. It counts once reopened. */
  readonly told?: ProviderWord | undefined
  /** The progress of its local transaction: open, judged, or committed. */
  readonly transaction?: string | undefined
  /** The fallbacks that a read has tried so far. */
  readonly tried?: ReadonlyArray<string> | undefined
  /** The call that would undo it, as registered when it started. */
  readonly undo?: typeof Payload.Compensation.Type | undefined
  /** The subtasks of a read, each with its entity. For a mutation they are part of `undo`. */
  readonly within?: JsonObject | undefined
  /** The action that this one undoes. */
  readonly undoes?: string | undefined
  /** The action that this call reverses for a planner, and whether it reverses all of it. */
  readonly reverses?: { readonly action: string; readonly whole: boolean } | undefined
}

/** The outcome of an action according to its provider, and the digest of the delivery; none for a late answer. */
export interface ProviderWord extends JsonObject {
  readonly delivery?: string | undefined
  readonly outcome: "done" | "failed"
  readonly output: Json
}

type Verified = (typeof Payload.payloads)["action.verified"]["Type"]

type Name = keyof { readonly [Each in keyof OpenAction as string extends Each ? never : Each]: true }

/** All names of an open action, in order. */
const ordered: { readonly [Each in Name]: true } = {
  actor: true,
  actual: true,
  adopted: true,
  answer: true,
  asked: true,
  attempts: true,
  awaited: true,
  before: true,
  class: true,
  deferred: true,
  deferredAt: true,
  deliveries: true,
  due: true,
  firstAt: true,
  heard: true,
  key: true,
  mismatches: true,
  occurrence: true,
  params: true,
  renewed: true,
  requestHash: true,
  resend: true,
  reverses: true,
  review: true,
  startedAt: true,
  state: true,
  target: true,
  tick: true,
  told: true,
  tool: true,
  transaction: true,
  tried: true,
  undo: true,
  undoes: true,
  within: true
}
const names = Object.keys(ordered) as ReadonlyArray<Name>

/** The action with changed fields, in the order of their names, so that it is digested without sorting. */
export const patched = (open: OpenAction, patch: Partial<OpenAction>): OpenAction => {
  const all: Partial<OpenAction> = { ...open, ...patch }
  const next: { [name: string]: Json | undefined } = {}
  for (const name of names) {
    const value = all[name]
    if (value !== undefined) next[name] = value
  }
  return next as OpenAction
}

/** Tells whether an action was begun: its key and target are durable, and its effect may happen. */
export const isBegun = ({ state }: OpenAction): boolean => state !== "proposed" && state !== "validated"

/** Tells whether an action waits for a person's decision: until then nothing is asked, sent or believed about it. */
export const isFrozen = ({ state }: Pick<OpenAction, "state">): boolean => state === "review_required"

/** Tells whether this run made the last attempt of an action and has no news of it. */
export const isInFlight = (open: OpenAction): boolean =>
  isBegun(open) && open.heard === undefined && open.deferred !== true && open.adopted !== true

/** Tells whether the tool's last answer accepted the request without its being done. */
export const isAccepted = ({ answer }: OpenAction): boolean => answer?.as === "accepted"

/** Tells whether the last news about an action is that it is done or accepted. */
export const isAnswered = ({ answer, heard }: OpenAction): boolean =>
  heard === "answer" && (answer?.as === "done" || answer?.as === "accepted")

/** Tells whether the last news about an action is a read of its record. */
export const isRead = ({ heard }: OpenAction): boolean => heard === "record"

/** Tells whether an action that was begun was neither answered as done or accepted, nor read back. */
export const isUncertain = (open: OpenAction): boolean =>
  isBegun(open) && open.deferred !== true && !isAnswered(open) && !isRead(open)

/** Adds an answer to an action, as the fold does when the answer is committed. */
export const answeredBy = (open: OpenAction, answer: LastAnswer): OpenAction =>
  patched(open, { answer, deferred: undefined, heard: "answer" })

/** Reads news about an action that waits for a person's decision: they are kept and change nothing. */
export const toldBy = ({ body }: Draft): ProviderWord | undefined => {
  if (body.type !== "action.result") return undefined
  const { delivery, told, via } = Payload.of(body, "action.result") ?? {}
  if ((delivery === undefined && via !== "call") || told === undefined) return undefined
  const { outcome, output } = told
  if (outcome !== "done" && outcome !== "failed") return undefined
  return { ...(delivery === undefined ? {} : { delivery }), outcome, output }
}
