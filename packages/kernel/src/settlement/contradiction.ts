/** What is said of a record that does not meet the contract. */
import type { Outcome } from "@backstitch/trace/Transition"
import type * as Confirmation from "../evidence/Confirmation.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Recovery from "../recovery/Recovery.ts"

/** What is not as it has to be. */
export const unmetOf = (
  { doubt, readings }: Confirmation.Confirmation,
  recovery: Recovery.Recovery
): ReadonlyArray<Finding.Finding> => {
  if (doubt !== undefined) return [doubt.reason]
  const unmet = readings.flatMap(({ evidence, predicates }) =>
    evidence._tag === "Ok"
      ? predicates.flatMap(({ held, says }) => (held === true ? [] : [says]))
      : [unread[evidence._tag]]
  )
  return unmet.length > 0
    ? unmet
    : recovery.discrepancy.evidence.map(({ expected, fact, found }) =>
        Finding.make("record.differs", { expected, fact, found })
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
  Accepted: Finding.make("record.under_way", {}),
  NotFound: Finding.make("record.not_found", {}),
  Pending: Finding.make("record.under_way", {}),
  Error: Finding.make("record.refused", {}),
  Unknown: Finding.make("record.unread", {})
} as const
