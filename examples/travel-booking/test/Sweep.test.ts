/** Deaths all along a path, in a short form: `crash/main.ts --only paths` visits every place. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Crew from "../crash/Crew.ts"
import * as Sweep from "../crash/Sweep.ts"

describe("an agent that dies anywhere on a path, and is resumed", () => {
  let crew: Crew.Crew
  let folder: string
  beforeAll(() => {
    crew = new Crew.Crew(2)
    folder = mkdtempSync(join(tmpdir(), "backstitch-sweep-"))
  })
  afterAll(async () => {
    await crew.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  for (const path of Sweep.paths) {
    it(`does it once or not at all, and says which: ${path.name} (L5, L14)`, { timeout: 240_000 }, async () => {
      const storeOf = (name: string) => ({ dialect: "sqlite", filename: join(folder, `${name}.db`) }) as const
      const verdicts = await Sweep.run(path, { crew, every: 7, lanes: 2, storeOf })
      assert.deepStrictEqual(Sweep.broken(path, verdicts), [])
      assert.isAtLeast(verdicts.filter(({ killed }) => killed).length, 3)
    })
  }

  it("fails if no process dies, and if an act is done twice", () => {
    const [path] = Sweep.paths
    const lived = { nth: 1, resumption: "one", killed: false, end: "success", effects: 1, problems: [] } as const
    assert.deepStrictEqual(Sweep.broken(path!, [lived]), [`${path!.name}: nobody was killed`])
    const doubled = { ...lived, killed: true, problems: ["2 commits"] }
    assert.deepStrictEqual(Sweep.broken(path!, [doubled, lived]), [`${path!.name}, place 1, resumed by one: 2 commits`])
  })
})
