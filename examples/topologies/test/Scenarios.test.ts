import { assert, describe, it } from "@effect/vitest"
import * as Kills from "../Kills.ts"

const shipped = "notes (collect), see chapter two (write) (edit)"

describe("a loop that runs away", () => {
  it("has the steps that are left after a kill, and a fresh budget where it counts in memory", async () => {
    const careful = await Kills.at("loop", { place: 16 }, "careful")
    assert.isTrue(careful.isKilled)
    assert.strictEqual(JSON.parse(careful.said).stopped, 6)
    // A read may be sent and not be on record when the process dies: it is sent once more, and counts once.
    assert.isAtMost(careful.printed.length, 7)
    const careless = await Kills.at("loop", { place: 5 }, "careless")
    assert.strictEqual(careless.printed.length, 11)
  }, 60_000)
})

describe("a pipeline that is poisoned", () => {
  it("does the poisoned stage and those behind it again; without a gate the poison is shipped", async () => {
    const careful = await Kills.at("pipeline", { place: 9 }, "careful")
    assert.isTrue(careful.isKilled)
    assert.strictEqual(JSON.parse(careful.said).result, shipped)
    const times = (stage: string) => careful.printed.filter((each) => each === stage).length
    assert.isAtMost(times("collect"), 2)
    assert.isAtLeast(times("cite"), 2)
    const careless = await Kills.at("pipeline", { place: 3 }, "careless")
    assert.include(JSON.parse(careless.said).shipped, "chapter nine")
    assert.strictEqual(careless.printed.length, 7)
  }, 60_000)
})
