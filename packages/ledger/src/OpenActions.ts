/**
 * Actions that are not settled, as folded state: what was asked, under which key, and what came back so far.
 *
 * An entry lives from `action.request` until the action is settled: a read
 * when it is answered, a mutation when it is reconciled, any when it is
 * refused. What a crash leaves behind is exactly what is in here.
 */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Body, Draft } from "@backstitch/trace/Transition"
import type * as ActionMoves from "./ActionMoves.ts"
import type * as ActionState from "./ActionState.ts"
import {
  answered,
  asked,
  decided,
  type Noted,
  reopened,
  requested,
  reviewed,
  settled,
  settles,
  started,
  toldOf,
  unmoved,
  verified
} from "./internal/openNotes.ts"
import * as KnownActions from "./KnownActions.ts"
import * as Payload from "./Payload.ts"

/**
 * The last answer to a call, or to a question about its key. `refused` attests that nothing happened; after `unknown`
 * nobody knows.
 */
export interface Answer extends JsonObject {
  readonly as: "accepted" | "done" | "refused" | "unknown"
  readonly at: number
  readonly output: Json
}

/** An action that is not settled. */
export interface Open extends JsonObject {
  readonly class: string
  readonly params: Json
  readonly state: ActionState.State
  readonly tick: number
  readonly tool: string
  /** Who acts, kept where the contract asks about it. */
  readonly actor?: string | undefined
  readonly actual?: Json | undefined
  /** Another run did it under this key: it is asked about, and never sent from here. */
  readonly adopted?: boolean | undefined
  readonly answer?: Answer | undefined
  /** Questions about it, where the contract limits them. */
  readonly asked?: number | undefined
  /** What the record showed before anything was sent. */
  readonly before?: Verified["before"] | undefined
  readonly attempts?: number | undefined
  /** It did not show when it was read first, and is read again in its time. */
  readonly awaited?: boolean | undefined
  /** Nothing of the last attempt was sent. */
  readonly deferred?: boolean | undefined
  /** Since when it waits for a record that could not be read before it was sent; epoch milliseconds. */
  readonly deferredAt?: number | undefined
  /** It is sent again once what it undoes was asked about: nothing of it is under way. */
  readonly due?: boolean | undefined
  /** Digests of what its provider has delivered. */
  readonly deliveries?: ReadonlyArray<string> | undefined
  readonly firstAt?: number | undefined
  /** What was heard of the last attempt; nothing, where it is absent. */
  readonly heard?: "answer" | "record" | undefined
  readonly key?: string | undefined
  /** How often the record contradicted it when its time was over. */
  readonly mismatches?: number | undefined
  /** Which of several same acts it is, where it is not the first. */
  readonly occurrence?: number | undefined
  /** How often it was sent before a person last had it tried again: that counts for no limit. */
  readonly renewed?: number | undefined
  readonly requestHash?: string | undefined
  /** A person found that nothing happened, and has it sent again. */
  readonly resend?: boolean | undefined
  /** The review without which it is not settled: the glass was broken for it. */
  readonly review?: string | undefined
  readonly startedAt?: number | undefined
  readonly target?: string | undefined
  /** What its provider last delivered while a person decides about it: evidence that waits until it is reopened. */
  readonly told?: Told | undefined
  /** How far its local transaction has come: open, what was decided about it, or known to be committed. */
  readonly transaction?: string | undefined
  /** What a read has fallen back to so far. */
  readonly tried?: ReadonlyArray<string> | undefined
  /** What would undo it, as it was registered when it started. */
  readonly undo?: typeof Payload.Compensation.Type | undefined
  /** The subtasks that a read belongs to, each with its entity; of a mutation they are part of `undo`. */
  readonly within?: JsonObject | undefined
  /** The action that this one undoes. */
  readonly undoes?: string | undefined
  /** The action that this one undoes of a planner's own accord, and whether all of it. */
  readonly reverses?: { readonly action: string; readonly whole: boolean } | undefined
}

/** What a provider said came of an action, and the digest of the delivery that says so. */
export interface Told extends JsonObject {
  readonly delivery: string
  readonly outcome: "done" | "failed"
  readonly output: Json
}

/** Open actions by id. */
export interface OpenActions extends JsonObject {
  readonly [id: string]: Open | undefined
}

type Verified = (typeof Payload.payloads)["action.verified"]["Type"]

/** One object for no action at all: its digest is known. */
const none: OpenActions = {}

type Name = keyof { readonly [Each in keyof Open as string extends Each ? never : Each]: true }

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

/** The action with other fields, in the order of their names: what is in canonical order is digested as it stands. */
const patched = (open: Open, patch: Partial<Open>): Open => {
  const next: { [name: string]: Json | undefined } = {}
  for (const name of names) {
    const value = name in patch ? patch[name] : open[name]
    if (value !== undefined) next[name] = value
  }
  return next as Open
}

