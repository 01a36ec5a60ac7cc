import { copyFileSync, existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)
beforeAll(async () => {
  const { code, err } = await shell.run(["run", "trip", "--agent", fixture("agent.ts"), "--snapshots", "micro"])
  assert.strictEqual(code, 0, err)
  await shell.run(["fork", "trip@5", "--as", "other"])
})

/** Each command that tells of a run, in a process of its own. */
const readers = [
  "report trip",
  "status trip",
  "ledger trip",
  "metrics trip",
  "show trip",
  "show trip@22",
  "explain trip@22",
  "replay trip",
  "replay trip --mode strict",
  "resume trip",
  "bisect trip --predicate overspent",
  "blame trip world.spent",
  "contributors trip --predicate overspent",
  "diff trip other",
  "predicate list trip",
  "predicate test trip overspent",
  "action a16 --run trip",
  "approvals",
  "stage trip",
  "export trip --out trip.jsonl",
  "fixture trip --out fixtures",
  "log trip",
  "fork trip@22 --as again-STORE",
  "cherry-pick trip@22 --onto other --dry-run",
  "verify trip"
] as const

/** They tell of a store, and go on where one run of it is broken. */
const listing: ReadonlySet<string> = new Set(["approvals"])

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

const all = async (store: string) => {
  const found = []
  for (const line of readers) {
    const args = line.replace("STORE", store.replace(/\W/g, "")).split(" ")
    found.push({ line, ...(await shell.run([...args, "--store", store])) })
  }
  return found
}

describe("views of a run", () => {
  it("reads a run whose head has a snapshot, in a process that has folded nothing", async () => {
    for (const { code, err, line } of await all(changed("whole", ""))) {
      assert.deepStrictEqual([line, code], [line, 0], err)
      assert.notInclude(err, "foresaw")
    }
  }, 240_000)

  it("prints no unfolded state, head or digest if rows are lost (L3)", async () => {
    const { document } = await shell.json("verify trip")
    const cut = changed("cut", "delete from transition where id / 16777216 = 1 and id % 16777216 > 20")
    for (const { code, err, line, out } of await all(cut)) {
      if (listing.has(line)) continue
      assert.deepStrictEqual([line, code], [line, 1], err)
      assert.include(err + out, "The trace of run trip is broken: tick 21 is missing")
      assert.notInclude(err, "foresaw")
      assert.notInclude(out, document.head)
      assert.notMatch(out, /tick[= ]23|digest=|transitions=23/)
    }
    const { out } = await shell.run(["runs", "--store", cut])
    assert.match(out, /trip +23 +missing/)
  }, 240_000)

  it("names the tick at which the row of the run names another head than its transitions have (L3)", async () => {
    const other = changed("other", "update run set link = zeroblob(32) where id = 1")
    for (const line of ["report trip", "show trip", "export trip", "replay trip"]) {
      const { code, err } = await shell.run([...line.split(" "), "--store", other])
      assert.deepStrictEqual([line, code], [line, 1])
      assert.include(err, "The trace of run trip is broken: tick 23 is not the transition that the given head names")
    }
  }, 120_000)

  it("names orphaned and missing parts, also if the runs cannot be listed (L3)", async () => {
    const cases: ReadonlyArray<readonly [string, string, string]> = [
      ["norun", "delete from run", "rows of the table transition belong to what is not there"],
      ["noparent", "delete from run where id = 1", "rows of the table transition belong to what is not there"],
      ["noclaims", "drop table claim", "The table claim is not there"],
      ["nosnapshots", "update snapshot set text = '{}'", "The snapshot of tick"]
    ]
    for (const [name, sql, says] of cases) {
      const store = changed(name, sql)
      const { code, out } = await shell.run(["verify", "--all", "--store", store])
      assert.deepStrictEqual([name, code], [name, 1])
      assert.include(out, says)
      const { document } = await shell.json(`verify --all --store ${store}`)
      assert.isFalse(document.consistent, name)
    }
  }, 120_000)

  it("exports a broken run as evidence alone, and says that it is broken", async () => {
    const body = "update transition set body = replace(body, 'milk', 'silk') where id = 16777216 + 7"
    for (const [name, sql, tick] of [
      ["bent", body, 7],
      ["short", "delete from transition where id = 16777216 + 23", 23],
      ["garbled", "update transition set body = '{' where id = 16777216 + 1", 1]
    ] as const) {
      const store = changed(name, sql)
      const refused = await shell.run(["export", "trip", "--out", `${name}.jsonl`, "--store", store])
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, `The trace of run trip is broken: tick ${tick}`)
      assert.isFalse(existsSync(shell.path(`${name}.jsonl`)))
      const evidence = ["export", "trip", "--evidence", "--out", `${name}.jsonl`, "--store", store]
      const { code, err } = await shell.run(evidence)
      assert.strictEqual(code, 1)
      assert.include(err, `BROKEN: The trace of run trip is broken: tick ${tick}`)
      assert.isTrue(existsSync(shell.path(`${name}.jsonl`)))
      assert.strictEqual((await shell.run(["import", `${name}.jsonl`, "--store", "again.db"])).code, 1)
    }
  }, 120_000)
})
