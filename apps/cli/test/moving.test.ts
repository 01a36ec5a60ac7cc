import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
const agent = fixture("fund.ts")
const broker = () =>
  existsSync(shell.path("shop.json")) ? JSON.parse(readFileSync(shell.path("shop.json"), "utf8")) : undefined

const run = async (name: string, plan: string) => {
  const { code, err } = await shell.run(["run", name, "--agent", agent], { PLAN: plan })
  assert.strictEqual(code, 0, err)
}

const head = async (name: string): Promise<number> =>
  (await shell.json(`show ${name}:head --fields tick`)).document.tick

beforeAll(async () => {
  await run("fund-a", "bold,quote,buy,tell")
  await run("fund-b", "shy")
  await run("fund-c", "bold")
}, 60_000)
afterAll(shell.remove)

/** The tick at which `fund-a` wanted to buy. */
const buy = "fund-a@5"

describe("backstitch cherry-pick", () => {
  it("refuses an intent out of its context, names the field on both sides, and changes nothing", async () => {
    const before = await head("fund-b")
    const { code, out } = await shell.run(["cherry-pick", buy, "--onto", "fund-b"])
    assert.strictEqual(code, 1)
    assert.match(out, /no {2,}working\.risk {2,}"MAX" {2,}"MIN" {2,}has to match/)
    assert.match(out, /ok {2,}world\.shares {2,}0 {2,}0 {2,}has to be there/)
    assert.include(
      out,
      'REFUSED: context_violation | fund-a decided it with working.risk = "MAX", and fund-b has "MIN"'
    )
    assert.include(out, "Nothing was committed in the target, and nothing was sent.")
    assert.include(out, 'bring working.risk of fund-b to "MAX" by an action of its own')
    assert.include(out, "backstitch fork fund-a@4")
    assert.strictEqual(await head("fund-b"), before)
    const { document } = await shell.json(`cherry-pick ${buy} --onto fund-b --dry-run`)
    assert.deepStrictEqual(
      document.verdict.reasons.map(({ code: reason, path }: Record<string, string>) => [reason, path]),
      [["context_violation", "working.risk"]]
    )
  })

  it("rehearses, asks for the code of the tool, and finds the act done: the broker has one order", async () => {
    const dry = await shell.run(["cherry-pick", buy, "--onto", "fund-c", "--dry-run"])
    assert.strictEqual(dry.code, 0)
    assert.include(dry.out, "ADMISSIBLE")
    assert.include(dry.out, "WARNING: fund-a also looked at working.quote = 48, and fund-c has null")
    const without = await shell.run(["cherry-pick", buy, "--onto", "fund-c"])
    assert.strictEqual(without.code, 2)
    assert.include(without.err, "--agent")
    const before = await head("fund-c")
    const { code, out } = await shell.run(["cherry-pick", buy, "--onto", "fund-c", "--agent", agent])
    assert.strictEqual(code, 0)
    assert.include(out, `IMPORTED: fund-c@${before + 1} | basis=readback | the act was done by a5 of fund-a`)
    assert.lengthOf(Object.keys(broker().orders), 1)
    const { document } = await shell.json("show fund-c:head --fields state_after")
    assert.strictEqual(document.state_after.world.shares, 500)
    for (const name of ["fund-a", "fund-c"]) {
      assert.strictEqual((await shell.run(["verify", name, "--redecide"])).code, 0)
    }
  })

  it("carries a note without an agent, and refuses what is no intent", async () => {
    await run("fund-d", "shy,think")
    const { code, document } = await shell.json(`cherry-pick fund-d:head --onto fund-b`)
    assert.strictEqual(code, 0)
    assert.strictEqual(document.outcome._tag, "Done")
    const result = await shell.run(["cherry-pick", "fund-a@7", "--onto", "fund-b"])
    assert.strictEqual(result.code, 2)
    assert.include(result.err, "name fund-a@5")
    const place = await shell.run(["cherry-pick", "fund-a", "--onto", "fund-b"])
    assert.strictEqual(place.code, 2)
    assert.include(place.err, "fund-a@7")
  })
})
