/** Compares two runs. */
import * as Diffing from "@backstitch/runtime/Diffing"
import * as RunComparison from "@backstitch/runtime/RunComparison"
import { defined } from "@backstitch/trace/Defined"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import * as RepeatView from "../../output/RepeatView.ts"
import * as DiffView from "../../output/versions/DiffView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./diff.ts"

const named = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const { run: left, tick: leftEnd } = yield* StoreSession.place(input.left, globals)
  const { run: right, tick: rightEnd } = yield* StoreSession.place(input.right, globals)
  const ends = { left: leftEnd, right: rightEnd }
  return { left, right, options: { from: input.from, to: input.to, kinds: input.type, ends } }
})

const told = (compared: RunComparison.RunComparison, input: Input): Printer.CommandAnswer =>
  Printer.answer(compared, () => {
    DiffView.print(compared, input)
    RepeatView.print(compared.repeats)
  })

const states = (input: Input, tick: number, globals: Globals) =>
  Effect.gen(function* () {
    if (input.record) return yield* new Usage({ problem: "--state prints a patch, and there is nothing to --record" })
    const left = yield* StoreSession.find(input.left, globals)
    const right = yield* StoreSession.find(input.right, globals)
    const compared = yield* Diffing.states(left, right, tick)
    return Printer.answer(compared, () => DiffView.printPatch(compared))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const reading = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const { left, options, right } = yield* named(input, globals)
    return told(yield* RunComparison.of(left, right, options), input)
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const recording = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const { left, options, right } = yield* named(input, globals)
    return told(yield* RunComparison.recorded(left, right, options), input)
  }).pipe(Effect.provide(StoreSession.writing(globals)))

const asking = (input: Input, server: Server, globals: Globals) =>
  Effect.gen(function* () {
    const { left, options, right } = yield* named(input, globals)
    const params = { run: left.id, other: right.id }
    const payload = defined({ ...options, ends: defined(options.ends) })
    const compared = yield* ServerCall.ask(server, (api) => api.versions.recordDiff({ params, headers: {}, payload }))
    return told(compared, input)
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Compares two runs, and commits the comparison if requested. */
export const handler: Handler<Input> = (input, globals) =>
  input.state !== undefined
    ? states(input, input.state, globals)
    : !input.record
      ? reading(input, globals)
      : globals.server !== undefined
        ? asking(input, globals.server, globals)
        : recording(input, globals)
