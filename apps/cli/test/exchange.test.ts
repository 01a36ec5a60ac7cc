import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell, source } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)
beforeAll(async () => {
  await shell.run(["run", "trip", "--agent", fixture("agent.ts")])
  await shell.run(["export", "trip", "--out", "trip.jsonl.gz", "--gzip"])
  writeFileSync(shell.path("session.jsonl"), session.map((line) => JSON.stringify(line)).join("\n"))
})

/** The export as text, changed. */
const file = (name: string, change: (text: string) => string): string => {
  writeFileSync(shell.path(name), change(gunzipSync(readFileSync(shell.path("trip.jsonl.gz"))).toString("utf8")))
  return name
}

const chat = (task: number) => ({
  task_id: task,
  trial: 0,
  traj: [
    { role: "system", content: "Help." },
    { role: "user", content: "Milk, please." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "search", arguments: '{"q":"milk"}' } }]
    },
    { role: "tool", tool_call_id: "c1", name: "search", content: '{"found":["milk"]}' },
    { role: "assistant", content: "There is milk." }
  ]
})

const session = [
  { type: "user", sessionId: "s1", timestamp: "2026-01-02T03:04:05Z", message: { role: "user", content: "hi" } },
  {
    type: "assistant",
    timestamp: "2026-01-02T03:04:06Z",
    message: {
      role: "assistant",
      content: [{ type: "tool_use", id: "a", name: "Read", input: { file_path: "x" } }]
    }
  }
]

