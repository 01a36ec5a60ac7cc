/** Errors of other packages as errors of this one. */
import { BackstitchError, isBackstitchError } from "./Failures.ts"

/** An error that can be thrown to users: one of a code and a message where it was foreseen, otherwise as it is. */
export const ownError = (cause: unknown): unknown => {
  if (isBackstitchError(cause) || !(cause instanceof Error)) return cause
  if (isDriverMissing(cause)) {
    const message = "A store on Postgres needs its driver, and there is none. Install it: npm install pg"
    return new BackstitchError({ code: "driver_missing", message, cause })
  }
  const tag = "_tag" in cause && typeof cause._tag === "string" ? cause._tag : undefined
  if (tag === undefined) return cause
  const run = "run" in cause && typeof cause.run === "string" ? cause.run : undefined
  return new BackstitchError({ code: codeOf(tag), message: cause.message, run, cause })
}

/** The driver is a peer, so that an app without a server does not install it. */
const isDriverMissing = (cause: Error): boolean =>
  "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND" && /'pg'/.test(cause.message)

/** `PackInvalid` as `pack_invalid`. */
const codeOf = (tag: string): string => tag.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase()
