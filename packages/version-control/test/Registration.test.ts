import * as Anomalies from "@backstitch/reducer/Anomalies"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as Table from "@backstitch/trace/Table"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Bisect, Monotonicity, OnsetQuestion, Registration, Scan, Step, Variations } from "../src/index.ts"
import * as Lab from "./lab.ts"

const poor = (monotone: "monotone" | "lift") =>
  Lab.predicate({ id: "poor_quality", holds: ({ state }) => Number(state.working["quality"] ?? 1) < 0.75, monotone })

const qualities = (values: ReadonlyArray<number>) => [Lab.started, ...values.map((quality) => Lab.set({ quality }))]

const oscillating = qualities([0.9, 0.7, 0.8, 0.6, 0.9, 0.7, 0.8, 0.6])

describe("Registration", () => {
  it("refuses an oscillating predicate unlifted, and names the tick at which it recovers", () => {
    const samples = [{ run: "logistics-47", steps: Lab.steps(Lab.fold(), oscillating) }]
    const refused = Registration.register(poor("monotone"), samples)
    assert.isTrue(Result.isFailure(refused))
    const error = Result.getOrThrow(Result.flip(refused)) as Registration.NotMonotone
    assert.strictEqual(error._tag, "NotMonotone")
    assert.deepStrictEqual([error.violatedAt, error.recoveredAt, error.violatedAgainAt], [3, 4, 5])
    assert.include(error.message, "run logistics-47")
    assert.include(error.message, "monotone: lift")
  })

  it("accepts the same predicate as a lift, which bisect then finds at its first violation", () => {
    const lift = poor("lift")
    const steps = Lab.steps(Lab.fold([lift]), oscillating)
    const accepted = Result.getOrThrow(Registration.register(lift, [{ run: "r", steps }]))
    assert.strictEqual(accepted.as, "lift")
    const onset = Bisect.onset({
      length: steps.length,
      stateAt: (tick) => Lab.stateAt(steps, tick),
      violates: (state, tick) => OnsetQuestion.violates({ _tag: "Predicate", id: lift.id }, state, tick)
    })
    assert.strictEqual(onset, 3)
  })

  it("would be wrong unlifted: binary search over the bare predicate misses the first violation", () => {
    const steps = Lab.steps(Lab.fold(), qualities([0.9, 0.7, 0.8, 0.9, 0.9, 0.9, 0.9, 0.6]))
    const holds = (tick: number) => poor("monotone").holds({ ...steps[tick - 1]!, state: steps[tick - 1]!.after })
    assert.strictEqual(Bisect.onset({ length: steps.length, stateAt: (tick) => tick, violates: holds }), 9)
    assert.strictEqual(Scan.run(poor("lift"), steps).onset, 3)
  })

  it("accepts a monotone predicate, and says on which samples a recovery could have shown", () => {
    const samples = [
      { run: "good", steps: Lab.steps(Lab.fold(), qualities([0.9, 0.8])) },
      { run: "bad", steps: Lab.steps(Lab.fold(), qualities([0.9, 0.5, 0.4])) }
    ]
    const accepted = Result.getOrThrow(Registration.register(poor("monotone"), samples))
    assert.deepStrictEqual(accepted, {
      id: "poor_quality",
      as: "monotone",
      evaluations: 7,
      samples: ["good", "bad"],
      tested: ["bad"]
    })
  })

  it("refuses what recovers in another order of the same events, though no sample shows it", () => {
    const fold = Lab.fold()
    const transitions = Lab.seal(qualities([0.9, 0.8, 0.5])).map(Transition.open)
    const sample = { run: "good", transitions }
    const samples = () => [{ run: "good", steps: Step.walk(fold, State.empty, transitions) }]
    assert.isTrue(Result.isSuccess(Registration.register(poor("monotone"), samples())))
    const generated = () => Variations.samples(fold, sample, 20)
    const refused = Registration.register(poor("monotone"), samples(), { generated: generated() })
    const error = Result.getOrThrow(Result.flip(refused)) as Registration.NotMonotone
    assert.match(error.run, /^good, its units in the order [\d ]+$/)
    assert.isAbove(error.recoveredAt, error.violatedAt)
    const lift = Result.getOrThrow(Registration.register(poor("lift"), samples(), { generated: generated() }))
    assert.isUndefined(lift.generated)
  })

  it("accepts a predicate that agrees in variations, and counts those in which a recovery could have shown", () => {
    const fold = Lab.fold()
    const ever = Lab.predicate({
      id: "ever",
      holds: ({ state }) => state.working["seen"] === true,
      monotone: "monotone"
    })
    const transitions = Lab.seal([Lab.started, Lab.note("a"), Lab.set({ seen: true }), Lab.note("b")]).map(
      Transition.open
    )
    const generated = Variations.samples(fold, { run: "r", transitions }, 30)
    const accepted = Result.getOrThrow(Registration.register(ever, [], { generated }))
    assert.strictEqual(accepted.generated?.traces, 30)
    assert.isAbove(accepted.generated?.tested ?? 0, 10)
  })

  it("refuses a predicate that cannot be evaluated, and names the tick", () => {
    const broken = Lab.predicate({
      id: "broken",
      holds: () => {
        throw new Error("no such field")
      }
    })
    const refused = Registration.register(broken, [{ run: "r", steps: Lab.steps(Lab.fold(), oscillating) }])
    assert.isTrue(Result.isFailure(refused))
    const error = Result.getOrThrow(Result.flip(refused))
    assert.strictEqual(error._tag, "NotEvaluable")
    assert.include(error.message, "tick 1 of run r")
  })

  it("judges a scoped predicate at the ticks of its scope alone", () => {
    const scoped = Lab.predicate({
      id: "no_proof",
      holds: ({ state }) => state.working["proof"] === null,
      monotone: "monotone",
      scope: new Set(["pay"])
    })
    const pay = { action: { id: "a", tool: "pay" }, author: "agent" as const, type: "action.request" as const }
    const intake = [Lab.started, Lab.set({ proof: null }), Lab.set({ proof: "scan.pdf" }), pay]
    const samples = [{ run: "claim", steps: Lab.steps(Lab.fold(), intake) }]
    const accepted = Result.getOrThrow(Registration.register(scoped, samples))
    assert.strictEqual(accepted.evaluations, 1)
    assert.deepStrictEqual(accepted.tested, [])
  })

  it("does not take an unchanged bad row for a recovery", () => {
    const duplicate = Lab.predicate({
      id: "duplicate",
      each: "working.rows",
      holds: ({ row }) => (row as { readonly status: string }).status === "duplicate",
      monotone: "monotone"
    })
    const rules: Rules.Rules = {
      ...Lab.rules(),
      apply: (before, { body }) => {
        const put = body.data?.["put"] as readonly [string, string] | undefined
        const rows = (before.working["rows"] ?? Table.empty) as Table.Table
        return put === undefined
          ? before
          : { ...before, working: { ...before.working, rows: rows.set(put[0], { status: put[1] }) } }
      }
    }
    const put = (key: string, status: string) => ({
      author: "agent" as const,
      data: { put: [key, status] },
      type: "observation.add" as const
    })
    const steps = Lab.steps(Lab.foldOf(rules), [Lab.started, put("a", "duplicate"), put("b", "fine"), put("c", "fine")])
    assert.deepStrictEqual(Monotonicity.verify(duplicate, steps), { _tag: "Kept", evaluations: 4, violatedAt: 2 })
  })
})