describe("backstitch export and import", () => {
  it("names the format of a recording that is read as an export, and writes nothing", async () => {
    const lines = [chat(1), chat(2)].map((each) => JSON.stringify(each)).join("\n")
    writeFileSync(shell.path("chats.jsonl"), lines)
    writeFileSync(shell.path("chats.jsonl.gz"), gzipSync(lines))
    writeFileSync(shell.path("prose.txt"), "It was a dark and stormy night")
    for (const [name, says] of [
      ["chats.jsonl", "--format openai-chat (conversations in the form of OpenAI's chat API"],
      ["chats.jsonl.gz", "--format openai-chat (conversations in the form of OpenAI's chat API"],
      ["session.jsonl", "--format claude-code (a session of Claude Code)?"]
    ] as const) {
      const { code, err } = await shell.run(["import", name, "--store", "guessed.db"])
      assert.deepStrictEqual([name, code], [name, 2])
      assert.include(err, `Is that ${says}`)
    }
    const { code, err } = await shell.run(["import", "prose.txt", "--store", "guessed.db"])
    assert.strictEqual(code, 2)
    assert.include(err, "prose.txt holds no run: it is text that is not JSON")
    assert.notInclude(err, "Is that")
    assert.deepStrictEqual((await shell.json("runs --store guessed.db")).document.runs ?? [], [])
  }, 120_000)

  it("brings an export back into another store, in which it verifies against the same head", async () => {
    const { document: here } = await shell.json("verify trip")
    const { code, document } = await shell.json("import trip.jsonl.gz --store other.db")
    assert.strictEqual(code, 0)
    assert.deepInclude(document.runs[0], { run: "trip", ticks: 23, head: here.head, present: false })
    const there = await shell.json(`verify trip --store other.db --head ${here.head}`)
    assert.strictEqual(there.document.verdict, "consistent, anchored")
    const again = await shell.run(["import", "trip.jsonl.gz", "--store", "other.db"])
    assert.include(again.out, "it was here already")
  })

  it("fails on a full disk, which is no wrong usage", async () => {
    if (!existsSync("/dev/full")) return
    const { code, document } = await shell.json("export trip --out /dev/full")
    assert.deepStrictEqual([code, document.error.tag], [1, "FileUnwritten"])
    assert.include(document.error.message, "/dev/full cannot be written: the disk is full")
    assert.strictEqual((await shell.run(["export", "trip", "--out", "."])).code, 2)
  })

  it("leaves an earlier export as it is if a new one cannot be written to its end", async () => {
    const run = Run.make("long")
    const parts = { stamp: { asOf: 0, state: Digest.zero }, envelope: { ts: 0 } }
    let head = HashChain.genesis(run)
    const transitions = Array.from({ length: 1500 }, () => {
      const data = { text: "x".repeat(1000) }
      const sealed = HashChain.seal(head, { body: { author: "agent", data, type: "observation.add" }, ...parts })
      head = HashChain.headOf(sealed)
      return sealed
    })
    const file = Export.encode({ run, ontology: 1, lineage: [], head, transitions, blobs: new Map() })
    writeFileSync(shell.path("long.jsonl"), file)
    await shell.run(["import", "long.jsonl", "--store", "long.db"])
    writeFileSync(shell.path("kept.jsonl"), "an earlier export")
    const limited = `ulimit -f 512; trap "" XFSZ; exec "$0" "$@"`
    const words = [source, "export", "long", "--out", "kept.jsonl", "--store", "long.db"]
    const ended = spawnSync("bash", ["-c", limited, process.execPath, ...words], {
      cwd: shell.folder,
      encoding: "utf8"
    })
    assert.strictEqual(ended.status, 1, ended.stderr)
    assert.include(ended.stderr, "kept.jsonl cannot be written: it would be larger than a file may be")
    assert.strictEqual(readFileSync(shell.path("kept.jsonl"), "utf8"), "an earlier export")
    assert.strictEqual((await shell.run(["export", "long", "--out", "kept.jsonl", "--store", "long.db"])).code, 0)
    assert.strictEqual(readFileSync(shell.path("kept.jsonl"), "utf8"), file)
    assert.lengthOf(
      readdirSync(shell.folder).filter((name) => name.endsWith(".part")),
      0
    )
  })

  it("refuses an export of another tenant than the one that is acted for, and says which (L15)", async () => {
    const { code, document } = await shell.json("import trip.jsonl.gz --store apart.db --tenant acme")
    assert.deepStrictEqual([code, document.error.tag], [1, "TenantDiffers"])
    assert.include(document.error.message, "act for tenant default")
    assert.lengthOf((await shell.json("runs --store apart.db")).document.runs, 0)
  })

  it("writes lines that the independent verifier accepts", (context) => {
    const verifier = join(import.meta.dirname, "../../../tooling/verify.py")
    const checked = spawnSync("python3", [verifier, shell.path("trip.jsonl.gz")], { encoding: "utf8" })
    if (checked.error !== undefined) return context.skip("there is no python3 here")
    assert.strictEqual(checked.status, 0, checked.stdout + checked.stderr)
    assert.include(checked.stdout, "consistent, unanchored")
  })

  it("refuses a file of another version, a file that is cut short, and one that was changed", async () => {
    const versions = file("version.jsonl", (text) => text.replace('"version":1', '"version":2'))
    const cut = file("cut.jsonl", (text) => text.split("\n").slice(0, 9).join("\n"))
    const changed = file("changed.jsonl", (text) => text.replace("the fridge is empty", "the fridge is Empty"))
    const expected = [
      [versions, "backstitch-trace 2"],
      [cut, "7 of 23 transitions"],
      [changed, "tick 2"]
    ] as const
    for (const [name, message] of expected) {
      const { code, err } = await shell.run(["import", name, "--store", "third.db"])
      assert.strictEqual(code, 1)
      assert.include(err, message)
      assert.notInclude(err, "    at ")
    }
    assert.deepStrictEqual((await shell.json("runs --store third.db")).document.runs, [])
  })

  it("imports recorded conversations, and finds them in place the second time (L2)", async () => {
    writeFileSync(shell.path("chats.jsonl"), [chat(1), chat(2)].map((each) => JSON.stringify(each)).join("\n"))
    const line = `import chats.jsonl --format openai-chat --store chats.db --pack ${fixture("pack.yaml")}`
    const first = await shell.json(line)
    const counts = [
      "errors",
      "failedCalls",
      "lost",
      "messages",
      "mutatingCalls",
      "outputsReproduced",
      "repeatedToolCallIds",
      "repeats",
      "stateChanges"
    ]
    assert.sameMembers(Object.keys(first.document.totals), [...counts, "toolCalls"])
    for (const run of first.document.runs) {
      assert.sameMembers(Object.keys(run), [...counts, "toolCalls", "finalStateHash", "id"])
    }
    assert.deepInclude(first.document.totals, { messages: 10, toolCalls: 2, repeatedToolCallIds: 0 })
    const second = await shell.run([...line.split(" "), "--json"])
    assert.deepStrictEqual(JSON.parse(second.out), first.document)
    assert.include(second.err, "import: 2 runs, 14 transitions; 2 of the runs were in the store already")
    assert.strictEqual((await shell.run(["verify", "--all", "--store", "chats.db"])).code, 0)
  })

  it("names the act that was repeated after no answer: on import, in report, status and diff", async () => {
    const call = (id: string, note: string) => ({
      role: "assistant",
      content: null,
      tool_calls: [
        { id, type: "function", function: { name: "refund", arguments: JSON.stringify({ order: 7, note }) } }
      ]
    })
    const timeout = { role: "tool", tool_call_id: "a", content: "timeout" }
    const runs = [
      [call("a", "x"), timeout, call("b", "x")],
      [{ role: "user", content: "go on" }, call("c", "y")]
    ]
    const lines = runs.map((traj, index) => JSON.stringify({ task_id: index + 1, trial: 0, traj }))
    writeFileSync(shell.path("twice.jsonl"), lines.join("\n"))
    const line = "import twice.jsonl --format openai-chat --store twice.db"
    const { document } = await shell.json(line)
    const calls = { action: "b", tick: 4, of: { action: "a", tick: 2 }, tool: "refund" }
    const found = { ...calls, after: "timeout", basis: "arguments", differ: [], fields: [] }
    assert.deepStrictEqual(document.runs[0].repeats, [found])
    assert.strictEqual(document.totals.repeats, 1)
    const say = "refund: same tool, same arguments, after a time-out or a lost connection: tick 2 and tick 4"
    assert.include((await shell.run(line.split(" "))).out, `run-1-0: ${say}`)
    for (const view of ["report", "status"]) {
      const { document } = await shell.json(`${view} run-1-0 --store twice.db`)
      assert.deepStrictEqual(document.repeats, [{ ...found, of: { ...found.of, run: "run-1-0" }, run: "run-1-0", say }])
      const { out } = await shell.run([view, "run-1-0", "--store", "twice.db"])
      assert.include(out, "REPEATED 1: The trace does not show which of the two took effect, or whether both did")
      assert.include(out, say)
    }
    const { out } = await shell.run(["diff", "run-1-0", "run-2-0", "--store", "twice.db"])
    assert.include(out, say.replace("tick 2 and tick 4", "tick 2 of run-1-0 and tick 4 of run-1-0"))
    const across =
      "same order, another note: perhaps the same act, after no answer: tick 4 of run-1-0 and tick 3 of run-2-0"
    assert.include(out, `refund: same tool, ${across}`)
    assert.notInclude((await shell.run(["report", "run-2-0", "--store", "twice.db"])).out, "REPEATED")
  })

  it("observes a session of another framework without a contract, at the times that it tells", async () => {
    const { document } = await shell.json("import session.jsonl --format claude-code --store seen.db")
    assert.deepInclude(document.runs[0], { id: "run-s1", messages: 2, toolCalls: 1, mutatingCalls: 1, stateChanges: 0 })
    const { out } = await shell.run(["show", "run-s1", "--store", "seen.db"])
    assert.include(out, "action.request")
  })

  it("says which format a file is not", async () => {
    const { code, err } = await shell.run(["import", "session.jsonl", "--format", "langfuse", "--store", "seen.db"])
    assert.strictEqual(code, 1)
    assert.include(err, "session.jsonl cannot be read as langfuse")
  })
})

