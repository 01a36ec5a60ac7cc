/**
 * A tool's answer, made safe to read, with its level of trust.
 *
 * Raw output (stack traces, provider blobs, anything that a tool prints) never leaves this module: a planner gets the
 * fields that the contract declares, and a digest of the rest. An observation is evidence. It becomes belief only
 * when the system of record was read and the predicates hold.
 *
 * @source Action Verification, "Observation Trust Ladder"; HS-10
 */

import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Field from "@backstitch/expressions/Field"
import * as Trust from "@backstitch/ledger/Trust"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Limits from "../Limits.ts"

/** The answer of a tool as one word. */
export type Status = "success" | "accepted" | "pending" | "not_found" | "error" | "timeout" | "garbage"

/** The answer as the executor has it. Only {@link normalise} reads `output`. */
export interface Raw {
  readonly status: Exclude<Status, "garbage">
  readonly output?: unknown
}

/** A failure as a planner sees it: a code of the tool, or one of this package. */
export interface Failure {
  readonly code: string
}

/**
 * An observation: the only form in which an answer passes on.
 *
 * **Details**
 *
 * `success` is the flag that callers have to use, whatever the fields contain. `fields` are those that the contract
 * declares, cut down to `Limits.showing.observedCharactersMax`. `error` has a code, never a message. `raw` is the
 * digest of the output, which is kept for people. `withheld` says that some part of the output is not passed on.
 */
export interface Observation {
  readonly action: string
  readonly tool: string
  readonly status: Status
  readonly success: boolean
  readonly fields: Canonical.Json
  readonly error: Failure | null
  readonly raw: Digest.Digest
  readonly withheld: boolean
  readonly trust: Trust.Trust
  readonly pointer: string
}

/**
 * Normalises an answer.
 *
 * **Details**
 *
 * A success whose output does not have the declared shape is `garbage`, which is no success. Without a declared
 * output, only the status is passed on.
 */
export const normalise = (
  raw: Raw,
  about: { readonly action: string; readonly contract: ToolContract.ToolContract; readonly pointer: string }
): Observation => {
  const { action, contract, pointer } = about
  const json = jsonOf(raw.output)
  const base = {
    action,
    tool: contract.name,
    error: null,
    success: false,
    raw: Digest.ofBytes(json === undefined ? String(raw.output) : Canonical.encode(json)),
    trust: Trust.of("word"),
    pointer
  } as const
  const nothing = { ...base, fields: null, withheld: raw.output !== undefined }
  if (raw.status === "error") return { ...nothing, status: "error", error: { code: codeOf(json) } }
  if (raw.status !== "success") return { ...nothing, status: raw.status, error: unanswered[raw.status] }
  if (contract.output === undefined) return { ...nothing, status: "success", success: true }
  const fields = json === undefined ? undefined : pick(contract.output, json)
  if (fields === undefined || Field.check(contract.output, fields, { closed: true }).length > 0) {
    return { ...nothing, status: "garbage", error: { code: "output_not_as_declared" } }
  }
  const passed = bounded(fields)
  const withheld = Canonical.encode(passed) !== Canonical.encode(json ?? null)
  return { ...base, status: "success", success: true, fields: passed, withheld }
}

/** Shortens a value until it fits into a context: first long texts and long lists, then everything. */
export const bounded = (value: Canonical.Json): Canonical.Json => {
  for (const limit of [Number.POSITIVE_INFINITY, 1000, 100, 10]) {
    const shorter = limit === Number.POSITIVE_INFINITY ? value : cut(value, limit)
    if (Canonical.encode(shorter).length <= Limits.showing.observedCharactersMax) return shorter
  }
  return null
}

const cut = (value: Canonical.Json, limit: number): Canonical.Json => {
  if (typeof value === "string") return value.length > limit ? `${value.slice(0, limit).toWellFormed()}…` : value
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.slice(0, limit).map((item: Canonical.Json) => cut(item, limit))
  return Object.fromEntries(
    Object.entries(value as Canonical.JsonObject)
      .slice(0, limit)
      .map(([name, item]) => [name, cut(item ?? null, limit)])
  )
}

/** Statuses that settle nothing: neither a success nor a refusal. */
const unanswered = {
  accepted: null,
  pending: null,
  not_found: { code: "not_found" },
  timeout: { code: "no_answer" }
} as const

/** Keeps the declared fields of an output, and leaves out all others. */
const pick = (field: Field.Field, json: Canonical.Json): Canonical.Json => {
  if (field.type !== "object" || typeof json !== "object" || json === null || Array.isArray(json)) return json
  const given = json as Canonical.JsonObject
  return Object.fromEntries(
    Object.entries(field.fields).flatMap(([name, inner]) =>
      given[name] === undefined ? [] : [[name, pick(inner, given[name])] as const]
    )
  )
}

const jsonOf = (value: unknown): Canonical.Json | undefined => {
  try {
    const text = JSON.stringify(value)
    if (text === undefined) return undefined
    const json = JsonText.read(text) as Canonical.Json
    Canonical.encode(json)
    return json
  } catch {
    return undefined
  }
}

/** An error is passed on only as a code. Text of a provider is for people. */
const codeOf = (json: Canonical.Json | undefined): string => {
  const code = Canonical.isObject(json) ? json["code"] : json
  return typeof code === "string" && /^[A-Za-z0-9_.-]{1,64}$/.test(code) ? code : "unspecified"
}
