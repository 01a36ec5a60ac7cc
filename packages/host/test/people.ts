/** Requests of people about runs, over any host: a subtask is to go back, and a goal that was reached is revised. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Planner from "@backstitch/runtime/Planner"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as party from "../../runtime/test/party.ts"
import * as slots from "../../runtime/test/slots.ts"
import type * as ProcessHost from "../src/ProcessHost.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as hall from "./hall.ts"

const { trip } = hall

type Host<E> = (
  stored: Layer.Layer<hall.Stored>,
  agents: ProcessHost.Settings["agents"]
) => Layer.Layer<RunHost.RunHost | hall.Stored, E>

type Next = Parameters<typeof Planner.layerFrom>[0]

const form = Result.getOrThrow(TaskPack.make({ ...slots.definition, approvals: { draft: { by: ["operator"] } } }))

/** An agent that reserves one slot, and drafts its form once an operator has approved that. */
const clerk = ({ tools }: slots.Desk): AgentFile.AgentFile => {
  const next: Next = async ({ last, state: { working } }) => {
    if (last !== undefined && last._tag !== "Done") return undefined
    if (working["stage"] === "found") return slots.reserve("0")
    if (working["stage"] === "drafted") return undefined
    return [...(working["slots"] as Iterable<unknown>)].length === 0 ? slots.find("0") : { tool: "draft", params: {} }
  }
  return {
    agent: { pack: "pack.yaml", goal: "form", next, tools },
    pack: form,
    planner: Planner.layerFrom(next),
    executor: ToolExecutor.layerFrom(tools)
  }
}

/** Takes a subtask of a waiting run back, whose agent goes on; and finds it blocked once others stand on it. */
export const recovers = <E>(host: Host<E>) =>
  Effect.gen(function* () {
    const desk = new slots.Desk()
    const stored = yield* hall.store
    const asked = { instance: "slot::0::0", policy: "entry", by: "Ada", reason: "the slot was taken" } as const
    yield* Effect.gen(function* () {
      const { recover, start, status } = yield* RunHost.RunHost
      yield* start(trip, { agent: "clerk" })
      const { tick } = yield* hall.until("waiting")
      const nobody = yield* Effect.flip(recover(trip, { ...asked, agent: "nobody" }))
      assert.strictEqual(nobody._tag, "AgentUnknown")
      assert.strictEqual((yield* status(trip)).tick, tick)
      const restored = yield* recover(trip, asked)
      assert.deepInclude(restored, { run: trip.id, admitted: true, done: true })
      for (let tries = 0; tries < 5000 && desk.effects.length < 3; tries++) yield* hall.turns
      yield* hall.until("waiting")
      assert.deepStrictEqual(desk.effects, ["reserve 0", "release 0", "reserve 0"])

      yield* hall.decide(stored, "approved")
      const ended = yield* hall.until("ended")
      const blocked = yield* recover(trip, asked)
      assert.deepInclude(blocked, { admitted: false, done: false, outcome: null })
      assert.deepStrictEqual(blocked.reasons?.[0]?.instances, ["form::null::0"])
      const { doing, tick: after } = yield* status(trip)
      assert.deepStrictEqual([doing, after], ["ended", ended.tick])
    }).pipe(hall.within(host(stored, { clerk: clerk(desk) })))
  })

/** An agent that hires the hall of the city that its user wants, and reads the names of cities in words. */
const organiser = ({ tools }: party.Desk): AgentFile.AgentFile => {
  const halls: Readonly<Record<string, string>> = { Basel: "Messe", Bern: "Casino" }
  let reached = ""
  const next: Next = async ({ specification, state: { world } }) => {
    const city = String(specification.find(({ clause }) => clause === "city")?.value)
    const hired = new Map(world["halls"] as Iterable<readonly [string, string]>)
    const hall = halls[city] ?? ""
    if (hired.get(hall) !== "hired") return { tool: "hire", params: { city, hall, price: 300 } }
    if (reached === city) return undefined
    reached = city
    return { type: "goal.complete" }
  }
  const revise = async (words: string) =>
    Object.keys(halls).flatMap((value) =>
      words.includes(value) ? [{ change: "set", clause: "city", value } as const] : []
    )
  return {
    agent: { pack: "pack.yaml", goal: "party", next, revise, tools },
    pack: party.packOf(),
    planner: Planner.layerFrom(next),
    executor: ToolExecutor.layerFrom(tools)
  }
}

/**
 * Revises a goal that was reached: what no longer fits is undone, and the run that follows goes on by itself. The first
 * run is not done by that, also if its agent is asked again.
 */
export const revises = <E>(host: Host<E>) =>
  Effect.gen(function* () {
    const desk = new party.Desk()
    const stored = yield* hall.store
    yield* Effect.gen(function* () {
      const { inject, resume, start } = yield* RunHost.RunHost
      yield* start(trip, { agent: "organiser" })
      yield* hall.until("ended")
      const asked = { words: "rather in Basel", revision: { changes: [], by: "Ada" } }
      const { isDone, next, revision } = yield* inject(trip, asked)
      assert.isTrue(isDone)
      assert.deepInclude(revision, { said: "rather in Basel", readBy: "party" })
      assert.strictEqual(next?.id, "trip-2")
      yield* hall.until("ended", next)
      assert.deepStrictEqual(desk.effects, ["hire Casino", "cancel Casino", "hire Messe"])
      const again = yield* Effect.flip(inject(trip, asked))
      assert.strictEqual(again._tag, "RunFollowed")
      yield* resume(trip)
      const { ending } = yield* hall.until("ended")
      assert.deepInclude(ending, { how: "ended", next: "trip-2" })
      const receipt = yield* Effect.provide(Receipt.make(trip, undefined, { isOver: true }), hall.process(stored))
      assert.deepInclude(receipt, { status: "stopped", next: [{ run: "trip-2", verb: "resume" }] })
    }).pipe(hall.within(host(stored, { organiser: organiser(desk) })))
  })
