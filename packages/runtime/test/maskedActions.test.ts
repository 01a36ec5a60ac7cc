import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const keyed = {
  class: "high_risk_external",
  idempotency: "idempotent_write",
  status: "by_key",
  times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
  input: { seat: "string" },
  identity: { scope: "goal", fields: [{ seat: "code" }] }
} as const
const desk = (status: string) => ({ source: "desk", expect: [`actual.status == '${status}'`], within: "2s" })

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.masked",
    version: "1.0.0",
    state: { working: { offers: { type: "json", nullable: true }, why: { list: "string" } } },
    tools: {
      search: { class: "read_only", input: { q: "string" }, output: { seats: "json" } },
      book: {
        ...keyed,
        target: "'seat/' + args.seat",
        readback: desk("booked"),
        undo: { class: "R", by: "cancel", with: { seat: "args.seat" } }
      },
      cancel: { ...keyed, target: "'seat/' + args.seat", readback: desk("cancelled"), undo: "X" },
      pay: { ...keyed, target: "'card'", undo: "X" }
    },
    reducers: {
      on: {
        search: [{ set: { field: "working.offers", value: "observed.seats" } }],
        "plan.update": [{ append: { list: "working.why", item: "args.why" } }]
      }
    },
    skeletons: { trip: { tools: ["search", "book", "pay"], aborts: ["pay"] } }
  })
)

/** A desk that sells seats, takes them back unless it is stubborn, and whose card is always declined. */
const toolsOf = (stubborn: boolean): ToolExecutor.Tools => {
  const seats = new Map<string, string>()
  const done = new Map<string, { readonly seat: string; readonly status: string }>()
  const does = (status: string): ToolExecutor.Tool => ({
    execute: ({ seat }: { readonly seat: string }, { key = "" }) => {
      if (stubborn && status === "cancelled") throw new ToolExecutor.ToolRefused("no refunds")
      seats.set(seat, status)
      done.set(key, { seat, status })
      return { seat, status }
    },
    status: async ({ key = "" }) => done.get(key),
    readback: async (_, { seat }: { readonly seat: string }) => ({ seat, status: seats.get(seat) ?? "free" })
  })
  const declined = () => {
    throw new ToolExecutor.ToolRefused("declined")
  }
  return {
    search: { execute: () => ({ seats: ["1A"] }) },
    book: does("booked"),
    cancel: does("cancelled"),
    pay: { execute: declined, status: async () => declined() }
  }
}

interface Shown {
  readonly tools: ReadonlyArray<string>
  readonly offers: unknown
  readonly why: unknown
}

/** Plays the trip, and keeps what the planner was shown at each of its turns. */
const played = Effect.fnUntraced(function* (stubborn: boolean) {
  const shown: Array<Shown> = []
  const proposals: ReadonlyArray<JsonObject> = [
    { type: "plan.update", data: { why: "Anna asked" } },
    { tool: "search", params: { q: "all" } },
    { tool: "book", params: { seat: "1A" } },
    { tool: "pay", params: { seat: "1A" } }
  ]
  const planner = Planner.layerFrom(async ({ actions, state: { working } }) => {
    const tools = actions.map(({ standing, tool }) => `${tool} ${standing}`)
    shown.push({ tools, offers: working["offers"], why: [...(working["why"] as Iterable<unknown>)] })
    return proposals[shown.length - 1]
  })
  const executor = ToolExecutor.fromTools(toolsOf(stubborn))
  const process = Layer.provideMerge(planner, lab.process(yield* lab.shared, { executor }))
  const work = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
    return { outcome: yield* Agent.run(handle), handle }
  })
  return { process, shown, work }
})

describe("a planner after an undoing", () => {
  it.effect("is shown failed acts, and neither undone acts nor the plans that were based on them", () =>
    Effect.gen(function* () {
      const { process, shown, work } = yield* played(false)
      const { outcome } = yield* lab.elapsing(lab.as(process)(work))
      assert.strictEqual(outcome?._tag, "Failed")
      assert.deepStrictEqual(shown.at(-2)?.tools, ["search unverified", "book success"])
      assert.deepStrictEqual(shown.at(-1), { tools: ["pay failure"], offers: null, why: ["Anna asked"] })
      const history = StrictReplay.of(lab.trip)
      assert.deepStrictEqual((yield* lab.as(process)(history)).divergences, [])
      const { differs } = yield* lab.as(process)(DecisionReplay.redecide(lab.trip, { secret: "secret" }))
      assert.deepStrictEqual(differs, [])
    })
  )

  it.effect("is shown again the acts that a person lets stand", () =>
    Effect.gen(function* () {
      const { process, shown, work } = yield* played(true)
      const { outcome } = yield* lab.elapsing(lab.as(process)(work))
      assert.strictEqual(outcome?._tag, "Held")
      const deciding = Effect.gen(function* () {
        const handle = yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(lab.trip))
        const action = outcome?._tag === "Held" ? outcome.action : ""
        const data = { action, as: "failure", by: "Ada", evidence: "the desk keeps it" }
        yield* handle.propose({ author: "user", data, type: "review.decided" })
        return yield* Agent.run(handle)
      })
      yield* lab.elapsing(lab.as(process)(deciding))
      assert.includeMembers([...(shown.at(-1)?.tools ?? [])], ["search unverified", "book success", "pay failure"])
    })
  )
})
