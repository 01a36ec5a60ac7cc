import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { type FactTypes, factsOf, isBackstitchError } from "../src/Adapter.ts"
import * as FactStore from "../src/adapter/FactStore.ts"
import { vocabularyOf } from "../src/adapter/vocabularyOf.ts"
import { Backstitch } from "../src/Sdk.ts"
import { freshFolder } from "./freshFolder.ts"
import { commitsOf } from "./walCommits.ts"

const types: FactTypes = { namespace: "acme", version: 1, names: ["kept"] }
const opened = (given: ReadonlyArray<FactTypes> = [types]) => Backstitch.open({ store: "memory:", types: given })
const long = (items: number) => JSON.stringify(Array.from({ length: items }, (_, index) => `item ${index} `.repeat(40)))

const thrown = async (does: () => unknown): Promise<unknown> => {
  try {
    await does()
  } catch (cause) {
    return cause
  }
  return undefined
}

describe("FactStore", () => {
  it("commits facts in the order of their run, and begins it if need be", async () => {
    await using bs = await opened()
    const facts = FactStore.of(bs)
    assert.deepStrictEqual(await facts.read("job", { namespace: "acme", from: 1 }), { facts: [], head: 0 })
    assert.strictEqual(await facts.record("job", { type: "acme.kept", fields: { id: 1 } }), 2)
    const run = await bs.run("job")
    await run.record("observation.add", { text: "acme.kept is a type" })
    await facts.record("job", { type: "acme.kept", fields: { id: 2 } })
    const { facts: all, head } = await facts.read("job", { namespace: "acme", from: 1 })
    assert.deepStrictEqual(
      all.map(({ fields, tick }) => [tick, fields]),
      [
        [2, { id: 1 }],
        [4, { id: 2 }]
      ]
    )
    assert.deepStrictEqual((await facts.read("job", { namespace: "acme", from: head + 1 })).facts, [])
    assert.isTrue((await run.verify()).consistent)
    assert.deepStrictEqual(await facts.calls("job"), [])
    const names: Array<string> = []
    for await (const name of facts.runs()) names.push(name)
    assert.deepStrictEqual(names, ["job"])
  })

  it("refuses a fact whose type the run did not begin with, and says what to do", async () => {
    assert.strictEqual(vocabularyOf(types).namespace, "acme")
    await using bs = await opened([])
    const cause = await thrown(() => factsOf(bs).record("job", { type: "acme.kept", fields: {} }))
    assert.isTrue(isBackstitchError(cause) && cause.code === "fact_refused")
    assert.match((cause as Error).message, /Open the store with the types of acme/)
    const unknown = await thrown(() => factsOf({} as typeof bs))
    assert.isTrue(isBackstitchError(unknown) && unknown.code === "store_unknown")
  })

  it("keeps the texts of a fact in the commit of the fact", async () => {
    const store = join(freshFolder(), "trace.db")
    await using bs = await Backstitch.open({ store, types: [types] })
    const facts = factsOf(bs)
    await facts.record("job", { type: "acme.kept", fields: {} })
    const taken = [1, 2, 3].map((item) => facts.apart([{ text: long(40 + item) }]))
    const before = commitsOf(store)
    for (const { parts, texts } of taken) {
      await facts.record("job", { type: "acme.kept", fields: { text: texts[0]!.address } }, parts)
    }
    assert.strictEqual(commitsOf(store) - before, 3)
    assert.deepStrictEqual(await facts.texts([taken[2]!.texts[0]!.address]), [long(43)])
  })

  it("keeps texts of facts that are committed at the same moment", async () => {
    await using bs = await opened()
    const facts = factsOf(bs)
    const taken = Array.from({ length: 12 }, (_, item) => facts.apart([{ text: long(30 + item) }]))
    await Promise.all(
      taken.map(({ parts, texts }, index) =>
        facts.record(`job-${index % 2}`, { type: "acme.kept", fields: { text: texts[0]!.address } }, parts)
      )
    )
    const kept = await facts.texts(taken.map(({ texts }) => texts[0]!.address))
    assert.deepStrictEqual(
      kept,
      taken.map((_, item) => long(30 + item))
    )
  })

  it("keeps texts in parts, and answers them as they were", async () => {
    await using bs = await opened()
    const facts = factsOf(bs)
    const one = facts.apart([{ text: long(40) }])
    const [first] = one.texts
    await facts.record("job", { type: "acme.kept", fields: { text: first!.address } }, one.parts)
    const more = facts.apart([{ text: long(41), since: first }, { text: '{"a":1}' }])
    const [second, short] = more.texts
    await facts.record("job", { type: "acme.kept", fields: { text: second!.address } }, more.parts)
    assert.isBelow(more.parts.size, one.parts.size)
    assert.deepStrictEqual(await facts.texts([first!.address, second!.address, short!.address]), [
      long(40),
      long(41),
      '{"a":1}'
    ])
    assert.strictEqual(facts.addressOf(long(41)), second!.address)
    const cause = await thrown(() => facts.texts([`#${"0".repeat(64)}`]))
    assert.isTrue(isBackstitchError(cause) && cause.code === "node_missing")
  })
})
