/** Flags of a person who goes on past an alarm that holds a run: the alarm, the person and the reason. */
import type * as AlarmHold from "@backstitch/runtime/AlarmHold"
import * as Effect from "effect/Effect"
import { Usage } from "../../terminal/Failure.ts"

/** The flags as typed. */
export interface TypedAlarm {
  readonly past: string | undefined
  readonly breakGlass: string | undefined
  readonly by: string | undefined
  readonly reason: string | undefined
}

/** The word of a person in the flags; nothing if none was given. */
export const parse = Effect.fnUntraced(function* ({ breakGlass, by = "", past, reason = "" }: TypedAlarm) {
  if (past === undefined) return undefined
  if (breakGlass !== undefined) {
    return yield* new Usage({
      problem: "--by and --reason are of one decision: give --past or --break-glass, not both"
    })
  }
  if (by.trim() === "" || reason.trim() === "") {
    const problem = "Going on past an alarm is on record with a person and a reason: give --by NAME and --reason TEXT"
    return yield* new Usage({ problem })
  }
  const passing: AlarmHold.Passing = { alarm: past, by: by.trim(), reason: reason.trim() }
  return passing
})

/** Refuses the flag if no agent acts. */
export const refuse = ({ past }: TypedAlarm): Effect.Effect<void, Usage> =>
  past === undefined
    ? Effect.void
    : Effect.fail(new Usage({ problem: "--past lets the agent go on: name it with --agent FILE" }))
