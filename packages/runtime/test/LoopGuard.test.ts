import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"

/** Two tools that contradict each other, and a third one that settles it. */
const tools = {
  ledger: { execute: () => "paid" },
  archive: { execute: () => "not paid" },
  auditor: { execute: () => "paid on Monday" }
}

const input = { invoice: "string" } as const
const read = { class: "read_only", input } as const

const pack = (steps: number) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.invoices",
      version: "1.0.0",
      tools: { ledger: read, archive: read, auditor: read },
      topology: { kind: "react", steps, checklist: ["auditor"] }
    })
  )

const thrashing = () => {
  let turn = 0
  return async (): Promise<Proposal | undefined> => ({
    tool: turn++ % 2 === 0 ? "ledger" : "archive",
    params: { invoice: "i-7" }
  })
}

const auditing = () => {
  const left: Array<Proposal> = [{ tool: "auditor", params: { invoice: "i-7" } }, { type: "goal.complete" }]
  return async (): Promise<Proposal | undefined> => left.shift()
}

const layers = Coordinator.layer({ secret: "s" }).pipe(
  Layer.provideMerge(ToolExecutor.layerFrom(tools)),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

const run = Run.make("invoice-7")

const calls = Effect.gen(function* () {
  const history = yield* History.History
  const transitions = yield* history.transitions(run)
  return transitions.filter(({ body }) => body.type === "action.request").map(({ body }) => body.action?.tool)
})

const work = (steps: number, planner: Layer.Layer<Planner.Planner>) =>
  Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(run, { pack: pack(steps), goal: "is it paid?" })
    return yield* Agent.run(handle)
  }).pipe(Effect.scoped, Effect.provide(planner, { local: true }))

describe("LoopGuard", () => {
  it.effect("shows an oscillation to a person, and goes on behind the question once somebody resumes the run", () =>
    Effect.gen(function* () {
      const held = yield* work(40, Planner.layerFrom(thrashing()))
      assert.deepInclude(held, { _tag: "Held" })
      assert.deepInclude(held?._tag === "Held" ? held.why : {}, { code: "topology.asked" })
      assert.strictEqual((yield* calls).length, 6)
      const again = yield* work(40, Planner.layerFrom(thrashing()))
      assert.strictEqual(again?._tag, "Held")
      assert.strictEqual((yield* calls).length, 12)
    }).pipe(Effect.provide(layers))
  )

  it.effect("hands the loop to a fallback planner first, and to a person if that one is stuck as well", () =>
    Effect.gen(function* () {
      const mended = yield* work(40, Planner.withFallback(Planner.layerFrom(thrashing()), auditing()))
      assert.strictEqual(mended?._tag, "Done")
      assert.strictEqual((yield* calls).at(-1), "auditor")
    }).pipe(Effect.provide(layers))
  )

  it.effect("asks a person if the fallback is stuck as well, also where a process died in between", () =>
    Effect.gen(function* () {
      const dying = () => {
        const next = thrashing()
        let left = 2
        return async () => (left-- > 0 ? next() : undefined)
      }
      yield* work(40, Planner.withFallback(Planner.layerFrom(thrashing()), dying()))
      assert.strictEqual((yield* calls).length, 8)
      const held = yield* work(40, Planner.withFallback(Planner.layerFrom(auditing()), thrashing()))
      assert.strictEqual(held?._tag, "Held")
      assert.isFalse((yield* calls).includes("auditor"))
    }).pipe(Effect.provide(layers))
  )

  it.effect("leaves the cap and the checklist to the kernel, whichever planner proposes", () =>
    Effect.gen(function* () {
      let turn = 0
      const counting = async (): Promise<Proposal | undefined> => ({ tool: "ledger", params: { invoice: `${turn++}` } })
      const capped = yield* work(
        4,
        Planner.layerFrom(async () => (turn < 5 ? counting() : undefined))
      )
      assert.strictEqual(capped?._tag, "Refused")
      assert.strictEqual((yield* calls).length, 4)
      const early = yield* work(
        4,
        Planner.layerFrom(async () => (turn++ < 6 ? { type: "goal.complete" } : undefined))
      )
      assert.strictEqual(early?._tag, "Refused")
    }).pipe(Effect.provide(layers))
  )
})
