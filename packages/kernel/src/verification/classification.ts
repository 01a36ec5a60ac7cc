/**
 * The classification of a discrepancy: the comparison of what a read showed with the contract gives one class.
 *
 * The facts are collected here: the expectations that are not met, the tool's answer, the scope, the entries under the
 * key, and whether the record has changed. `Discrepancy` in `reconciliation` says which class they give.
 */
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import { isExecuting } from "../action/verificationWindow.ts"
import type { Evidence } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type { CheckedRead, Doubt } from "./checkedRead.ts"
import * as Expectations from "./Expectations.ts"

/** Finds the discrepancy that a read shows; `undefined` if the read shows none. */
export const classified = (
  subject: ActionInFlight,
  { doubt, evidence, predicates, scoping }: CheckedRead,
  conditions: { readonly withinDelay: boolean; readonly maybeStale: boolean }
): Discrepancy.Discrepancy | undefined => {
  const { found = {}, wanted = {} } = scoping ?? {}
  return Discrepancy.classify({
    intended: { predicates },
    requested: {},
    observed: observedOf(subject),
    authoritative:
      doubt === undefined
        ? authoritative(subject, { evidence, scope: found })
        : doubtful(doubt, conditions.withinDelay),
    scope: wanted,
    conditions
  })
}

/** Tells whether the tool answered, accepted, or gave no answer. */
const observedOf = (subject: ActionInFlight): Discrepancy.Case["observed"] => {
  if (OpenAction.isAccepted(subject.open)) return "accepted"
  return isExecuting(subject) ? "timeout" : "success"
}

/** Calls a record that proves nothing unreadable while a better one may come; after that, it shows no path. */
const doubtful = ({ kind, reason }: Doubt, withinDelay: boolean): Discrepancy.Authoritative =>
  kind === "hint" && !withinDelay ? { _tag: "NoPath", reason } : { _tag: "Unreadable", reason }

const authoritative = (
  subject: ActionInFlight,
  { evidence, scope }: { readonly evidence: Evidence; readonly scope: Discrepancy.Authority }
): Discrepancy.Authoritative => {
  switch (evidence._tag) {
    case "Ok":
      return {
        _tag: "Shown",
        scope,
        changed: hasChanged(subject, evidence.output),
        effects: effectsOf(subject, evidence.output),
        parts: Expectations.parts(subject, evidence.output)
      }
    case "NotFound":
      return { _tag: "Absent", existed: subject.open.before?.found === true }
    default:
      return { _tag: "Unreadable", reason: reasonOf(evidence) }
  }
}

/** The discrepancy of evidence that is not conclusive. */
export const nothingKnown = (evidence: Evidence): Discrepancy.Discrepancy => ({
  class: "unknown_state",
  evidence: [{ fact: "record.conclusive", expected: true, found: reasonOf(evidence) }]
})

const reasonOf = (evidence: Evidence): Json => {
  switch (evidence._tag) {
    case "Ok":
      return Finding.make("record.inconclusive", {})
    case "Accepted":
    case "Pending":
      return Finding.make("record.under_way", {})
    case "NotFound":
      return Finding.make("record.not_proven", {})
    case "Error":
      return evidence.error
    case "Unknown":
      return evidence.reason
  }
}

/** Counts the effects under one key: one for each entry. */
export const effectsOf = ({ open: { key } }: ActionInFlight, actual: Json): number =>
  key === undefined || !Array.isArray(actual)
    ? 1
    : Math.max(1, actual.filter((entry) => Canonical.isObject(entry) && Object.values(entry).includes(key)).length)

/**
 * Tells whether several entries are one effect with a repeated answer: the tool honours keys, the entries are equal,
 * and they meet the contract.
 */
export const isReplayed = (
  { contract, open: { key } }: ActionInFlight,
  { evidence, predicates }: Pick<CheckedRead, "evidence" | "predicates">
): boolean => {
  if (contract.idempotency !== "idempotent_write" || evidence._tag !== "Ok" || !Array.isArray(evidence.output)) {
    return false
  }
  const entries = evidence.output.filter(
    (entry) => Canonical.isObject(entry) && Object.values(entry).includes(key ?? "")
  )
  const isOne = new Set(entries.map((entry) => Canonical.encode(entry))).size === 1
  return isOne && predicates.every(({ held, source }) => held === true || source === once)
}

/** The fact that a record lists one entry under the key. */
export const once = "record.single"

/** Tells whether the record changed. Without a read before the call, it counts as changed. */
const hasChanged = ({ open: { before } }: ActionInFlight, actual: Json): boolean => before?.record !== digestOf(actual)

/** Digests a record, so that a later change can be detected. */
export const digestOf = (actual: Json): string => Digest.ofJson("backstitch.record.1", actual)
