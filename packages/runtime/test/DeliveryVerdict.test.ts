import { createHmac } from "node:crypto"
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as DeliveryVerdict from "../src/deliveries/DeliveryVerdict.ts"
import * as WebhookIntake from "../src/deliveries/WebhookIntake.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Report from "../src/reporting/Report.ts"
import * as ReviewDecision from "../src/review/ReviewDecision.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Airline from "./airline.ts"
import * as lab from "./lab.ts"

const { secret } = Airline

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

const arrived = (body: object, by = secret): DeliveryVerdict.TenantDelivery => {
  const text = JSON.stringify(body)
  const headers = new Map([["x-signature", `sha256=${createHmac("sha256", by).update(text).digest("hex")}`]])
  const { tool, webhook } = Result.getOrThrow(WebhookIntake.toolOf(packOf("book")))
  return { tool, webhook, body: Buffer.from(text), headers, run: undefined, tenant: lab.trip.tenant }
}

/** A booking whose call ended so, in a run that takes deliveries, and a way to go on with it in other processes. */
const scene = (book: (tools: ToolExecutor.Tools["book"]) => Partial<ToolExecutor.Tools["book"]>) =>
  Effect.gen(function* () {
    const world = new lab.World()
    const own = world.tools.book!
    let key = ""
    const tool: ToolExecutor.Tools["book"] = { ...own, ...book(own) }
    const execute: typeof own.execute = (params, context) => {
      key = context.key ?? ""
      return tool.execute(params, context)
    }
    const executor = ToolExecutor.fromTools({ ...world.tools, book: { ...tool, execute } })
    const within = lab.as(lab.process(yield* lab.shared, { executor }))
    const env = ConfigProvider.fromEnv({ env: { AIRLINE_SECRET: secret } })
    const outcome = yield* within(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.open(lab.trip, { pack: packOf("book"), goal: "goal" })
        return yield* lab.elapsing(handle.propose(lab.book("LX1")))
      })
    )
    assert.strictEqual(outcome._tag, "Held")
    const take = (status: string, by = secret) =>
      within(DeliveryVerdict.take(arrived({ key, status }, by))).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, env)
      )
    return { action: outcome._tag === "Held" ? outcome.action : "", take, within }
  })

/** The call takes effect and its answer gets lost, and nobody can be asked. */
const lost = scene((own) => ({
  execute: async (params, context) => {
    await own?.execute(params, context)
    throw new Error("cut")
  },
  status: async () => {
    throw new Error("busy")
  },
  readback: async () => {
    throw new Error("busy")
  }
}))

describe("DeliveryVerdict", () => {
  it.effect("finds the run by the key of the body, and reports the outcome once, to the provider as well", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const airline = Airline.losing(world)
      const executor = ToolExecutor.fromTools(airline.tools)
      const within = lab.as(lab.process(yield* lab.shared, { executor }))
      yield* within(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: packOf("book"), goal: "goal" })
          assert.strictEqual((yield* handle.propose(lab.book("LX1")))._tag, "Held")
        })
      )
      const key = airline.key()
      const env = ConfigProvider.fromEnv({ env: { AIRLINE_SECRET: secret } })
      const take = (each: DeliveryVerdict.TenantDelivery) =>
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

  it.effect("names first that a provider contradicts a settlement, in every report of the action (L8)", () =>
    Effect.gen(function* () {
      const { action, take, within } = yield* lost
      yield* TestClock.adjust("1 hour")
      const said = { action, by: "Ada", evidence: "the desk says so" }
      const settle = (as: "failure" | "noted") => within(ReviewDecision.settle(lab.trip, { ...said, as }))
      assert.isTrue((yield* settle("failure")).ok)
      const report = within(Report.of(lab.trip))
      assert.isNull(Report.disputes(yield* report))

      const taken = yield* take("booked")
      assert.deepInclude(taken, { verdict: "disputed", action })
      assert.include(taken.why, "its provider now says that it was done; a person settled it as failed")
      assert.deepStrictEqual(taken.next, [{ action, as: ["failure"], run: "trip", verb: "resolve" }])
      assert.deepStrictEqual([DeliveryVerdict.isTaken(taken), DeliveryVerdict.statusOf(taken)], [false, 202])
      const told = yield* report
      assert.include(Report.disputes(told), `contradicts the settlement of book (${action})`)
      const [row] = told.actions.filter((each) => each.action === action)
      assert.match(Report.sentence(row!), /^This is disputed: its provider now says that it was done; .* Until then: /)
      assert.isFalse(Report.isDone(told))

      assert.isFalse((yield* settle("noted")).ok)
      assert.isTrue((yield* settle("failure")).ok)
      assert.isNull(Report.disputes(yield* report))
    })
  )

  it.effect("offers the decisions that the kernel lets a person make about a waiting action, like every view", () =>
    Effect.gen(function* () {
      const { action, take, within } = yield* scene(() => ({ readback: async () => ({ id: "LX1", price: 1 }) }))
      const taken = yield* take("booked")
      assert.deepInclude(taken, { verdict: "held", action })
      const [held] = (yield* within(Report.of(lab.trip))).held
      assert.deepStrictEqual(taken.next, held === undefined ? [] : [held.next])
      assert.isTrue(taken.next.some((step) => step.verb === "resolve" && step.as?.includes("reopened")))
    })
  )
})
