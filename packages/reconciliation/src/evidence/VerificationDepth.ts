/**
 * The depth at which an action is verified, by the side-effect class of its tool.
 *
 * The table has a row for each of six classes: the check, the source that may answer it, the fallbacks if it fails,
 * the time that it may take, and the triggers that ask a person to look. A read has risks, too; a replica confirms no
 * write; a provider's acceptance is no completion; and a critical mutation is never retried without knowledge.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class"
 */

import * as CheckCoverage from "@backstitch/contracts/CheckCoverage"
import type * as Readback from "@backstitch/contracts/Readback"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as VerificationCheck from "@backstitch/contracts/VerificationCheck"
import * as VerificationLatency from "@backstitch/contracts/VerificationLatency"
import * as VerificationSource from "@backstitch/contracts/VerificationSource"
import * as Limits from "../Limits.ts"

/** A fact to compare after an action. */
export type Check = VerificationCheck.VerificationCheck

/** A kind of source that gives an answer. */
export type Source = Readback.ReadOrigin

/** The fallbacks if a source does not confirm, in the order in which they are tried. */
export const fallbacks = [
  "retry_verification",
  "other_source",
  "unavailable",
  "roll_back",
  "mark_dirty",
  "keep_pending",
  "compensate",
  "escalate",
  "fail_closed",
  "freeze"
] as const

/** A fallback if a source does not confirm. */
export type Fallback = (typeof fallbacks)[number]

/** The time that the proof may take: while the caller waits, a little later, or any time. */
export type Latency = VerificationLatency.Latency

/** The triggers of a review by a person. */
export const triggers = [
  "always",
  "wrong_tenant",
  "policy_violation",
  "sandbox_escape",
  "destructive",
  "mismatch",
  "repeated_mismatch",
  "partial",
  "stale_state",
  "declined",
  "duplicate",
  "unreachable",
  "timeout"
] as const

/** A trigger of a review by a person. */
export type Trigger = (typeof triggers)[number]

/** A row: its five columns, and the number of sources that have to agree. */
export interface Depth {
  readonly checks: ReadonlyArray<Check>
  readonly sources: ReadonlyArray<Source>
  readonly sourcesMin: number
  readonly fallback: readonly [Fallback, ...ReadonlyArray<Fallback>]
  readonly latency: Latency
  readonly review: ReadonlyArray<Trigger>
}

/** The depth of verification for each class. */
export const table: { readonly [Class in ToolContract.SideEffect]: Depth } = {
  read_only: {
    checks: CheckCoverage.required.read_only,
    sources: VerificationSource.ofClass.read_only,
    sourcesMin: 1,
    fallback: ["retry_verification", "other_source", "unavailable"],
    latency: VerificationLatency.ofClass.read_only,
    review: ["wrong_tenant", "policy_violation"]
  },
  ephemeral_write: {
    checks: CheckCoverage.required.ephemeral_write,
    sources: VerificationSource.ofClass.ephemeral_write,
    sourcesMin: 1,
    fallback: ["roll_back", "mark_dirty"],
    latency: VerificationLatency.ofClass.ephemeral_write,
    review: ["sandbox_escape", "policy_violation", "destructive"]
  },
  low_risk_internal: {
    checks: CheckCoverage.required.low_risk_internal,
    sources: VerificationSource.ofClass.low_risk_internal,
    sourcesMin: 1,
    fallback: ["retry_verification", "keep_pending"],
    latency: VerificationLatency.ofClass.low_risk_internal,
    review: ["repeated_mismatch", "wrong_tenant"]
  },
  medium_risk_write: {
    checks: CheckCoverage.required.medium_risk_write,
    sources: VerificationSource.ofClass.medium_risk_write,
    sourcesMin: 1,
    fallback: ["keep_pending", "retry_verification", "compensate", "escalate"],
    latency: VerificationLatency.ofClass.medium_risk_write,
    review: ["partial", "stale_state", "repeated_mismatch", "wrong_tenant"]
  },
  high_risk_external: {
    checks: CheckCoverage.required.high_risk_external,
    sources: VerificationSource.ofClass.high_risk_external,
    sourcesMin: 1,
    fallback: ["keep_pending", "escalate"],
    latency: VerificationLatency.ofClass.high_risk_external,
    review: ["declined", "mismatch", "duplicate", "unreachable", "timeout", "wrong_tenant"]
  },
  critical_mutation: {
    checks: CheckCoverage.required.critical_mutation,
    sources: VerificationSource.ofClass.critical_mutation,
    sourcesMin: Limits.deciding.criticalSourcesMin,
    fallback: ["fail_closed", "freeze", "escalate"],
    latency: VerificationLatency.ofClass.critical_mutation,
    review: ["always"]
  }
}

