/** Handlers of commands, each loaded when its command runs: help and completions load none. */
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Globals from "../input/Globals.ts"
import * as ReadingLimits from "../input/ReadingLimits.ts"
import type * as Printer from "../terminal/Printer.ts"

/** A foreseen error: its message says what happened, to what, and what to do next. */
export interface Foreseen {
  readonly _tag: string
  readonly message: string
}

/** Carries a command out, and answers. It prints nothing itself. */
export type Handler<Input> = (input: Input, globals: Globals.Globals) => Effect.Effect<Printer.Answer, Foreseen>

/** A command with its handler, whose module is loaded when the command runs. */
export const bind = <Name extends string, Input, ContextInput, E, R>(
  self: Command.Command<Name, Input, ContextInput, E, R>,
  load: () => Promise<{ readonly handler: Handler<Input> }>
) =>
  Command.withHandler(
    self,
    Effect.fnUntraced(function* (input: Input) {
      const given = yield* Globals.get
      const { server } = given
      const globals =
        server === undefined
          ? given
          : yield* Effect.flatMap(
              Effect.promise(() => import("./ServerSession.ts")),
              ({ entered }) => entered(given, server)
            )
      const { handler } = yield* Effect.promise(load)
      const limits = yield* ReadingLimits.given
      const answer = yield* Effect.provideService(handler(input, globals), SourceFile.Limits, limits)
      globals.printer.answer(answer)
      process.exitCode = answer.code
    })
  )
