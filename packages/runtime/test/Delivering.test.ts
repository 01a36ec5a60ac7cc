import { createHmac } from "node:crypto"
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Coordinator from "../src/Coordinator.ts"
import * as Delivering from "../src/Delivering.ts"
import * as Inbox from "../src/Inbox.ts"
import type * as Library from "../src/Library.ts"
import * as Redeciding from "../src/Redeciding.ts"
import type * as RunHandle from "../src/RunHandle.ts"
import * as ToolExecutor from "../src/ToolExecutor.ts"
import * as lab from "./lab.ts"

const secret = "a secret of the airline"

const packOf = (more: object = {}) =>
  Result.getOrThrow(
    TaskPack.make({
      ...(lab.definition as Definition),
      tools: {
        ...lab.definition.tools,
        book: {
          ...lab.definition.tools.book,
          webhook: {
            secret: "AIRLINE_SECRET",
            key: "body.key",
            done: "body.status == 'booked'",
            output: "body.booking"
          },
          ...more
        }
      }
    } as Definition)
  )
const pack = packOf()

const signed = (body: Json, by = secret): Delivering.Arrived => {
  const text = JSON.stringify(body)
  return { tool: "book", body: text, signature: `sha256=${createHmac("sha256", by).update(text).digest("hex")}` }
}

const configured = (env: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

/** A booking that was made, whose answer got lost, and which cannot be asked about just now. */
const scene = Effect.fnUntraced(function* (
  use: (at: {
    readonly handle: RunHandle.RunHandle
    readonly key: string
    readonly deliver: (arrived: Delivering.Arrived) => ReturnType<typeof Delivering.deliver>
  }) => Effect.Effect<void, unknown, Library.Library>
) {
  const store = yield* lab.shared
  const world = new lab.World()
  let key = ""
  const { book } = world.tools
  const tools: ToolExecutor.Tools = {
    ...world.tools,
    book: {
      ...book!,
      execute: (params: never, context) => {
        key = context.key ?? ""
        world.faults.push("lost")
        return book!.execute(params, context)
      },
      status: async () => {
        throw new Error("busy")
      }
    }
  }
  yield* lab.as(lab.process(store, { executor: ToolExecutor.fromTools(tools) }))(
    Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
      const outcome = yield* handle.propose(lab.book("LX1"))
      assert.strictEqual(outcome._tag, "Held")
      yield* use({ handle, key, deliver: (arrived) => Delivering.deliver(handle, arrived) })
    })
  )
  return { world, all: yield* lab.as(lab.process(store))(lab.transitions()) }
})

const booked = (key: string) => ({ key, status: "booked", booking: { id: "book LX1" } })

describe("Delivering", () => {
  it.effect("settles what is pending once the record shows it, and keeps the secret out of the trace", () =>
    Effect.gen(function* () {
      const { all, world } = yield* scene(({ deliver, handle, key }) =>
        Effect.gen(function* () {
          const outcome = yield* deliver(signed(booked(key)))
          assert.deepInclude(outcome, { _tag: "Done", basis: "readback" })
          assert.strictEqual((yield* handle.position).state.world["spent"], 80)
          assert.strictEqual((yield* deliver(signed(booked(key))))._tag, "Done", "and again: the record answers")
        }).pipe(configured({ AIRLINE_SECRET: secret }))
      )
      assert.deepStrictEqual(world.doubled, [])
      assert.strictEqual(all.filter(({ body }) => body.type === "action.reconciled").length, 1)
      assert.notInclude(JSON.stringify(all), secret)
    })
  )

  it.effect(
    "refuses what another secret signed, what was changed on the way, and what is no JSON: each an anomaly",
    () =>
      Effect.gen(function* () {
        const { all } = yield* scene(({ deliver, key }) =>
          Effect.gen(function* () {
            const right = signed(booked(key))
            for (const arrived of [
              signed(booked(key), "another secret"),
              { ...right, body: right.body.replace("LX1", "LX2") },
              { ...right, signature: "" },
              { ...right, body: "<html>booked</html>" }
            ]) {
              assert.strictEqual((yield* deliver(arrived))._tag, "Refused")
            }
          }).pipe(configured({ AIRLINE_SECRET: secret }))
        )
        const { body } = all.at(-1)!
        assert.deepInclude(body, { type: "kernel.anomaly", anomalies: ["webhook.signature"] })
        assert.notInclude(lab.types(all), "action.reconciled")
      })
  )

  it.effect("cannot check anything without the secret, and says which variable is missing", () =>
    scene(({ deliver, key }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(deliver(signed(booked(key))))
        assert.include(String(error), "AIRLINE_SECRET")
        const other = yield* Effect.flip(deliver({ ...signed(booked(key)), tool: "tell" }))
        assert.include(String(other), "has no webhook")
      }).pipe(configured({}))
    )
  )

  it.effect("keeps what is told while a person decides, and goes on by it once they have reopened the action", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      let price = 95
      const book = { ...world.tools["book"]!, readback: async () => ({ id: "book LX1", price }) }
      const executor = ToolExecutor.fromTools({ ...world.tools, book })
      yield* lab.as(lab.process(store, { executor }))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: packOf({ status: "none" }), goal: "goal" })
          assert.strictEqual((yield* lab.elapsing(handle.propose(lab.book("LX1"))))._tag, "Held")
          const [started] = (yield* lab.transitions()).filter(({ stamp }) => stamp.key !== undefined)
          const arrived = signed(booked(started?.stamp.key ?? ""))
          const deliver = Delivering.deliver(handle, arrived).pipe(configured({ AIRLINE_SECRET: secret }))
          for (let times = 0; times < 2; times++) {
            assert.strictEqual((yield* deliver)._tag, "Held")
          }
          const [held] = yield* Inbox.held(lab.trip.tenant)
          assert.include(held?.why, "its provider says meanwhile that it is done")
          const data = { action: held?.action ?? "", as: "reopened", by: "Ada", evidence: "the airline corrected it" }
          assert.strictEqual((yield* handle.propose({ type: "review.decided", author: "user", data }))._tag, "Done")
          price = 80
          assert.deepStrictEqual(
            (yield* handle.recover).map(({ _tag }) => _tag),
            ["Done"]
          )
          const all = yield* lab.transitions()
          const told = all.filter(({ body }) => body.data?.["via"] === "webhook")
          assert.deepStrictEqual(
            told.map(({ body }) => body.result?.basis),
            [undefined, "status"]
          )
          assert.notInclude(lab.types(all), "kernel.anomaly")
          assert.deepStrictEqual((yield* Redeciding.redecide(lab.trip, { secret: "secret" })).differs, [])
        })
      )
    })
  )

  it.effect("finds the run that holds the key of a body, and none for what names no key that was begun", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const webhook = pack.tools["book"]!.webhook!
      const find = (text: string) => Delivering.runOf(lab.trip.tenant, webhook, text)
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
          yield* handle.propose(lab.book("LX1"))
          const key = (yield* lab.transitions()).find(({ stamp }) => stamp.key !== undefined)?.stamp.key ?? ""
          assert.deepStrictEqual(yield* find(JSON.stringify(booked(key))), lab.trip)
          for (const text of [JSON.stringify(booked("another")), JSON.stringify({ key: 7 }), "[]", "", "<html>"]) {
            assert.isUndefined(yield* find(text), text)
          }
        })
      )
    })
  )
})
