/** What a command does, loaded when the command runs: help and completions load none of it. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Globals from "../input/Globals.ts"

/** An error that was foreseen: its message says what happened, to what, and what to do next. */
export interface Foreseen {
  readonly _tag: string
  readonly message: string
}

/** Does what a command asks for and answers the exit code: 0, or 1 for what was refused or violated. */
export type Handler<Input> = (input: Input, globals: Globals.Globals) => Effect.Effect<number, Foreseen>

/** A command with its handler, whose module is loaded when the command runs. */
export const bind = <Name extends string, Input, ContextInput, E, R>(
  self: Command.Command<Name, Input, ContextInput, E, R>,
  load: () => Promise<{ readonly handler: Handler<Input> }>
) =>
  Command.withHandler(
    self,
    Effect.fnUntraced(function* (input: Input) {
      const globals = yield* Globals.get
      const { handler } = yield* Effect.promise(load)
      process.exitCode = yield* handler(input, globals)
    })
  )
