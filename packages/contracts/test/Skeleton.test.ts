import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type ApprovalRule, Backoff, Budget, type Definition, Skeleton, TaskPack, Topology } from "../src/index.ts"

describe("a topology", () => {
  it("refuses a checklist that names no tool of the pack", () => {
    const make = (checklist: ReadonlyArray<string>) =>
      TaskPack.make({
        pack: "acme.desk",
        version: "1",
        tools: { look: { class: "read_only" } },
        topology: { kind: "react", steps: 9, checklist }
      })
    assert.isTrue(Result.isSuccess(make(["look"])))
    const refused = make(["lok"])
    assert.include(Result.isFailure(refused) ? refused.failure.message : "", "found tool lok, expected one of look")
  })
})

describe("Skeleton", () => {
  it("finds each cycle once, from its smallest name", () => {
    assert.deepStrictEqual(Skeleton.cycles({ c: ["a"], a: ["b"], b: ["c"], d: ["a"], e: [] }), [["a", "b", "c"]])
    assert.deepStrictEqual(Skeleton.cycles({ a: ["a"] }), [["a"]])
    assert.deepStrictEqual(Skeleton.cycles({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }), [])
  })

  it.prop(
    "finds no cycle if every edge leads to a later name",
    [Schema.Array(Schema.Struct({ from: Schema.Natural, by: Schema.Natural }))],
    ([edges]) => {
      const relation: Record<string, Array<string>> = {}
      for (const { by, from } of edges) {
        const source = String(from % 50).padStart(3, "0")
        const target = String((from % 50) + 1 + (by % 5)).padStart(3, "0")
        relation[source] = [...(relation[source] ?? []), target]
      }
      const backwards = Object.keys(relation)[0]
      const target = backwards === undefined ? undefined : relation[backwards]?.[0]
      const closed =
        backwards === undefined || target === undefined
          ? relation
          : { ...relation, [target]: [...(relation[target] ?? []), backwards] }
      return (
        Skeleton.cycles(relation).length === 0 && (backwards === undefined) === (Skeleton.cycles(closed).length === 0)
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it("keeps everything that a reviewed boundary says", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.boundaries",
        version: "1",
        state: { world: { legs: "int" }, working: { leg: "string" } },
        tools: { look: { class: "read_only" } },
        skeletons: {
          leg: {
            entity: "args.leg",
            states: ["choosing", "booked"],
            entry: ["choosing"],
            commit: "world.legs > 0",
            exit: "world.legs > 1",
            inputs: ["working.leg"],
            outputs: ["world.legs"],
            tools: ["look"],
            effects: "forbid"
          }
        },
        topology: { kind: "pipeline", order: ["leg"], steps: 20, queue: 3, rounds: 2, plan: "1h" },
        approvals: { look: { by: "manager" } },
        violations: [{ id: "never", when: false }]
      })
    )
    assert.deepInclude(pack.skeletons["leg"], {
      id: "leg",
      entry: ["choosing"],
      effects: "forbid",
      outputs: [{ name: "world.legs" }]
    })
    const topology: Topology.Topology = {
      kind: "pipeline",
      agents: {},
      order: ["leg"],
      stepsMax: 20,
      roundsMax: 2,
      queueMax: 3,
      planMillis: 3_600_000
    }
    assert.deepStrictEqual(pack.topology, topology)
    const approval: ApprovalRule.ApprovalRule = { tool: "look", by: ["manager"] }
    assert.deepStrictEqual(pack.approvals["look"], approval)
  })

  it("lists the shapes and the counts that packs may name", () => {
    assert.include(Topology.kinds, "plan_execute")
    assert.deepStrictEqual([...Budget.counts].sort(), [
      "anomalies",
      "recoveries",
      "refusals",
      "retries",
      "steps",
      "tokens"
    ])
  })

  it("keeps the pivot and the tool that aborts it, and knows only tools of its subtask there", () => {
    const made = (leg: object) =>
      TaskPack.make({
        pack: "acme.boundaries",
        version: "1",
        state: { world: {}, working: {} },
        tools: { look: { class: "read_only" }, see: { class: "read_only" } },
        skeletons: { leg }
      })
    const { aborts, pivot } = Result.getOrThrow(made({ tools: ["look"], pivot: ["look"], aborts: ["look"] })).skeletons[
      "leg"
    ]!
    assert.deepStrictEqual([pivot, aborts], [["look"], ["look"]])
    const broken = made({ tools: ["look"], aborts: ["see"] })
    assert.isTrue(Result.isFailure(broken))
    if (Result.isFailure(broken)) assert.include(broken.failure.message, "skeletons.leg.aborts")
  })

  it("reads the steps behind a pivot, and refuses a step that could be done twice or follows no pivot", () => {
    const keyed = {
      class: "medium_risk_write",
      idempotency: "idempotent_write",
      input: { to: "string" },
      target: "none",
      identity: { scope: "run", fields: ["to"] },
      undo: "X"
    } as const
    const made = (leg: Definition.Subtask, pay: "X" | { class: "R"; by: "tell"; with: { to: "args.to" } } = "X") =>
      TaskPack.make({
        pack: "acme.forward",
        version: "1",
        state: { world: {}, working: {} },
        tools: {
          tell: keyed,
          pay: { ...keyed, undo: pay },
          fax: { ...keyed, idempotency: "effectful" },
          look: { class: "read_only", input: { to: "string" } }
        },
        skeletons: { leg: { tools: ["tell", "pay", "fax", "look"], ...leg } }
      })
    const step = { tool: "tell", with: { to: "steps.pay.actual.payer" }, within: "2m", poll: "5s" } as const
    const { forward } = Result.getOrThrow(made({ pivot: ["pay"], forward: [step, "pay"] })).skeletons["leg"]!
    assert.deepInclude(forward[0], { tool: "tell", withinMillis: 120_000, poll: Backoff.every(5000) })
    assert.deepStrictEqual(forward[1], { tool: "pay", ...Skeleton.patience })
    const refused = (...asked: Parameters<typeof made>) => {
      const found = made(...asked)
      return Result.isFailure(found) ? found.failure.message : assert.fail("it was taken")
    }
    assert.include(refused({ pivot: ["pay"], forward: ["fax"] }), "neither sent again nor asked about")
    assert.include(refused({ pivot: ["pay"], forward: ["tell", "look"] }), "look, which changes nothing")
    assert.include(refused({ pivot: ["pay"], forward: ["tell", step] }), "tell twice")
    assert.include(refused({ pivot: ["pay"], forward: [{ tool: "tell", with: { whom: "'a'" } }] }), "whom")
    assert.include(refused({ pivot: ["pay"], forward: [{ tool: "tell", with: { to: "actual.payer" } }] }), "actual")
    const undone = { class: "R", by: "tell", with: { to: "args.to" } } as const
    assert.include(refused({ tools: ["pay"], forward: ["pay"] }, undone), "behind no pivot")
    // A tool that cannot be undone is a pivot by itself.
    assert.lengthOf(Result.getOrThrow(made({ forward: ["pay"] })).skeletons["leg"]!.forward, 1)
  })
})
