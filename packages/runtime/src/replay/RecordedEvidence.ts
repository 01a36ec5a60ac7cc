/** Recorded evidence: answers of the world as a trace keeps them, converted back for a decision. */
import * as Readback from "@backstitch/contracts/Readback"
import type { Evidence, SourceEvidence } from "@backstitch/kernel/Evidence"
import * as Payload from "@backstitch/kernel/Payload"
import type { Json } from "@backstitch/trace/Canonical"
import * as FindingForm from "@backstitch/trace/FindingForm"
import type { Body } from "@backstitch/trace/Transition"

/** Reads the answer of a tool, with the tokens that it reported. */
export const answered = (body: Body, tokens?: number): Evidence | undefined => {
  const { result } = body
  const { replayed, stage } = Payload.of(body, "action.result") ?? {}
  const took = tokens === undefined ? {} : { tokens }
  switch (result?.status) {
    case "ok":
      if (stage === "accepted") return { _tag: "Accepted", output: result.output ?? null, ...took }
      return {
        _tag: "Ok",
        output: result.output ?? null,
        ...took,
        ...(replayed === true ? { replayed: true } : {})
      }
    case "error":
      return { _tag: "Error", error: result.output ?? null }
    case "unknown":
      return { _tag: "Unknown", reason: reasonOf(result.output) }
    default:
      return undefined
  }
}

/** Reads the record of a system, or its status of a key, with the origin that it named. */
export const read = (body: Body): Evidence | undefined => {
  const { result } = body
  const reading = readingOf(body)
  return reading.read === undefined && result?.status === "ok"
    ? from(answered(body), reading.from)
    : from(shown(reading, reading.output ?? result?.output), reading.from)
}

/** Reads the records of the further sources of a contract. */
export const others = (body: Body): ReadonlyArray<SourceEvidence> =>
  (readingOf(body).sources ?? []).flatMap((each) => {
    const evidence = from(shown(each, each.output), each.from)
    return evidence === undefined ? [] : [{ source: each.source, evidence }]
  })

/** The reason for a missing answer: a finding, or somebody's text. */
export const reasonOf = (value: Json | undefined): string | FindingForm.AnyFinding => {
  if (FindingForm.isFinding(value) || typeof value === "string") return value
  return value === undefined ? "" : JSON.stringify(value)
}

/** Reads how a record was read, or a key was asked about. */
const readingOf = (body: Body): Reading =>
  Payload.of(body, "action.verified") ?? Payload.of(body, "recovery.decided") ?? {}

type Reading = Payload.Of<"action.verified"> | Payload.Of<"recovery.decided">

const from = (evidence: Evidence | undefined, read: Reading["from"]): Evidence | undefined => {
  const origin = Readback.origins.find((each) => each === read)
  return evidence?._tag === "Ok" && origin !== undefined ? { ...evidence, from: origin } : evidence
}

const shown = ({ read, reason }: Pick<Reading, "read" | "reason">, output: Json | undefined): Evidence | undefined => {
  switch (read) {
    case "ok":
      return { _tag: "Ok", output: output ?? null }
    case "not_found":
      return { _tag: "NotFound" }
    case "pending":
      return { _tag: "Pending" }
    case "error":
      return { _tag: "Error", error: reason ?? null }
    case "unknown":
      return { _tag: "Unknown", reason: reasonOf(reason) }
    default:
      return undefined
  }
}
