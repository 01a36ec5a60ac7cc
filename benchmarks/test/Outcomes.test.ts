import { assert, describe, it } from "@effect/vitest"
import * as Outcomes from "../recoverbench/audits/Outcomes.ts"
import * as Strategy from "../recoverbench/harness/Strategy.ts"
import * as Trial from "../recoverbench/harness/Trial.ts"
import * as Universe from "../recoverbench/universe/Universe.ts"

/** The replay that is demanded of latest admissible recovery, and the status of entry only. */
const demanded = {
  navigation: { replay: 1, entry: "contract" },
  "schedule form": { replay: 1, entry: "no-recov" },
  diagnosis: { replay: 2, entry: "no-recov" },
  "etl pipeline": { replay: 1, entry: "no-recov" },
  "travel planning": { replay: 1, entry: "blocked" }
} as const

const trials = (
  domain: (typeof Universe.domains)[number],
  strategy: Strategy.Name,
  regime: "commitment" | "official"
) =>
  Promise.all(
    Universe.casesOf(domain, regime).map((each) =>
      Trial.run({ case: each, domain, strategy: Strategy.compared[strategy] })
    )
  )

describe("Outcomes", () => {
  for (const domain of Universe.domains) {
    it(`of ${domain.name}: a commitment is kept by the latest checkpoint, and by no entry`, async () => {
      const { entry, replay } = demanded[domain.name]
      for (const trial of await trials(domain, "latest admissible", "commitment")) {
        assert.strictEqual(Outcomes.statusOf(trial), "ok", trial.case.id)
        assert.deepStrictEqual([Outcomes.replayOf(trial), Outcomes.upstreamOf(trial)], [replay, 0], trial.case.id)
      }
      for (const trial of await trials(domain, "entry only", "commitment")) {
        assert.strictEqual(Outcomes.statusOf(trial), entry, trial.case.id)
      }
    })

    it(`of ${domain.name}: a rerun succeeds and replays the whole prefix`, async () => {
      for (const trial of await trials(domain, "retry only", "commitment")) {
        assert.strictEqual(Outcomes.statusOf(trial), "ok", trial.case.id)
        assert.strictEqual(Outcomes.replayOf(trial), trial.case.fails + 1, trial.case.id)
        assert.strictEqual(Outcomes.preservedOf(trial), 0, trial.case.id)
      }
    })

    it(`of ${domain.name}: official cases are at parity with the entry, and nothing upstream is replayed`, async () => {
      const [latest, entry] = await Promise.all([
        trials(domain, "latest admissible", "official"),
        trials(domain, "entry only", "official")
      ])
      assert.deepStrictEqual(latest.map(Outcomes.replayOf), entry.map(Outcomes.replayOf))
      for (const trial of latest) {
        assert.strictEqual(Outcomes.statusOf(trial), "ok", trial.case.id)
        assert.strictEqual(Outcomes.upstreamOf(trial), 0, trial.case.id)
      }
    })
  }
})
