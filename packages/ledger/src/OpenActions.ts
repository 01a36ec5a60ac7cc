/**
 * Actions that are not settled, as folded state: what was asked, under which key, and what came back so far.
 *
 * An entry lives from `action.request` until the action is settled: a read
 * when it is answered, a mutation when it is reconciled, any when it is
 * refused. What a crash leaves behind is exactly what is in here.
 *
 * @since 0.1.0
 */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Draft, Transition } from "@backstitch/trace/Transition"

/**
 * How far an open action has come. What is deferred was begun, and nothing of it was sent.
 *
 * @category models
 * @since 0.1.0
 */
export type Phase = "requested" | "deferred" | "started" | "answered" | "unknown" | "verified"

/**
 * An action that is not settled.
 *
 * @category models
 * @since 0.1.0
 */
export interface Open extends JsonObject {
  readonly class: string
  readonly params: Json
  readonly phase: Phase
  readonly tick: number
  readonly tool: string
  /** The tool took the request, and it was not done then. */
  readonly accepted?: boolean | undefined
  /** Who acts, kept where the contract asks about it. */
  readonly actor?: string | undefined
  readonly actual?: Json | undefined
  /** Another run did it under this key: it is asked about, and never sent from here. */
  readonly adopted?: boolean | undefined
  readonly answeredAt?: number | undefined
  /** Questions about it, where the contract limits them. */
  readonly asked?: number | undefined
  /** What the record showed before anything was sent. */
  readonly before?: JsonObject | undefined
  readonly attempts?: number | undefined
  /** It did not show when it was read first, and is read again in its time. */
  readonly awaited?: boolean | undefined
  /** Since when it waits for a record that could not be read before it was sent; epoch milliseconds. */
  readonly deferredAt?: number | undefined
  /** It is sent again once what it undoes was asked about: nothing of it is under way. */
  readonly due?: boolean | undefined
  /** Digests of what its provider has delivered. */
  readonly deliveries?: ReadonlyArray<string> | undefined
  readonly firstAt?: number | undefined
  /** A person decides about it; until then nothing is asked, sent or believed. */
  readonly frozen?: boolean | undefined
  readonly key?: string | undefined
  /** How often the record contradicted it when its time was over. */
  readonly mismatches?: number | undefined
  readonly observed?: Json | undefined
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
  readonly undo?: JsonObject | undefined
  /** The subtasks that a read belongs to, each with its entity; of a mutation they are part of `undo`. */
  readonly within?: JsonObject | undefined
  /** The action that this one undoes. */
  readonly undoes?: string | undefined
  /** The action that this one undoes of a planner's own accord, and whether all of it. */
  readonly reverses?: { readonly action: string; readonly whole: boolean } | undefined
}

/**
 * What a provider said came of an action, and the digest of the delivery that says so.
 *
 * @category models
 * @since 0.1.0
 */
export interface Told extends JsonObject {
  readonly delivery: string
  readonly outcome: "done" | "failed"
  readonly output: Json
}

/**
 * Open actions by id.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenActions extends JsonObject {
  readonly [id: string]: Open | undefined
}

/** The class whose actions are settled by their answer. */
const readOnly = "read_only"

const settles = ({ class: sideEffect }: Open, { body }: Draft): boolean =>
  sideEffect === readOnly || body.result?.basis === "recorded"

const change = (self: OpenActions, { body }: Transition, update: (open: Open) => Open | undefined): OpenActions => {
  const open = body.action !== undefined && Object.hasOwn(self, body.action.id) ? self[body.action.id] : undefined
  if (open === undefined) return self
  const next = update(open)
  if (next !== undefined) return { ...self, [body.action!.id]: next }
  const { [body.action!.id]: _, ...rest } = self
  for (const _ in rest) return rest
  return none
}

/** One object for no action at all: its digest is known. */
const none: OpenActions = {}

/** A request that carries a key was imported: the act is done, and what it came to is not known here yet. */
const adoptedOf = (body: Transition["body"], stamp: Transition["stamp"]): Partial<Open> =>
  stamp.key === undefined
    ? {}
    : {
        adopted: true,
        key: stamp.key,
        phase: "unknown",
        requestHash: body.action?.requestHash,
        startedAt: stamp.asOf
      }

const withinOf = ({ data }: Transition["body"]): Pick<Open, "within"> => {
  const within = data?.["within"]
  return Canonical.isObject(within) ? { within } : {}
}

/**
 * The action that a call undoes of a planner's own accord, as its request says.
 *
 * @category getters
 * @since 0.1.0
 */
