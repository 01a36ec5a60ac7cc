import { assert, beforeAll, describe, it } from "@effect/vitest"
import type * as Outcomes from "../recoverbench/audits/Outcomes.ts"
import type { External, Witness } from "../recoverbench/external/External.ts"
import * as Requirements from "../recoverbench/Requirements.ts"
import * as Results from "../recoverbench/Results.ts"
import * as Tables from "../recoverbench/Tables.ts"
import type * as Domain from "../recoverbench/universe/Domain.ts"
import * as Universe from "../recoverbench/universe/Universe.ts"
import * as Requirement from "../src/Requirement.ts"

/** A restore of a producer on LangGraph.js that the gate should have blocked. */
const witness: Witness = {
  domain: "schedule form",
  case: "slot",
  controller: "G3",
  restore: "allowed",
  named: [],
  invalidated: [],
  survived: false
}

describe("Results of recoverbench", () => {
  let measured: ReadonlyArray<Outcomes.Measured>
  let results: Results.Results

  beforeAll(async () => {
    measured = await Results.measure(1)
    results = await Results.of(measured, 1)
  })

  const row = (regime: Domain.Regime, domain: Domain.Name, strategy: Outcomes.Outcome["strategy"]) =>
    results.outcomes.find((each) => each.regime === regime && each.domain === domain && each.strategy === strategy)

  for (const { name } of Universe.domains) {
    it(`restore the latest checkpoint of ${name} after a commitment, where the entry comes to nothing`, () => {
      const { entry, replay } = Requirements.demanded[name]
      const latest = { success: 1, replay, upstream: 0, observed: 1, status: ["ok"] } as const
      assert.deepInclude(row("commitment", name, "latest admissible"), latest)
      assert.deepInclude(row("commitment", name, "entry only"), { success: 0, replay: null, status: [entry] })
    })

    it(`are at parity with the entry of ${name} in official cases, and replay nothing upstream`, () => {
      const [latest, entry] = [row("official", name, "latest admissible"), row("official", name, "entry only")]
      assert.deepInclude(latest, { success: 1, upstream: 0, status: ["ok"] })
      for (const key of ["success", "replay", "upstream", "preserved"] as const) {
        assert.strictEqual(latest?.[key], entry?.[key])
      }
    })
  }

  it("replay the whole prefix in a rerun, which succeeds and preserves nothing", () => {
    for (const { strategy, trial } of measured) {
      if (strategy === "retry only") assert.lengthOf(trial.replayed ?? [], trial.case.fails + 1, trial.case.id)
    }
    const reruns = results.outcomes.filter(({ strategy }) => strategy === "retry only")
    for (const each of reruns) assert.deepInclude(each, { success: 1, preserved: 0, observed: 0, status: ["ok"] })
  })

  it("are safe and equivalent to a rerun in every comparable row (L10)", () => {
    const counted = results.semantics.map(({ checks: { committed, effects, prefix, semantics }, ...each }) => [
      each.comparable,
      each.safeEquivalent,
      semantics,
      prefix,
      effects,
      committed
    ])
    assert.deepStrictEqual(counted, [
      [12, 12, 12, 12, 0, 0],
      [11, 11, 11, 11, 0, 0],
      [10, 10, 10, 10, 10, 0],
      [14, 14, 14, 14, 14, 14],
      [7, 7, 7, 7, 7, 7]
    ])
  })

  it("decide every event as it was specified, admit nothing unsafe and block nothing falsely", () => {
    assert.deepStrictEqual(results.calibration.counts[0], {
      scope: "all",
      events: 47,
      agreed: 47,
      admitted: 35,
      unsafe: 0,
      blocked: 12,
      dependency: 5,
      effect: 7,
      falselyBlocked: 0,
      checkpoints: 16,
      checkpointsFalselyBlocked: 0
    })
  })

  it("localize every failure, and show where a key without its ordinal does not", () => {
    const { alignment, ambiguity, probes } = results.localization
    assert.deepStrictEqual(alignment, { repeats: 54, instances: 54, checkpoints: 54 })
    assert.deepInclude(ambiguity.ambiguous, { full: 0, without_ordinal: 20 })
    assert.strictEqual(ambiguity.aliases, 10)
    assert.deepStrictEqual(
      probes.map(({ abstains, candidates, erased, survived }) => [candidates.length, abstains, erased, survived]),
      [
        [1, false, [], null],
        [2, true, ["slot[0]"], false],
        [1, false, [], null]
      ]
    )
  })

  it("show a counterexample for each guard that is left out", () => {
    for (const each of results.ablations.unguarded) {
      const kernel = each.conjunct === "effect_allowed" ? "refused" : "restored"
      assert.deepInclude(each, { guarded: "blocked", unguarded: "admitted", kernel, survived: false })
    }
    assert.deepStrictEqual(
      results.ablations.unguarded.flatMap(({ dropped }) => (dropped > 0 ? [dropped] : [])),
      [1, 2, 1, 1, 1]
    )
    for (const each of results.ablations.edges) {
      assert.deepInclude(each, { failed: ["closed"], frozen: "open", forced: "exited" })
    }
  })

  it("store a tenth of the bytes of inline checkpoints, five slots deep", () => {
    assert.lengthOf(results.overhead.depths, 5)
    assert.isAtLeast(results.overhead.ratios.payload, 10)
  })

  it("compare every pair of a rerun and a restore", () => {
    const replays = results.statistics.filter(({ measure }) => measure === "replay")
    assert.strictEqual(
      replays.reduce((sum, { pairs }) => sum + pairs, 0),
      54
    )
    for (const { interval, median } of replays) assert.isTrue(median < 0 && interval[1] < 0)
  })

  it("meet every requirement, and one that is missed is named and ends the run with 1", () => {
    const said: Array<string> = []
    const ended = (change: Partial<Results.Results>, external?: External) => {
      said.length = 0
      const requirements = Requirements.all({ external, measured, results: { ...results, ...change } })
      return Requirement.exitCode(requirements, (line) => said.push(line))
    }
    assert.strictEqual(ended({}), 0)
    assert.deepStrictEqual(said, [])
    const outcomes = results.outcomes.map((each) => (each.domain === "diagnosis" ? { ...each, replay: 3 } : each))
    assert.strictEqual(ended({ outcomes }), 1)
    assert.deepStrictEqual(said, [
      "missed: latest admissible, diagnosis after a commitment: " +
        "required success 1, replay 2, upstream 0, measured success 1, replay 3, upstream 0"
    ])
    const [all, ...others] = results.calibration.counts
    const calibration = { ...results.calibration, counts: [{ ...all!, unsafe: 1 }, ...others] }
    assert.strictEqual(ended({ calibration }), 1)
    assert.deepStrictEqual(said, ["missed: unsafe admissions: required 0 of 35, measured 1 of 35"])
    assert.strictEqual(
      ended({}, { cells: [], overlays: [], witnesses: [], absent: "no registry" }),
      0,
      "a peer that is absent"
    )
    assert.strictEqual(
      ended({}, { cells: [], overlays: [], witnesses: [witness] }),
      1,
      "a restore that the gate let pass"
    )
    assert.include(said.join(), "invalidates: required at least 2, measured 0", "none was tried without the gate")
    assert.include(said.join(), "the same restores that the gate blocks: required 1 of 1, measured 0 of 1")
  })

  it("are printed as tables", () => {
    assert.include(Requirement.print(Requirements.all({ measured, results })), "unsafe admissions")
    assert.include(Tables.print(results), "Calibration of the gate")
  })
})
