/** Errors of other packages as errors of this one. */
import type { NextStep } from "../values/NextStep.ts"
import * as NextSteps from "../values/nextSteps.ts"
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
  const next = tag === "PackChanged" ? packKept(run) : undefined
  return new BackstitchError({ code: codeOf(tag), message: cause.message, run, next, cause })
}

/** A run goes on under the pack that it was begun with, which the store has. */
const packKept = (run = "RUN"): ReadonlyArray<NextStep> => {
  const words = "open the store without pack: the run goes on under the one that it was begun with"
  const begun = "or begin another run, of the same goal if acts of this one are to be recognised"
  const call = `Backstitch.open({ store, tools }), and bs.run(${JSON.stringify(run)})`
  return [
    NextSteps.told({ verb: "resume", say: words, call, run }),
    NextSteps.told({ verb: "propose", say: begun, call: "bs.run(ANOTHER, { goal })" })
  ]
}

/** The driver is a peer, so that an app without a server does not install it. */
const isDriverMissing = (cause: Error): boolean =>
  "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND" && /'pg'/.test(cause.message)

/** `PackInvalid` as `pack_invalid`. */
const codeOf = (tag: string): string => tag.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase()
