/** A sealed value is in no file of a store, and an erased one is nowhere; every answer stays the same. */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Postgres from "@backstitch/sql/Postgres"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const example = join(import.meta.dirname, "../../../examples/visa")
for (const file of ["agent.ts", "pack.yaml"]) copyFileSync(join(example, file), shell.path(file))

const verifier = join(import.meta.dirname, "../../../tooling/verify.py")
const secrets = ["X7654321", "1990-03-14"]
const spellings = secrets.flatMap((text) => [
  text,
  Buffer.from(text).toString("base64").replace(/=+$/, ""),
  Buffer.from(text).toString("hex")
])

/** The bytes of every file of a folder but the office, which is somebody else's. */
const bytesOf = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => !["agent.ts", "office.json", "pack.yaml"].includes(name))
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? bytesOf(path) : readFileSync(path, "latin1")))
    .join("\n")

const ok = async (line: string, env: Record<string, string> = {}): Promise<string> => {
  const { code, err, out } = await shell.run(line.split(" "), env)
  assert.strictEqual(code, 0, `${line}\n${out}\n${err}`)
  return out + err
}

const ask = "erase --subject c-311 --by Ada --reason request-311"

/** Reads the answers of a trace by its digests and by its contract, at the ticks that it had. */
const answers = async (run: string) => {
  const { document: verified } = await shell.json(`verify ${run} --redecide --head 8:${await linkOf(run, 8)}`)
  const { document: onset } = await shell.json(`bisect ${run} --predicate working.checked!=null`)
  return [verified.consistent, verified.redecided.differs, onset.onset]
}

const linkOf = async (run: string, tick: number): Promise<string> => {
  await ok(`export ${run} --out ${run}.links.jsonl`)
  const lines = readFileSync(shell.path(`${run}.links.jsonl`), "utf8").split("\n")
  return JSON.parse(lines[tick]!).link
}

describe("a run with sensitive values", () => {
  it("has them in no file of the store, and in none of its exports", async () => {
    const said = await ok("run anna-1 --agent agent.ts")
    assert.include(said, "DONE:")
    for (const spelling of spellings) {
      assert.notInclude(said, spelling)
      assert.notInclude(bytesOf(shell.folder), spelling)
    }
    for (const line of [
      "show anna-1 --json",
      "explain anna-1@5",
      "report anna-1",
      "ledger anna-1 --json",
      "log --json"
    ]) {
      const { err, out } = await shell.run(line.split(" "))
      for (const spelling of spellings) assert.notInclude(out + err, spelling, line)
    }
    await ok("export anna-1 --out anna-1.jsonl --vault anna-1.vault.jsonl")
    for (const spelling of spellings) assert.notInclude(bytesOf(shell.folder), spelling)
    assert.include(await ok("replay anna-1 --mode recorded --agent agent.ts"), "it did the same")
    assert.strictEqual(statSync(shell.path(".backstitch/sealing.key")).mode & 0o777, 0o600)
  }, 60_000)

  it("verifies and folds without any key, and is opened by its recipient alone", async () => {
    const openssl = (args: string) => spawnSync("openssl", args.split(" "), { cwd: shell.folder })
    openssl("genpkey -algorithm x25519 -out ben.key.pem")
    openssl("pkey -in ben.key.pem -pubout -out ben.pem")
    openssl("genpkey -algorithm x25519 -out eve.key.pem")
    await ok("export anna-1 --out sent.jsonl --vault for-ben.jsonl --recipient ben.pem")
    await ok("import sent.jsonl --store elsewhere/trace.db")
    assert.include(await ok("verify anna-1 --redecide --store elsewhere/trace.db"), "consistent")
    assert.isFalse(existsSync(shell.path("elsewhere/sealing.key")))
    const eve = await shell.run(
      "import sent.jsonl --vault for-ben.jsonl --recipient eve.key.pem --store eve.db".split(" ")
    )
    assert.strictEqual(eve.code, 1)
    assert.include(eve.err, "is for a recipient")
    const bare = await shell.run("import sent.jsonl --vault for-ben.jsonl --store bare.db".split(" "))
    assert.strictEqual(bare.code, 1)
    const taken = await ok("import sent.jsonl --vault for-ben.jsonl --recipient ben.key.pem --store elsewhere/trace.db")
    assert.include(taken, "values=2")
    const erased = await ok("erase --everybody --by Ben --reason done --yes --store elsewhere/trace.db")
    assert.include(erased, "values=2")
  }, 60_000)

  it("lists the values that it would erase, erases them on confirmation, and answers all else as before", async () => {
    await ok("run anna-2 --agent agent.ts")
    const before = [await answers("anna-1"), await answers("anna-2")]
    const diff = await shell.json("diff anna-1 anna-2 --to 8")
    assert.include(await ok("erase --subject c-311 --dry-run"), "values=4 | runs=2")
    const asked = await shell.run(ask.split(" "))
    assert.strictEqual(asked.code, 1)
    assert.include(asked.err, "Repeat with --yes")
    const { document } = await shell.json(`${ask} --run anna-1 --yes`)
    assert.deepInclude(document, { erased: true, values: 2, runs: [{ run: "anna-1", tick: 11, values: 2 }] })
    const reader = new DatabaseSync(shell.path(".backstitch/trace.db"))
    reader.exec("begin; select count(*) from run")
    const held = await shell.run(`${ask} --yes`.split(" "))
    reader.close()
    assert.include(held.err, "Wait for that process or stop it, then repeat")
    assert.include(await ok(`${ask} --dry-run`), "STOPPED")
    assert.deepInclude((await shell.json(`${ask} --yes`)).document, { erased: true, values: 0, stopped: true })
    assert.include(await ok(`${ask} --yes`), "NOTHING")
    assert.deepStrictEqual([await answers("anna-1"), await answers("anna-2")], before)
    assert.deepStrictEqual(
      (await shell.json("diff anna-1 anna-2 --to 8")).document.differences,
      diff.document.differences
    )
    await ok("fork anna-1 --from 9 --reason again")
    assert.include(await ok("verify --all"), "consistent")
    const show = await ok("show anna-1@11")
    assert.include(show, "request-311")
    assert.notInclude(bytesOf(shell.folder), "c-311 ")
  }, 120_000)

  it("is not erased, read or added to without its key, and no other key is made in its place", async () => {
    const [key, away] = [shell.path(".backstitch/sealing.key"), shell.path("sealing.key.away")]
    await ok("run anna-lost --agent agent.ts")
    renameSync(key, away)
    for (const line of [
      `${ask} --yes`,
      `${ask} --dry-run`,
      "run anna-found --agent agent.ts",
      "export anna-lost --out lost.jsonl --vault lost.vault.jsonl --recipient ben.pem",
      "import sent.jsonl --vault for-ben.jsonl --recipient ben.key.pem"
    ]) {
      const { code, err } = await shell.run(line.split(" "))
      assert.strictEqual(code, 1, line)
      assert.include(err, "There is no key in", line)
      assert.isFalse(existsSync(key), line)
    }
    renameSync(away, key)
    assert.include(await ok(`${ask} --yes --run anna-lost`), "values=2")
  }, 120_000)

  it("stops if it still needs an erased value, and a person settles it", async () => {
    const text = readFileSync(shell.path("agent.ts"), "utf8")
    const dying = text.replace("return { ...visa }", 'process.kill(process.pid, "SIGKILL")\n        return { ...visa }')
    writeFileSync(shell.path("dying.ts"), dying)
    await shell.run("run anna-3 --agent dying.ts".split(" "))
    await ok(`${ask} --run anna-3 --yes`)
    const resumed = await shell.run("resume anna-3 --agent agent.ts".split(" "))
    assert.strictEqual(resumed.code, 1, resumed.out)
    assert.include(resumed.err, "that were erased")
    for (const spelling of spellings) assert.notInclude(resumed.out + resumed.err, spelling)
  }, 60_000)

  it("is checked by the verifier that shares no code, sealed and erased", async () => {
    await ok("export anna-1 --out erased.jsonl")
    const python = spawnSync("python3", [verifier, shell.path("erased.jsonl")], { encoding: "utf8" })
    assert.strictEqual(python.status, 0, python.stdout)
    assert.include(python.stdout, "2 sealed values, 2 of them erased")
    const text = readFileSync(shell.path("anna-1.jsonl"), "utf8")
    writeFileSync(shell.path("altered.jsonl"), text.replace(/\$sealed\\":\\"[0-9a-f]{4}/, '$sealed\\":\\"0000'))
    assert.strictEqual(spawnSync("python3", [verifier, shell.path("altered.jsonl")]).status, 1)
  }, 60_000)
})

