/**
 * What a command does, loaded when the command runs: help and completions load none of it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Globals from "./Globals.ts"

/**
 * An error that was foreseen: its message says what happened, to what, and what to do next.
 *
 * @category models
 * @since 0.1.0
 */
export interface Foreseen {
  readonly _tag: string
  readonly message: string
}

/**
 * Does what a command asks for and answers the exit code: 0, or 1 for what was refused or violated.
 *
 * @category models
 * @since 0.1.0
 */
export type Handler<Input> = (input: Input, globals: Globals.Globals) => Effect.Effect<number, Foreseen>

/**
 * The handler of a command, from its module.
 *
 * @category constructors
 * @since 0.1.0
 */
export const lazily = <Input>(load: () => Promise<{ readonly handler: Handler<Input> }>) =>
  Effect.fnUntraced(function* (input: Input) {
    const globals = yield* Globals.get
    const { handler } = yield* Effect.promise(load)
    process.exitCode = yield* handler(input, globals)
  })
