import { Backstitch, guarded } from "@backstitch/sdk"
import { assert, describe, it } from "vitest"

describe("a guarded tool on Postgres", () => {
  // Naming this variable has a server started for the tests: BACKSTITCH_TEST_POSTGRES.
  const store = process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""

  it("acts once, whichever of two programs calls it first, and is held and settled there", async () => {
    const settings = { store, tenant: `sdk-${process.pid}`, secret: "the same wherever this store is used" }
    const sent: Array<string> = []
    const charge = async ({ order }: { order: string }) => {
      sent.push(order)
      if (order === "lost") throw new Error("no answer")
      return { receipt: `r${sent.length}` }
    }
    const program = (run: string) =>
      guarded(charge, { ...settings, contract: { tool: "charge", input: { order: "string" } }, run })
    const [one, other] = [program("one"), program("other")]
    assert.deepStrictEqual(await one({ order: "4711" }), { receipt: "r1" })
    assert.deepStrictEqual(await other({ order: "4711" }), { receipt: "r1" })
    const held = await one.outcome({ order: "lost" })
    const also = await other.outcome({ order: "lost" })
    assert.isTrue(held.status === "held" && also.status === "held")
    assert.deepStrictEqual([also.run, also.action], ["one", held.action])
    await using bs = await Backstitch.open(settings)
    const record = { receipt: "on paper" }
    const settlement = { as: "success", by: "Ada", evidence: "read on paper", record } as const
    const resolved = await bs.resolve("one", held.action ?? "", settlement)
    assert.isTrue(resolved.ok, resolved.why)
    assert.deepStrictEqual(await other({ order: "lost" }), { receipt: "on paper" })
    assert.deepStrictEqual(sent, ["4711", "lost"])
    await one.close()
    await other.close()
  })
})
