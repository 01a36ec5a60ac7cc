/**
 * What the world had answered, as a trace kept it: the evidence of a decision, fit to be decided on again.
 *
 * @since 0.1.0
 */
import * as Readback from "@backstitch/contracts/Readback"
import type { Evidence, SourceEvidence } from "@backstitch/kernel/Command"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Finding from "@backstitch/trace/Finding"
import type { Body } from "@backstitch/trace/Transition"

/**
 * What a tool had answered.
 *
 * @category conversions
 * @since 0.1.0
 */
export const answered = ({ data, result }: Body): Evidence | undefined => {
  switch (result?.status) {
    case "ok":
      if (data?.["stage"] === "accepted") return { _tag: "Accepted", output: result.output ?? null }
      return {
        _tag: "Ok",
        output: result.output ?? null,
        ...(data?.["replayed"] === true ? { replayed: true } : {})
      }
    case "error":
      return { _tag: "Error", error: result.output ?? null }
    case "unknown":
      return { _tag: "Unknown", reason: reasonOf(result.output) }
    default:
      return undefined
  }
}

/**
 * What a system of record had shown, or had answered about a key, with the origin that it named.
 *
 * @category conversions
 * @since 0.1.0
 */
export const read = (body: Body): Evidence | undefined => {
  const { data = {}, result } = body
  return data["read"] === undefined && result?.status === "ok"
    ? from(answered(body), data)
    : from(shown(data, data["output"] ?? result?.output), data)
}

/**
 * What the further sources of a contract had shown.
 *
 * @category conversions
 * @since 0.1.0
 */
export const others = ({ data }: Body): ReadonlyArray<SourceEvidence> => {
  const sources = data?.["sources"]
  if (!Array.isArray(sources)) return []
  return (sources as ReadonlyArray<JsonObject>).flatMap((each) => {
    const evidence = from(shown(each, each["output"]), each)
    return evidence === undefined ? [] : [{ source: String(each["source"]), evidence }]
  })
}

/**
 * Why nobody answered: what was found, or what somebody wrote of it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const reasonOf = (value: Json | undefined): string | Finding.Finding => {
  if (Finding.isFinding(value) || typeof value === "string") return value
  return value === undefined ? "" : JSON.stringify(value)
}

const from = (evidence: Evidence | undefined, data: JsonObject): Evidence | undefined => {
  const origin = Readback.origins.find((each) => each === data["from"])
  return evidence?._tag === "Ok" && origin !== undefined ? { ...evidence, from: origin } : evidence
}

const shown = ({ read: tag, reason }: JsonObject, output: Json | undefined): Evidence | undefined => {
  switch (tag) {
    case "Ok":
      return { _tag: "Ok", output: output ?? null }
    case "NotFound":
    case "Pending":
      return { _tag: tag }
    case "Error":
      return { _tag: "Error", error: reason ?? null }
    case "Unknown":
      return { _tag: "Unknown", reason: reasonOf(reason) }
    default:
      return undefined
  }
}
