/** Handlers of commands, each loaded when its command runs: help and completions load none. */
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Globals from "../input/Globals.ts"
import * as ReadingLimits from "../input/ReadingLimits.ts"
import * as ServerCall from "../server/ServerCall.ts"
import * as ServerUse from "../server/ServerUse.ts"
import type * as Printer from "../terminal/Printer.ts"

/** A foreseen error: its message says what happened, to what, and what to do next. */
export interface Foreseen {
  readonly _tag: string
  readonly message: string
}

/** Carries a command out, and answers. It prints nothing itself. */
export type Handler<Input> = (input: Input, globals: Globals.Globals) => Effect.Effect<Printer.CommandAnswer, Foreseen>

/**
 * A command with its handler, whose module is loaded when the command runs. `group` is the word before its own, such
 * as `key`.
 */
export const bind = <Name extends string, Input, ContextInput, E, R>(
  self: Command.Command<Name, Input, ContextInput, E, R>,
  load: () => Promise<{ readonly handler: Handler<Input> }>,
  group?: string
) =>
  Command.withHandler(
    self,
    Effect.fnUntraced(function* (input: Input) {
      const globals = yield* entered(yield* Globals.get, group === undefined ? self.name : `${group} ${self.name}`)
      const { handler } = yield* Effect.promise(load)
      const limits = yield* ReadingLimits.given
      const answer = yield* Effect.provideService(handler(input, globals), SourceFile.Limits, limits)
      globals.printer.answer(answer)
      process.exitCode = answer.code
    })
  )

/** The settings of a command. On a server its tenant is that of the key, and it leaves no file beside a store here. */
const entered = Effect.fnUntraced(function* (globals: Globals.Globals, command: string) {
  const { server } = globals
  if (server === undefined || ServerUse.table[command] === "apart") return globals
  yield* ServerUse.check(command, server)
  const { name, tenant } = yield* ServerCall.ask(server, (api) => api.keys.whoami())
  return { ...globals, store: ":memory:", tenant, server: { ...server, caller: name } }
})
