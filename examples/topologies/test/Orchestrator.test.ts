import { assert, describe, it } from "@effect/vitest"
import * as Kills from "../Kills.ts"
import * as Press from "../Press.ts"

describe("an orchestrator whose process is killed", () => {
  it("prints each chapter once with the queue, wherever it dies, and collects both results", async () => {
    // Every place is killed by `node examples/topologies/main.ts`; here two of them.
    for (const place of [12, 24]) {
      const { isKilled, printed, said } = await Kills.at("crew", { place }, "careful")
      assert.isTrue(isKilled, `place ${place} was not reached`)
      assert.sameMembers([...printed], ["one", "two"], `killed at place ${place}`)
      const ended = JSON.parse(said)
      assert.strictEqual(ended._tag, "Done", said)
      assert.deepStrictEqual(Object.keys(ended.results).sort(), ["one", "two"])
    }
  }, 120_000)

  it("prints a chapter twice without the queue and the key", async () => {
    const { isKilled, printed } = await Kills.at("crew", { place: 2 }, "careless")
    assert.isTrue(isKilled)
    assert.deepStrictEqual(printed, ["one", "one", "two"])
  }, 60_000)
})

describe("Press", () => {
  it("prints once for a key, and each time without one", async () => {
    const press = await Press.start()
    try {
      const post = (key: string) => fetch(`${press.url}/${key}`, { body: '{"chapter":"x"}', method: "POST" })
      for (const key of ["k", "k", "", ""]) assert.strictEqual((await post(key)).status, 200)
      assert.strictEqual((await fetch(`${press.url}/nobody`)).status, 404)
      assert.strictEqual(press.printed.length, 3)
    } finally {
      await press.close()
    }
  })
})
