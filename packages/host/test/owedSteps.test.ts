import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as lab from "../../runtime/test/lab.ts"
import type * as RunWaits from "../src/waiting/RunWaits.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as hall from "./hall.ts"

const letter = {
  class: "high_risk_external",
  idempotency: "idempotent_write",
  status: "by_key",
  times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
  input: { to: "string" },
  identity: { scope: "goal", fields: [{ to: "exact" }] },
  readback: { source: "desk", expect: ["actual.to == args.to"], within: "2s" },
  undo: "X"
} as const

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.paying",
    version: "1.0.0",
    tools: { pay: { ...letter, target: "'card/' + args.to" }, tell: { ...letter, target: "'inbox/' + args.to" } },
    skeletons: {
      trip: {
        tools: ["pay", "tell"],
        pivot: ["pay"],
        forward: [
          { tool: "tell", with: { to: "steps.pay.actual.to" }, within: "1m", poll: { first: "600ms", max: "8s" } }
        ]
      }
    }
  })
)

describe("a step behind a pivot", () => {
  it.live("is sent again when it is due, by another host if its own has left meanwhile", () =>
    Effect.gen(function* () {
      const done = new Map<string, JsonObject>()
      const effects: Array<string> = []
      let refusals = 1
      const does = (verb: string): ToolExecutor.Tool => ({
        execute: (params: JsonObject, { key = "" }) => {
          if (verb === "tell" && refusals-- > 0) throw new ToolExecutor.ToolRefused("not now")
          effects.push(`${verb} ${params["to"]}`)
          done.set(key, params)
          return params
        },
        status: async ({ key = "" }) => done.get(key),
        readback: async ({ key = "" }) => done.get(key)
      })
      const steps = hall.script({ tool: "pay", params: { to: "ada" } })
      const tools = { pay: does("pay"), tell: does("tell") }
      const { agent, planner } = hall.agent(new lab.World(), steps)
      const agents = {
        travel: { agent: { ...agent, tools }, pack, planner, executor: ToolExecutor.layerFrom(tools) }
      }
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(hall.trip, { agent: "travel" })
        while (refusals > 0) yield* hall.turns
        let owed: RunWaits.RunWait | undefined
        while (owed?.dueAt === undefined) {
          yield* hall.turns
          owed = (yield* host.status(hall.trip)).waits.find((wait) => wait.for === "step")
        }
        yield* host.drain
        const { doing, waits } = yield* host.status(hall.trip)
        assert.strictEqual(doing, "elsewhere")
        assert.deepInclude(waits, owed)
        assert.deepStrictEqual(effects, ["pay ada"])
      }).pipe(hall.within(hall.host(stored, agents)))
      yield* Effect.gen(function* () {
        yield* hall.until("ended")
        assert.deepStrictEqual(effects, ["pay ada", "tell ada"])
      }).pipe(hall.within(hall.host(stored, agents)))
    })
  )
})
