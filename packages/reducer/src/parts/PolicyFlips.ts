/**
 * Changes of policy: the first decision by subject, and the first tick at which it went from allow to deny.
 *
 * The subject is the type that was decided on (`action.request`) and, for tool calls, the tool
 * (`action.request:book_flight`). An escalation counts as neither: a person decides, and that decision counts.
 *
 * @source Dendrer, section 4.3 (policy flips)
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Part from "../state/Part.ts"
import * as Payload from "../state/Payload.ts"
import type { State } from "../state/State.ts"

/** The first decision of one subject, and the tick of its flip. */
export interface Flip extends JsonObject {
  readonly allowed: boolean
  readonly at?: number | undefined
}

/** Decisions by subject. */
export interface Flips extends JsonObject {
  readonly [subject: string]: Flip | undefined
}

const note = (self: Flips, { body, tick }: Transition): Flips => {
  if (body.policy === undefined || body.policy.decision === "escalate") return self
  const verdict = Payload.of(body, "policy.decision") ?? Payload.of(body, "intent.refused") ?? {}
  const decided = verdict.proposed ?? body.type
  const tool = body.action?.tool ?? verdict.tool ?? ""
  const subjects = tool === "" ? [decided] : [decided, `${decided}:${tool}`]
  const allow = body.policy.decision === "allow"
  let next = self
  for (const subject of subjects) {
    const known = Object.hasOwn(next, subject) ? next[subject] : undefined
    if (known?.at !== undefined) continue
    if (allow && known === undefined) next = { ...next, [subject]: { allowed: true } }
    else if (!allow && known?.allowed === true) next = { ...next, [subject]: { allowed: true, at: tick } }
    else if (!allow && known === undefined) next = { ...next, [subject]: { allowed: false } }
    else if (allow && known?.allowed === false) next = { ...next, [subject]: { allowed: true } }
  }
  return next
}

/** The part of the fold that latches policy flips. */
export const part: Part.Part<Flips> = Part.make<Flips>("policy", {
  version: 1,
  init: {},
  on: { "action.request": note, "policy.decision": note, "intent.refused": note }
})

/** The tick at which policy on a subject went from allow to deny; `undefined` if it did not. */
export const flippedAt = (state: State, subject: string): number | undefined => {
  const flips = Part.get(part, state)
  return Object.hasOwn(flips, subject) ? flips[subject]?.at : undefined
}
