/**
 * What is said of a record that does not meet the contract.
 *
 * @since 0.1.0
 */
import type { Outcome } from "@backstitch/trace/Transition"
import type * as Confirmation from "../Confirmation.ts"
import type * as Recovery from "../Recovery.ts"

/** What is not as it has to be, in sentences. */
export const unmetOf = (
  { doubt, readings }: Confirmation.Confirmation,
  recovery: Recovery.Recovery
): ReadonlyArray<string> => {
  if (doubt !== undefined) return [doubt.reason]
  const unmet = readings.flatMap(({ evidence, predicates }) =>
    evidence._tag === "Ok"
      ? predicates.flatMap(({ held, says }) => (held === true ? [] : [says]))
      : [unread[evidence._tag]]
  )
  return unmet.length > 0
    ? unmet
    : recovery.discrepancy.evidence.map(
        ({ expected, fact, found }) => `${fact} is ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`
      )
}

/** Only what the record shows can contradict the answer; a read that failed, lags or came too early says nothing. */
export const contradiction = ({ doubt, readings }: Confirmation.Confirmation): Outcome => {
  const [{ evidence }] = readings
  const shows = readings.every((each) => each.evidence._tag === "Ok" || each.evidence._tag === "NotFound")
  return {
    output: evidence._tag === "Ok" ? evidence.output : null,
    status: shows && doubt === undefined ? "mismatch" : "unknown",
    trust: 1
  }
}

const unread = {
  Accepted: "it is under way",
  NotFound: "the system of record does not show it",
  Pending: "it is under way",
  Error: "the readback was refused",
  Unknown: "the system of record could not be read"
} as const
