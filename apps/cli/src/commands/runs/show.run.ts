/** Prints what a run did. */
import * as State from "@backstitch/reducer/State"
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as History from "@backstitch/runtime/History"
import * as QuestionNames from "@backstitch/runtime/QuestionNames"
import * as Steps from "@backstitch/runtime/Steps"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Run } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as ShowView from "../../output/ShowView.ts"
import * as TickLine from "../../output/TickLine.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./show.ts"

const fieldsOf = ({ fields }: Input): Effect.Effect<ReadonlyArray<FlatEvent.Field>, Usage> => {
  const names = fields.flatMap((field) => field.split(","))
  const unknown = names.find((name) => !FlatEvent.isField(name))
  return unknown === undefined
    ? Effect.succeed(names.length === 0 ? FlatEvent.fields : names.filter(FlatEvent.isField))
    : Effect.fail(new Usage({ problem: `There is no field "${unknown}". Fields are ${FlatEvent.fields.join(", ")}` }))
}

/** The tick of a run that was asked for, in full. */
const closely = Effect.fnUntraced(function* (run: Run, tick: number, input: Input) {
  const history = yield* History.History
  const fields = yield* fieldsOf(input)
  const { head: last } = yield* history.info(run)
  if (tick < 1) return yield* new History.TickOutOfRange({ run: run.id, tick, last: last.tick })
  yield* history.at(run, tick)
  let answer = Printer.written()
  yield* Steps.walk(run, { from: tick, to: tick }, (step, head) => {
    const view = () => ShowView.print(FlatEvent.of(run, step, head), step, input.state)
    answer = Printer.answer(FlatEvent.of(run, step, head, fields), view)
  })
  return answer
})

/** A range of ticks. One document is written while it is folded: states can be large. */
const range = Effect.fnUntraced(function* (run: Run, input: Input, { printer }: Globals) {
  const history = yield* History.History
  const fields = yield* fieldsOf(input)
  const { head, parent } = yield* history.info(run)
  const { from = 1, to = head.tick } = input
  for (const tick of [from, to]) {
    if (tick < 1 || tick > head.tick) return yield* new History.TickOutOfRange({ run: run.id, tick, last: head.tick })
  }
  if (from > to) return yield* new Usage({ problem: `No tick is from ${from} to ${to}: give the first one first` })
  const unknown = input.type.find((type) => !Ontology.isType(type) && !Ontology.isForeign(type))
  if (unknown !== undefined)
    return yield* new QuestionNames.AskedUnknown({
      what: "type of transition",
      asked: unknown,
      known: Object.keys(Ontology.types)
    })
  const types = new Set<string>(input.type)
  const lines = (step: Step) => {
    Terminal.print(TickLine.render(step, head.tick))
    if (input.state) Terminal.print(JSON.stringify(State.toJson(step.after)))
  }
  const forked = parent === undefined ? null : { run: parent.id, tick: parent.tick }
  printer.begin({ run_id: run.id, head, parent: forked }, "transitions")
  yield* Steps.walk(run, { from, to }, (step, at) => {
    if (types.size > 0 && !types.has(step.transition.body.type)) return
    printer.entry(
      () => FlatEvent.of(run, step, at, fields),
      () => lines(step)
    )
  })
  printer.end()
  return Printer.written()
})

/** Prints what a run did, or everything about one tick. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const { run, tick } = yield* StoreSession.place(input.run, globals)
    return yield* tick === undefined ? range(run, input, globals) : closely(run, tick, input)
  }).pipe(Effect.provide(StoreSession.reading(globals)))
