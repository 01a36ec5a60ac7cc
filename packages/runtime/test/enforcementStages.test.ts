/** The four stages of enforcement, each against every kind of violation: named, refused, or neither. */
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Enforcement from "@backstitch/kernel/Enforcement"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Part from "@backstitch/reducer/Part"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const definition = {
  ...lab.definition,
  state: { ...lab.definition.state, working: { notes: { list: "string" }, plan: { type: "string", nullable: true } } },
  transitions: { "goal.complete": { required_state: { "working.plan": "string" }, hash_seeds: ["working.plan"] } },
  budgets: { calls: { fax: 1 } }
} as Definition

const packOf = (more: object = {}): TaskPack.TaskPack =>
  Result.getOrThrow(TaskPack.make({ ...definition, ...more } as Definition, { impure: "keep" }))

/** Its text alone shows that it is not pure. */
const bySyntax = packOf({
  reducers: { on: { "observation.add": { function: "() => ({ working: { notes: [Date.now()] } })" } } }
})

/** A sample shows it: two equal states may be one object. */
const whenRun = packOf({
  violations: [{ id: "same", when: { function: "({ after, before }) => after === before" } }]
})

/** A fold that is not a function of what it folds: it counts how often it is asked. */
const impureKernel = (): Kernel.Kernel => {
  let calls = 0
  return Kernel.withParts(
    Kernel.standard,
    Part.make("@test/clock", { version: 1, init: 0, on: { "observation.add": () => ++calls } })
  )
}

const enforcement = (stage: number) => (stage === 3 ? undefined : { stage, types: {} })

const begin = (stage: number, pack: TaskPack.TaskPack) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
    coordinator.begin(lab.trip, { enforcement: enforcement(stage), goal: "goal", pack })
  )

/** Tells whether a proposal was refused, or let through and named, or neither. */
const proposed = (stage: number, proposals: ReadonlyArray<Proposal>) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    return yield* lab.as(lab.process(store))(
      Effect.gen(function* () {
        const handle = yield* begin(stage, packOf())
        let last = "nothing"
        for (const proposal of proposals) last = (yield* handle.propose(proposal))._tag
        const all = yield* lab.transitions()
        const named = all.some(({ body }) => body.policy?.observed !== undefined)
        return last === "Refused" ? "refused" : named ? "named" : last
      })
    )
  })

/** Tells whether a run under a pack was refused, or its functions are named in its first transition. */
const begun = (stage: number, pack: TaskPack.TaskPack) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    return yield* lab.as(lab.process(store))(
      Effect.gen(function* () {
        const opened = yield* Effect.result(begin(stage, pack))
        if (Result.isFailure(opened)) return opened.failure._tag === "Impure" ? "refused" : opened.failure._tag
        yield* opened.success.propose(lab.note("a"))
        const [first] = yield* lab.transitions()
        const { impure } = first?.body.data ?? {}
        return Array.isArray(impure) && impure.length > 0 ? "named" : "nothing"
      })
    )
  })

/** Goes on with a run whose states do not come out again, and reads its anomalies. */
const reopened = (stage: number) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const process = () => lab.process(store, { kernel: impureKernel(), lawless: true })
    yield* lab.as(process())(
      Effect.gen(function* () {
        const handle = yield* begin(stage, packOf())
        yield* handle.propose(lab.note("a"))
        yield* handle.propose(lab.note("b"))
      })
    )
    const goOn = Effect.andThen(
      Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(lab.trip)),
      lab.transitions()
    )
    const fresh = Kernel.withParts(
      Kernel.standard,
      Part.make("@test/clock", { version: 1, init: 0, on: { "observation.add": () => 7 } })
    )
    const again = () => lab.as(lab.process(store, { kernel: fresh, lawless: true }))(goOn)
    yield* again()
    const diverged = (yield* again()).filter(({ body }) => body.data?.["kind"] === "replay.diverged")
    return diverged.length === 0 ? "nothing" : diverged.length === 1 ? "named" : "named twice"
  })

const table: ReadonlyArray<
  readonly [violation: string, expected: ReadonlyArray<string>, come: (stage: number) => Effect.Effect<string, unknown>]
> = [
  ["a function is impure by its text", ["named", "named", "named", "refused"], (stage) => begun(stage, bySyntax)],
  ["a function is impure when it is run", ["named", "named", "named", "refused"], (stage) => begun(stage, whenRun)],
  ["a state does not come out again", ["nothing", "named", "named", "nothing"], reopened],
  [
    "an argument is not of its type",
    ["named", "named", "refused", "refused"],
    (stage) => proposed(stage, [{ tool: "look", params: { q: 7 } }])
  ],
  ["a guard refuses", ["named", "named", "refused", "refused"], (stage) => proposed(stage, [lab.book("LX1", 101)])],
  [
    "a required field is missing",
    ["named", "named", "refused", "refused"],
    (stage) => proposed(stage, [{ type: "goal.complete" }])
  ],
  [
    "a budget is spent",
    ["named", "named", "refused", "refused"],
    (stage) =>
      proposed(stage, [
        { tool: "fax", params: { to: "a" } },
        { tool: "fax", params: { to: "b" } }
      ])
  ],
  [
    "an author oversteps (L4)",
    ["refused", "refused", "refused", "refused"],
    (stage) => proposed(stage, [{ type: "action.result", data: {} }])
  ]
]

describe("a stage of enforcement", () => {
  for (const [violation, expected, come] of table) {
    it.effect(`names or refuses as it says where ${violation} (E18)`, () =>
      Effect.gen(function* () {
        const found = yield* Effect.forEach(Enforcement.stages.keys(), (stage) => come(stage))
        assert.deepStrictEqual(found, [...expected])
      })
    )
  }

  it.effect("never runs a function whose text shows that it is not pure: the fold records the place (L2)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const process = lab.process(store)
      yield* lab.as(process)(
        Effect.gen(function* () {
          const handle = yield* begin(0, bySyntax)
          yield* handle.propose(lab.note("a"))
        })
      )
      const all = yield* lab.as(process)(lab.transitions())
      assert.deepStrictEqual(
        all.flatMap(({ body }) => (body.type === "kernel.anomaly" ? [body.data?.["predicate"]] : [])),
        ["reduce.observation.add"]
      )
      const again = Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(lab.trip))
      const { state } = yield* lab.as(process)(Effect.flatMap(again, (handle) => handle.position))
      assert.deepStrictEqual([...(state.working["notes"] as Iterable<unknown>)], [])
    })
  )
})
