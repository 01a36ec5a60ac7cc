/** The schedule by which a message that was not taken is sent again, until it is given up. */
import * as Polling from "@backstitch/contracts/Polling"
import * as Limits from "../Limits.ts"

const waits: Polling.Polling = {
  firstMillis: Limits.pacing.webhookRetryFirstMillis,
  factor: Limits.pacing.webhookRetryFactor,
  maxMillis: Limits.pacing.webhookRetryMillisMax
}

/** The time of the next attempt after so many failed ones; `undefined` if the message is given up. */
export const next = (attempts: number, now: number): number | undefined =>
  attempts < Limits.pacing.webhookAttemptsMax ? now + Polling.wait(waits, attempts) : undefined
