import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as UndoProof from "@backstitch/runtime/UndoProof"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as UndoDrill from "../src/UndoDrill.ts"

const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const
const keyed = { class: "high_risk_external", idempotency: "idempotent_write", status: "by_key", times } as const

const definition = {
  pack: "desk",
  version: "1.0.0",
  state: { world: { booked: "int" } },
  tools: {
    book: {
      ...keyed,
      input: { seat: "string" },
      target: "'seat/' + args.seat",
      identity: { scope: "run", fields: [{ seat: "code" }] },
      readback: { source: "desk", expect: ["actual.status == 'booked'"], within: "2s" },
      undo: { class: "R", by: "cancel", with: { booking: "actual.id" } },
      on_reconciled: [{ add: { field: "world.booked", value: "1" } }]
    },
    cancel: {
      ...keyed,
      input: { booking: "string" },
      target: "'booking/' + args.booking",
      identity: { scope: "run", fields: [{ booking: "exact" }] },
      readback: { source: "desk", expect: ["actual.status == 'cancelled'"], within: "2s" },
      undo: "X"
    }
  },
  tests: [{ name: "a seat", propose: { book: { seat: "1A" } }, expect: { allowed: true } }]
} as const

const packOf = (changes: object = {}) => Result.getOrThrow(TaskPack.make({ ...definition, ...changes } as never))

const within = (undo: object) => packOf({ tools: { ...definition.tools, book: { ...definition.tools.book, undo } } })

type Booking = { readonly id: string; readonly status: string }

/** A sandbox: a desk that keeps its bookings by the key of the last call, and may not give seats back. */
const sandbox = (isFinal = false) => {
  const bookings = new Map<string, Booking>()
  const keys = new Map<string, string>()
  const change = (booking: Booking, { key = "" }: ToolExecutor.ToolContext) => {
    bookings.set(booking.id, booking)
    keys.set(key, booking.id)
    return booking
  }
  const recorded = async ({ key = "" }: ToolExecutor.ToolContext) => bookings.get(keys.get(key) ?? "")
  const tools: ToolExecutor.Tools = {
    book: {
      execute: ({ seat }: { readonly seat: string }, context) =>
        change({ id: `booking ${seat}`, status: "booked" }, context),
      status: recorded,
      readback: recorded
    },
    cancel: {
      execute: ({ booking }: { readonly booking: string }, context) => {
        if (isFinal) throw new ToolExecutor.ToolRefused("seats are final")
        return change({ id: booking, status: "cancelled" }, context)
      },
      status: recorded,
      readback: recorded
    }
  }
  return { bookings, tools }
}

const { tenant } = Run.make("any")

/** Services over one store, with the tools of a sandbox. */
const over = (store: TraceStore.TraceStore["Service"], tools: ToolExecutor.Tools) =>
  Coordinator.layer({ secret: "drill" }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom(tools)),
    Layer.provideMerge(Layer.succeed(TraceStore.TraceStore, store))
  )

const drill = (pack: TaskPack.TaskPack) =>
  Effect.forEach(UndoDrill.exercises(pack), (each) => UndoDrill.carryOut(tenant, pack, each))

const standings = (pack: TaskPack.TaskPack, now = Date.now()) =>
  Effect.map(UndoProof.all(tenant, pack, now), (all) => all.map(({ standing }) => standing))

describe("UndoDrill", () => {
  it.live("exercises every declared undo, and its trace is the proof until the contract changes", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore.makeMemory
      const { bookings, tools } = sandbox()
      const pack = packOf()
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* standings(pack), ["never"])
        const [drilled] = yield* drill(pack)
        assert.deepInclude(drilled, { tool: "book", by: "cancel", isUndone: true })
        assert.deepStrictEqual([...bookings.values()], [{ id: "booking 1A", status: "cancelled" }])
        const [proof] = yield* UndoProof.all(tenant, pack, Date.now())
        assert.deepInclude(proof, { tool: "book", by: "cancel", standing: "proven" })
        assert.deepInclude(proof?.drill, { run: drilled!.run, pack: pack.digest })
        assert.deepStrictEqual((yield* StrictReplay.of(Run.make(drilled!.run))).divergences, [])
        const changed = within({ class: "K", by: "cancel", with: { booking: "actual.id" } })
        assert.deepStrictEqual(yield* standings(changed), ["changed"])
        const other = packOf({ version: "1.1.0" })
        assert.deepStrictEqual(yield* standings(other), ["proven"])
      }).pipe(Effect.provide(over(store, tools)))
    })
  )

  it.live("keeps a drill that did not undo the effect as a failure, until one does", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore.makeMemory
      const pack = packOf()
      const final = over(store, sandbox(true).tools)
      const [refused] = yield* Effect.provide(drill(pack), final)
      assert.strictEqual(refused?.isUndone, false)
      assert.deepStrictEqual(yield* Effect.provide(standings(pack), final), ["failed"])
      const lenient = over(store, sandbox().tools)
      yield* Effect.sleep(2)
      assert.deepInclude((yield* Effect.provide(drill(pack), lenient))[0], { isUndone: true })
      assert.deepStrictEqual(yield* Effect.provide(standings(pack), lenient), ["proven"])
    })
  )

  it.live("names the undos that a pack declares where another is asked for", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore.makeMemory
      const asked = { from: [], sandbox: undefined, tools: ["fly"], yes: false }
      const error = yield* Effect.flip(
        Effect.provide(UndoDrill.run(tenant, packOf(), asked), over(store, sandbox().tools))
      )
      assert.match(error.message, /declares no undo of fly\. It declares those of book$/)
    })
  )

  it.live("is demanded by a contract before a run begins, and has to be fresh", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore.makeMemory
      const pack = within({ ...definition.tools.book.undo, proof: "30d" })
      yield* Effect.gen(function* () {
        const begin = (id: string) =>
          Effect.flatMap(Coordinator.Coordinator, (each) => each.begin(Run.make(id), { pack, goal: "goal" }))
        const error = yield* Effect.flip(begin("early"))
        assert.instanceOf(error, UndoProof.UndoUnproven)
        assert.match(error.message, /book, undone by cancel: never/)
        assert.strictEqual(yield* store.info(Run.make("early")), undefined)
        yield* drill(pack)
        yield* begin("late")
        assert.deepStrictEqual(yield* standings(pack, Date.now() + 31 * 86_400_000), ["stale"])
      }).pipe(Effect.scoped, Effect.provide(over(store, sandbox().tools)))
    })
  )
})
