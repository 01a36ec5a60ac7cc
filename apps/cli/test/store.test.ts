import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import * as StoreFile from "../src/StoreFile.ts"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fixture("agent.ts")

describe("an address at which something else is", () => {
  it("is refused by what reads and by what writes, and left as it is", async () => {
    mkdirSync(shell.path("folder"))
    writeFileSync(shell.path("notes.txt"), "milk, bread, cheese\n")
    const theirs = new DatabaseSync(shell.path("theirs.db"))
    theirs.exec("create table customers (id integer primary key)")
    theirs.close()
    const cases = [
      ["folder", 2, "it is a folder"],
      ["notes.txt", 2, "it is a file of something else, or a damaged one"],
      ["/dev/null", 2, "it is no file"],
      ["theirs.db", 1, "it is a database of something else, with the tables customers"]
    ] as const
    for (const [store, expected, says] of cases) {
      const before = store.includes(".") ? readFileSync(shell.path(store)) : undefined
      for (const args of [["runs"], ["run", "trip", "--agent", agent], ["import", agent]]) {
        // What is imported is read first, and this is no export.
        const { code, err } = await shell.run([...args, "--store", store])
        assert.notStrictEqual(code, 0, `${args[0]} ${store}`)
        assert.notInclude(err, "    at ")
        if (args[0] === "import") continue
        assert.strictEqual(code, expected, err)
        assert.include(err, says)
      }
      if (before !== undefined) assert.deepStrictEqual(readFileSync(shell.path(store)), before)
    }
    assert.isTrue(StoreFile.isOne(shell.path("theirs.db")))
    assert.isFalse(StoreFile.isOne(shell.path("notes.txt")))
  }, 120_000)

  it("is no store where the file is empty or the name is, and an empty variable names none", async () => {
    writeFileSync(shell.path("blank.db"), "")
    const empty = await shell.run(["runs", "--store", "blank.db"])
    assert.deepStrictEqual([empty.code, readFileSync(shell.path("blank.db")).length], [2, 0])
    assert.include(empty.err, "There is no store at blank.db: the file is empty")
    const nameless = await shell.run(["runs", "--store", ""])
    assert.strictEqual(nameless.code, 2)
    assert.include(nameless.err, "--store needs a value")
    const unset = await shell.run(["runs"], { BACKSTITCH_STORE: "" })
    assert.include(unset.err, "There is no store at .backstitch/trace.db")
    assert.isFalse(existsSync(shell.path(".backstitch")))
  }, 120_000)

  it("begins a run in a file that is empty, and in one whose name is odd", async () => {
    writeFileSync(shell.path("empty.db"), "")
    for (const store of ["empty.db", "a b $(x) \u{1f9f5}.db"]) {
      const { code, err } = await shell.run(["run", "trip", "--agent", agent, "--store", store])
      assert.strictEqual(code, 0, err)
      assert.strictEqual((await shell.run(["verify", "trip", "--store", store])).code, 0)
    }
  }, 120_000)

  it("is told without the password that it holds", async () => {
    const store = "postgres://ada:hunter2@127.0.0.1:1/db?password=hunter2"
    assert.strictEqual(StoreFile.told(store), "postgres://127.0.0.1:1/db")
    assert.strictEqual(StoreFile.told("a?b@c.db"), "a?b@c.db")
    for (const env of [{ BACKSTITCH_SECRET: "x" }, { BACKSTITCH_SECRET: "" }]) {
      const { code, err, out } = await shell.run(["run", "far", "--agent", agent, "--store", store], env)
      assert.notStrictEqual(code, 0)
      assert.notInclude(out + err, "hunter2")
    }
  }, 120_000)

  it("is refused where it is of another kind, without its password, and no folder is made of it", async () => {
    const store = "mysql://ada:hunter2@db.example/traces"
    for (const args of [["runs"], ["run", "far", "--agent", agent]]) {
      const { code, err, out } = await shell.run([...args, "--store", store])
      assert.strictEqual(code, 2)
      assert.include(err, "mysql://db.example/traces is no store: it is the address of something that is neither")
      assert.notInclude(out + err, "hunter2")
    }
    assert.isFalse(existsSync(shell.path("mysql:")))
    const absent = await shell.run(["runs", "--store", "postgres://127.0.0.1:1/db"])
    assert.strictEqual(absent.code, 1)
    assert.match(
      absent.err,
      /Could not open postgres:\S+: no server answers there \(.*ECONNREFUSED.*\)\. Check the address/
    )
  }, 120_000)

  it("names a tenant that cannot be one", async () => {
    await shell.run(["run", "trip", "--agent", agent, "--store", "tenants.db"])
    const { code, err } = await shell.run(["runs", "--tenant", "../x", "--store", "tenants.db"])
    assert.strictEqual(code, 2)
    assert.include(err, '"../x" cannot name a tenant')
  }, 120_000)
})
