import { createHmac } from "node:crypto"
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as DeliveryVerdict from "../src/run/DeliveryVerdict.ts"
import * as WebhookIntake from "../src/run/WebhookIntake.ts"
import * as lab from "./lab.ts"

const secret = "a secret of the airline"

const hook = { secret: "AIRLINE_SECRET", tolerance: "none", key: "body.key", done: "body.status == 'booked'" }

const packOf = (...hooked: ReadonlyArray<"book" | "tell">) =>
  Result.getOrThrow(
    TaskPack.make({
      ...(lab.definition as Definition),
      tools: {
        ...lab.definition.tools,
        ...Object.fromEntries(hooked.map((tool) => [tool, { ...lab.definition.tools[tool], webhook: hook }]))
      }
    } as Definition)
  )

const arrived = (body: object, by = secret): DeliveryVerdict.Arrived => {
  const text = JSON.stringify(body)
  const headers = new Map([["x-signature", `sha256=${createHmac("sha256", by).update(text).digest("hex")}`]])
  const { tool, webhook } = Result.getOrThrow(WebhookIntake.toolOf(packOf("book")))
  return { tool, webhook, body: Buffer.from(text), headers, run: undefined, tenant: lab.trip.tenant }
}

describe("DeliveryVerdict", () => {
  it.effect("finds the run by the key of the body, and says once what became of it, for the provider as well", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const { book } = world.tools
      let key = ""
      const executor = ToolExecutor.fromTools({
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
      })
      const within = lab.as(lab.process(yield* lab.shared, { executor }))
      yield* within(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: packOf("book"), goal: "goal" })
          assert.strictEqual((yield* handle.propose(lab.book("LX1")))._tag, "Held")
        })
      )
      const env = ConfigProvider.fromEnv({ env: { AIRLINE_SECRET: secret } })
      const take = (each: DeliveryVerdict.Arrived) =>
        within(DeliveryVerdict.take(each)).pipe(Effect.provideService(ConfigProvider.ConfigProvider, env))
      const seen = yield* Effect.forEach(
        [
          arrived({ key, status: "booked" }, "a guess"),
          arrived({ key: "nobody's", status: "booked" }),
          arrived({ key, status: "under way" }),
          arrived({ key, status: "booked" }),
          arrived({ key, status: "booked" })
        ],
        (each) =>
          Effect.map(take(each), (taken) => ({
            verdict: taken.verdict,
            status: DeliveryVerdict.statusOf(taken),
            taken: DeliveryVerdict.isTaken(taken),
            committed: taken.committed.length > 0
          }))
      )
      assert.deepStrictEqual(seen, [
        { verdict: "refused", status: 401, taken: false, committed: false },
        { verdict: "refused", status: 404, taken: false, committed: false },
        { verdict: "nothing_new", status: 200, taken: true, committed: false },
        { verdict: "settled", status: 200, taken: true, committed: true },
        { verdict: "replayed", status: 200, taken: true, committed: false }
      ])
    })
  )

  it("finds the tool by its name, or as the only one with a webhook", () => {
    const named = (pack: TaskPack.TaskPack, tool?: string) =>
      Result.match(WebhookIntake.toolOf(pack, tool), { onSuccess: (found) => found.tool, onFailure: (e) => e.message })
    assert.strictEqual(named(packOf("book")), "book")
    assert.strictEqual(named(packOf("book", "tell"), "tell"), "tell")
    assert.strictEqual(named(packOf("book", "tell")), "Name the tool that the delivery is about: book, tell")
    assert.include(named(packOf("book"), "fax"), 'has no webhook of a tool "fax". book has one')
    assert.include(named(packOf()), "takes no deliveries")
  })
})
