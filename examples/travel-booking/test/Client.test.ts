/** The agent against a world that misbehaves: real HTTP, real time. */

import { fileURLToPath } from "node:url"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Agent from "@backstitch/runtime/Agent"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Planner from "@backstitch/runtime/Planner"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import agent from "../agent.ts"
import * as Client from "../Client.ts"
import { WorldClient } from "../world/test/WorldClient.ts"
import * as World from "../world/World.ts"

const pack = await Effect.runPromise(PackFile.load(fileURLToPath(new URL("../pack.yaml", import.meta.url))))
const worlds: Array<World.World> = []
afterAll(() => Promise.all(worlds.map((world) => world.close())))

/** Lets the agent book its trip in a world of its own, in which one tool has a fault. */
const trip = async (tool: string, kind: string) => {
  const world = await World.start()
  worlds.push(world)
  const client = new WorldClient(world.url)
  await client.send("POST", "/faults", { tool, kind })
  const layer = Coordinator.layer({ secret: "secret" }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom(Client.tools(world.url))),
    Layer.provideMerge(Planner.layerScript(agent.steps ?? [])),
    Layer.provideMerge(TraceStore.layerMemory)
  )
  const { goal, text, clauses } = agent
  const work = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const run = yield* coordinator.begin(Run.make("trip"), { pack, goal, text, clauses })
    const last = yield* Agent.run(run)
    const { divergences, misfit, state } = yield* StrictReplay.of(run.run)
    return { last, divergences, misfit, spent: state.world["spent"] }
  })
  const done = await Effect.runPromise(work.pipe(Effect.scoped, Effect.provide(layer)))
  assert.deepInclude(done, { divergences: [], misfit: undefined })
  const { counts } = await client.audit()
  const { bookings, charges, messages, stays } = counts
  return { outcome: done.last?._tag, spent: done.spent, counts: { bookings, stays, charges, messages } }
}

const whole = { bookings: 1, stays: 1, charges: 1, messages: 1 }

describe.concurrent("an agent in a world that misbehaves", { timeout: 240_000 }, () => {
  for (const kind of ["lost_response", "garbage", "unavailable", "slow", "slow_commit", "late_commit", "lie"]) {
    it(`books once and finishes after ${kind} (L14)`, async () => {
      for (const tool of ["book_flight"]) {
        assert.deepStrictEqual(await trip(tool, kind), { outcome: "Done", spent: 47_800, counts: whole })
      }
    })
  }

  it("holds the booking after wrong_target, believes nothing and goes no further (L7)", async () => {
    const { counts, outcome, spent } = await trip("book_flight", "wrong_target")
    assert.deepStrictEqual([outcome, spent], ["Held", 0])
    assert.deepInclude(counts, { stays: 0, charges: 0, messages: 0 })
    assert.isAtMost(counts.bookings, 1)
  })

  it("gives a seat back that was booked otherwise than asked, and believes in neither (L9)", async () => {
    const { counts, outcome, spent } = await trip("book_flight", "partial")
    assert.deepStrictEqual([outcome, spent], ["Failed", 0])
    assert.deepInclude(counts, { stays: 0, charges: 0, messages: 0 })
  })

  it("gives everything back if the card is declined, and knows the fee of the hotel (L8)", async () => {
    const found = await trip("charge_card", "refuse")
    assert.deepStrictEqual(found, {
      outcome: "Failed",
      spent: 9_800,
      counts: { ...whole, charges: 0, messages: 0 }
    })
  })

  it("charges once after a charge whose answer was lost (L6)", async () => {
    assert.deepStrictEqual((await trip("charge_card", "lost_response")).counts, whole)
  })
})

describe("Client", () => {
  const context = (key: string): ToolExecutor.ToolContext => ({
    key,
    action: "a1",
    deadlineMillis: 1000,
    sendBefore: Date.now() + 1000,
    signal: AbortSignal.timeout(5000),
    observed: undefined
  })

  it("tells a refusal from an answer, and asks for the outcome of either by key", async () => {
    const world = await World.start()
    worlds.push(world)
    const { book_flight: tool } = Client.tools(world.url)
    const params = { flight: "RH105-2026-12-18", traveller: "Ada", price: 1 } as never
    assert.isUndefined(await tool?.status?.(context("k1"), params))
    const refusal = await Promise.resolve(tool?.execute(params, context("k1"))).catch((error: unknown) => error)
    assert.instanceOf(refusal, ToolExecutor.ToolRefused)
    const again = await tool?.status?.(context("k1"), params).catch((error: unknown) => error)
    assert.instanceOf(again, ToolExecutor.ToolRefused)
    const seat = { flight: "RH101-2026-12-18", traveller: "Ada", price: 18_400 } as never
    const booked = (await tool?.execute(seat, context("k2"))) as Json
    assert.deepStrictEqual(await tool?.status?.(context("k2"), seat), booked)
    assert.deepStrictEqual(await tool?.readback?.({ ...context("k2"), observed: booked }, seat), booked)
  })

  it("reads back the record of its key if the answer names none, and never asks for an empty name (L7)", async () => {
    const world = await World.start()
    worlds.push(world)
    const { book_flight: tool } = Client.tools(world.url)
    const seat = { flight: "RH101-2026-12-18", traveller: "Ada", price: 18_400 } as never
    const booked = (await tool?.execute(seat, context("k1"))) as Json
    assert.deepStrictEqual(await tool?.readback?.({ ...context("k1"), observed: {} }, seat), booked)
    assert.isUndefined(await tool?.readback?.({ ...context("k2"), observed: {} }, seat))
    const full = { flight: "RH105-2026-12-18", traveller: "Ada", price: 1 } as never
    await Promise.resolve(tool?.execute(full, context("k3"))).catch(() => undefined)
    const nameless = await tool?.readback?.({ ...context("k3"), observed: {} }, full).catch((error: unknown) => error)
    assert.match(String(nameless), /Neither the answer nor the record of its key names the pnr/)
  })
})
