/** Telemetry of runs with sealed values: whatever becomes of an act, no span, log or metric has one of them. */

import { inspect } from "node:util"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import * as Agent from "../src/agent/Agent.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as MetricsExport from "../src/telemetry/MetricsExport.ts"
import * as lab from "./lab.ts"
import * as sealed from "./sealed.ts"

/** Everything that telemetry is given, as text. */
class Listening {
  readonly #spans: Array<Tracer.NativeSpan> = []
  readonly #logs: Array<unknown> = []
  readonly #registry: Metric.MetricRegistry = new Map()

  readonly layer = Layer.mergeAll(
    Layer.succeed(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          this.#spans.push(span)
          return span
        }
      })
    ),
    Logger.layer([
      Logger.make(({ cause, message }) => {
        this.#logs.push([message, cause])
      })
    ]),
    Layer.succeed(References.MinimumLogLevel, "All"),
    Layer.succeed(Metric.MetricRegistry, this.#registry),
    MetricsExport.layer()
  )

  readonly text = Effect.map(
    Effect.provideService(Metric.snapshot, Metric.MetricRegistry, this.#registry),
    (metrics) => {
      const spans = this.#spans.map(({ attributes, events, links, name, status }) => [
        name,
        [...attributes],
        events,
        links.map((link) => link.attributes),
        status
      ])
      return inspect([spans, this.#logs, metrics], { depth: 20, maxArrayLength: null, maxStringLength: null })
    }
  )
}

const { apply, find } = sealed.definition.tools
const reversible = Result.getOrThrow(
  TaskPack.make({
    ...sealed.definition,
    tools: {
      find,
      apply: {
        ...apply,
        undo: { class: "K", by: "withdraw", with: { traveller: "args.traveller", passport: "args.passport" } }
      },
      withdraw: {
        ...apply,
        input: { traveller: "string", passport: apply.input.passport },
        output: { status: "string" },
        target: "'withdrawal/' + args.traveller",
        readback: { source: "office", expect: ["actual.status == 'withdrawn'"], within: "2s" },
        on_reconciled: []
      }
    }
  })
)

/** An office that writes another passport into its record, so that what it did is undone. */
class Mistaken extends sealed.Office {
  readonly withdrawn: Array<string> = []

  override get tools(): ToolExecutor.Tools {
    const { apply: applied, find: found } = super.tools
    const answer = () => (this.withdrawn.length === 0 ? undefined : { status: "withdrawn" })
    return {
      find: found!,
      apply: {
        ...applied!,
        readback: async () =>
          this.visas.size === 0 ? undefined : { passport: `${sealed.secretText}9`, status: "kept" }
      },
      withdraw: {
        execute: ({ passport }: { readonly passport: string }) => {
          this.withdrawn.push(passport)
          return { status: "withdrawn", remark: `${passport} withdrawn` }
        },
        status: async () => answer(),
        readback: async () => answer()
      }
    }
  }
}

const spellings = [sealed.secretText, "X-765 4321", sealed.born]

const listened = Effect.fnUntraced(function* (office: sealed.Office, pack: TaskPack.TaskPack = sealed.pack) {
  const place = yield* sealed.place
  const listening = new Listening()
  const executor = ToolExecutor.fromTools(office.tools)
  const process = lab.process(place.services, { executor, steps: sealed.script })
  const work = Effect.flatMap(Coordinator.Coordinator, (each) =>
    Effect.flatMap(each.open(lab.trip, { pack, goal: "visa" }), (handle) => Effect.exit(Agent.run(handle)))
  )
  yield* lab.as(process.pipe(Layer.provideMerge(listening.layer)))(lab.elapsing(work))
  return { text: yield* listening.text, types: (yield* sealed.texts(place.store)).join("\n") }
})

describe("Telemetry of sealed values", () => {
  const offices: ReadonlyArray<readonly [string, () => sealed.Office, string, TaskPack.TaskPack?]> = [
    ["is done", () => new sealed.Office(), '"action.reconciled"'],
    ["is refused", () => Object.assign(new sealed.Office(), { refuses: true }), '"code":"invalid"'],
    ["is asked about again", () => Object.assign(new sealed.Office(), { silent: 1 }), '"code":"answer.sealed"'],
    ["is undone", () => new Mistaken(), '"recovery.restored"', reversible]
  ]
  for (const [name, office, happened, pack] of offices) {
    it.effect(`has none of them where an act ${name} (decision 0028)`, () =>
      Effect.gen(function* () {
        const { text, types } = yield* listened(office(), pack)
        assert.include(types, happened)
        for (const kind of ["backstitch.action", "backstitch.execution", ".denominator"]) {
          assert.include(text, kind)
        }
        for (const spelling of spellings) assert.notInclude(text, spelling)
      })
    )
  }

  it.effect("is complete: the logs, traces and counts of a tool itself are in it", () =>
    Effect.gen(function* () {
      const listening = new Listening()
      const told = Effect.log(`seen ${sealed.secretText}`).pipe(
        Effect.andThen(Metric.update(Metric.counter("seen", { attributes: { born: sealed.born } }), 1)),
        Effect.andThen(Effect.fail("X-765 4321")),
        Effect.withSpan("tool"),
        Effect.exit
      )
      yield* lab.as(listening.layer)(told)
      const text = yield* listening.text
      for (const spelling of spellings) assert.include(text, spelling)
    })
  )
})
