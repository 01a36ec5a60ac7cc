import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)
beforeAll(async () => {
  await shell.run(["run", "trip", "--agent", fixture("agent.ts")])
})

describe("backstitch contributors", () => {
  it("names the order without which the limit would have held, and says how far that can be relied on", async () => {
    const { code, document } = await shell.json("contributors trip --predicate overspent")
    assert.deepStrictEqual([code, document.onset, document.found.verdict], [0, 20, "minimal"])
    assert.deepStrictEqual(
      document.found.contributors.map(({ type }: { type: string }) => type),
      ["action.request"]
    )
    const { out } = await shell.run(["contributors", "trip", "--predicate", "overspent"])
    assert.match(out, /ONSET: tick 20/)
    assert.match(out, /MINIMAL: it would not have come without this/)
    assert.include(out, "Exact for the reducer")
    assert.include(out, "A heuristic for the agent")
  })

  it("answers none for what never was so, and wants a question", async () => {
    assert.include((await shell.run(["contributors", "trip", "--anomaly"])).out, "NONE: it never was so")
    const { code, err } = await shell.run(["contributors", "trip"])
    assert.strictEqual(code, 2)
    assert.include(err, "--predicate, --anomaly or --policy-flip")
  })
})
