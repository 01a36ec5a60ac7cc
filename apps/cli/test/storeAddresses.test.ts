import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as DatabaseFile from "@backstitch/runtime/DatabaseFile"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import * as StoreFile from "../src/input/StoreFile.ts"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fixture("agent.ts")

describe("an address of something that is no store", () => {
  it("is refused by commands that read and by commands that write, and left unchanged", async () => {
    mkdirSync(shell.path("folder"))
    writeFileSync(shell.path("notes.txt"), "milk, bread, cheese\n")
    const theirs = new DatabaseSync(shell.path("theirs.db"))
    theirs.exec("create table customers (id integer primary key)")
    theirs.close()
    symlinkSync("loop", shell.path("loop"))
    const cases = [
      ["folder", 2, "it is a folder"],
      ["notes.txt", 2, "it is a file of something else, or a damaged one"],
      ["/dev/null", 2, "it is no file"],
      ["loop", 2, "loop cannot be looked at: it is a link that leads back to itself"],
      ["x".repeat(300), 2, "cannot be looked at: its name is too long"],
      ["theirs.db", 1, "it is a database of something else, with the tables customers"]
    ] as const
    for (const [store, expected, says] of cases) {
      const before = [".txt", ".db"].some((end) => store.endsWith(end)) ? readFileSync(shell.path(store)) : undefined
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
    assert.isTrue(DatabaseFile.isOne(shell.path("theirs.db")))
    assert.isFalse(DatabaseFile.isOne(shell.path("notes.txt")))
  }, 120_000)

  it("is no store if the file is empty or the name is, and an empty variable names none", async () => {
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

  it("begins a run in an empty file, and in one with an odd name", async () => {
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

  it("is refused if it is of another kind, without its password, and no folder is made for it", async () => {
    const store = "mysql://ada:hunter2@db.example/traces"
    for (const args of [["runs"], ["run", "far", "--agent", agent]]) {
      const { code, err, out } = await shell.run([...args, "--store", store])
      assert.strictEqual(code, 2)
      assert.include(err, "mysql://db.example/traces is no store: it is the address of something that is neither")
      assert.notInclude(out + err, "hunter2")
    }
    assert.isFalse(existsSync(shell.path("mysql:")))
    const odd = await shell.run(["runs", "--debug", "--store", "postgres://ada:hunter2@db.example:99999999/traces"])
    assert.strictEqual(odd.code, 2)
    assert.include(odd.err, "it is an address whose host or port cannot be read")
    assert.notInclude(odd.out + odd.err, "hunter2")
    const absent = await shell.run(["runs", "--store", "postgres://127.0.0.1:1/db"])
    assert.strictEqual(absent.code, 1)
    assert.match(
      absent.err,
      /Could not open postgres:\S+: no server answers there \(.*ECONNREFUSED.*\)\. Check the address/
    )
  }, 120_000)

  it("is written over by no answer of a command", async () => {
    await shell.run(["run", "trip", "--agent", agent, "--store", "whole.db"])
    const before = readFileSync(shell.path("whole.db"))
    for (const line of ["export trip --out whole.db", "prove trip:head world.spent --out whole.db"]) {
      const { code, err } = await shell.run([...line.split(" "), "--store", "whole.db"])
      assert.strictEqual(code, 2)
      assert.include(err, "whole.db cannot be written: a store of runs is there")
    }
    assert.deepStrictEqual(readFileSync(shell.path("whole.db")), before)
  }, 120_000)

  it("names a tenant that cannot be one", async () => {
    await shell.run(["run", "trip", "--agent", agent, "--store", "tenants.db"])
    const { code, err } = await shell.run(["runs", "--tenant", "../x", "--store", "tenants.db"])
    assert.strictEqual(code, 2)
    assert.include(err, '"../x" cannot name a tenant')
  }, 120_000)
})

describe("the secret of a store", () => {
  const other = { BACKSTITCH_SECRET: "another" }
  const begin = (run: string, env: Record<string, string> = {}) =>
    shell.run(["run", run, "--agent", agent, "--store", "kept/trace.db"], { SHOP: shell.path(`${run}.json`), ...env })
  const place = () => shell.path("kept/secret")

  it("is refused if it is another one or gone, and commands that only read need none (L6)", async () => {
    assert.strictEqual((await begin("first")).code, 0)
    const secret = readFileSync(place(), "utf8")
    const database = new DatabaseSync(shell.path("kept/trace.db"))
    assert.notInclude(JSON.stringify(database.prepare("select hex(digest) as d from fingerprint").all()), secret.trim())
    database.close()
    rmSync(place())
    for (const [env, says] of [
      [{}, "there is none in kept/secret"],
      [other, "another one is in BACKSTITCH_SECRET"]
    ] as const) {
      for (const line of ["run second", "resume first"]) {
        const args = [...line.split(" "), "--agent", agent, "--store", "kept/trace.db"]
        const { code, err } = await shell.run(args, { SHOP: shell.path("second.json"), ...env })
        assert.deepStrictEqual([line, code], [line, 2])
        assert.include(err, says)
        assert.include(err, "set BACKSTITCH_SECRET")
      }
      assert.isFalse(existsSync(place()))
      assert.isFalse(existsSync(shell.path("second.json")))
      for (const line of ["report first", "verify first", "resume first", "export first --out out.jsonl", "claims"]) {
        const { code, err } = await shell.run([...line.split(" "), "--store", "kept/trace.db"], env)
        assert.deepStrictEqual([line, code], [line, 0], err)
      }
      const told = await shell.run(["secret", "--store", "kept/trace.db"], env)
      assert.strictEqual(told.code, 1)
    }
    writeFileSync(place(), secret)
    assert.strictEqual((await begin("second")).code, 0)
    assert.include((await shell.run(["secret", "--store", "kept/trace.db"])).out, "it is the one that the store knows")
  }, 240_000)

  it("replaces another one only on request, and the answer names the consequence", async () => {
    assert.strictEqual((await begin("third", other)).code, 2)
    const accepted = await shell.run(["secret", "--accept", "--store", "kept/trace.db"], other)
    assert.strictEqual(accepted.code, 0)
    assert.include(accepted.out, "earlier acts are no longer recognised")
    assert.strictEqual((await begin("third", other)).code, 0)
    assert.strictEqual((await begin("fourth")).code, 2)
  }, 120_000)

  it("is accepted on purpose if a store lost the fingerprint of its keys (L6)", async () => {
    const on = ["--store", "kept/trace.db"]
    const accept = () => shell.run(["secret", "--accept", ...on])
    assert.strictEqual((await accept()).code, 0)
    for (const loss of [
      "delete from fingerprint",
      "drop table fingerprint; drop table sealed_value; drop table subject_key; " +
        "drop table recognition; drop table erased_key; drop table tool_identity; drop table note; " +
        "drop table api_key; drop table write_answer; pragma user_version = 3"
    ]) {
      const database = new DatabaseSync(shell.path("kept/trace.db"))
      database.exec(loss)
      database.close()
      const told = await shell.run(["secret", ...on])
      assert.deepStrictEqual(
        [told.code, told.out.includes("does not know whether they are derived from it")],
        [1, true]
      )
      for (const env of [{}, other]) {
        const refused = await begin("fifth", env)
        assert.deepStrictEqual([loss, refused.code], [loss, 2])
        assert.include(refused.err, "or the store has lost its fingerprint")
        assert.isFalse(existsSync(shell.path("fifth.json")))
      }
      const whole = await shell.run(["verify", "--all", ...on])
      assert.strictEqual(whole.code, 0)
      assert.include(whole.out, "no fingerprint of the secret that they are derived from")
      assert.include(whole.out, "backstitch secret --accept")
      assert.isAbove(JSON.parse((await shell.run(["verify", "--all", "--json", ...on])).out).unvouched, 0)
      assert.strictEqual((await accept()).code, 0)
      assert.notInclude((await shell.run(["verify", "--all", ...on])).out, "fingerprint")
    }
    assert.strictEqual((await begin("fifth")).code, 0)
  }, 240_000)

  it("is of no use to a store that lost its index: nothing would be recognised, and nothing runs (L6)", async () => {
    const database = new DatabaseSync(shell.path("kept/trace.db"))
    database.exec("delete from claim")
    database.close()
    const refused = await begin("sixth")
    assert.notStrictEqual(refused.code, 0)
    assert.include(refused.err, "does not hold its own")
    assert.isFalse(existsSync(shell.path("sixth.json")))
  }, 120_000)
})
