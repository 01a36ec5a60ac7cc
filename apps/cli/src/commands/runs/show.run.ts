/** Prints what a run did. */
import * as State from "@backstitch/reducer/State"
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as RunEvents from "@backstitch/runtime/RunEvents"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as ShowView from "../../output/runs/ShowView.ts"
import * as TickLine from "../../output/TickLine.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./show.ts"

/** Prints one tick with every field. */
const closely = Effect.fnUntraced(function* (selected: RunEvents.Selected, input: Input) {
  let answer = Printer.written()
  yield* RunEvents.walk(selected, (step, head) => {
    const view = () => ShowView.print(FlatEvent.of(selected.run, step, head), step, input.state)
    answer = Printer.answer(RunEvents.event(selected, step, head), view)
  })
  return answer
})

/** A range of ticks. The document is written during the fold, because states can be large. */
const range = Effect.fnUntraced(function* (selected: RunEvents.Selected, input: Input, { printer }: Globals) {
  const { head, parent, run } = selected
  const lines = (step: Step) => {
    Terminal.print(TickLine.render(step, head.tick))
    if (input.state) Terminal.print(JSON.stringify(State.toJson(step.after)))
  }
  const forked = parent === undefined ? null : { run: parent.id, tick: parent.tick }
  printer.begin({ run_id: run.id, head, parent: forked }, "transitions")
  yield* RunEvents.walk(selected, (step, at) => {
    printer.entry(
      () => RunEvents.event(selected, step, at),
      () => lines(step)
    )
  })
  printer.end()
  return Printer.written()
})

/** Prints what a run did, or all facts about one tick. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const { run, tick } = yield* StoreSession.place(input.run, globals)
    const fields = input.fields.flatMap((field) => field.split(","))
    if (tick !== undefined) return yield* closely(yield* RunEvents.select(run, { from: tick, to: tick, fields }), input)
    const { from, to, type: types } = input
    return yield* range(yield* RunEvents.select(run, { from, to, types, fields }), input, globals)
  }).pipe(Effect.provide(StoreSession.reading(globals)))
