import type { Proposal } from "@backstitch/kernel/Proposal"
import * as State from "@backstitch/reducer/State"
import type { Next } from "@backstitch/wording/Next"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import type * as PlannerView from "../src/planner/PlannerView.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as lab from "./lab.ts"

const view = (last?: PlannerView.LastProposal): Planner.View => ({
  state: State.empty,
  actions: [],
  remaining: [],
  specification: [],
  tools: [],
  records: [],
  last
})

const asking =
  <A>(layer: Layer.Layer<Planner.Planner>) =>
  (use: (planner: Planner.Planner["Service"]) => Effect.Effect<A, Planner.PlannerError>) =>
    Effect.provide(Effect.flatMap(Planner.Planner, use), layer, { local: true })

describe("Planner", () => {
  it.effect("proposes the steps of a script in order, each under its id", () =>
    asking(Planner.layerScript(lab.script))((planner) =>
      Effect.gen(function* () {
        const commands: Array<string | undefined> = []
        for (const _ of [...lab.script, "end"]) commands.push((yield* planner.next(view()))?.command)
        assert.deepStrictEqual(commands, [...lab.script.map(({ id }) => id), undefined])
      })
    )
  )

  it.effect("ends a script at the first step that is not done: it has no second idea", () =>
    asking(Planner.layerScript(lab.script))((planner) =>
      Effect.map(planner.next(view({ _tag: "Failed", tick: 1, success: false, error: { code: "full" } })), (proposal) =>
        assert.isUndefined(proposal)
      )
    )
  )

  it.effect("names the step that cannot be proposed", () =>
    asking(
      Planner.layerScript([
        {
          id: "compare",
          propose: () => {
            throw new Error("nothing to compare")
          }
        }
      ])
    )((planner) =>
      Effect.map(Effect.result(planner.next(view())), (result) =>
        assert.strictEqual(
          result._tag === "Failure" ? result.failure.message : "",
          "The planner could not propose compare: nothing to compare"
        )
      )
    )
  )

  it.effect.each<readonly [what: string, given: unknown, problem: RegExp | undefined]>([
    ["ends at null, as who programs in JavaScript does", null, undefined],
    ["takes no text for a proposal", "book", /it answered string, and no object with a type or a tool/],
    ["takes no list for a proposal", [], /it answered object/],
    [
      "names what cannot be read",
      Object.defineProperty({}, "tool", { enumerable: true, get: () => assert.fail("no") }),
      /no/
    ]
  ])("takes for a proposal only what is one, and crashes at nothing: it %s", ([_, given, problem]) =>
    asking(Planner.layerFrom(async () => given as Proposal))((planner) =>
      Effect.gen(function* () {
        const answer = yield* Effect.result(planner.next(view()))
        if (problem === undefined) assert.deepStrictEqual(Result.getOrThrow(answer), undefined)
        else assert.match(Result.isFailure(answer) ? answer.failure.message : "", problem)
      })
    )
  )

  it("has words for every value that a planner throws", () => {
    const { message } = new Planner.PlannerError({ step: "book", cause: Object.create(null) })
    assert.strictEqual(message, "The planner could not propose book: it failed with what cannot be read")
  })

  it.effect("asks a function", () =>
    asking(Planner.layerFrom(async ({ last }) => (last === undefined ? lab.note("a") : undefined)))((planner) =>
      Effect.map(planner.next(view()), (proposal) => assert.deepStrictEqual(proposal, lab.note("a")))
    )
  )
})

