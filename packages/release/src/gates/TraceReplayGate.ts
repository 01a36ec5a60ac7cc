/** Gate 1: recorded runs come out under the new rules as they did under the old ones. */
import * as Canonical from "@backstitch/trace/Canonical"
import * as GateVerdict from "./GateVerdict.ts"

/** The outcome of a recorded action, or a decision about it, under the old and under the new rules. */
export interface ReplayedOutcome {
  readonly action: string
  readonly before: Canonical.Json
  readonly after: Canonical.Json
}

/** Objects to every outcome that differs, unless its action is accepted. `decisions` were examined beside outcomes. */
export const judge = (
  outcomes: ReadonlyArray<ReplayedOutcome>,
  accepted: ReadonlySet<string> = new Set(),
  examined = outcomes.length
): GateVerdict.GateVerdict =>
  GateVerdict.make(
    "trace_replay",
    examined,
    outcomes
      .filter(({ action, after, before }) => !Canonical.equals(before, after) && !accepted.has(action))
      .map(({ action, after, before }) => ({ code: "outcome_changed", action, was: before, is: after }))
  )
