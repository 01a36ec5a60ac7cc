/** The message of the error or the defect of a cause, without a stack; `undefined` if it has none. */
import * as Cause from "effect/Cause"

/** Reads the message of a cause. */
export const of = (cause: Cause.Cause<unknown>): string | undefined => {
  if (Cause.hasInterruptsOnly(cause)) return undefined
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : typeof error === "string" ? error : undefined
}
