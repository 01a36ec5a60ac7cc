/** Errors of other packages as errors of this one. */
import { BackstitchError, isBackstitchError } from "./Failures.ts"

/** An error that can be thrown to users: one of a code and a message where it was foreseen, otherwise as it is. */
export const carried = (cause: unknown): unknown => {
  if (isBackstitchError(cause) || !(cause instanceof Error)) return cause
  const tag = "_tag" in cause && typeof cause._tag === "string" ? cause._tag : undefined
  if (tag === undefined) return cause
  const run = "run" in cause && typeof cause.run === "string" ? cause.run : undefined
  return new BackstitchError({ code: codeOf(tag), message: cause.message, run, cause })
}

/** `PackInvalid` as `pack_invalid`. */
const codeOf = (tag: string): string => tag.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase()
