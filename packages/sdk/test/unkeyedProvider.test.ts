import { assert, describe, it } from "vitest"
import { type Found, type GuardOptions, guarded } from "../src/Sdk.ts"

interface Charge {
  readonly order: string
}

const times = { sendWithin: "200ms", settleAfter: "100ms", keyRetention: "24h" }

/** A charge at a provider that does nothing by key: whatever it is sent is one charge more. */
const unkeyed = async (options: Omit<GuardOptions<Charge>, "contract">, expect?: ReadonlyArray<string>) => {
  let sent = 0
  const chargeCard = async (_: Charge) => ({ receipt: `r${++sent}` })
  await using charge = guarded(chargeCard, {
    contract: {
      tool: "charge_card",
      input: { order: "string" },
      times,
      readback: { within: "100ms", ...(expect && { expect }) }
    },
    store: "memory:",
    ...options
  })
  const outcome = await charge.outcome({ order: "4711" })
  return { outcome, sent }
}

describe("a provider that does not recognise keys", () => {
  it("is not called again, and the hold says what the record shows", async () => {
    const { outcome, sent } = await unkeyed({ readback: () => ({ order: "4712" }) }, ["actual.order == args.order"])
    assert.deepStrictEqual([outcome.status, sent], ["held", 1])
    assert.match(outcome.why, /^the target changed.*actual\.order == args\.order.*; a person decides about charge_card/)
  })

  it("is sent one charge where the status says done and the readback finds nothing", async () => {
    const { outcome, sent } = await unkeyed({ status: () => ({ receipt: "r1" }), readback: () => undefined })
    assert.deepStrictEqual([outcome.status, sent], ["held", 1], JSON.stringify(outcome))
  })

  it("is sent one charge where it has answered and shows nothing by its key", async () => {
    let sent = 0
    const chargeCard = async (_: Charge) => ({ receipt: `r${++sent}` })
    const contract = { tool: "charge_card", input: { order: "string" }, times }
    await using charge = guarded(chargeCard, { contract, store: "memory:", status: () => undefined })
    const outcome = await charge.outcome({ order: "4711" })
    assert.deepStrictEqual([outcome.status, sent], ["held", 1], JSON.stringify(outcome))
  })

  for (const empty of [false, "", []]) {
    const nothing = () => empty as Found
    it(`is not believed where the record is ${JSON.stringify(empty)}`, async () => {
      const { outcome, sent } = await unkeyed({ readback: nothing })
      assert.deepStrictEqual([outcome.status, sent], ["held", 1], JSON.stringify(outcome))
    })

    it(`is not believed where the status is ${JSON.stringify(empty)} after a lost answer`, async () => {
      let sent = 0
      const lost = async (_: Charge): Promise<object> => {
        sent++
        throw new Error("no answer")
      }
      await using charge = guarded(lost, {
        contract: { tool: "charge_card", input: { order: "string" }, times },
        store: "memory:",
        status: nothing
      })
      for (const _ of [1, 2]) {
        const outcome = await charge.outcome({ order: "4711" })
        assert.deepStrictEqual([outcome.status, sent], ["held", 1], JSON.stringify(outcome))
      }
    })
  }
})
