/** A world that answers badly: each answer ends in a named outcome, with its evidence in the trace. */
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../Client.ts"
import * as Services from "../crash/Services.ts"
import * as TravelPack from "../crash/TravelPack.ts"
import * as Truth from "../crash/Truth.ts"
import * as World from "../world/World.ts"

const times = { sendWithinMillis: 1200, settleAfterMillis: 200, readWithinMillis: 200 }
const seat = { flight: "RH101-2026-12-18", traveller: "Anna Keller", price: 18_400 }
const booking = { tool: "book_flight", params: seat }

/** A run in a world of its own, and what can be seen of both. */
interface Scene {
  readonly propose: RunHandle.RunHandle["propose"]
  readonly recover: Effect.Effect<Outcome | undefined, RunHandle.RunError>
  readonly arm: (tool: string, kind: string, times?: number) => Effect.Effect<void>
  readonly disarm: Effect.Effect<void>
  /** Types of the transitions after the first, with the status of their results. */
  readonly story: Effect.Effect<ReadonlyArray<string>, History.HistoryError>
  /** Everything that results hold, as text. */
  readonly evidence: Effect.Effect<string, History.HistoryError>
  readonly keys: Effect.Effect<ReadonlyArray<string | undefined>, History.HistoryError>
  readonly world: Effect.Effect<Json>
  readonly working: Effect.Effect<Json>
  /** Seats that the airline has sold to the agent. */
  readonly seats: Effect.Effect<number>
}

/** Plays a scene; whatever happened in it, the run goes on and its trace verifies. */
const scene = (
  body: (scene: Scene) => Effect.Effect<void, History.HistoryError | RunHandle.RunError>,
  bind: (tools: ToolExecutor.Tools, url: string) => ToolExecutor.Tools = (tools) => tools
) =>
  Effect.acquireUseRelease(
    Effect.promise(() => World.start({ settleAfterMillis: times.settleAfterMillis })),
    ({ url }) => Effect.provide(play(url, body), services(bind(Client.tools(url), url)), { local: true }),
    (world) => Effect.promise(() => world.close())
  ).pipe(Effect.runPromise)

const services = (tools: ToolExecutor.Tools) => Services.layer(TraceStore.layerMemory, { tools })

const play = Effect.fnUntraced(function* (
  url: string,
  body: (scene: Scene) => Effect.Effect<void, History.HistoryError | RunHandle.RunError>
) {
  const coordinator = yield* Coordinator.Coordinator
  const history = yield* History.History
  const run = Run.make("trip")
  const clauses = { traveller: seat.traveller, date: "2026-12-18" }
  const handle = yield* coordinator.open(run, { pack: TravelPack.under(times), goal: "lugano", clauses })
  const all = history.transitions(run, { from: 2 })
  yield* body({
    propose: handle.propose,
    recover: Effect.map(handle.recover, ([outcome]) => outcome),
    arm: (tool, kind, count = 1000) => Effect.promise(() => Truth.arm(url, { tool, kind, times: count })),
    disarm: Effect.promise(() => fetch(`${url}/faults`, { method: "DELETE" }).then(() => undefined)),
    story: Effect.map(all, (transitions) =>
      transitions.map(({ body }) => (body.result === undefined ? body.type : `${body.type} ${body.result.status}`))
    ),
    evidence: Effect.map(all, (transitions) =>
      JSON.stringify(transitions.map(({ body: { data, result } }) => [result, data]))
    ),
    keys: Effect.map(all, (transitions) =>
      transitions.flatMap(({ body, stamp }) => (body.type === "action.started" ? [stamp.key] : []))
    ),
    world: Effect.map(handle.position, ({ state }) => state.world["spent"] as Json),
    working: Effect.map(handle.position, ({ state }) => state.working["flights"] as Json),
    seats: Effect.promise(async () => {
      const { bookings = [] } = await Truth.read(url)
      return bookings.filter(({ tenant }) => tenant === "default").length
    })
  })
  const noted = yield* handle.propose({ type: "plan.update", data: { flight: "x", hotel: "y", total: 1, why: "on" } })
  assert.strictEqual(noted._tag, "Done")
  assert.deepStrictEqual((yield* history.verify(run)).divergences, [])
}, Effect.scoped)

/** The tools with another way to answer for one of them. */
const instead = (tool: string, change: (known: ToolExecutor.Tool) => Partial<ToolExecutor.Tool>) => {
  return (tools: ToolExecutor.Tools): ToolExecutor.Tools => ({
    ...tools,
    [tool]: { ...tools[tool]!, ...change(tools[tool]!) }
  })
}

const held = (outcome: Outcome | undefined): string => {
  assert.strictEqual(outcome?._tag, "Held")
  return outcome?._tag === "Held" ? outcome.why : ""
}

const started = ["action.request", "action.started"]
const settled = ["action.verified ok", "action.reconciled ok"]

