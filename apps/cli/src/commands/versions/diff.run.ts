/** Compares two runs. */
import * as Diffing from "@backstitch/runtime/Diffing"
import * as RepeatedActs from "@backstitch/runtime/RepeatedActs"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as RepeatView from "../../output/RepeatView.ts"
import * as DiffView from "../../output/versions/DiffView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./diff.ts"

const compare = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const { run: left, tick: leftEnd } = yield* StoreSession.place(input.left, globals)
  const { run: right, tick: rightEnd } = yield* StoreSession.place(input.right, globals)
  const ends = { left: leftEnd, right: rightEnd }
  const diff = yield* Diffing.diff(left, right, { from: input.from, to: input.to, kinds: input.type, ends })
  const repeats = yield* RepeatedActs.among(left, right, ends)
  const print = () => {
    DiffView.print(diff, input)
    RepeatView.print(repeats)
  }
  return { left, diff, answer: Printer.answer({ ...diff, repeats }, print) }
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
  Effect.map(compare(input, globals), ({ answer }) => answer).pipe(Effect.provide(StoreSession.reading(globals)))

const recording = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const { answer, diff, left } = yield* compare(input, globals)
    yield* Diffing.record(left, diff)
    return answer
  }).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))

/** Compares two runs, and commits the comparison if requested. */
export const handler: Handler<Input> = (input, globals) =>
  input.state !== undefined
    ? states(input, input.state, globals)
    : input.record
      ? recording(input, globals)
      : reading(input, globals)
