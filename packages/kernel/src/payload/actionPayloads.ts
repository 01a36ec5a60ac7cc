/**
 * The payloads of actions as the kernel commits them. The ledger leaves some words and codes open, because packages
 * above it define them; this module narrows them.
 */
import * as LedgerPayload from "@backstitch/ledger/Payload"
import * as RecoveryFallback from "@backstitch/reconciliation/RecoveryFallback"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import * as Finding from "./Finding.ts"
import { DiscrepancyClass, FallbackName, RecoveryName, Section, Trigger, verdicts } from "./recoveryWords.ts"

const { closed, optional } = Payload
const { Array: List, Literals } = Schema
const { findingsOf, schema: Found } = Finding
const ledger = LedgerPayload.payloads

const Obstacle = closed({ ...LedgerPayload.Obstacle.fields, why: findingsOf.blocks })
const Plan = closed({ ...LedgerPayload.Plan.fields, because: findingsOf.causes }).annotate({ identifier: "plan" })
const Wanted = closed({ ...LedgerPayload.Wanted.fields, because: findingsOf.causes }).annotate({ identifier: "wanted" })

const Answer = closed({
  ...LedgerPayload.LateAnswer.fields,
  unmet: optional(List(findingsOf.lacks))
})

/** Payloads by type. */
export const payloads = {
  ...ledger,
  "action.verified": closed({
    ...ledger["action.verified"].fields,
    discrepancy: optional(DiscrepancyClass),
    unmet: optional(List(findingsOf.lacks))
  }),
  "kernel.anomaly": closed({ ...ledger["kernel.anomaly"].fields, evidence: optional(Answer) }),
  "recovery.decided": closed({
    ...ledger["recovery.decided"].fields,
    blocks: optional(List(Obstacle)),
    decision: optional(RecoveryName),
    discrepancy: optional(DiscrepancyClass),
    exhausted: optional(List(closed({ because: Literals(RecoveryFallback.exhaustions), fallback: FallbackName }))),
    fallback: optional(FallbackName),
    plan: optional(Plan),
    section: optional(Section),
    wanted: optional(Wanted),
    why: optional(Found)
  }),
  "recovery.restored": closed({ ...ledger["recovery.restored"].fields, because: findingsOf.causes }),
  "review.decided": closed({ ...ledger["review.decided"].fields, as: optional(Literals(verdicts)) }),
  "review.requested": closed({
    ...ledger["review.requested"].fields,
    triggers: optional(List(Trigger)),
    why: optional(Found)
  })
} as const
