import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as PackCheck from "@backstitch/runtime/PackCheck"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ScenarioPack from "../streambench/harness/ScenarioPack.ts"
import * as Scenarios from "../streambench/scenario/Scenarios.ts"
import * as Setting from "../streambench/scenario/Setting.ts"

describe("ScenarioPack", () => {
  let folder = ""
  beforeAll(() => {
    folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-streambench-"))
  })
  afterAll(() => Fs.rmSync(folder, { recursive: true, force: true }))

  for (const scenario of Scenarios.all) {
    for (const ratio of Setting.ratios) {
      it(`of ${scenario.name} at ${ratio} is accepted by the check of packs as a file, without a warning`, async () => {
        const file = Path.join(folder, `${scenario.name}-${ratio}.yaml`)
        Fs.writeFileSync(file, JSON.stringify(ScenarioPack.written(Setting.make(scenario, { ratio, seed: 0 }))))
        const checked = await Effect.runPromise(PackCheck.file(file))
        assert.deepInclude(checked, { ok: true, issues: [], impure: [], warnings: [] })
        assert.strictEqual(checked.reversibility?.ratio, ratio)
        const undoing = Object.values(ScenarioPack.reversals)
        assert.includeMembers(undoing, [...(checked.reversibility?.reversals ?? [])])
      })
    }
  }
})
