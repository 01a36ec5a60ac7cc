/** Reasons why a handoff is lost, in words: its worker has failed, or what it answered is no report. */
import * as Duration from "@backstitch/contracts/Duration"
import type * as Topology from "@backstitch/contracts/Topology"
import type { Json } from "@backstitch/trace/Canonical"
import * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

/** The message of the error or the defect of a worker, without a stack; `undefined` if it was interrupted. */
export const ofCause = (cause: Cause.Cause<unknown>): string | undefined => {
  if (Cause.hasInterruptsOnly(cause)) return undefined
  return ofError(Cause.squash(cause))
}

/** The message of an error. A role may throw anything. */
export const ofError = (error: unknown): string => {
  if (error instanceof Error) return error.message
  return typeof error === "string" ? error : `it threw ${found(error)}`
}

/** Tells why a result is no report; `undefined` if it is one. */
export type Misfit = (result: Json) => string | undefined

/** The reason for a result that is none, or that a trace cannot carry. */
export const nothing = "it answered nothing that can be recorded"

/** The reason for work that has not ended in its time. */
export const silent = ({ silenceMillis = 0 }: Topology.Topology): string =>
  `it was silent for ${Duration.format(silenceMillis)}`

/** Makes the test for the form of a report, from its schema and its words. */
export const ofSchema = (schema: Schema.Top, expected: string): Misfit => {
  const fits = Schema.is(schema)
  return (result) => (fits(result) ? undefined : otherThan(result, expected))
}

/** The reason for a result of another form. */
export const otherThan = (result: Json, expected: string): string => `it answered ${found(result)}, and not ${expected}`

/** Describes a value that is not the expected one, by its form. */
export const found = (result: unknown): string => {
  if (typeof result === "string") return result === "" ? "an empty text" : "text"
  if (typeof result !== "object" || result === null) return String(result)
  if (Array.isArray(result)) return result.length === 0 ? "an empty list" : "a list"
  const fields = Object.keys(result)
  return fields.length === 0 ? "an empty object" : `an object with ${fields.slice(0, 5).join(", ")}`
}
