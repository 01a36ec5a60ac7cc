/**
 * Every figure of the recorded runs, read from `BACKSTITCH_DATA` or from `shared/data` beside the checkout. The runs
 * are not part of this repository; if they are absent, these tests are skipped.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import * as TravelPlanner from "@backstitch/example-travel-planner/Figures"
import * as TravelPlannerPack from "@backstitch/example-travel-planner/Pack"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as ProgressMeter from "@backstitch/version-control/ProgressMeter"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { check } from "../checkRecorded.ts"
import * as ProgressFigures from "../ProgressFigures.ts"

const folder = process.env["BACKSTITCH_DATA"] ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url))
const isAbsent = !existsSync(`${folder}/travelplanner/dev`)
const title = isAbsent ? `skipped: no recorded runs under ${folder}, set BACKSTITCH_DATA` : "dev"

const layers = PackLibrary.layer.pipe(Layer.provideMerge(TraceStore.layerMemory))

describe.skipIf(isAbsent)(`check:recorded (${title})`, () => {
  it.effect(
    "finds where each failed run of the shop could not be saved any more, and none where nothing was to blame",
    () =>
      Effect.gen(function* () {
        const runs = yield* check(folder, "dev", "retailRuns")
        assert.deepStrictEqual(runs, {
          retailRuns: { runs: 51, outputs: 429, outputsReproduced: 429, pointOfNoReturn: 8, sameStepAsHuman: 4 }
        })
        const faults = yield* check(folder, "dev", "retailFaults")
        assert.deepStrictEqual(faults, { retailFaults: { ok: 196, wrong: 80, omission: 63, onsetAgrees: 339 } })
      }),
    240_000
  )

  it.effect(
    "begins where the predicate begins to hold, leads back to the request, and names nothing in a run without violation",
    () =>
      Effect.map(check(folder, "dev", "identification"), (report) =>
        assert.deepStrictEqual(report, {
          identification: {
            questions: 800,
            onsets: 26,
            onsetsCorrect: 26,
            chainsComplete: 26,
            unviolated: 774,
            falsePositives: 0
          }
        })
      ),
    240_000
  )

  it.effect(
    "reports how the signals of progress go with the recorded rewards",
    () =>
      Effect.gen(function* () {
        const { progress } = yield* check(folder, "dev", "progress")
        if (progress === undefined || "absent" in progress) throw new Error("no figures")
        assert.strictEqual(progress.runs, 100)
        for (const metric of ProgressMeter.metrics) {
          const correlation = progress[metric]
          if (correlation !== null) assert.isAtMost(Math.abs(correlation), 1, metric)
        }
        assert.isNumber(progress.progress)
      }),
    240_000
  )

  it.effect(
    "predicts the text of the file before every edit of a coding agent",
    () =>
      Effect.map(check(folder, "dev", "claudeCode"), (report) =>
        assert.deepStrictEqual(report, { claudeCode: { edits: 19, editPreStatesPredicted: 19 } })
      ),
    240_000
  )

  it.effect(
    "looks for the old text of every edit of a coding agent in the text that its session knew",
    () =>
      Effect.map(check(folder, "dev", "codingEdits"), (report) =>
        assert.deepStrictEqual(report, {
          codingEdits: { edits: 149, inWholeText: 114, inPart: 24, unknown: 10, contradicted: 1 }
        })
      ),
    240_000
  )

  it.effect(
    "finds every repeated restaurant in the slot that the labels name",
    () =>
      Effect.gen(function* () {
        const pack = yield* TravelPlannerPack.load
        const file = `${folder}/travelplanner/dev/plans.jsonl.gz`
        // Only wishes that were answered with a plan have a label.
        const labels: ReadonlyArray<{ readonly idx: number; readonly first: Readonly<Record<string, number>> }> =
          JSON.parse(readFileSync(`${folder}/travelplanner/dev/labels.json`, "utf8"))
        const labelled = new Map(labels.map(({ first, idx }) => [idx, first["REPEAT_RESTAURANT"]]))
        const plans = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n")
        const onsets = yield* TravelPlanner.onsets(pack, file, "REPEAT_RESTAURANT")
        assert.deepStrictEqual(
          onsets,
          plans.map((line) => labelled.get((JSON.parse(line) as { readonly idx: number }).idx))
        )
        assert.strictEqual(onsets.filter((slot) => slot !== undefined).length, 8)
      }).pipe(Effect.provide(layers)),
    240_000
  )
})

describe("ProgressFigures", () => {
  it("ranks, with shared ranks for equal values, and has no answer if nothing varies", () => {
    assert.strictEqual(ProgressFigures.rankCorrelation([1, 2, 3], [10, 20, 90]), 1)
    assert.strictEqual(ProgressFigures.rankCorrelation([1, 2, 3], [3, 2, 1]), -1)
    assert.strictEqual(ProgressFigures.rankCorrelation([1, 1, 2, 2], [0, 1, 0, 1]), 0)
    assert.strictEqual(ProgressFigures.rankCorrelation([1, 2, 3, 4], [0, 0, 1, 1]), 0.894)
    assert.strictEqual(ProgressFigures.rankCorrelation([1, 1], [0, 1]), null)
  })
})

describe("check:recorded", () => {
  it.effect("reports every dataset that is absent as absent, with the first path that is missing", () =>
    Effect.map(check("/nowhere", "dev"), (report) =>
      assert.deepStrictEqual(report, {
        airline: { absent: true, missing: "/nowhere/tau-bench-airline/dev/runs.jsonl.gz" },
        identification: { absent: true, missing: "/nowhere/tau-bench-airline/dev/runs.jsonl.gz" },
        progress: { absent: true, missing: "/nowhere/tau-bench-airline/dev/runs.jsonl.gz" },
        retailRuns: { absent: true, missing: "/nowhere/agentrx-tau-retail/dev/runs.jsonl.gz" },
        retailFaults: { absent: true, missing: "/nowhere/tau-bench-retail/dev/synthetic-faults.jsonl.gz" },
        claudeCode: { absent: true, missing: "/nowhere/codemie-sessions/dev/claude-code" },
        codingEdits: { absent: true, missing: "/nowhere/codemie-sessions/dev/claude-code" },
        travelplanner: { absent: true, missing: "/nowhere/travelplanner/dev/plans.jsonl.gz" }
      })
    )
  )
})
