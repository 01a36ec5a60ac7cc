/** Any answer of a planner: each proposal is refused by the name of a field, or asks for what it names. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BudgetUse from "@backstitch/kernel/BudgetUse"
import type { Proposal } from "@backstitch/kernel/Proposal"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Agent from "../src/agent/Agent.ts"
import * as Limits from "../src/Limits.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"

const fields = [
  ...["agent", "author", "basis", "breakGlass", "command", "confidence", "data", "dependsOn", "description"],
  ...["occurrence", "occurrenceBy", "params", "spent", "tokens", "tool", "type", "uncertainty"]
] as const

/** Values that types keep from a proposal, beside those that a proposal of the contract has. */
const Value = Schema.Union([
  Schema.Json,
  Schema.Literals(["book", "look", "nothing", "action.request", "observation.add", "goal.complete", "review.decided"]),
  Schema.Struct({ flight: Schema.Json, price: Schema.Json })
])

const Given = Schema.Union([Schema.Json, Schema.Record(Schema.Literals(fields), Value)])

/** Lets a planner answer what is given, and then nothing. */
const answered = (given: ReadonlyArray<unknown>, wishes: Agent.Wishes = {}) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    return yield* lab.as(lab.process(store))(
      Effect.gen(function* () {
        const rest = [...given]
        const planner = Planner.layerFrom(async () => rest.shift() as Proposal | undefined)
        const handle = yield* lab.open()
        const exit = yield* Effect.exit(
          Agent.run(handle, () => {}, wishes).pipe(Effect.provide(planner, { local: true }))
        )
        return { exit, transitions: yield* lab.transitions() }
      })
    )
  })

const sixSteps = Result.getOrThrow(TaskPack.make({ ...lab.definition, budgets: { steps: 6 } }))

/** Lets a planner propose one thing for ever, twice, under a budget of six steps. */
const repeating = (proposal: Proposal, enforcement?: Coordinator.Opening["enforcement"]) =>
  Effect.gen(function* () {
    let asked = 0
    const planner = Planner.layerFrom(async () => {
      asked++
      return proposal
    })
    const process = lab.process(yield* lab.shared)
    return yield* lab.as(process)(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.open(lab.trip, { enforcement, goal: "goal", pack: sixSteps })
        const work = Agent.run(handle).pipe(Effect.provide(planner, { local: true }))
        const ends: ReadonlyArray<string | undefined> = [(yield* work)?._tag, (yield* work)?._tag]
        const { state } = yield* handle.standing
        const fork = yield* Forking.fork({ at: 1, parent: lab.trip })
        return { asked, ends, left: fork.budget.given, used: BudgetUse.of(state).steps }
      })
    )
  })

const cycle: { readonly flight: string; self?: unknown } = { flight: "LX1" }
cycle.self = cycle

const again: Agent.Again = { tool: "book", params: { flight: "LX1", price: 80 }, occurrence: 2 }

describe("a planner", () => {
  it.effect("is not asked again after it was refused a hundred times in a row", () =>
    Effect.gen(function* () {
      let asked = 0
      const store = yield* lab.shared
      const propose = async (): Promise<Proposal> => {
        asked++
        return asked === 50 ? { tool: "look", params: { q: "x" } } : { tool: "book", params: { price: 80 } }
      }
      const outcome = yield* lab.as(lab.process(store))(
        Effect.flatMap(lab.open(), (handle) =>
          Agent.run(handle).pipe(Effect.provide(Planner.layerFrom(propose), { local: true }))
        )
      )
      assert.strictEqual(outcome?._tag, "Refused")
      assert.strictEqual(asked, 50 + Limits.pacing.refusalsMax)
    })
  )

  it.effect("is not asked again once its run has used up its steps, and a fork of the run may begin", () =>
    Effect.gen(function* () {
      // Six steps are done, and the seventh is refused; so is the one after a resume.
      const ended = { asked: 8, ends: ["Refused", "Refused"], left: { steps: 0 }, used: 8 }
      assert.deepStrictEqual(yield* repeating(lab.look("x")), ended)
      assert.deepStrictEqual(yield* repeating(lab.book("LX1", 500)), ended)
    })
  )

  it.effect("has ended with a goal that it declares again and again, and uses no step for it", () =>
    Effect.gen(function* () {
      const ended = { asked: 3, ends: ["Done", undefined], left: { steps: 6 }, used: 0 }
      const declares = { type: "goal.complete" }
      assert.deepStrictEqual(yield* repeating(declares), ended)
      assert.deepStrictEqual(yield* repeating({ ...declares, command: "the end" }), ended)
      assert.deepStrictEqual(yield* repeating(declares, { stage: 0, types: {} }), ended)
    })
  )

  it.effect.prop(
    "ends as foreseen for every JSON answer, and asks no person about a call of no tool",
    [Schema.Array(Given).check(Schema.isMaxLength(4))],
    ([given]) =>
      Effect.gen(function* () {
        const { exit, transitions } = yield* answered(given, { again })
        if (Exit.isFailure(exit)) assert.instanceOf(Cause.squash(exit.cause), Planner.PlannerError)
        for (const { body } of transitions) {
          if (body.type !== "review.requested") continue
          assert.notInclude(["", undefined], (body.data as { readonly tool?: string }).tool, JSON.stringify(body))
        }
      }),
    { arbitrary: { runs: 300 } }
  )

  it.effect.each<readonly [string, unknown]>([
    ["a cycle", cycle],
    ["a function", { flight: () => "LX1" }],
    ["a bigint", { flight: 1n }]
  ])(
    "is refused, or asks for another call, where it gives %s in the place of what the user wants once more",
    (_, params) =>
      Effect.map(answered([{ tool: "book", params }], { again }), ({ exit, transitions }) => {
        assert.isTrue(Exit.isSuccess(exit), String(exit))
        assert.notInclude(lab.types(transitions), "action.started")
      })
  )
})
