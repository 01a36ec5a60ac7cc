import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Kernel } from "@backstitch/kernel"
import * as McpTools from "@backstitch/mcp/McpTools"
import * as StdioServer from "@backstitch/mcp/StdioServer"
import { Coordinator, History, PackLibrary, ToolExecutor } from "@backstitch/runtime"
import { Run, TraceStore } from "@backstitch/trace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterEach, beforeEach } from "vitest"
import { example, fixture, Harness } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

describe("McpTools", () => {
  it("lets an agent charge once, although the server is killed after it has charged (L5)", async () => {
    const contracts = await harness.contracts()
    const { close, tools } = McpTools.of(contracts, StdioServer.starting(harness.command()))
    const services = Coordinator.layer({ secret: "a secret of tests" }).pipe(
      Layer.provideMerge(History.layer(Kernel.standard)),
      Layer.provideMerge(PackLibrary.layer),
      Layer.provideMerge(ToolExecutor.layerFrom(tools)),
      Layer.provideMerge(TraceStore.layerMemory)
    )
    harness.fault("die")
    const outcomes = await Effect.runPromise(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const run = yield* coordinator.open(Run.make("shop"), { pack: contracts.pack, goal: "shop" })
        const proposal = { tool: "create_charge", params: { order: "4711", amount: 1999 } }
        return [yield* run.propose(proposal), yield* run.propose(proposal)]
      }).pipe(Effect.scoped, Effect.provide(services))
    )
    await close()
    assert.deepStrictEqual(
      outcomes.map((each) => each._tag === "Done" && each.basis),
      ["readback", "recorded"]
    )
    assert.lengthOf(harness.charges(), 1)
  })

  it("keeps no program alive that has its answer", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      fixture("agentProcess.ts"),
      example("payments.yaml"),
      example("server.ts")
    ])
    assert.deepInclude(JSON.parse(stdout), { value: { id: 1, order: "4711", amount: 5 } })
  })
})
