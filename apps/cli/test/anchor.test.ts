import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

/** Changes a copy of the store, made when its log was anchored. */
const changing = (sql: string): void => {
  const database = new DatabaseSync(shell.path("cut/trace.db"))
  database.exec(sql)
  database.close()
}

describe("backstitch anchor", () => {
  let by = ""
  beforeAll(async () => {
    for (const run of ["one", "two"]) await shell.run(["run", run, "--agent", fixture("agent.ts")])
    const { code, document } = await shell.json("anchor --key anchor.pem")
    assert.strictEqual(code, 0)
    by = document.verifier
    writeFileSync(shell.path("kept.txt"), document.checkpoint)
    const checkpoint = Result.getOrThrow(TreeCheckpoint.parse(document.checkpoint))
    assert.deepInclude(checkpoint, { origin: "backstitch/default", head: { size: 2, root: document.root } })
    assert.strictEqual(checkpoint.signatures.length, 1)
    cpSync(shell.path(".backstitch"), shell.path("cut"), { recursive: true })
  })

  it("anchors every run, and appends the runs that have gone on", async () => {
    const { code, document } = await shell.json("verify --all --against kept.txt")
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(
      document.runs.map(({ verdict }: { readonly verdict: string }) => verdict),
      ["consistent, anchored", "consistent, anchored"]
    )
    const signed = await shell.run(["verify", "one", "--against", "kept.txt", "--by", by])
    assert.strictEqual(signed.code, 0)
    await shell.run(["run", "three", "--agent", fixture("agent.ts")])
    const later = await shell.run(["anchor"])
    assert.match(later.out, /^backstitch\/default\n3\n[A-Za-z0-9+/=]{44}\n$/)
    assert.match(later.err, /LOGGED: added=1 \| size=3/)
    const { document: unanchored } = await shell.json("verify three --against kept.txt")
    assert.strictEqual(unanchored.verdict, "consistent, unanchored")
  })

  it("trusts no key under a checkpoint of another origin, alone or in a policy", async () => {
    const pem = readFileSync(shell.path("anchor.pem"), "utf8")
    const other = Result.getOrThrow(SignedNote.signer("elsewhere/log", pem))
    const checkpoint = Result.getOrThrow(TreeCheckpoint.parse(readFileSync(shell.path("kept.txt"), "utf8")))
    const body = Result.getOrThrow(TreeCheckpoint.format({ ...checkpoint, signatures: [] }))
    const renamed = { ...checkpoint, signatures: [SignedNote.sign(other, body)] }
    writeFileSync(shell.path("renamed.txt"), Result.getOrThrow(TreeCheckpoint.format(renamed)))
    writeFileSync(shell.path("renamed.policy"), `log ${other.verifier}\nquorum none\n`)
    const { code, err } = await shell.run(["verify", "one", "--against", "renamed.txt", "--by", other.verifier])
    assert.strictEqual(code, 1)
    assert.include(err, "is of the log backstitch/default, and the given key is that of elsewhere/log")
    const known = await shell.run(["verify", "one", "--against", "renamed.txt", "--policy", "renamed.policy"])
    assert.strictEqual(known.code, 1)
  })

  it("names runs that were cut off or are gone, which the chain alone cannot know (L3)", async () => {
    const cut = ["--store", "cut/trace.db"]
    await shell.run(["run", "three", "--agent", fixture("agent.ts"), ...cut])
    assert.strictEqual((await shell.run(["anchor", ...cut])).code, 0)
    const run = "(select id from run where name = 'one')"
    // Cut behind a commit: what ends within one is seen without a checkpoint.
    const whole = `id <= ${run} * 16777216 + 20 and id > ${run} * 16777216 and cast(stamp as text) like '%"state":%'`
    const last = `(select max(id) from "transition" where ${whole})`
    changing(
      `delete from "transition" where id > ${last} and id < (${run} + 1) * 16777216;
       update run set tick = ${last} - id * 16777216, link = (select link from "transition" where id = ${last}),
         story = (select story from "transition" where id = ${last}) where name = 'one';
       delete from claim where run = (select id from run where name = 'two');
       delete from run where name = 'two'`
    )
    assert.strictEqual((await shell.json(`verify one ${cut.join(" ")}`)).document.verdict, "consistent, unanchored")
    const { code, document } = await shell.json(`verify --all --against kept.txt ${cut.join(" ")}`)
    assert.strictEqual(code, 1)
    const found = document.runs.map(({ badTick, run }: { readonly run: string; readonly badTick: number }) => [
      run,
      badTick
    ])
    assert.deepStrictEqual(found, [
      ["one", 1],
      ["three", null],
      ["two", 1]
    ])
    const refused = await shell.run(["anchor", ...cut])
    assert.strictEqual(refused.code, 1)
    assert.match(refused.err, /The log says where run (one|two) stood/)
  })

  it("refuses a checkpoint that another key signed, one that was changed, and a log that is not its own", async () => {
    const text = readFileSync(shell.path("kept.txt"), "utf8")
    writeFileSync(shell.path("changed.txt"), text.replace("backstitch/default\n2\n", "backstitch/default\n1\n"))
    const changed = await shell.run(["verify", "one", "--against", "changed.txt", "--by", by])
    assert.deepStrictEqual([changed.code, changed.err.includes("is not signed by the key")], [1, true])
    const unlike = await shell.run(["verify", "one", "--against", "changed.txt"])
    assert.deepStrictEqual([unlike.code, unlike.err.includes("are not those of the checkpoint")], [1, true])
    const short = await shell.run(["verify", "one", "--against", "kept.txt", "--log", "none.jsonl"])
    assert.deepStrictEqual([short.code, short.err.includes("The log has 0 entries")], [1, true])
    const alone = await shell.run(["verify", "one", "--by", by])
    assert.strictEqual(alone.code, 2)
    const nobody = await shell.run(["verify", "three", "--against", "kept.txt", "--by", "me"])
    assert.deepStrictEqual([nobody.code, nobody.err.includes('"me" names no key')], [2, true])
  })
})
