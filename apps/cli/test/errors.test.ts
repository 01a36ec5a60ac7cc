import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell, source } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fixture("agent.ts")
const store = ".backstitch/trace.db"

/** A copy of the store, changed by a statement. */
const changed = (name: string, sql: string): void => {
  copyFileSync(shell.path(store), shell.path(name))
  const database = new DatabaseSync(shell.path(name))
  database.exec(sql)
  database.close()
}

beforeAll(async () => {
  const { code, err } = await shell.run(["run", "trip", "--agent", agent])
  assert.strictEqual(code, 0, err)
  await shell.run(["export", "trip", "--out", "trip.jsonl"])
  const text = readFileSync(shell.path("trip.jsonl"), "utf8")
  writeFileSync(shell.path("cut.jsonl"), text.slice(0, 3000))
  writeFileSync(shell.path("altered.jsonl"), text.replace("goal.complete", "goal.completf"))
  writeFileSync(shell.path("odd.jsonl"), text.replace('"author"', '"athor"').replace("\n{", "\n{x"))
  writeFileSync(shell.path("other.jsonl"), '{"a":1}\n')
  writeFileSync(shell.path("newer.jsonl"), text.replace('"version":1}', '"version":2}'))
  writeFileSync(shell.path("headless.jsonl"), text.slice(text.indexOf("\n") + 1))
  writeFileSync(shell.path("rows.jsonl"), '{"id":1,"type":"x"}\n{"id":2}\n')
  writeFileSync(shell.path("empty.jsonl"), "")
  writeFileSync(shell.path("bytes.bin"), Uint8Array.of(0, 255, 254, 1, 200))
  writeFileSync(shell.path("half.json"), "{")
  writeFileSync(shell.path("words.txt"), "no store\n")
  copyFileSync(shell.path(store), shell.path("cut.db"))
  truncateSync(shell.path("cut.db"), 60_000)
  changed("newer.db", "pragma user_version = 99")
  changed("forged.db", "update transition set body = replace(body, 'run.started', 'run.stopped')")
  symlinkSync("loop", shell.path("loop"))
}, 120_000)

/** A wrong use: the code that it ends with, the tag of its error, and the thing that the message names. */
type Case = readonly [line: string, code: 1 | 2, tag: string, names: string]

const cases: ReadonlyArray<Case> = [
  ["show nobody", 2, "RunUnknown", "nobody"],
  ["show trip@99", 2, "AddressOutOfRange", "trip@99"],
  ["show trip --from 5 --to 2", 2, "RangeReversed", "5 to 2"],
  ["show trip --fields tickk", 2, "AskedUnknown", "tickk"],
  ["show trip --form 3", 2, "Usage", "--form"],
  ["show trip --from x", 2, "Usage", "--from"],
  ["shwo trip", 2, "Usage", "shwo"],
  ["runs --tenant a/b", 2, "Usage", "a/b"],
  ["runs --store none.db", 2, "StoreMissing", "none.db"],
  ["runs --store .", 2, "StoreUnsuited", "."],
  ["runs --store words.txt", 2, "StoreUnsuited", "words.txt"],
  ["runs --store mysql://host/db", 2, "StoreUnsuited", "mysql://"],
  ["runs --store cut.db", 1, "TraceStoreError", "cut.db"],
  ["runs --store newer.db", 1, "TraceStoreError", "newer.db"],
  ["report trip --store forged.db", 1, "ChainBroken", "run trip"],
  ["import trip.jsonl --store gone/../new.db", 1, "TraceStoreError", "gone/../new.db"],
  ["import none.jsonl", 2, "FileUnreadable", "none.jsonl"],
  ["import loop", 2, "FileUnreadable", "loop"],
  ["import cut.jsonl", 1, "ExportTruncated", "cut.jsonl"],
  // Nothing in the store is broken, so nobody is sent to verify it.
  ["import altered.jsonl", 1, "ChainBroken", "on can be trusted, and nothing of it was imported. Copy"],
  ["import other.jsonl", 2, "Usage", "other.jsonl holds no run: it is JSON with a"],
  ["import newer.jsonl", 1, "ExportUnsupported", "backstitch-trace 2"],
  [
    "import headless.jsonl",
    2,
    "Usage",
    "headless.jsonl holds no run: it is a part of an export, without its first line"
  ],
  ["import rows.jsonl", 2, "Usage", "rows.jsonl holds no run: it is lines of JSON, of which the first has id, type"],
  ["import words.txt", 2, "Usage", "words.txt holds no run: it is text that is not JSON"],
  ["import empty.jsonl", 2, "Usage", "empty.jsonl holds no run: it is empty"],
  ["import bytes.bin", 2, "Usage", "bytes.bin holds no run: it is no text in UTF-8"],
  [`import ${store}`, 2, "Usage", "is a store, or another database (--store names a store)"],
  [`import ${fixture("pack.yaml")}`, 2, "Usage", "pack.yaml holds no run: it is a pack (`pack check` checks one"],
  ["import odd.jsonl", 1, "ExportMalformed", "odd.jsonl"],
  ["export trip --out none/trip.jsonl", 2, "FileUnwritable", "none/trip.jsonl"],
  [`export trip --out ${store}`, 2, "FileUnwritable", store],
  ["prove trip world.spent --out .", 2, "FileUnwritable", "."],
  ["prove --check none.json", 2, "FileUnreadable", "none.json"],
  ["prove --check half.json", 1, "StateProofBroken", "proof"],
  ["anchor --key none/key.pem", 2, "SigningKeyUnfit", "none/key.pem"],
  ["run other --agent none.ts", 2, "AgentUnreadable", "none.ts"],
  [`run other --agent ${fixture("wrong.yaml")}`, 2, "AgentUnreadable", "wrong.yaml"],
  [`run trip --agent ${agent}`, 1, "RunExists", "trip"],
  ["audit none.yaml", 2, "PackUnreadable", "none.yaml"],
  ["gate --against trip.jsonl --table none.json", 2, "FileUnreadable", "none.json"],
  ["gate --against trip.jsonl --table half.json", 2, "Usage", "half.json"],
  ["predicate test trip --function .", 2, "FileUnreadable", "."],
  ["action a99 --run trip", 2, "ActionUnknown", "a99"],
  ["fork trip --from 99", 2, "ForkOutOfRange", "99"],
  ["blame trip world.spnt", 2, "FieldUnknown", "world.spnt"],
  ["bisect trip", 2, "Usage", "--predicate"]
]

