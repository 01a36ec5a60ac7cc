import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fileURLToPath(new URL("../../../examples/event-planning/agent.ts", import.meta.url))

const doneAt = (file: string): ReadonlyArray<string> =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).done : []

describe("an event whose goal is revised while its agent works", () => {
  it("gives back what no longer fits once the call under way has settled, and invites nobody to it (L12)", async () => {
    const env = { EVENT_DESK: shell.path("desk.json"), EVENT_CATERER: shell.path("caterer") }
    const { ended } = await shell.start(["run", "event-7", "--agent", agent], { env })
    // The caterer is asked after the band, and answers nothing yet.
    while (!doneAt(env.EVENT_DESK).includes("booked band Trio")) await setTimeout(50)
    const injected = await shell.run(["inject", "event-7", "--set", "city=Basel", "--by", "Ada"])
    assert.strictEqual(injected.code, 0, injected.err)
    assert.deepStrictEqual(doneAt(env.EVENT_DESK), ["booked hall Casino", "booked band Trio"])
    writeFileSync(env.EVENT_CATERER, "")
    const { code, err } = await ended
    assert.strictEqual(code, 0, err)
    assert.deepStrictEqual(doneAt(env.EVENT_DESK), [
      "booked hall Casino",
      "booked band Trio",
      "ordered food for Casino",
      "cancelled food for Casino",
      "cancelled hall Casino",
      "booked hall Messe",
      "ordered food for Messe",
      "invited Ada to Messe",
      "invited Ben to Messe"
    ])
    const { document } = await shell.json("spec event-7")
    assert.deepStrictEqual(
      document.clauses.map(({ clause, holds, value }: Record<string, unknown>) => [clause, value, holds]),
      [
        ["budget", 2000, true],
        ["city", "Basel", true],
        ["music", null, true]
      ]
    )
    assert.strictEqual((await shell.run(["verify", "event-7", "--redecide"])).code, 0)
  }, 120_000)

  it("is blocked once guests know of the hall, names them, and gives them up on request alone", async () => {
    const own = new Shell()
    const env = { EVENT_DESK: own.path("desk.json") }
    await own.run(["run", "event-8", "--agent", agent], env)
    const { code, document } = await own.json("plan event-8 --set city=Basel")
    assert.deepStrictEqual([code, document.possible], [1, false])
    const lost = document.lost.map(({ tool }: { readonly tool: string }) => tool)
    assert.deepStrictEqual(lost, ["invite", "invite"])
    const bare = ["inject", "event-8", "--set", "city=Basel", "--agent", agent]
    const before = doneAt(env.EVENT_DESK)
    assert.strictEqual((await own.run([...bare, "--dry-run"], env)).code, 0)
    assert.deepStrictEqual(doneAt(env.EVENT_DESK), before)
    assert.strictEqual((await own.run([...bare, "--widen"], env)).code, 0)
    assert.deepStrictEqual(doneAt(env.EVENT_DESK).slice(before.length), [
      "cancelled food for Casino",
      "cancelled hall Casino"
    ])
    own.remove()
  }, 120_000)
})
