/**
 * The double charge: a payment is committed, no answer comes, the process is killed, and the graph is resumed. One of
 * the stores is that of `BACKSTITCH_TEST_POSTGRES`.
 */
import type { ChildProcess } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { folder, stores, tenant } from "./places.ts"
import { output, payments, start } from "./world/service.ts"

const until = async (is: () => boolean, agent: ChildProcess): Promise<void> => {
  for (let look = 0; !is(); look++) {
    if (look > 6000 || agent.exitCode !== null) throw new Error("the agent did not charge")
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Lets an agent charge, kills it while it waits for the answer, and resumes it by the means of its framework. */
const story = async (saver: "own" | "peer", kind: "contracted" | "plain", store = "SQLite") => {
  using own = folder()
  await using service = await payments(own.path)
  service.silence(true)
  const words = [own.path, stores[store]!(own.path), tenant(), service.url, saver, kind] as const
  const first = start("agent.ts", ...words, "begin")
  const ended = output(first)
  await until(() => service.charges().length === 1, first)
  first.kill("SIGKILL")
  await ended
  service.silence(false)
  const said = await output(start("agent.ts", ...words, "resume"))
  return { charges: service.charges(), said }
}

describe("a payment without an answer, whose process is killed", () => {
  it("is made twice by a graph that is resumed with its own saver", async () => {
    const { charges } = await story("peer", "plain")
    assert.strictEqual(charges.length, 2)
  })

  for (const [saver, store] of [
    ["peer", "SQLite"],
    ["own", "SQLite"],
    ["own", "Postgres"]
  ] as const) {
    it(`is made once by a tool with a contract, with the ${saver} saver, on ${store}`, async () => {
      const { charges, said } = await story(saver, "contracted", store)
      assert.deepStrictEqual(
        charges.map(({ amount, order }) => ({ amount, order })),
        [{ amount: 1999, order: "4711" }]
      )
      assert.deepStrictEqual(JSON.parse(said.replace("I am told: ", "")), { ...charges[0] })
    })
  }
})
