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
  assert.lengthOf(Object.keys(broker().orders), 1)
}, 240_000)
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
    assert.include(out, "backstitch fork fund-a --from 4")
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
    assert.include(dry.out, "WARNING: its proposer also looked at working.quote, which is another here")
    assert.match(dry.out, /working\.quote +48 +null +advisory/)
    const without = await shell.run(["cherry-pick", buy, "--onto", "fund-c"])
    assert.strictEqual(without.code, 2)
    assert.include(without.err, "--agent")
    const [before, { orders }] = [await head("fund-c"), broker()]
    const { code, out } = await shell.run(["cherry-pick", buy, "--onto", "fund-c", "--agent", agent])
    assert.strictEqual(code, 0)
    assert.include(out, `IMPORTED: fund-c@${before + 1} | basis=readback | the act was done by a5 of fund-a`)
    assert.deepStrictEqual(broker().orders, orders)
    const after = await head("fund-c")
    const again = await shell.run(["cherry-pick", buy, "--onto", "fund-c", "--agent", agent])
    assert.strictEqual(again.code, 0)
    assert.include(again.out, `DONE ALREADY: fund-c@${after} has it`)
    assert.strictEqual(await head("fund-c"), after)
    const { document } = await shell.json("show fund-c:head --fields state_after")
    assert.strictEqual(document.state_after.world.shares, 500)
    for (const name of ["fund-a", "fund-c"]) {
      assert.strictEqual((await shell.run(["verify", name, "--redecide"])).code, 0)
    }
  })

  it("warns of a call whose contract declares no context, and records that nothing was compared", async () => {
    const { code, out } = await shell.run(["cherry-pick", "fund-a@10", "--onto", "fund-b", "--dry-run"])
    assert.strictEqual(code, 0, out)
    assert.match(out, /context {3}the pack binds no field to it/)
    assert.include(out, "WARNING: the pack declares no context for tell: nothing was compared")
    const bound = await shell.run(["cherry-pick", buy, "--onto", "fund-c", "--dry-run"])
    assert.match(bound.out, /context {3}[0-9a-f]{8}…[0-9a-f]{4} covers the fields that the pack binds/)
  })

  it("carries a note without an agent, and refuses a transition that is no intent", async () => {
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

describe("backstitch rebase", () => {
  beforeAll(async () => {
    await run("base", "bold")
    for (const name of ["left", "right"]) await shell.run(["fork", "base:head", "--as", name])
    await shell.run(["resume", "left", "--agent", agent], { PLAN: "bold,quote,more,tell" })
    await shell.run(["resume", "right", "--agent", agent], { PLAN: "bold,think" })
  }, 240_000)

  it("replays a branch onto another run, reads again, sends no letter twice, and verifies", async () => {
    const before = broker()
    const dry = await shell.json("rebase right --onto left --dry-run")
    assert.strictEqual(dry.code, 0)
    assert.strictEqual(dry.document.status, "rehearsed")
    const without = await shell.run(["rebase", "left", "--onto", "right"])
    assert.strictEqual(without.code, 2)
    assert.include(without.err, "calls quote, buy, whose code is not here")
    const rebase = ["rebase", "left", "--onto", "right", "--agent", agent]
    const { code, err, out } = await shell.run(rebase, { PRICE: "51" })
    assert.strictEqual(code, 0, err + out)
    assert.match(out, /quote {2,}execute {2,}replayed {2,}tick \d+ {2,}the answer is another/)
    assert.match(out, /buy {2,}execute {2,}was done already/)
    assert.match(out, /tell {2,}record {2,}from the record/)
    assert.include(out, "REBASED: run=left-onto-right")
    assert.deepStrictEqual(broker(), { ...before, asked: before.asked + 1 })
    assert.strictEqual((await shell.run(["verify", "left-onto-right", "--redecide"])).code, 0)
    const { document } = await shell.json("show left-onto-right:head --fields state_after")
    assert.deepInclude(document.state_after.world, { shares: 20, told: ["bought"] })
    assert.deepInclude(document.state_after.working, { quote: 51, notes: ["hold for a year"] })
    const again = await shell.run(["rebase", "left-onto-right", "--onto", "right", "--agent", agent])
    assert.include(again.out, "UP TO DATE")
  }, 240_000)

  it("is continued by another process when the first one is killed in the middle (L14)", async () => {
    await shell.run(["fork", "base:head", "--as", "killed"])
    await shell.run(["resume", "killed", "--agent", agent], { PLAN: "bold,think" })
    const before = broker()
    const rebase = ["rebase", "left", "--onto", "killed", "--agent", agent]
    const died = await shell.run(rebase, { DIE: "quote" })
    assert.strictEqual(died.signal, "SIGKILL")
    const { code, err, out } = await shell.run([...rebase, "--continue"])
    assert.strictEqual(code, 0, err + out)
    assert.include(out, "REBASED: run=left-onto-killed")
    assert.deepStrictEqual([broker().orders, broker().letters], [before.orders, before.letters])
    const { document } = await shell.json("show left-onto-killed --type run.cherrypick --fields tick")
    assert.lengthOf(document.transitions, 3)
    assert.strictEqual((await shell.run(["verify", "left-onto-killed", "--redecide"])).code, 0)
  }, 240_000)

  it("stops where an intent does not fit, says which field, and is continued or given up", async () => {
    await shell.run(["fork", "base:head", "--as", "shy"])
    await shell.run(["resume", "shy", "--agent", agent], { PLAN: "bold,shy" })
    const stopped = await shell.run(["rebase", "left", "--onto", "shy", "--agent", agent])
    assert.strictEqual(stopped.code, 1)
    assert.match(stopped.out, /CONFLICT: left@\d+ buy \| left decided it with working\.risk = "MAX", and .* has "MIN"/)
    assert.include(stopped.out, "backstitch rebase left-onto-shy --continue\n")
    assert.include(stopped.out, "backstitch rebase left-onto-shy --continue --skip\n")
    const skipped = await shell.run(["rebase", "left", "--onto", "shy", "--continue", "--skip", "--agent", agent])
    assert.strictEqual(skipped.code, 0, skipped.err)
    assert.match(skipped.out, /buy {2,}execute {2,}left out/)
    const over = await shell.run(["rebase", "left-onto-shy", "--continue"])
    assert.strictEqual(over.code, 2)
    assert.include(over.err, "nothing left to replay")
    await shell.run(["rebase", "left", "--onto", "shy", "--as", "other", "--agent", agent])
    const aborted = await shell.json("rebase other --abort")
    assert.deepStrictEqual([aborted.code, aborted.document.status], [0, "aborted"])
    for (const args of [
      ["rebase", "left"],
      ["rebase", "left", "--continue", "--abort"],
      ["rebase", "left", "--skip"]
    ]) {
      assert.strictEqual((await shell.run(args)).code, 2)
    }
  }, 240_000)
})

describe("backstitch seed", () => {
  beforeAll(async () => {
    await run("one", "bold,quote")
    await run("two", "shy,think")
  }, 240_000)

  it("begins a run from fields of several branches and an intent, and says where each comes from", async () => {
    const dry = await shell.run(["seed", "both", "--from", "one:head:working.quote", "--dry-run"])
    assert.strictEqual(dry.code, 0, dry.err)
    assert.match(dry.out, /working\.quote {2,}48 {2,}one@4/)
    const call = await shell.run(["seed", "both", "--from", "one@2", "--from", "one@3", "--dry-run"])
    assert.strictEqual(call.code, 0, call.err)
    assert.match(call.out, /observation\.add {2,}one@2/)
    assert.match(call.out, /quote {2,}one@3 {2,}calls quote: --agent FILE is needed/)
    const { document: rehearsed } = await shell.json("seed both --from one@3 --dry-run")
    assert.deepStrictEqual(rehearsed.intents, [{ run: "one", tick: 3, type: "action.request", tool: "quote" }])
    const from = ["--from", "one:head:working.quote", "--from", "two:head:working.notes", "--from", "one@2"]
    const { code, err, out } = await shell.run(["seed", "both", ...from, "--goal", "the best of two"])
    assert.strictEqual(code, 0, err)
    assert.include(out, "IMPORTED: one@2 observation.add | tick 2")
    assert.include(out, "BEGUN")
    const { document } = await shell.json("show both:head --fields state_after")
    assert.deepInclude(document.state_after.working, { quote: 48, notes: ["hold for a year"], risk: "MAX" })
    assert.strictEqual((await shell.run(["verify", "both", "--redecide"])).code, 0)
  }, 240_000)

  it("refuses a differing field, an undeclared one, a missing tick, and a call without its code", async () => {
    const differ = await shell.run(["seed", "x", "--from", "one:head:working.risk", "--from", "two:head:working.risk"])
    assert.strictEqual(differ.code, 1)
    assert.include(differ.err, "differ in working.risk")
    assert.include((await shell.run(["seed", "x", "--from", "one:head:world.gold"])).err, "declares no such field")
    for (const [from, problem] of [
      ["one:working.risk", "Name the tick"],
      ["one@3", "--agent"]
    ] as const) {
      const { code, err } = await shell.run(["seed", "x", "--from", from])
      assert.strictEqual(code, 2)
      assert.include(err, problem)
    }
    assert.strictEqual((await shell.run(["show", "x"])).code, 2)
  }, 240_000)
})