export const reversesOf = ({ data }: Transition["body"]): { readonly reverses?: NonNullable<Open["reverses"]> } => {
  const { action, whole } = Canonical.objectOf(data?.["reverses"])
  return typeof action === "string" ? { reverses: { action, whole: whole === true } } : {}
}

const occurrenceOf = ({ intent }: Transition["body"]): Pick<Open, "occurrence"> =>
  intent?.occurrence === undefined ? {} : { occurrence: intent.occurrence }

type Name = keyof { readonly [Each in keyof Open as string extends Each ? never : Each]: true }

/** All names of an open action, in order. */
const ordered: { readonly [Each in Name]: true } = {
  accepted: true,
  actor: true,
  actual: true,
  adopted: true,
  answeredAt: true,
  asked: true,
  attempts: true,
  awaited: true,
  before: true,
  class: true,
  deferredAt: true,
  deliveries: true,
  due: true,
  firstAt: true,
  frozen: true,
  key: true,
  mismatches: true,
  observed: true,
  occurrence: true,
  params: true,
  phase: true,
  renewed: true,
  requestHash: true,
  resend: true,
  reverses: true,
  review: true,
  startedAt: true,
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

/** What only the moment of the start knows. */
const begunWith = ({ body: { data } }: Transition): Pick<Open, "actor" | "review"> => {
  const { actor, review } = data ?? {}
  return { ...(typeof actor === "string" ? { actor } : {}), ...(typeof review === "string" ? { review } : {}) }
}

/** The same delivery counts once. */
const deliveredWith = (open: Open, { body: { data } }: Transition): Pick<Open, "deliveries"> => {
  const delivery = data?.["delivery"]
  return typeof delivery === "string" ? { deliveries: [...(open.deliveries ?? []), delivery] } : {}
}

/**
 * What a provider delivered of an action that a person decides about: it is kept, and moves nothing.
 *
 * @category getters
 * @since 0.1.0
 */
export const toldBy = ({ body: { data = {}, type } }: Draft): Told | undefined => {
  const { delivery, told } = data
  if (type !== "action.result" || typeof delivery !== "string" || !Canonical.isObject(told)) return undefined
  const { outcome, output = null } = told
  return outcome === "done" || outcome === "failed" ? { delivery, outcome, output } : undefined
}

/** Under another key it is sent for the first time: what was sent under the one before has failed for good. */
const isRenewed = (open: Open, { stamp: { key } }: Transition): boolean => open.key !== undefined && open.key !== key

/** An attempt that failed behind a pivot counts for nothing: the step is sent again. */
const phaseOf = ({ body: { data, result } }: Transition): Phase => {
  if (result?.status === "unknown") return "unknown"
  return data?.["state"] === "forward_recovery" ? "started" : "answered"
}

/** What is known of a local transaction: that it is open, what was decided about it, or that it is committed. */
const heldWith = ({ body: { data } }: Transition): Pick<Open, "transaction"> => {
  const { concluded, transaction, verdict } = data ?? {}
  const known = concluded === "committed" ? concluded : (verdict ?? transaction)
  return typeof known === "string" ? { transaction: known } : {}
}

/** How often it was sent, and when first: what was deferred was not. What a person has sent again has no answer yet. */
const attempted = (open: Open, transition: Transition): Partial<Open> => {
  const { asOf } = transition.stamp
  if (open.phase === "deferred") return { attempts: open.attempts, before: undefined, firstAt: asOf }
  const again = open.resend === true ? unanswered : {}
  return isRenewed(open, transition)
    ? { ...again, attempts: 1, before: undefined, firstAt: asOf, renewed: undefined, transaction: undefined }
    : { ...again, attempts: (open.attempts ?? 0) + 1, firstAt: open.firstAt ?? asOf }
}

const unanswered: Partial<Open> = {
  accepted: undefined,
  actual: undefined,
  answeredAt: undefined,
  before: undefined,
  observed: undefined,
  resend: undefined
}

/** Of a further attempt nothing new is registered. */
const registered = ({ body }: Transition): { readonly undo?: JsonObject } => {
  const undo = body.data?.["undo"]
  return Canonical.isObject(undo) ? { undo } : {}
}

/** A person has it verified again, or sent again. */
const decided = ({ attempts }: Open, { body: { data } }: Transition): Partial<Open> => ({
  frozen: undefined,
  ...(data?.["renews"] === true ? { renewed: attempts } : {}),
  ...(data?.["resend"] === true ? { resend: true } : {})
})

/**
 * The part of the fold that keeps open actions.
 *
 * @category parts
 * @since 0.1.0
 */
export const part: Part.Part<OpenActions> = Part.make<OpenActions>("actions", {
  version: 1,
  init: none,
  on: {
    "action.request": (self, { body, stamp, tick }) => {
      const action = body.action
      if (action === undefined || (body.policy !== undefined && body.policy.decision === "deny")) return self
      const open = { class: action.class ?? "", params: action.params ?? null, phase: "requested", tick } as const
      const undoes = action.undoes === undefined ? {} : { undoes: action.undoes }
      const known = { ...adoptedOf(body, stamp), ...occurrenceOf(body), ...reversesOf(body), ...withinOf(body) }
      return { ...self, [action.id]: { ...open, ...known, tool: action.tool ?? "", ...undoes } }
    },
    "action.asked": (self, transition) =>
      change(self, transition, (open) =>
        patched(open, { asked: (open.asked ?? 0) + Number(transition.stamp.spent?.["verification"] ?? 0) })
      ),
    "action.started": (self, transition) =>
      change(self, transition, (open) =>
        patched(open, {
          ...begunWith(transition),
          ...registered(transition),
          ...attempted(open, transition),
          due: undefined,
          key: transition.stamp.key,
          phase: "started",
          requestHash: transition.body.action?.requestHash,
          startedAt: transition.stamp.asOf,
          target: transition.body.action?.target
        })
      ),
    "action.result": (self, transition) =>
      change(self, transition, (open) => {
        const result = transition.body.result
        if (settles(open, transition)) return undefined
        const told = toldBy(transition)
        if (told !== undefined) return patched(open, { ...deliveredWith(open, transition), told })
        return patched(open, {
          accepted: transition.body.data?.["stage"] === "accepted" ? true : undefined,
          answeredAt: transition.stamp.asOf,
          ...deliveredWith(open, transition),
          ...heldWith(transition),
          observed: result?.output ?? null,
          phase: phaseOf(transition),
          told: undefined
        })
      }),
    "action.verified": (self, transition) =>
      change(self, transition, (open) => {
        const { data, result } = transition.body
        // Asked before it is undone: what was there before it was sent is something else.
        if (data?.["undoing"] !== undefined) return open
        const before = data?.["before"]
        if (Canonical.isObject(before)) return patched(open, { before })
        const held = heldWith(transition)
        // Read inside: what was answered is still to be proven.
        if (data?.["verdict"] !== undefined) return patched(open, held)
        const mismatches = data?.["mismatches"]
        return patched(open, {
          ...held,
          ...(typeof mismatches === "number" ? { mismatches } : {}),
          actual: result?.output ?? null,
          // A readback that failed leaves the answer where it was: to be read back.
          phase: result?.status === "unknown" ? open.phase : "verified"
        })
      }),
    "action.reconciled": (self, transition) => change(self, transition, () => undefined),
    "recovery.decided": (self, transition) => {
      const { awaits, defers, due, freezes, tried, unsent } = transition.body.data ?? {}
      const isMoved = [awaits, defers, due, freezes, unsent].includes(true) || Array.isArray(tried)
      if (!isMoved) return self
      return change(self, transition, (open) =>
        patched(open, {
          ...(defers === true ? { deferredAt: open.deferredAt ?? transition.stamp.asOf, phase: "deferred" } : {}),
          ...(awaits === true ? { awaited: true } : {}),
          ...(due === true ? { due } : {}),
          // It was begun, and could not leave.
          ...(unsent === true ? { attempts: (open.attempts ?? 1) - 1 } : {}),
          ...(freezes === true ? { frozen: true } : {}),
          ...(Array.isArray(tried) ? { tried: tried.map(String) } : {})
        })
      )
    },
    "review.decided": (self, transition) => {
      const { reopens, state } = transition.body.data ?? {}
      const reversal = typeof reopens === "string" && Object.hasOwn(self, reopens) ? self[reopens] : undefined
      if (reversal !== undefined)
        return { ...self, [String(reopens)]: patched(reversal, decided(reversal, transition)) }
      return state === "pending"
        ? change(self, transition, (open) => (open.frozen === true ? patched(open, decided(open, transition)) : open))
        : self
    },
    "intent.dropped": (self, transition) => change(self, transition, () => undefined),
    // A fork inherits beliefs, not obligations: its parent settles what it has begun.
    "run.fork": () => none
  }
})

/**
 * The open actions of a state.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (state: State): OpenActions => Part.get(part, state)

/**
 * Tells whether a result settles its action: that of a read does, and one that was recorded elsewhere.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSettledBy = (result: Draft, before: State): boolean => {
  const open = of(before)[result.body.action?.id ?? ""]
  return open !== undefined && settles(open, result)
}