describe("Agent", () => {
  it.effect("shows each turn with the transitions that it committed, and ends with the script", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const turns: Array<readonly [string, ReadonlyArray<string>]> = []
      const last = yield* lab.as(lab.process(store, { world: new lab.World(), steps: lab.script }))(
        Effect.flatMap(lab.open(), (handle) =>
          Agent.run(handle, ({ outcome, transitions }) => turns.push([outcome._tag, lab.types(transitions)]))
        )
      )
      assert.strictEqual(last?._tag, "Done")
      assert.deepStrictEqual(turns, [
        ["Done", ["observation.add"]],
        ["Done", ["action.request", "action.result"]],
        ["Done", ["action.request", "action.started", "action.result", "action.verified", "action.reconciled"]],
        ["Done", ["action.request", "action.result"]],
        ["Done", ["action.request", "action.started", "action.result", "action.reconciled"]],
        ["Done", ["goal.complete"]]
      ])
    })
  )

  it.effect("proposes nothing more while a person or an unknown outcome is waited for", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const steps = [
        { id: "launch", propose: { tool: "launch", params: {} } },
        { id: "note", propose: lab.note("after") }
      ]
      const last = yield* lab.as(lab.process(store, { steps }))(lab.work)
      assert.strictEqual(last?._tag, "Parked")
      assert.deepStrictEqual(lab.types(yield* lab.as(lab.process(store))(lab.transitions())), [
        "run.started",
        "policy.decision",
        "review.requested"
      ])
    })
  )

  it.effect("takes a refused step up again after a resume, and nothing that was done", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const steps = (price: number) => [
        { id: "note", propose: lab.note("first") },
        { id: "book", propose: lab.book("LX1", price) }
      ]
      const first = yield* lab.as(lab.process(store, { world, steps: steps(500) }))(lab.work)
      assert.strictEqual(first?._tag, "Refused")
      const second = yield* lab.as(lab.process(store, { world, steps: steps(80) }))(lab.work)
      assert.strictEqual(second?._tag, "Done")
      const all = lab.types(yield* lab.as(lab.process(store))(lab.transitions()))
      assert.deepStrictEqual(all.slice(0, 4), ["run.started", "observation.add", "intent.refused", "action.request"])
    })
  )

  it.effect("does not go on behind a step that failed before a resume", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      world.faults.push("refused")
      const first = yield* lab.as(lab.process(store, { world, steps: lab.script }))(lab.work)
      const second = yield* lab.as(lab.process(store, { world, steps: lab.script }))(lab.work)
      assert.deepStrictEqual([first?._tag, second?._tag], ["Failed", "Failed"])
      assert.deepStrictEqual([...world.effects.keys()], [])
    })
  )

  it.effect("proposes a read that failed again after a resume, as often as that, and goes on behind it", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const told: Array<readonly [string | undefined, string | undefined, ReadonlyArray<Next>]> = []
      for (const turn of [1, 2, 3]) {
        const look = { execute: () => Promise.reject(new ToolExecutor.ToolRefused(`down ${turn}`)) }
        const tools = turn < 3 ? { ...world.tools, look } : world.tools
        const process = lab.process(store, { executor: ToolExecutor.fromTools(tools), steps: lab.script })
        const receipt = Effect.flatMap(lab.work, (outcome) =>
          Effect.map(Receipt.make(lab.trip, outcome), ({ next, why }) => [outcome?._tag, why, next] as const)
        )
        told.push(yield* lab.as(process)(receipt))
      }
      const resume: Next = { run: "trip", verb: "resume" }
      assert.deepStrictEqual(
        told.map(([tag, why, [next]]) => [tag, why, next]),
        [
          ["Failed", "down 1", resume],
          ["Failed", "down 2", resume],
          ["Done", undefined, { run: "trip", verb: "show" }]
        ]
      )
    })
  )

  it.effect("does not run ahead of a step that another process is still at (L7)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const dying = Effect.provideService(FaultPoint.FaultPoint, (place) =>
        place === "readback/before" ? Effect.die("crash") : Effect.void
      )
      yield* Effect.exit(lab.as(lab.process(store, { world, steps: lab.script }))(dying(lab.work)))
      const [proposal, outcome] = yield* lab.as(lab.process(store, { world, steps: lab.script }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const planner = yield* Planner.Planner
          const { state } = yield* handle.position
          const proposal = yield* planner.next({ ...view(), state })
          return [proposal, yield* handle.propose(proposal ?? {})] as const
        })
      )
      assert.deepStrictEqual(proposal, { command: "book" })
      assert.strictEqual(outcome._tag, "Held")
    })
  )
})
