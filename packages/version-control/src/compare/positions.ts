/**
 * Names of positions in a body: ids of actions, plans and reviews, which are named after ticks, and ticks themselves.
 *
 * They are replaced by places that runs have in common, so that two bodies can be compared, and put back into what is
 * shown. Values that tools, models and people chose are left as they are: a seat `a12` is no action.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Body } from "@backstitch/trace/Transition"

/** Finds the common place of a tick. */
export type PlaceOf = (tick: number) => string

/** Replaces the names of positions in a body by places, and leaves out those of its own call and intent. */
export const placed = (body: Body, placeOf: PlaceOf): Canonical.JsonObject => {
  const { action, data, intent, policy, ...rest } = body
  const { basis: _, ...said } = intent ?? {}
  const { id: __, undoes, ...called } = action ?? {}
  return {
    ...(rest as Canonical.JsonObject),
    ...(action === undefined
      ? {}
      : { action: undoes === undefined ? called : { ...called, undoes: named(undoes, placeOf) } }),
    ...(data === undefined ? {} : { data: payloadOf(body.type, data as Canonical.JsonObject, placeOf) }),
    ...(intent === undefined ? {} : { intent: said }),
    ...(policy === undefined ? {} : { policy: fieldsOf(policy as Canonical.JsonObject, placeOf) })
  }
}

/** Puts names of positions back in a text. */
export const restored = (text: string, tickOf: (place: string) => number): string =>
  text.replace(token, (_, kind: string, place: string) => `${kind}${tickOf(place)}`)

/** Puts names of positions, and ticks, back in a value. */
export const restoredIn = (value: Canonical.Json, tickOf: (place: string) => number): Canonical.Json => {
  if (typeof value === "string") {
    const tick = wholeTick.exec(value)?.[1]
    return tick === undefined ? restored(value, tickOf) : tickOf(tick)
  }
  if (Array.isArray(value)) return value.map((each) => restoredIn(each, tickOf))
  if (!Canonical.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [restored(key, tickOf), restoredIn(each!, tickOf)])
  )
}

// Two noncharacters of Unicode, which no text may exchange, enclose a place.
const [opens, closes] = ["\uFDD0", "\uFDD1"]
const token = new RegExp(`${opens}([auv]?)([^${closes}]*)${closes}`, "g")
const wholeTick = new RegExp(`^${opens}([^auv${closes}][^${closes}]*)${closes}$`)

/** The ids of actions, plans that undo, and reviews. */
const id = /^([auv])([1-9][0-9]*)$/

const named = (text: string, placeOf: PlaceOf): string => {
  const [, kind, tick] = id.exec(text) ?? []
  return kind === undefined ? text : `${opens}${kind}${placeOf(Number(tick))}${closes}`
}

/** Types of whose payloads the kernel declares every field. */
const declared = /^(action|budget|checkpoint|failure|intent|kernel|policy|recovery|review)\./

/** The fields that the kernel adds to what an agent tells. */
const added: ReadonlySet<string> = new Set(["marked", "reports"])

const payloadOf = (type: string, data: Canonical.JsonObject, placeOf: PlaceOf): Canonical.JsonObject => {
  if (!Ontology.isType(type)) return data
  if (declared.test(type)) return { ...fieldsOf(data, placeOf), ...decidingOf(type, data) }
  if (type !== "goal.complete" && type !== "message.sent") return data
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, added.has(key) ? fieldOf(key, value!, placeOf) : value])
  )
}

/** The person who has decided. In other payloads, `by` is an action. */
const decidingOf = (type: string, { by }: Canonical.JsonObject): Canonical.JsonObject =>
  type === "review.decided" && by !== undefined ? { by } : {}

/** Declared fields whose values tools, models and people chose. */
const content: ReadonlySet<string> = new Set([
  "actor",
  "approver",
  "breakGlass",
  "entity",
  "evidence",
  "expected",
  "fields",
  "found",
  "output",
  "params",
  "proposal",
  "reason",
  "record",
  "recorded",
  "shown",
  "told",
  "with",
  "within",
  "word"
])

/** Declared fields that hold a tick. */
const ticks: ReadonlySet<string> = new Set(["at", "since", "tick"])

/** Renames positions in fields, unless they name the run whose positions they mean. */
const fieldsOf = (fields: Canonical.JsonObject, placeOf: PlaceOf): Canonical.JsonObject =>
  typeof fields["run"] === "string"
    ? fields
    : Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [
          named(key, placeOf),
          content.has(key) ? value : fieldOf(key, value!, placeOf)
        ])
      )

const fieldOf = (key: string, value: Canonical.Json, placeOf: PlaceOf): Canonical.Json => {
  if (typeof value === "number") return ticks.has(key) ? `${opens}${placeOf(value)}${closes}` : value
  if (typeof value === "string") return named(value, placeOf)
  if (Array.isArray(value)) return value.map((each) => fieldOf("", each, placeOf))
  return Canonical.isObject(value) ? fieldsOf(value, placeOf) : value
}
