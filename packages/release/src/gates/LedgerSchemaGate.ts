/** Gate 6: a new schema of ledger entries accepts every entry that the old one accepts. */
import type { Objection } from "@backstitch/wording/ReleaseWords"
import * as GateVerdict from "./GateVerdict.ts"

/** A recorded entry of a ledger, and the messages of the new schema about it; `undefined` if it is accepted. */
export interface ValidatedEntry {
  readonly action: string
  readonly run: string
  readonly message: string | undefined
}

/**
 * Compares two schemas, and objects to recorded entries that the new one refuses.
 *
 * **Details**
 *
 * It compares the part of JSON Schema that ledger entries use: types, values, required and known fields. Both schemas
 * close their objects, so new fields are allowed and removed fields are not.
 */
export const judge = (
  before: unknown,
  after: unknown,
  entries: ReadonlyArray<ValidatedEntry> = []
): GateVerdict.GateVerdict => {
  const against: Array<Objection> = []
  const fields = narrowings(before, after, "entry", against)
  for (const { action, message, run } of entries) {
    if (message !== undefined) against.push({ code: "entry_refused", action, message, run })
  }
  return GateVerdict.make("ledger_schema", fields + entries.length, against)
}

interface Node {
  readonly [name: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** Counts the compared fields, and adds values that the new schema refuses and the old one accepts. */
const narrowings = (before: unknown, after: unknown, at: string, against: Array<Objection>): number => {
  if (!isNode(before)) return 0
  if (!isNode(after)) {
    against.push({ code: "field_gone", at })
    return 1
  }
  for (const name of ["type", "enum"] as const) {
    const [old, fresh] = [listOf(before[name]), listOf(after[name])]
    const lost = fresh === undefined ? [] : (old ?? ["anything"]).filter((one) => !fresh.includes(one))
    if (lost.length > 0) against.push({ code: "values_lost", at, values: lost.map(String) })
  }
  const [oldProperties, properties] = [before["properties"], after["properties"]]
  const required = (listOf(after["required"]) ?? []).filter(
    (name) => !(listOf(before["required"]) ?? []).includes(name)
  )
  for (const name of required) against.push({ code: "field_required", at: `${at}.${String(name)}` })
  let count = 1 + narrowings(before["items"], after["items"], `${at}[]`, against)
  if (!isNode(oldProperties)) return count
  for (const [name, property] of Object.entries(oldProperties)) {
    count += narrowings(property, isNode(properties) ? properties[name] : undefined, `${at}.${name}`, against)
  }
  return count
}

const listOf = (value: unknown): ReadonlyArray<unknown> | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? value : [value]
