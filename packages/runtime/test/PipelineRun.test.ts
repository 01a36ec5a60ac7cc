import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PipelineRun from "../src/topology/PipelineRun.ts"
import * as TopologyLab from "./topologyLab.ts"

const order = ["collect", "cite", "write", "edit"]
const topology = { kind: "pipeline", order } as const

/** Stages that add their name. The poisoned stage adds what only the whole shows, until the item was sent back. */
const works = (poisoned?: string) => {
  const ran: Array<string> = []
  const judged: Array<string> = []
  return {
    ran,
    judged,
    errand: (declared: PipelineRun.PipelineErrand["declared"]): PipelineRun.PipelineErrand => ({
      declared,
      source: "notes",
      stage: ({ input, sentBack, stage }) =>
        Effect.sync(() => {
          ran.push(stage)
          return `${String(input)} ${stage === poisoned && sentBack === 0 ? "poison" : stage}`
        }),
      isGood: ({ output, stage }) =>
        Effect.as(
          Effect.sync(() => judged.push(stage)),
          !String(output).includes("poison")
        )
    })
  }
}

const result = (ended: { readonly _tag: string; readonly result?: Json }): Json => ended.result ?? ended._tag

describe("PipelineRun", () => {
  it.effect("runs each stage once, and ships what the judge of the whole calls good", () =>
    TopologyLab.within(topology, ({ declared, handle, memos }) =>
      Effect.gen(function* () {
        const { errand, judged, ran } = works()
        assert.strictEqual(
          result(yield* (yield* PipelineRun.make(handle, errand(declared))).run),
          "notes collect cite write edit"
        )
        assert.deepStrictEqual(ran, order)
        assert.deepStrictEqual(judged, ["edit"])
        assert.strictEqual((yield* memos).at(-1), "gate true edit true")
      })
    )
  )

  it.effect("goes back to the poisoned stage, whichever it is, and does those before it no second time", () =>
    Effect.gen(function* () {
      for (const [place, poisoned] of order.entries()) {
        yield* TopologyLab.within(topology, ({ declared, handle }) =>
          Effect.gen(function* () {
            const { errand, ran } = works(poisoned)
            const ended = yield* (yield* PipelineRun.make(handle, errand(declared))).run
            assert.strictEqual(result(ended), "notes collect cite write edit")
            assert.deepStrictEqual(ran, [...order, ...order.slice(place)])
          })
        )
      }
    })
  )

  it.effect("does a stage again whose gate is red, and goes further back where its input was poisoned", () =>
    Effect.gen(function* () {
      for (const [bad, expected] of [
        ["write", ["collect", "cite", "write", "write", "edit"]],
        ["cite", ["collect", "cite", "write", "write", "cite", "write", "edit"]]
      ] as const) {
        yield* TopologyLab.within(topology, ({ declared, handle }) =>
          Effect.gen(function* () {
            const { errand, ran } = works()
            const healthy = errand(declared)
            const seen = new Set<string>()
            const pipeline = yield* PipelineRun.make(handle, {
              ...healthy,
              stage: (staging) =>
                Effect.map(healthy.stage(staging), (output) => {
                  const isFirst = staging.stage === bad && !seen.has(bad)
                  seen.add(staging.stage)
                  return isFirst ? `${String(output)} poison` : output
                }),
              gate: ({ output, stage }) => stage !== "write" || !String(output).includes("poison")
            })
            assert.strictEqual(result(yield* pipeline.run), "notes collect cite write edit")
            assert.deepStrictEqual(ran, [...expected])
          })
        )
      }
    })
  )

  it.effect("goes on behind the last clean gate in a new process, and asks a person where nothing helps", () =>
    TopologyLab.within(topology, ({ declared, handle, reopen }) =>
      Effect.gen(function* () {
        const first = works()
        const healthy = first.errand(declared)
        const broken = yield* PipelineRun.make(handle, {
          ...healthy,
          stage: (staging) => (staging.stage === "write" ? Effect.fail(new Error("no ink")) : healthy.stage(staging))
        })
        const asked = yield* broken.run
        assert.deepInclude(asked, { _tag: "Asked", subjects: ["write, pass 1"], error: "no ink" })
        const second = works("poison for ever")
        const never = yield* PipelineRun.make(yield* reopen, {
          ...second.errand(declared),
          isGood: () => Effect.succeed(false)
        })
        assert.deepInclude(yield* never.run, { _tag: "Asked" })
        assert.strictEqual(second.ran[0], "write")
      })
    )
  )

  it.effect("orders the task of a killed stage or judge once more", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const { errand, ran } = works()
        const healthy = errand(declared)
        const killed = new Set<string>()
        const dying = (task: string) =>
          Effect.suspend(() => {
            if (killed.has(task)) return Effect.void
            killed.add(task)
            return Effect.andThen(pipeline.kill(task), Effect.never)
          })
        const pipeline: PipelineRun.PipelineRun = yield* PipelineRun.make(handle, {
          ...healthy,
          stage: (staging) => Effect.andThen(dying(`${staging.stage}, pass 1`), healthy.stage(staging)),
          isGood: (output) => Effect.andThen(dying(`judge ${output.stage}, pass 1`), healthy.isGood(output))
        })
        assert.strictEqual((yield* pipeline.run)._tag, "Reached")
        assert.deepStrictEqual(ran, order)
        assert.strictEqual(killed.size, 5)
      })
    )
  )

  it.effect("ends with a question once its red gates are used up", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const hopeless = { ...works().errand(declared), isGood: () => Effect.succeed(false) }
        const ended = yield* (yield* PipelineRun.make(handle, hopeless)).run
        assert.deepInclude(ended, { _tag: "Asked", crack: "cascading_poison", subjects: ["collect"] })
      })
    )
  )
})