/** The row of a class. */
export const of = (sideEffect: ToolContract.SideEffect): Depth => table[sideEffect]

/**
 * Tells whether sources that agree are enough in number to confirm an action of a class. `VerificationSource.admits`
 * tells which of them count.
 *
 * **Example** (One ledger is not enough for a critical mutation)
 *
 * ```ts import.meta.vitest
 * import { VerificationDepth } from "@backstitch/reconciliation"
 *
 * VerificationDepth.confirms("low_risk_internal", 1) // => true
 * VerificationDepth.confirms("critical_mutation", 1) // => false
 * ```
 */
export const confirms = (sideEffect: ToolContract.SideEffect, agreeing: number): boolean =>
  agreeing >= table[sideEffect].sourcesMin

/**
 * Tells whether an action of a class counts as proven only with every check of its class, as for a critical mutation.
 */
export const isStrict = (sideEffect: ToolContract.SideEffect): boolean => sideEffect === "critical_mutation"

/** One contract compared with the table: the checks that it makes, waives and omits, and the rest of its row. */
export interface Audit extends CheckCoverage.Coverage {
  readonly tool: string
  readonly class: ToolContract.SideEffect
  /** The proof of its effects. */
  readonly proof: Proof
  /** The person who accepts the tool's own answer as proof. */
  readonly acceptedBy?: string
  readonly latency: Latency
  readonly withinMillis: number
  readonly fallback: ReadonlyArray<Fallback>
  readonly review: ReadonlyArray<Trigger>
}

/**
 * The proof of a tool's effects. Without a proof there is only the tool's own word. It is reported as unverified,
 * accepted by a named person, or the action is held.
 */
export type Proof = "readback" | "status" | "webhook" | "own_word" | "accepted_word" | "none"

const proofOf = (contract: ToolContract.ToolContract): Proof => {
  const { acceptsWord, readback, status, webhook } = contract
  if (readback !== undefined) return "readback"
  if (status === "by_key") return "status"
  if (acceptsWord !== undefined) return "accepted_word"
  if (webhook !== undefined) return "webhook"
  return ToolContract.isGrave(contract) ? "none" : "own_word"
}

/** Compares a contract with its row. */
export const audit = (contract: ToolContract.ToolContract): Audit => {
  const { fallback, latency, review } = table[contract.class]
  return {
    tool: contract.name,
    class: contract.class,
    proof: proofOf(contract),
    ...(contract.acceptsWord === undefined ? {} : { acceptedBy: contract.acceptsWord.by }),
    ...CheckCoverage.coverage(contract),
    latency,
    withinMillis: VerificationLatency.schedule(contract).withinMillis,
    fallback,
    review
  }
}

/** The next fallback if the source does not confirm, after those in `tried`; `undefined` if all were tried. */
export const fallback = (sideEffect: ToolContract.SideEffect, tried: number): Fallback | undefined =>
  table[sideEffect].fallback[tried]

/** Tells whether an event asks for a review by a person. */
export const isReviewed = (sideEffect: ToolContract.SideEffect, happened: ReadonlyArray<Trigger>): boolean => {
  const { review } = table[sideEffect]
  return review.includes("always") || happened.some((trigger) => review.includes(trigger))
}

/**
 * The permission under which a mutation starts. A break-glass is an emergency procedure that a person invoked, with a
 * recorded reason.
 */
export interface Permission {
  readonly approval?: string
  readonly breakGlass?: { readonly by: string; readonly reason: string; readonly recordedAt: number }
}

/** When a person reviews a mutation: before it, after it because glass was broken, on a trigger, or never. */
export type Review =
  | { readonly _tag: "Approved"; readonly approval: string }
  | { readonly _tag: "ReviewAfter"; readonly by: string; readonly reason: string }
  | { readonly _tag: "OnTrigger" }
  | { readonly _tag: "Refused" }

/** Decides whether a mutation may start. A critical mutation is approved before, or reviewed after a break-glass. */
export const beforeStart = (sideEffect: ToolContract.SideEffect, permission: Permission): Review => {
  if (permission.approval !== undefined) return { _tag: "Approved", approval: permission.approval }
  if (!table[sideEffect].review.includes("always")) return { _tag: "OnTrigger" }
  const { breakGlass } = permission
  if (breakGlass === undefined || breakGlass.reason.trim() === "") return { _tag: "Refused" }
  return { _tag: "ReviewAfter", by: breakGlass.by, reason: breakGlass.reason }
}
