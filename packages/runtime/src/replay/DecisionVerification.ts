/**
 * Verifies a run, and makes its decisions again: whether the trace is as it was committed, and whether the kernel
 * committed what the pack demanded.
 *
 * A secret that the store knows to be another one derives no key of the run. Decisions are then made again as without
 * a secret, and the answer says so.
 */
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as RunVerification from "../proof/RunVerification.ts"
import * as SecretFingerprint from "../sealing/SecretFingerprint.ts"
import * as DecisionReplay from "./DecisionReplay.ts"

/** The verdict on a run, with its decisions. The decisions of a broken run are not made again. */
export interface DecisionsVerdict extends RunVerification.RunVerdict {
  readonly redecided: DecisionReplay.Redecided | null
}

/** The facts against which a run is verified, and the secret at hand. */
export interface Options extends RunVerification.Options {
  readonly secret?: string | undefined
}

/** Tells whether a run is as it was committed, nothing beside it is damaged, and its decisions obeyed the pack. */
export const isSound = (verdict: DecisionsVerdict): boolean =>
  RunVerification.isSound(verdict) && verdict.redecided !== null && DecisionReplay.isObeyed(verdict.redecided)

/** Verifies a run from its first tick, and makes its decisions again. */
export const verify = Effect.fn("DecisionVerification.verify")(function* (
  run: Run,
  { secret: given, ...options }: Options = {}
) {
  const verdict = yield* RunVerification.verify(run, options)
  const whole: DecisionsVerdict = { ...verdict, redecided: null }
  if (!verdict.consistent) return whole
  const secret = yield* SecretFingerprint.suiting(given, run.tenant)
  const redecided = yield* DecisionReplay.redecide(run, { secret })
  const isOther = given !== undefined && secret === undefined
  const answer: DecisionsVerdict = { ...verdict, redecided: isOther ? { ...redecided, secret: "another" } : redecided }
  return answer
})
