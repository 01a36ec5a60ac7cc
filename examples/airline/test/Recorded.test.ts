/**
 * Runs of a real agent, read from `BACKSTITCH_DATA` or from `shared/data` beside the checkout. They are not part of
 * this repository; if they are absent, these tests are skipped.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as DataFolder from "@backstitch/importers/DataFolder"
import * as Import from "@backstitch/importers/Import"
import * as OpenAiChat from "@backstitch/importers/OpenAiChat"
import * as Solution from "@backstitch/importers/Solution"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as State from "@backstitch/reducer/State"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as HashChain from "@backstitch/trace/HashChain"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Step from "@backstitch/version-control/Step"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Figures from "../Figures.ts"
import * as Pack from "../Pack.ts"

const folder = process.env["BACKSTITCH_DATA"] ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url))
const dataset = `${folder}/tau-bench-airline`
const isAbsent = !existsSync(`${dataset}/dev/runs.jsonl.gz`)
const title = isAbsent ? `skipped: no recorded runs under ${dataset}, set BACKSTITCH_DATA` : "dev"

interface Label {
  readonly class_: string
  readonly firstDeviation: { readonly msg: number } | null
  readonly pointOfNoReturn: { readonly msg: number } | null
  readonly firstViolation: Readonly<Record<string, number>>
}

/** Everything that a label says of a run, found from its trace. */
interface Found {
  readonly verdict: string
  readonly deviation: number | null
  readonly noReturn: number | null
  readonly violations: Readonly<Record<string, number>>
}

const layers = PackLibrary.layer.pipe(Layer.provideMerge(TraceStore.layerMemory))

const imported = Effect.gen(function* () {
  const pack = yield* Pack.load
  const data = yield* DataFolder.read(dataset)
  return {
    pack,
    data,
    runs: Import.stream({ format: OpenAiChat.format, file: `${dataset}/dev/runs.jsonl.gz`, pack, data })
  }
})

/** The message of the call that a result answers: labels name the call, effects enter with the answer. */
const callOf = (steps: ReadonlyArray<Step.Step>, tick: number): number => {
  const id = steps[tick - 1]?.transition.body.action?.id
  const call = steps.find(({ transition: { body } }) => body.type === "action.request" && body.action?.id === id)
  return Number(call?.transition.envelope.source?.replace("message ", ""))
}

const violationsOf = (steps: ReadonlyArray<Step.Step>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    steps.flatMap(({ transition: { body } }) =>
      body.type === "predicate.violation"
        ? [[String(body.data?.["predicate"]), callOf(steps, Number(body.data?.["at"]))] as const]
        : []
    )
  )

const first = (steps: ReadonlyArray<Step.Step>, holds: (world: State.Section) => boolean): number | null => {
  for (const { after, before, transition } of steps) {
    if (transition.body.type !== "action.result" || before.world === after.world) continue
    if (holds(after.world)) return callOf(steps, transition.tick)
  }
  return null
}

const gather = Effect.gen(function* () {
  const { data, pack, runs } = yield* imported
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const fold = library.fold(Kernel.standard)
  const answer = Effect.fnUntraced(function* ({ line, run, state }: Import.ImportedRun) {
    const sealed = yield* store.read(run)
    const steps = yield* library.folding(() => [...Step.walk(fold, State.empty, sealed.map(Transition.open))])
    const { actions } = JSON.parse(line.text).info.task as {
      readonly actions: ReadonlyArray<Solution.Action>
    }
    const solution = Solution.ofActions(pack, data, actions)
    const found: Found = {
      verdict: Solution.verdict(solution, state.world),
      deviation: first(steps, (world) => Solution.hasDeviated(solution, world)),
      noReturn: first(steps, (world) => Solution.isPastReturn(solution, world)),
      violations: violationsOf(steps)
    }
    const head = yield* Effect.fromResult(HashChain.verify(HashChain.genesis(run), sealed))
    return { found, head, types: new Set(steps.map(({ transition: { body } }) => body.type)) }
  })
  return [...(yield* Stream.runCollect(Stream.mapEffect(runs, answer)))]
}).pipe(Effect.provide(layers, { local: true }))

/** Imported, verified and searched once, for all tests that only look. */
const gathered = Effect.runSync(Effect.cached(gather))

describe.skipIf(isAbsent)(`recorded runs (${title})`, () => {
  it.effect(
    "give every figure that the data's README states",
    () =>
      Effect.map(
        Effect.flatMap(imported, ({ data, pack }) =>
          Figures.compute({ file: `${dataset}/dev/runs.jsonl.gz`, pack, data })
        ).pipe(Effect.provide(layers, { local: true })),
        (figures) =>
          assert.deepStrictEqual(figures, {
            runs: 100,
            messages: 2526,
            toolCalls: 577,
            runsWithRepeatedToolCallIds: 25,
            outputsReproduced: 577,
            mutatingCalls: 123,
            stateChanges: 100,
            errors: 21,
            finalEqualsGold: 53,
            recordedHashes: 87,
            recordedHashesReproduced: 87,
            wrongCommit: 30,
            missingCommit: 17,
            match: 53,
            bisectRuns: 4,
            bisectAgrees: 4,
            maxEvaluations: 6
          })
      ),
    240_000
  )

  it.effect(
    "agree with every label: class, deviation, point of no return, first violations",
    () =>
      Effect.gen(function* () {
        const labels: ReadonlyArray<Label> = JSON.parse(readFileSync(`${dataset}/dev/labels.json`, "utf8"))
        const expected = labels.map(({ class_, firstDeviation, firstViolation, pointOfNoReturn }) => ({
          verdict: class_,
          deviation: firstDeviation?.msg ?? null,
          noReturn: pointOfNoReturn?.msg ?? null,
          violations: Object.fromEntries(
            Object.entries(firstViolation).map(([id, message]) => [id.replace("_WITH_CABIN", ""), message])
          )
        }))
        assert.deepStrictEqual(
          (yield* gathered).map(({ found }) => found),
          expected
        )
      }),
    240_000
  )

  it.effect(
    "give the same bytes when they are imported again, into another store (L2)",
    () =>
      Effect.gen(function* () {
        const { runs } = yield* imported
        const store = yield* TraceStore.TraceStore
        const all = yield* Stream.runCollect(runs)
        const heads = yield* Effect.forEach([...all], ({ run }) => Effect.map(store.info(run), (info) => info?.head))
        assert.strictEqual(heads.length, 100)
        assert.deepStrictEqual(
          heads,
          (yield* gathered).map(({ head }) => head)
        )
      }).pipe(Effect.provide(layers)),
    240_000
  )

  it.effect(
    "never violate PAYMENT_NOT_CONSERVED, raise no anomaly, and report nothing as reconciled",
    () =>
      Effect.map(gathered, (runs) => {
        for (const { found, types } of runs) {
          assert.notProperty(found.violations, "PAYMENT_NOT_CONSERVED")
          assert.isFalse(types.has("kernel.anomaly"))
          assert.isFalse(types.has("action.reconciled"))
        }
      }),
    240_000
  )
})
