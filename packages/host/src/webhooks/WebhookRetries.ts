/** The schedule by which a message that was not taken is sent again, until it is given up. */
import * as Backoff from "@backstitch/contracts/Backoff"
import * as Limits from "../Limits.ts"

const waits: Backoff.Backoff = {
  firstMillis: Limits.pacing.webhookRetryFirstMillis,
  factor: Limits.pacing.webhookRetryFactor,
  maxMillis: Limits.pacing.webhookRetryMillisMax
}

/** The time of the next attempt after so many failed ones; `undefined` if the message is given up. */
export const next = (attempts: number, now: number): number | undefined =>
  attempts < Limits.pacing.webhookAttemptsMax ? now + Backoff.wait(waits, attempts) : undefined
