/** Evidence from the world, and the ways in which it reaches a run. */
import type * as Readback from "@backstitch/contracts/Readback"
import type * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import type { Json } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { AnyFinding } from "@backstitch/trace/FindingForm"
import * as Finding from "../payload/Finding.ts"

/** Evidence from the world, as an executor brings it back. `Accepted` does not mean done. */
export type Evidence =
  | {
      readonly _tag: "Ok"
      readonly output: Json
      readonly tokens?: number | undefined
      /** The origin of the answer, if it names one: a replica or a cache confirms nothing. */
      readonly from?: Readback.ReadOrigin | undefined
      /** `true` if the tool recognised the key, did nothing, and repeated its earlier answer. */
      readonly replayed?: boolean | undefined
    }
  | { readonly _tag: "Accepted"; readonly output: Json; readonly tokens?: number | undefined }
  | { readonly _tag: "Error"; readonly error: Json }
  | { readonly _tag: "NotFound" }
  | { readonly _tag: "Pending" }
  | { readonly _tag: "Unknown"; readonly reason: string | AnyFinding }

/** Evidence from a further source, which has to agree with the first. */
export interface SourceEvidence {
  readonly source: string
  readonly evidence: Evidence
}

/**
 * An answer about an action that was settled before, and how the answer arrived. It describes the moment at which it
 * was asked for, in epoch milliseconds.
 */
export interface LateEvidence {
  readonly action: string
  readonly via: "call" | "status" | "webhook" | "readback"
  readonly evidence: Evidence
  readonly others?: ReadonlyArray<SourceEvidence> | undefined
  readonly askedAt?: number | undefined
  /** The digest of the name of the delivery that brought it. */
  readonly delivery?: Digest | undefined
}

/**
 * The reason why nothing of a delivery is believed: its signature, its time, or a body that its provider signed and
 * nobody can read.
 */
export type DeliveryFault = "body" | "signature" | "time"

/**
 * A delivery: the tool whose contract covers it, its body, the digest of its name, its fault, and the action that
 * took in a delivery of that name before.
 */
export interface Delivery {
  readonly tool: string
  readonly body: Json
  readonly delivery: Digest
  readonly fault?: DeliveryFault | undefined
  readonly taken?: { readonly action: string; readonly run: string; readonly tick: number } | undefined
  /** The content of its body, if that was read before. A trace keeps the content and not the body. */
  readonly heard?: Heard | undefined
}

/** The content of a delivery: an action, and its outcome. */
export interface Heard {
  readonly action: string
  readonly outcome: "done" | "failed" | "pending"
  readonly output: Json
}

/**
 * The answer of an action's own record, asked for at `askedAt` (epoch milliseconds; default: now). The request and
 * the times of the action are in the trace.
 */
export interface Looked extends RecordedRequest.RecordedRequest {
  readonly via: "readback" | "status"
  readonly evidence: Evidence
  readonly askedAt?: number | undefined
}

const words = {
  Accepted: "accepted",
  Error: "error",
  NotFound: "not_found",
  Ok: "ok",
  Pending: "pending",
  Unknown: "unknown"
} as const satisfies { readonly [T in Evidence["_tag"]]: string }

/** The word that is committed for an answer. */
export const wordOf = ({ _tag }: Evidence): (typeof words)[Evidence["_tag"]] => words[_tag]

/** Describes an answer to a read, so that the decision can be made again from the trace. */
export const readOf = (evidence: Evidence): { readonly read: ReturnType<typeof wordOf>; readonly reason?: Json } => ({
  read: wordOf(evidence),
  ...(evidence._tag === "Error" ? { reason: evidence.error } : {}),
  ...(evidence._tag === "Unknown" ? { reason: evidence.reason } : {})
})

/** The record that evidence shows; `null` if it shows none. */
export const recordOf = (evidence: Evidence): Json => (evidence._tag === "Ok" ? evidence.output : null)

/** Describes an answer to a read, with the record that it shows. */
export const shownBy = (evidence: Evidence): ReturnType<typeof readOf> & { readonly output?: Json } => ({
  ...readOf(evidence),
  ...(evidence._tag === "Ok" ? { output: evidence.output } : {})
})

/** The origin of a record, if it names one: a replica and a primary lead to different decisions. */
export const originOf = (evidence: Evidence): { readonly from?: Readback.ReadOrigin } =>
  evidence._tag === "Ok" && evidence.from !== undefined ? { from: evidence.from } : {}

/** The reason that evidence gives for a failure, or a description of the evidence. */
export const failureOf = (evidence: Evidence): Json => {
  switch (evidence._tag) {
    case "Error":
      return evidence.error
    case "Unknown":
      return evidence.reason
    case "NotFound":
      return Finding.make("record.not_found", {})
    case "Pending":
      return Finding.make("record.under_way", {})
    case "Accepted":
    case "Ok":
      return evidence.output
  }
}

/** The end of a transaction, as its store said it. */
export type Concluded = "committed" | "rolled_back"