describe("Scan", () => {
  it.prop(
    "has the same answer as the latch, for predicates that recover (L2)",
    [Schema.Array(Schema.Natural.check(Schema.isLessThanOrEqualTo(4))).check(Schema.isMaxLength(40))],
    ([values]) => {
      const lift = poor("lift")
      const steps = Lab.steps(Lab.fold([lift]), qualities(values.map((value) => value / 4)))
      const head = Lab.stateAt(steps, steps.length)
      assert.strictEqual(Scan.run(lift, steps).onset, OnsetQuestion.latched({ _tag: "Predicate", id: lift.id }, head))
    },
    { arbitrary: { runs: 300 } }
  )

  it("counts one evaluation a tick up to the onset", () => {
    const steps = Lab.steps(Lab.fold(), oscillating)
    assert.strictEqual(Scan.run(poor("lift"), steps).evaluations, 3)
    assert.strictEqual(Scan.run(Lab.predicate({ id: "never", holds: () => false }), steps).evaluations, steps.length)
  })

  it("goes on after a failure and says where the first was", () => {
    const steps = Lab.steps(Lab.fold(), oscillating)
    const scan = Scan.run(
      Lab.predicate({
        id: "needs_quality",
        holds: ({ state }) => {
          const quality = state.working["quality"]
          if (quality === undefined) throw new Error("quality is not set")
          return Number(quality) < 0.65
        }
      }),
      steps
    )
    assert.deepStrictEqual([scan.onset, scan.failedAt, scan.failures], [5, 1, 1])
  })

  it("reads no step after its answer", () => {
    const steps = Lab.steps(Lab.fold(), oscillating)
    let read = 0
    const counted = function* () {
      for (const step of steps) {
        read++
        yield step
      }
    }
    Scan.run(poor("lift"), counted())
    assert.strictEqual(read, 3)
  })
})

describe("Question", () => {
  it("reads the built-in predicate, a registered id, or an expression", () => {
    const registered = new Set(["overspent"])
    assert.deepStrictEqual(OnsetQuestion.predicate("kernel.anomaly_free", registered), { _tag: "Anomaly" })
    assert.deepStrictEqual(OnsetQuestion.predicate("kernel.contract_kept", registered), { _tag: "Contract" })
    const builtIn = OnsetQuestion.predicate("kernel.budget_kept", registered)
    assert.strictEqual(OnsetQuestion.linear(builtIn)?.code, "search.built_in")
    assert.deepStrictEqual(OnsetQuestion.predicate("overspent", registered), { _tag: "Predicate", id: "overspent" })
    const typed = OnsetQuestion.predicate("working.total > 500", registered)
    assert.deepStrictEqual(typed, { _tag: "Expression", source: "working.total > 500" })
    assert.isFalse(OnsetQuestion.isLatched(typed))
    assert.strictEqual(OnsetQuestion.linear(typed)?.code, "search.unregistered")
  })

  it("says where a registered predicate stopped being evaluated", () => {
    const broken = Lab.predicate({
      id: "broken",
      holds: ({ state }) => {
        if (state.working["quality"] === 0.8) throw new Error("no")
        return false
      }
    })
    const steps = Lab.steps(Lab.fold([broken]), oscillating)
    const head = Lab.stateAt(steps, steps.length)
    assert.strictEqual(OnsetQuestion.failedAt({ _tag: "Predicate", id: "broken" }, head), 4)
    assert.strictEqual(Anomalies.first(head), undefined)
  })
})