describe("a store on Postgres", () => {
  it("has sealed values in no row, and nothing of erased ones", async () => {
    const url = process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""
    const address = new URL(url)
    const store = address.href
    const env = { BACKSTITCH_SECRET: "s", BACKSTITCH_SEALING_KEY: "cd".repeat(32) }
    const name = `pg-${process.pid}`
    await ok(`run ${name} --agent agent.ts --store ${store}`, env)
    const dump = () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const postgres = yield* Postgres.open({ url })
            const all: Array<string> = []
            const named = `select tablename as row from pg_tables where schemaname = current_schema()`
            const tables = yield* Effect.promise(() =>
              postgres.execute<{ readonly row: string }>({ name: "", sql: named }, [])
            )
            for (const { row: table } of tables.rows) {
              const query = { name: "", sql: `select row_to_json(t)::text as row from ${table} t` }
              const { rows } = yield* Effect.promise(() => postgres.execute<{ readonly row: string }>(query, []))
              all.push(...rows.map(({ row }) => row))
            }
            return all.join("\n")
          })
        )
      )
    /** Ciphertexts and wrapped keys of the run. */
    const vault = () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const postgres = yield* Postgres.open({ url })
            const sql =
              "select v.text as row from sealed_value v join subject_key k on k.id = v.subject_key " +
              "where k.run = $1 union select wrapped from subject_key where run = $1"
            const { rows } = yield* Effect.promise(() =>
              postgres.execute<{ readonly row: string }>({ name: "", sql }, [name])
            )
            return rows.map(({ row }) => row)
          })
        )
      )
    const before = await dump()
    for (const spelling of spellings) assert.notInclude(before, spelling)
    const kept = await vault()
    assert.isAbove(kept.length, 2)
    for (const text of kept) assert.include(before, text)
    await ok(`${ask} --run ${name} --yes --store ${store}`, env)
    const after = await dump()
    for (const text of [...spellings, ...kept]) assert.notInclude(after, text)
    assert.include(await ok(`verify ${name} --redecide --store ${store}`, env), "consistent")
  }, 60_000)
})