describe("an error that was foreseen", () => {
  it.each(cases)("of `%s` says what went wrong, where, and what to do", async (line, code, tag, names) => {
    const ended = await shell.run([...line.split(" "), "--json"])
    const { error, ...more } = JSON.parse(ended.out)
    assert.deepStrictEqual([ended.code, error.tag, more], [code, tag, {}], error.message)
    assert.include(error.message, names)
    const isTold =
      error.next !== undefined || /\. [A-Z]|\bgive\b|: name\b|[Rr]estore|ask one|ticks 1 to/i.test(error.message)
    assert.isTrue(isTold || ended.err.includes("Try `backstitch"), `what to do: ${error.message}`)
    assert.notMatch(error.message, /\bE[A-Z]{4,}\b/, "a code of the system is for programs")
    assert.notMatch(ended.err, /^ +at /m)
    assert.include(ended.err, `backstitch: ${error.message.split("\n")[0]}`)
  })

  it("of a secret that may not be read does not call it missing, and advises nobody to take another", () => {
    if (process.getuid?.() !== 0) return
    const folder = shell.path("guarded")
    mkdirSync(folder)
    copyFileSync(shell.path(store), `${folder}/trace.db`)
    copyFileSync(shell.path(".backstitch/secret"), `${folder}/secret`)
    chmodSync(`${folder}/secret`, 0o600)
    for (const [path, mode] of [
      [shell.folder, 0o755],
      [folder, 0o777],
      [`${folder}/trace.db`, 0o666]
    ] as const) {
      chmodSync(path, mode)
    }
    const other = { cwd: shell.folder, uid: 65_534, gid: 65_534, encoding: "utf8" } as const
    for (const words of [["run", "more", "--agent", agent], ["secret"], ["secret", "--accept"]]) {
      const args = [source, ...words, "--store", "guarded/trace.db", "--json"]
      const ended = spawnSync(process.execPath, args, { ...other, env: { ...process.env, BACKSTITCH_SECRET: "" } })
      const { error } = JSON.parse(ended.stdout)
      assert.deepStrictEqual([ended.status, error.tag], [2, "SecretUnreadable"], ended.stderr)
      assert.include(error.message, "guarded/secret cannot be read or made: it is not permitted")
      assert.notInclude(error.message, "--accept")
    }
  }, 60_000)
})
