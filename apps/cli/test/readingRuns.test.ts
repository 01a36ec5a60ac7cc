import { copyFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)
beforeAll(async () => {
  await shell.run(["run", "trip", "--agent", fixture("agent.ts")])
})

const appendixB = [
  "tick",
  "ts",
  "agent_id",
  "goal_id",
  "run_id",
  "transition_type",
  "state_before",
  "state_after",
  "intent",
  "action",
  "result",
  "policy",
  "metrics",
  "anomalies"
]

/** A copy of the store in which something was changed behind the program's back. */
const changed = (name: string, sql: string): string => {
  const copy = shell.path(`${name}.db`)
  const trace = new DatabaseSync(shell.path(".backstitch/trace.db"))
  trace.exec("pragma wal_checkpoint(truncate)")
  trace.close()
  copyFileSync(shell.path(".backstitch/trace.db"), copy)
  const database = new DatabaseSync(copy)
  database.exec(sql)
  database.close()
  return copy
}

describe("backstitch runs, show, verify and replay", () => {
  it("lists runs", async () => {
    const { out } = await shell.run(["runs"])
    assert.match(out, /RUN +TICKS +LAST/)
    assert.match(out, /trip +23 +goal\.complete .* Buy what the week needs/)
    const { document } = await shell.json("runs")
    assert.deepInclude(document.runs[0], { run: "trip", ticks: 23, goal: "Buy what the week needs", parent: null })
  })

  it("shows every field of the canonical event schema, states reconstructed", async () => {
    const { document } = await shell.json("show trip@9")
    assert.includeMembers(Object.keys(document), appendixB)
    assert.deepStrictEqual([document.state_before.world.spent, document.state_after.world.spent], [0, 30])
    assert.deepInclude(document.action, { tool: "order" })
    const range = await shell.json("show trip --from 8 --to 10")
    assert.deepStrictEqual(
      range.document.transitions.map(({ tick }: { tick: number }) => tick),
      [8, 9, 10]
    )
    assert.deepStrictEqual(range.document.transitions[1], document)
  })

  it("shows one tick closely, and the lines of one type", async () => {
    const { out } = await shell.run(["show", "trip@9", "--state"])
    assert.match(out, /world\/spent +0 +30/)
    assert.include(out, '"spent": 30')
    const lines = await shell.run(["show", "trip", "--type", "action.reconciled"])
    assert.lengthOf(lines.out.trimEnd().split("\n"), 3)
  })

  it("refuses an unknown type, and a range whose last tick comes before its first", async () => {
    const { code, err } = await shell.run(["show", "trip", "--type", "action.reconcild"])
    assert.strictEqual(code, 2)
    assert.include(err, 'There is no type of transition "action.reconcild". Did you mean action.reconciled?')
    const backwards = await shell.run(["show", "trip", "--from", "5", "--to", "2"])
    assert.strictEqual(backwards.code, 2)
    assert.include(backwards.err, "No tick is from 5 to 2")
  })

  it("keeps the fields that are asked for, and names the others when one is unknown", async () => {
    const { document } = await shell.json("show trip@9 --fields tick,link")
    assert.deepStrictEqual(Object.keys(document), ["tick", "link"])
    const { code, err } = await shell.run(["show", "trip@9", "--json", "--fields", "tock"])
    assert.strictEqual(code, 2)
    assert.include(err, "state_before")
  })

  it("names similar runs for one that is not there, and the range for a tick that is not", async () => {
    const run = await shell.run(["show", "trap"])
    assert.deepStrictEqual([run.code, run.out], [2, ""])
    assert.include(run.err, "Did you mean trip?")
    for (const place of ["trip@24", "trip@0"]) {
      const tick = await shell.run(["show", place])
      assert.strictEqual(tick.code, 2)
      assert.include(tick.err, "ticks 1 to 23")
    }
    const { code, document } = await shell.json("show trap")
    assert.strictEqual(code, 2)
    assert.strictEqual(document.error.tag, "RunUnknown")
  })

  it("takes the beginning of a name, and ticks counted from the head", async () => {
    const { document } = await shell.json("show tri:head --fields tick")
    assert.strictEqual(document.tick, 23)
    assert.strictEqual((await shell.json("show trip~3 --fields tick")).document.tick, 20)
    const beyond = await shell.run(["show", "trip~23"])
    assert.strictEqual(beyond.code, 2)
    assert.include(beyond.err, "trip~23 would be tick 0")
    const tick = await shell.run(["ledger", "trip@3"])
    assert.strictEqual(tick.code, 2)
    assert.include(tick.err, "a whole run is meant here")
  })

  it("names a store that is not there instead of making one", async () => {
    const { code, err } = await shell.run(["runs", "--store", "nowhere.db"])
    assert.strictEqual(code, 2)
    assert.include(err, "nowhere.db")
  })

  it("verifies a run, unanchored without a head and anchored with one", async () => {
    const { code, document } = await shell.json("verify trip")
    assert.strictEqual(code, 0)
    assert.deepInclude(document, { consistent: true, verdict: "consistent, unanchored", badTick: null })
    const anchored = await shell.json(`verify trip --head ${document.head}`)
    assert.strictEqual(anchored.document.verdict, "consistent, anchored")
    const { head, ticks } = document
    assert.strictEqual((await shell.json(`verify trip --head ${ticks}:${head}`)).document.anchored, true)
    assert.strictEqual((await shell.json(`verify trip --head ${ticks - 1}:${head}`)).document.consistent, false)
    assert.include((await shell.run(["verify", "trip", "--head", `99:${head}`])).out, "the run ends before it")
    const other = await shell.run(["verify", "trip", "--head", "0".repeat(64)])
    assert.strictEqual(other.code, 1)
    const all = await shell.run(["verify", "--all"])
    assert.match(all.out, /VERIFIED: run=trip \| consistent, unanchored/)
    const again = await shell.json("verify trip --redecide")
    assert.deepStrictEqual([again.code, again.document.redecided.differs], [0, []])
    assert.isAbove(again.document.redecided.obeyed, 5)
  })

  it("names the first bad tick of a stored trace in which a byte was flipped (L3)", async () => {
    const id = '(select min(id) from "transition")'
    const changes = {
      body: `update "transition" set body = replace(body, 'fridge', 'fridgE') where id = ${id} + 1`,
      envelope: `update "transition" set envelope = replace(envelope, ':1', ':2') where id = ${id} + 4`,
      stamp: `update "transition" set stamp = replace(stamp, ':1', ':2') where id = ${id} + 6`,
      link: `update "transition" set link = zeroblob(32) where id = ${id} + 11`,
      gap: `delete from "transition" where id = ${id} + 15`
    }
    const ticks: Array<number> = []
    for (const [name, sql] of Object.entries(changes)) {
      const { code, document } = await shell.json(`verify trip --store ${changed(name, sql)}`)
      assert.deepStrictEqual([name, code, document.consistent], [name, 1, false])
      ticks.push(document.badTick)
    }
    assert.deepStrictEqual(ticks, [2, 5, 7, 12, 16])
    const { out } = await shell.run(["verify", "trip", "--store", shell.path("body.db")])
    assert.match(out, /BROKEN: run=trip \| first bad tick=2/)
    const claims = changed("claims", `update claim set owner = 'else' where namespace = 'key'`)
    const { code, document } = await shell.json(`verify --all --store ${claims}`)
    assert.deepStrictEqual([code, document.consistent, document.runs[0].consistent], [1, false, true])
    assert.include(document.claims[0].index, "else of trip")
    assert.match((await shell.run(["verify", "--all", "--store", claims])).out, /BROKEN: key "bs_\w+" is held by/)
  })

  it("reconstructs the state of a tick, and runs the agent again on recorded outputs", async () => {
    const { document } = await shell.json("replay trip --to 9 --mode strict")
    assert.deepStrictEqual(document.state.world, { orders: { milk: { item: "milk", price: 30 } }, spent: 30 })
    const shop = shell.path("untouched.json")
    const recorded = ["replay", "trip", "--mode", "recorded", "--agent", fixture("agent.ts"), "--json"]
    const again = await shell.run(recorded, { SHOP: shop })
    assert.strictEqual(again.code, 0)
    assert.deepInclude(JSON.parse(again.out), { mode: "recorded", same: true, partedAt: null })
    const other = await shell.run(recorded, { SHOP: shop, CHEESE: "71" })
    assert.strictEqual(other.code, 1)
    assert.deepInclude(JSON.parse(other.out), { same: false, partedAt: 16 })
    assert.isAbove(JSON.parse(other.out).replayed.anomalies, 0)
  })

  it("gives up on a store that another process has locked for too long, and loses nothing", async () => {
    const other = new DatabaseSync(shell.path(".backstitch/trace.db"))
    other.exec("begin immediate")
    const { code, err } = await shell.run(["bisect", "trip", "--anomaly", "--record"])
    other.exec("rollback")
    other.close()
    assert.strictEqual(code, 1)
    assert.match(err, /another process has held its lock for too long/)
    assert.deepInclude((await shell.json("verify trip")).document, { consistent: true, ticks: 23 })
  })

  it("refuses to make keys for a store that has no place for a secret", async () => {
    const store = "postgres://nobody@127.0.0.1:1/nothing"
    const { code, err } = await shell.run(["run", "far", "--agent", fixture("agent.ts"), "--store", store], {
      BACKSTITCH_SECRET: ""
    })
    assert.strictEqual(code, 2)
    assert.include(err, "BACKSTITCH_SECRET")
  })
})
