/** The flag `--again`: the tick of a call that was refused as done before, and that the user wants once more. */
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"

/** Reads the tick; nothing where none was typed. */
export const parse = (typed: string | undefined): Effect.Effect<number | undefined, Usage> =>
  typed === undefined || /^[1-9][0-9]*$/.test(typed)
    ? Effect.succeed(typed === undefined ? undefined : Number(typed))
    : Effect.fail(new Usage({ problem: `--again takes the tick of an intent.refused, and not "${typed}"` }))

/** Refuses the flag where no agent acts. */
export const refuse = (typed: string | undefined): Effect.Effect<void, Usage> =>
  typed === undefined
    ? Effect.void
    : Effect.fail(new Usage({ problem: "--again lets the agent act: name it with --agent FILE" }))
