/** Verification as a contract declares it, from a tool to the trace: sources, origins, budget, broken glass. */
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Reviews from "@backstitch/kernel/Reviews"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    ...(lab.definition as Definition),
    budgets: { verification: { action: 12 } },
    tools: {
      ...lab.definition.tools,
      book: {
        ...lab.definition.tools.book,
        class: "critical_mutation",
        waives: { target: "a seat has one flight", tenant: "there is one" },
        readback: {
          source: "airline",
          expect: ["actual.price == args.price"],
          sources: [{ source: "audit", expect: "actual.seen" }],
          within: "4s"
        }
      }
    }
  } as Definition)
)

/** Tools of which the first reads come from a replica, and the second source lags behind as well. */
const lagging = (world: lab.World): ToolExecutor.Tools => {
  let reads = 0
  const { book } = world.tools
  return {
    ...world.tools,
    book: {
      ...book!,
      readback: async ({ key }): Promise<Json | ToolExecutor.Reading | undefined> => {
        const record = world.answers.get(key ?? "")
        return ++reads < 3 && record !== undefined ? new ToolExecutor.Reading(record, "replica") : record
      },
      sources: { audit: async () => (reads < 4 ? undefined : ({ seen: true } satisfies JsonObject)) }
    }
  }
}

const glass = { by: "Ada", reason: "the hotel is on fire" }

describe("verification as a contract declares it", () => {
  it.effect("believes a critical act if every source shows it and a person has looked, and is decided so again", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      yield* lab.as(lab.process(store, { executor: ToolExecutor.fromTools(lagging(world)) }))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
          const waits = yield* handle.propose(lab.book("LX1"))
          assert.strictEqual(waits._tag, "Parked", "it is reviewed before")
          const outcome = yield* lab.elapsing(handle.propose({ ...lab.book("LX1"), breakGlass: glass }))
          const review = outcome._tag === "Parked" ? outcome.review : ""
          const { state } = yield* handle.position
          assert.strictEqual(Reviews.of(state).get(review)?.verdict, undefined)
          assert.strictEqual(state.world["spent"], 0)
          const before = yield* Report.of(lab.trip)
          assert.notStrictEqual(before.standing, "success")
          assert.include(JSON.stringify(before.waits), review)
          const data = { review, verdict: "approved", by: "Grace", role: "operator" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          const [settled] = yield* lab.elapsing(handle.resume)
          assert.strictEqual(settled?._tag, "Done")
          assert.strictEqual((yield* Report.of(lab.trip)).actions[0]?.standing, "success")
          const { differs } = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
          assert.deepStrictEqual(differs, [])
        })
      )
      const all = yield* lab.as(lab.process(store))(lab.transitions())
      const asked = all.filter(({ body }) => body.type === "action.asked").map(({ stamp }) => stamp.spent)
      assert.isAtLeast(asked.length, 3)
      for (const spent of asked) assert.deepStrictEqual(spent, { verification: 2 })
      assert.deepStrictEqual(world.doubled, [])
    })
  )

  it.effect("lets no planner break the glass (L4)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const steps = [{ id: "book", propose: { ...lab.book("LX1"), breakGlass: glass } }]
      const outcome = yield* lab.as(lab.process(store, { steps }))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          return yield* Agent.run(yield* coordinator.open(lab.trip, { pack, goal: "goal" }))
        })
      )
      assert.strictEqual(outcome?._tag, "Parked")
      assert.notInclude(lab.types(yield* lab.as(lab.process(store))(lab.transitions())), "action.started")
    })
  )

  it.effect("holds an act that only a replica shows, and calls it unverifiable (HS-07)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const { book } = world.tools
      const replica: ToolExecutor.Tools = {
        ...world.tools,
        book: {
          ...book!,
          readback: async ({ key }) => new ToolExecutor.Reading(world.answers.get(key ?? "") ?? null, "replica")
        }
      }
      const outcome = yield* lab.as(lab.process(store, { executor: ToolExecutor.fromTools(replica) }))(
        Effect.flatMap(lab.open(), (handle) => lab.elapsing(handle.propose(lab.book("LX1"))))
      )
      assert.include(Wording.why(outcome), "a replica confirms no write")
      const again = yield* lab.as(lab.process(store))(DecisionReplay.redecide(lab.trip, { secret: "secret" }))
      assert.deepStrictEqual(again.differs, [])
    })
  )
})
