/**
 * The flag `--again`: the tick at which a call was refused because its act was done before, and which the user wants
 * once more.
 */
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"

/** Reads the tick; nothing if none was given. */
export const parse = (typed: string | undefined): Effect.Effect<number | undefined, Usage> =>
  typed === undefined || /^[1-9][0-9]*$/.test(typed)
    ? Effect.succeed(typed === undefined ? undefined : Number(typed))
    : Effect.fail(new Usage({ problem: `--again takes the tick of an intent.refused, and not "${typed}"` }))

/** Refuses the flag if no agent acts. */
export const refuse = (typed: string | undefined): Effect.Effect<void, Usage> =>
  typed === undefined
    ? Effect.void
    : Effect.fail(new Usage({ problem: "--again lets the agent act: name it with --agent FILE" }))
