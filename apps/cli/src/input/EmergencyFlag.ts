/** Flags of an emergency: the review for which the glass is broken, the person and the reason. */
import type * as Agent from "@backstitch/runtime/Agent"
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"

/** The flags as typed. */
export interface TypedEmergency {
  readonly breakGlass: string | undefined
  readonly by: string | undefined
  readonly reason: string | undefined
}

/** The emergency in the flags; nothing if none was given. */
export const parse = Effect.fnUntraced(function* ({ breakGlass: review, by = "", reason = "" }: TypedEmergency) {
  if (review === undefined) {
    if (by === "" && reason === "") return undefined
    return yield* new Usage({
      problem:
        "--by and --reason say who breaks the glass, or goes on past an alarm: give --break-glass REVIEW, or --past ALARM"
    })
  }
  if (by.trim() === "" || reason.trim() === "") {
    const problem = "A broken glass is on record with a person and a reason: give --by NAME and --reason TEXT"
    return yield* new Usage({ problem })
  }
  const emergency: Agent.Emergency = { review, by: by.trim(), reason: reason.trim() }
  return emergency
})

/** Refuses emergency flags if no agent acts. */
export const refuse = (input: TypedEmergency): Effect.Effect<void, Usage> =>
  Effect.flatMap(parse(input), (emergency) =>
    emergency === undefined
      ? Effect.void
      : Effect.fail(new Usage({ problem: "Breaking the glass lets the agent act: name it with --agent FILE" }))
  )
