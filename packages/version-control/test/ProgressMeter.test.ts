import * as Progress from "@backstitch/contracts/Progress"
import * as State from "@backstitch/reducer/State"
import type * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { OnsetQuestion, ProgressContract, ProgressMeter, Scan } from "../src/index.ts"
import * as Lab from "./lab.ts"

const measured = (
  bodies: ReadonlyArray<Transition.Body>,
  declared: Partial<Progress.Progress> = {},
  limit = 10
): ProgressMeter.Signals => {
  const over = Lab.predicate({ id: "over", holds: ({ state }) => Number(state.working["spent"] ?? 0) > limit })
  const never = Lab.predicate({ id: "never", holds: () => false })
  const meter = ProgressMeter.start({ declared: { ...Progress.standard, ...declared }, constraints: [over, never] })
  return ProgressMeter.signals(Lab.steps(Lab.fold(), [Lab.started, ...bodies]).reduce(ProgressMeter.step, meter))
}

const wrote = (subgoal: string): Transition.Body => ({ author: "agent", data: { subgoal }, type: "artifact.write" })

describe("ProgressMeter", () => {
  it("counts subgoals that an artifact or a completion names, each once", () => {
    const declared = { subgoals: ["flight", "hotel", "car", "visa"] }
    const bodies = [
      wrote("flight"),
      wrote("flight"),
      wrote("yacht"),
      { ...wrote("car"), type: "goal.complete" as const }
    ]
    assert.strictEqual(measured(bodies, declared).structural_completion, 0.5)
    assert.strictEqual(measured([{ author: "agent", type: "goal.complete" }]).structural_completion, 1)
  })

  it("looks at constraints as they are now, so that it recovers with them", () => {
    assert.strictEqual(measured([Lab.set({ spent: 50 })]).constraint_satisfaction, 0.5)
    assert.strictEqual(measured([Lab.set({ spent: 50 }), Lab.set({ spent: 5 })]).constraint_satisfaction, 1)
  })

  it("counts recent proposals that were turned down: refused, failed, flagged or denied", () => {
    const request: Transition.Body = { action: { id: "a2", tool: "x" }, author: "agent", type: "action.request" }
    const failed: Transition.Body = {
      action: { id: "a2" },
      author: "kernel",
      result: { status: "error" },
      type: "action.result"
    }
    const refused: Transition.Body = { author: "kernel", type: "intent.refused" }
    assert.closeTo(measured([request, failed, Lab.note("a"), refused]).skeptic_survival_rate, 1 / 3, 1e-12)
    assert.strictEqual(measured([refused, Lab.note("a"), Lab.note("b")], { recent: 2 }).skeptic_survival_rate, 1)
    assert.strictEqual(measured([]).skeptic_survival_rate, 1)
    const verdict = (verdict: string): Transition.Body => ({
      author: "user",
      data: { verdict },
      type: "review.decided"
    })
    assert.strictEqual(measured([Lab.note("a"), verdict("denied")]).skeptic_survival_rate, 0)
    assert.strictEqual(measured([Lab.note("a"), verdict("approved")]).skeptic_survival_rate, 1)
  })

  it("weighs the signals as the pack declares", () => {
    const weights = { completion: 2, constraints: 1, survival: 1 }
    const bodies = [wrote("a"), Lab.set({ spent: 50 }), { author: "kernel", type: "intent.refused" } as const]
    const { progress } = measured(bodies, { subgoals: ["a", "b"], weights })
    assert.closeTo(progress, (2 * 0.5 + 1 * 0.5 - 1 * (1 / 3)) / 4, 1e-12)
  })
})

describe("ProgressContract", () => {
  const quality = {
    name: "acme.quality",
    version: "2",
    evaluate: (state: State.State): ProgressContract.Judgement => {
      const score = Number(state.working["quality"] ?? 1)
      return score >= 0.75
        ? { _tag: "Ok", score }
        : score >= 0.5
          ? { _tag: "Uncertain", score }
          : { _tag: "Violation", reason: { quality: score } }
    }
  }
  const samples = [State.empty, { ...State.empty, working: { quality: 0.2 } }]

  it("judges states as fine, uncertain or a violation, and is found by a scan at its first violation alone", () => {
    const contract = Result.getOrThrow(ProgressContract.make(quality, samples))
    const predicate = ProgressContract.toPredicate(contract)
    const steps = Lab.steps(Lab.fold(), [
      Lab.started,
      ...[0.9, 0.6, 0.4, 0.9].map((value) => Lab.set({ quality: value }))
    ])
    assert.deepStrictEqual(
      steps.map(({ after }) => contract.evaluate(after)._tag),
      ["Ok", "Ok", "Uncertain", "Violation", "Ok"]
    )
    assert.deepStrictEqual([predicate.id, Scan.run(predicate, steps).onset], ["acme.quality@2", 4])
  })

  it("refuses a measure that is not pure, and one whose answer is no judgement", () => {
    const make = (source: string) => ProgressContract.make({ ...quality, evaluate: { function: source } }, samples)
    const impure = Result.getOrThrow(Result.flip(make("() => ({ _tag: 'Ok', score: Math.random() })")))
    assert.strictEqual(impure._tag, "Impure")
    for (const source of ["() => ({ _tag: 'Ok', score: 1.5 })", "() => true", "() => ({ _tag: 'Great', score: 1 })"]) {
      assert.strictEqual(Result.getOrThrow(Result.flip(make(source)))._tag, "JudgementInvalid", source)
    }
    assert.deepInclude(Result.getOrThrow(Result.flip(make("() => true"))), { found: "true" })
  })

  it("has one for every run: no anomaly of the kernel", () => {
    const anomaly: Transition.Body = { author: "kernel", data: { kind: "author" }, type: "kernel.anomaly" }
    const steps = Lab.steps(Lab.fold(), [Lab.started, anomaly])
    const { evaluate, name } = ProgressContract.kernelAnomalyFree
    assert.strictEqual(name, OnsetQuestion.anomalyFree)
    assert.deepStrictEqual(
      steps.map(({ after }) => evaluate(after)._tag),
      ["Ok", "Violation"]
    )
  })
})