describe("a store that is made by an import", () => {
  const began = (run: string, store: string) =>
    shell.run(["run", run, "--agent", fixture("agent.ts"), "--store", store], { SHOP: shell.path(`${run}.json`) })

  it("begins no run until its secret is accepted: under another one nothing imported is recognised (L6)", async () => {
    const store = "fresh/trace.db"
    assert.strictEqual((await shell.run(["import", "trip.jsonl.gz", "--store", store])).code, 0)
    const refused = await began("own", store)
    assert.strictEqual(refused.code, 2)
    assert.include(refused.err, "`backstitch secret --accept`")
    assert.strictEqual((await shell.run(["secret", "--accept", "--store", store])).code, 0)
    assert.strictEqual((await began("own", store)).code, 0)
  })

  it("goes on with no run that came later until that is accepted, although it knows its own secret (L6)", async () => {
    const store = "own/trace.db"
    assert.strictEqual((await began("own", store)).code, 0)
    assert.strictEqual((await shell.run(["import", "trip.jsonl.gz", "--store", store])).code, 0)
    const resumed = () => shell.run(["resume", "trip", "--agent", fixture("agent.ts"), "--store", store])
    const refused = await resumed()
    assert.deepStrictEqual([refused.code, refused.out], [1, ""])
    assert.match(refused.err, /Run trip is not gone on with: the key of a\d+ .*`backstitch secret --accept`/s)
    const accepted = await shell.run(["secret", "--accept", "--store", store])
    assert.match(accepted.out, /not recognised, and they may go on: trip\n/)
    assert.strictEqual((await resumed()).code, 0)
  })
})

describe("backstitch on Postgres", () => {
  // Naming this variable has a server started for the tests: BACKSTITCH_TEST_POSTGRES.
  const store = process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""

  it("runs, resumes, lists and verifies as on SQLite", async () => {
    const on = ["--store", store, "--tenant", `cli-${process.pid}`]
    const env = { BACKSTITCH_SECRET: "secret", SHOP: shell.path("far.json") }
    const killed = await shell.run(["run", "far", "--agent", fixture("agent.ts"), ...on], { ...env, DIE_IN: "milk" })
    assert.strictEqual(killed.signal, "SIGKILL")
    const resumed = await shell.run(["resume", "far", "--agent", fixture("agent.ts"), ...on], env)
    assert.strictEqual(resumed.code, 0, resumed.err)
    const { out } = await shell.run(["verify", "--all", "--json", ...on])
    assert.deepInclude(JSON.parse(out).runs[0], { run: "far", ticks: 23, consistent: true })
    assert.lengthOf(Object.keys(JSON.parse(readFileSync(shell.path("far.json"), "utf8"))), 3)
  })
})