describe("a tool that answers garbage", () => {
  it("is asked what became of the key, when it is not even JSON, and believed after a readback alone", () =>
    scene((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "garbage", 1)
        const outcome = yield* scene.propose(booking)
        assert.deepInclude(outcome, { _tag: "Done", basis: "readback" })
        assert.deepStrictEqual(yield* scene.story, [
          ...started,
          "action.result unknown",
          "action.result ok",
          ...settled
        ])
        assert.include(yield* scene.evidence, "answered 200 with something that is not JSON")
        assert.strictEqual(yield* scene.seats, 1)
      })
    ))

  it("is sent again under its key when the system of record does not show it, and held when it never does", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          assert.include(held(yield* scene.propose(booking)), "the system of record does not show it")
          const sent = [...started.slice(1), "action.result ok", "action.verified mismatch", "recovery.decided"]
          const sends = Array.from({ length: 8 }, () => sent).flat()
          assert.deepStrictEqual(yield* scene.story, ["action.request", ...sends])
          assert.strictEqual(new Set(yield* scene.keys).size, 1)
          assert.include(yield* scene.evidence, '"certainly"')
          held(yield* scene.recover)
          const other = yield* scene.propose({ ...booking, params: { ...seat, price: 1 }, occurrence: 2 })
          assert.strictEqual(other._tag, "Refused")
          assert.deepStrictEqual([yield* scene.world, yield* scene.seats], [0, 0])
        }),
      instead("book_flight", () => ({ execute: () => ({ booked: "certainly" }) }))
    ))

  it("is asked, too, when no trace could carry its answer", () => {
    let calls = 0
    return scene(
      (scene) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* scene.propose(booking))._tag, "Done")
          assert.deepStrictEqual((yield* scene.story).slice(0, 3), [...started, "action.result unknown"])
          assert.include(yield* scene.evidence, "circular")
          assert.strictEqual(yield* scene.seats, 1)
        }),
      instead("book_flight", ({ execute }) => ({
        execute: async (params: never, context) => {
          const answer = await execute(params, context)
          const circle: { [name: string]: unknown } = {}
          circle["answer"] = circle
          return calls++ === 0 ? (circle as Json) : answer
        }
      }))
    )
  })

  it("has failed, if it is a search: what it answered is evidence, and the plan never sees it", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          const search = { tool: "search_flights", params: { from: "Basel", to: "Lugano", date: "2026-12-18" } }
          assert.strictEqual((yield* scene.propose(search))._tag, "Failed")
          assert.deepStrictEqual(yield* scene.story, ["action.request", "action.result unknown"])
          assert.include(yield* scene.evidence, "none today")
          assert.isNull(yield* scene.working)
        }),
      instead("search_flights", () => ({ execute: () => ({ flights: "none today" }) }))
    ))
})

describe("a system of record", () => {
  it("that cannot be read back leaves the action held, and settles it when it can", () =>
    scene((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("get_booking", "unavailable")
        assert.include(held(yield* scene.propose(booking)), "the system of record could not be read")
        assert.deepStrictEqual(yield* scene.story, [
          ...started,
          "action.result ok",
          "action.verified unknown",
          "recovery.decided"
        ])
        assert.strictEqual(yield* scene.world, 0)
        yield* scene.disarm
        assert.deepInclude(yield* scene.recover, { _tag: "Done", basis: "readback" })
        assert.deepStrictEqual([yield* scene.world, yield* scene.seats], [seat.price, 1])
      })
    ))

  it("that answers a readback with garbage confirms nothing: predicates that cannot be evaluated do not hold", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          held(yield* scene.propose(booking))
          assert.deepStrictEqual(yield* scene.story, [
            ...started,
            "action.result ok",
            "action.verified mismatch",
            "recovery.decided"
          ])
          assert.include(yield* scene.evidence, "status")
          assert.strictEqual(yield* scene.world, 0)
        }),
      instead("book_flight", () => ({ readback: async () => ["confirmed"] }))
    ))

  it("that cannot be asked about a key leaves the action unknown, and its target claimed (L7)", () =>
    scene((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "lost_response", 1)
        yield* scene.arm("status", "unavailable")
        assert.include(held(yield* scene.propose(booking)), "could not be asked")
        assert.deepStrictEqual(yield* scene.story, [...started, "action.result unknown", "recovery.decided"])
        assert.include(yield* scene.evidence, "The world answered 503")
        const other = yield* scene.propose({ ...booking, occurrence: 2 })
        assert.include(other._tag === "Refused" ? other.reason : "", "target seat/")
        yield* scene.disarm
        assert.deepInclude(yield* scene.recover, { _tag: "Done", basis: "readback" })
        assert.strictEqual(yield* scene.seats, 1)
      })
    ))
})

describe("a question about a key that is put in another tenant's name", () => {
  it("finds nothing, and what follows is sent under the same key: one seat is sold (L6, L15)", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          yield* scene.arm("book_flight", "lost_response", 1)
          assert.deepInclude(yield* scene.propose(booking), { _tag: "Done", basis: "readback" })
          const [first, ...again] = yield* scene.keys
          assert.deepStrictEqual(again, [first])
          assert.strictEqual(yield* scene.seats, 1)
        }),
      (_, url) => Client.tools(url, (_, kind) => ({ Tenant: kind === "status" ? "other" : "default" }))
    ))

  it("may be answered with that tenant's booking, which is not believed: one's own is made (L15)", () =>
    scene(
      (scene) =>
        Effect.gen(function* () {
          yield* scene.arm("book_flight", "timeout_before_commit", 1)
          assert.deepInclude(yield* scene.propose(booking), { _tag: "Done", basis: "readback" })
          assert.include(yield* scene.story, "action.verified mismatch")
          assert.strictEqual(new Set(yield* scene.keys).size, 1)
          assert.deepStrictEqual([yield* scene.world, yield* scene.seats], [seat.price, 1])
        }),
      (tools, url) => {
        const status = async (): Promise<Json> => {
          const order = { method: "POST", headers: { Tenant: "other" }, body: JSON.stringify(seat) }
          return (await (await fetch(`${url}/bookings`, order)).json()) as Json
        }
        return instead("book_flight", () => ({ status }))(tools)
      }
    ))
})
