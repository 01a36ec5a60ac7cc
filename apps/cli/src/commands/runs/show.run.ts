/** Prints what a run did. */
import * as State from "@backstitch/reducer/State"
import * as FileReplacement from "@backstitch/runtime/FileReplacement"
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as RegressionScan from "@backstitch/runtime/RegressionScan"
import * as Report from "@backstitch/runtime/Report"
import * as RunEvents from "@backstitch/runtime/RunEvents"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as Limits from "../../Limits.ts"
import * as RunPage from "../../output/page/RunPage.ts"
import * as ShowView from "../../output/runs/ShowView.ts"
import * as TickLine from "../../output/TickLine.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./show.ts"

const none: ReadonlyMap<number, RegressionScan.Advance> = new Map()

/** The progress by each tick, if it was asked for. */
const advances = ({ from, run, to }: RunEvents.Selected, { progress }: Input) =>
  progress ? RegressionScan.advances(run, { from, to }) : Effect.succeed(none)

/** Adds the progress to an event, if it was asked for. */
const measured = (event: JsonObject, advance: RegressionScan.Advance | undefined): JsonObject =>
  advance === undefined ? event : { ...event, progress: { ...advance } }

/** Prints one tick with every field. */
const closely = Effect.fnUntraced(function* (selected: RunEvents.Selected, input: Input) {
  let answer = Printer.written()
  const progress = yield* advances(selected, input)
  yield* RunEvents.walk(selected, (step, head) => {
    const of = (event: JsonObject) => measured(event, progress.get(step.transition.tick))
    const view = () => ShowView.print(of(FlatEvent.of(selected.run, step, head)), step, input.state)
    answer = Printer.answer(of(RunEvents.event(selected, step, head)), view)
  })
  return answer
})

/** A range of ticks. The document is written during the fold, because states can be large. */
const range = Effect.fnUntraced(function* (selected: RunEvents.Selected, input: Input, { printer }: Globals) {
  const { head, parent, run } = selected
  const progress = yield* advances(selected, input)
  const lines = (step: Step) => {
    Terminal.print(TickLine.render(step, head.tick, progress.get(step.transition.tick)?.change))
    if (input.state) Terminal.print(JSON.stringify(State.toJson(step.after)))
  }
  const forked = parent === undefined ? null : { run: parent.id, tick: parent.tick }
  printer.begin({ run_id: run.id, head, parent: forked }, "transitions")
  yield* RunEvents.walk(selected, (step, at) => {
    printer.entry(
      () => measured(RunEvents.event(selected, step, at), progress.get(step.transition.tick)),
      () => lines(step)
    )
  })
  printer.end()
  return Printer.written()
})

/** Writes a page of the ticks that were named, at most as many as a browser lays out at once. */
const page = Effect.fnUntraced(function* (selected: RunEvents.Selected, file: string) {
  const { from, head, run, to } = selected
  const { pageTicksMax } = Limits.showing
  if (to - from >= pageTicksMax) {
    const problem = `A page shows at most ${pageTicksMax} ticks, and these are ${to - from + 1}: name a part with --from and --to`
    return yield* new Usage({ problem })
  }
  const steps: Array<Step> = []
  yield* RunEvents.walk(selected, (step) => {
    steps.push(step)
  })
  const report = yield* Report.of(run)
  // A page is passed on, so its next steps do not name the store of this machine.
  const written = yield* Effect.provideService(
    Effect.sync(() => RunPage.write({ head, report, steps })),
    Spelling.CommandPlace,
    {}
  )
  yield* FileReplacement.write(file, [written], { mode: 0o600, over: RunPage.beginning })
  const document = { run: run.id, html: file, ticks: steps.length, head: head.link }
  return Printer.answer(document, () =>
    Terminal.print(`${Terminal.bold("DRAWN:")} run=${run.id} | ${file} | ticks=${steps.length}`)
  )
})

/** Prints what a run did, or all facts about one tick. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const { run, tick } = yield* StoreSession.place(input.run, globals)
    const fields = input.fields.flatMap((field) => field.split(","))
    const ofLines = {
      "tick of it": tick !== undefined,
      "--state": input.state,
      "--progress": input.progress,
      "--fields": fields.length > 0
    }
    const [other] = Object.entries(ofLines).find(([, isGiven]) => isGiven) ?? []
    if (input.html !== undefined && other !== undefined) {
      const problem = `--html draws a run, or the part between --from and --to, and takes no ${other}: leave that out`
      return yield* new Usage({ problem })
    }
    if (tick !== undefined) return yield* closely(yield* RunEvents.select(run, { from: tick, to: tick, fields }), input)
    const { from, html, to, type: types } = input
    const selected = yield* RunEvents.select(run, { from, to, types, fields })
    return yield* html === undefined ? range(selected, input, globals) : page(selected, html)
  }).pipe(Effect.provide(StoreSession.reading(globals)))