/** Moves by the one machine, and notes what the fact says beside it. What is refused changes nothing. */
const step =
  (noted: Noted): Part.Evolve<OpenActions> =>
  (self, transition, before) => {
    const id = transition.body.action?.id
    if (id === undefined) return self
    const moves = KnownActions.moves(before, transition)
    const [open, own] = [get(self, id), moves.find(({ action }) => action === id)]
    let next = self
    if (open !== undefined && own?.refused === undefined) {
      const patch = noted(open, transition)
      next = patch === undefined ? without(self, id) : changed(self, id, { ...patch, ...entered(own) })
    }
    for (const move of moves) if (move.action !== id) next = changed(next, move.action, entered(move))
    return next
  }

const get = (self: OpenActions, id: string): Open | undefined => (Object.hasOwn(self, id) ? self[id] : undefined)

const entered = (move: ActionMoves.Move | undefined): Partial<Open> => {
  const state = move?.states.at(-1)
  return state === undefined ? {} : { state }
}

const changed = (self: OpenActions, id: string, patch: Partial<Open>): OpenActions => {
  const open = get(self, id)
  for (const _ in open === undefined ? {} : patch) return { ...self, [id]: patched(open!, patch) }
  return self
}

const without = (self: OpenActions, id: string): OpenActions => {
  const { [id]: _, ...rest } = self
  for (const _ in rest) return rest
  return none
}

/** One that is denied is not opened, nor one that was requested before. */
const request: Part.Evolve<OpenActions> = (self, transition, before) => {
  const { action, policy } = transition.body
  if (action === undefined || policy?.decision === "deny" || isRefused(transition, before)) return self
  let next = self
  for (const move of KnownActions.moves(before, transition)) {
    next =
      move.action === action.id
        ? { ...next, [action.id]: patched(requested(transition) as Open, entered(move)) }
        : changed(next, move.action, entered(move))
  }
  return next
}

/** What a person decides of an action that is undone may be about its reversal. */
const review: Part.Evolve<OpenActions> = (self, transition, before) => {
  const next = step(reviewed)(self, transition, before)
  const { reopens } = Payload.of(transition.body, "review.decided") ?? {}
  const reversal = reopens === undefined ? undefined : get(next, reopens)
  return reopens === undefined || reversal === undefined
    ? next
    : changed(next, reopens, reopened(reversal, transition.body))
}

/** The part of the fold that keeps open actions. */
export const part: Part.Part<OpenActions> = Part.make<OpenActions>(KnownActions.parts.open, {
  version: 1,
  init: none,
  on: {
    "action.request": request,
    "policy.decision": step(unmoved),
    "action.asked": step(asked),
    "action.started": step(started),
    "action.result": step(answered),
    "action.verified": step(verified),
    "action.reconciled": step(settled),
    "recovery.decided": step(decided),
    "review.requested": step(unmoved),
    "review.decided": review,
    "intent.dropped": step(settled),
    // A fork inherits beliefs, not obligations: its parent settles what it has begun.
    "run.fork": () => none
  }
})

/** The open actions of a state. */
export const of = (state: State): OpenActions => Part.get(part, state)

/** Tells whether a result settles its action: that of a read does, and one that was recorded elsewhere. */
export const isSettledBy = ({ action, result }: Pick<Body, "action" | "result">, before: State): boolean => {
  const open = of(before)[action?.id ?? ""]
  return open !== undefined && settles(open, result)
}

/** Tells whether a transition claims a move of its action that is refused: then it opens and settles nothing. */
export const isRefused = (draft: Draft, before: State): boolean =>
  KnownActions.own(before, draft)?.refused !== undefined

/** What a provider delivered of an action that a person decides about: it is kept, and moves nothing. */
export const toldBy = (draft: Draft): Told | undefined => toldOf(draft)

/** Tells whether an action was begun: its key and target are durable, and its effect may happen. */
export const isBegun = ({ state }: Open): boolean => state !== "proposed" && state !== "validated"

/** Tells whether a person decides about an action: until then nothing is asked, sent or believed of it. */
export const isFrozen = ({ state }: Open): boolean => state === "review_required"

/** Tells whether nobody has heard of the last attempt of an action, which this run made. */
export const isInFlight = (open: Open): boolean =>
  isBegun(open) && open.heard === undefined && open.deferred !== true && open.adopted !== true

/** Tells whether a tool took the request of an action when it answered last, without its being done then. */
export const isAccepted = ({ answer }: Open): boolean => answer?.as === "accepted"

/** Tells whether the last that was heard of an action is that it is done or accepted. */
export const isAnswered = ({ answer, heard }: Open): boolean =>
  heard === "answer" && (answer?.as === "done" || answer?.as === "accepted")

/** Tells whether the last that was heard of an action is what its record shows. */
export const isRead = ({ heard }: Open): boolean => heard === "record"

/**
 * Tells whether nobody knows of an action that was begun whether it is done: nothing was heard of it, or nothing that
 * says so.
 */
export const isUncertain = (open: Open): boolean =>
  isBegun(open) && open.deferred !== true && !isAnswered(open) && !isRead(open)

/** An action as it stands once an answer is committed. */
export const answeredBy = (open: Open, answer: Answer): Open =>
  patched(open, { answer, deferred: undefined, heard: "answer" })
