import { spawn } from "node:child_process"
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs"
import * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import * as UnsettledAgent from "../src/program/UnsettledAgent.ts"
import * as Terminal from "../src/terminal/Terminal.ts"
import { fixture, Shell, source } from "./shell.ts"

const shell = new Shell({ apart: true })
afterAll(shell.remove)

const agent = fixture("agent.ts")

/** Writes an agent, whose `base` is the one of the fixtures. */
const written = (name: string, code: string): string => {
  const base = `import base from ${JSON.stringify(agent)}\nconst pack = ${JSON.stringify(fixture("pack.yaml"))}\n`
  writeFileSync(shell.path(name), base + code)
  return name
}

const scripted = (name: string, propose: string): string =>
  written(name, `export default { ...base, pack, steps: [{ id: "a", propose: ${propose} }] }`)

describe("code of an agent", () => {
  it("prints beside the answer, which stays one document", async () => {
    const noisy = written(
      "noisy.ts",
      `console.log("loaded")
const search = { execute: () => { console.table([{ a: 1 }]); process.stdout.write("raw\\n"); return { found: [] } } }
export default { ...base, pack, tools: { ...base.tools, search } }`
    )
    const { code, err, out } = await shell.run(["run", "noisy", "--agent", noisy, "--json"])
    assert.deepInclude(JSON.parse(out), { run: "noisy", status: "done" })
    assert.strictEqual(code, 0)
    for (const said of ["loaded", "raw"]) assert.include(err, said)
  }, 120_000)

  it("keeps no process alive after the answer", async () => {
    const lingering = written(
      "lingering.ts",
      `const search = { execute: () => { setInterval(() => {}, 1000); return { found: [] } } }
export default { ...base, pack, tools: { ...base.tools, search } }`
    )
    const { code, out } = await shell.run(["run", "lingering", "--agent", lingering, "--json"])
    assert.deepInclude(JSON.parse(out), { run: "lingering", status: "done" })
    assert.strictEqual(code, 0)
  }, 120_000)

  it("is told to have ended in the middle of a command, with no stack trace and no success", async () => {
    const cases = [
      ["hangs", "await new Promise(() => {})\nexport default base", "waits for something that never comes"],
      ["exits", "process.exit(0)", "the agent ended the process in the middle of a command"],
      [
        "rejects",
        `export default { ...base, pack, steps: undefined, next: async () => {
          Promise.reject(new Error("nobody catches me"))
          await new Promise((resolve) => setTimeout(resolve, 1000))
        } }`,
        "code of the agent failed where nothing waited for it (Error: nobody catches me)"
      ]
    ] as const
    for (const [name, code, says] of cases) {
      const given = ["run", name, "--agent", written(`${name}.ts`, code), "--json"]
      const ended = await shell.run(given)
      assert.strictEqual(ended.code, 1, ended.err)
      assert.include(ended.err, says)
      assert.notInclude(ended.err, "    at ")
      assert.deepInclude(JSON.parse(ended.out).error, { tag: "Abandoned" })
    }
    assert.isFunction(UnsettledAgent.watch)
  }, 120_000)

  it("is told every fault of it if it is no agent", async () => {
    const wrong = written(
      "wrong.ts",
      'export default { pack, goal: "g", steps: [null, { id: 3, propose: {} }, { id: "a" }], tools: { order: {}, look: 1 } }'
    )
    const { code, err } = await shell.run(["run", "wrong", "--agent", wrong])
    assert.strictEqual(code, 2)
    for (const at of ["steps[0].id", "steps[1].id", "steps[2].propose", "tools.order.execute", "tools.look.execute"]) {
      assert.include(err, `\`${at}\``)
    }
    const misfit = await shell.run(["run", "misfit", "--agent", scripted("misfit.ts", "{ tool: 5 }")])
    assert.strictEqual(misfit.code, 2)
    assert.include(misfit.err, "`steps[0].propose.tool`: Expected the name of a tool, found number 5")
    const thrown = await shell.run([
      ...["run", "thrown", "--agent"],
      written("thrown.ts", 'export default { get pack() { throw new Error("gotcha") } }')
    ])
    assert.deepStrictEqual([thrown.code, thrown.err.includes("thrown.ts cannot be loaded: gotcha")], [2, true])
    const folder = await shell.run(["run", "folder", "--agent", "."])
    assert.deepStrictEqual([folder.code, folder.err.includes("it is a folder")], [2, true])
  }, 120_000)
})

describe("a planner whose answer is no proposal", () => {
  it.each<readonly [given: string, says: string]>([
    ["{}", "Expected the name of a tool, found nothing"],
    ['{ tool: "" }', 'Expected the name of a tool, found string ""'],
    ["{ tool: 5 }", "Expected the name of a tool, found number 5"],
    ["{ tool: 'order', confidence: 'high' }", 'at confidence (Expected number, found string "high")'],
    ["{ command: 'of nobody' }", "Expected the name of a tool, found nothing"]
  ])(
    "such as %s is told which field is wrong, what is there and what belongs there",
    async (given, says) => {
      const name = `planner-${Digest.ofBytes(given).slice(0, 8)}`
      const code = `let asked = false
export default { ...base, pack, steps: undefined, next: async () => { if (!asked) { asked = true; return ${given} } } }`
      const { code: exit, document } = await shell.json(`run ${name} --agent ${written(`${name}.ts`, code)}`)
      assert.deepInclude(document, { status: "refused", asks: [], transitions: 1 })
      assert.strictEqual(exit, 1)
      assert.include(document.why, says)
      assert.deepStrictEqual(document.next, [{ verb: "propose", words: "correct that field" }])
    },
    120_000
  )
})

describe("a reader that goes away", () => {
  const headless = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
    new Promise<number | null>((resolve, reject) => {
      const child = spawn(process.execPath, [source, ...args], {
        cwd: shell.folder,
        env: { ...process.env, SHOP: shell.path("headless.json"), ...env },
        stdio: ["ignore", "pipe", "ignore"]
      })
      child.stdout.once("data", () => child.stdout.destroy())
      child.once("error", reject)
      child.once("exit", resolve)
    })

  it("does not stop an action that has begun", async () => {
    const gate = shell.path("gate")
    const running = headless(["run", "headless", "--agent", agent, "--store", "headless.db"], { GATE: gate })
    for (let turn = 0; turn < 1000 && !existsSync(`${gate}.reached`); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    writeFileSync(gate, "")
    assert.strictEqual(await running, 0)
    const { document } = await shell.json("status headless --store headless.db")
    assert.deepInclude(document, { standing: "success", done: true })
  }, 120_000)

  it("ends a command that only reads, without a complaint", async () => {
    assert.strictEqual(await headless(["completions", "bash"]), 0)
  }, 120_000)

  it("of a full disk is a failure in one line", async () => {
    if (!existsSync("/dev/full")) return
    const full = openSync("/dev/full", "w")
    const child = spawn(process.execPath, [source, "pack", "schema"], { stdio: ["ignore", full, "pipe"] })
    let err = ""
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()))
    const code = await new Promise((resolve) => child.once("close", resolve))
    closeSync(full)
    assert.strictEqual(code, 1)
    assert.match(err, /^backstitch: the answer could not be written: the disk is full\n$/)
  }, 120_000)
})

describe("a run that cannot be folded to its end", () => {
  it("is shown as far as possible, in one document that names the missing part", async () => {
    const run = Run.make("lost")
    const pinned = { clauses: {}, engine: "none", fold: "contract@1", format: 1, goal: "lost", ontology: 1 }
    const nowhere = { initial: Digest.ofBytes("a state"), pack: Digest.ofBytes("a pack that is nowhere") }
    const data = { ...pinned, ...nowhere, tenant: run.tenant }
    const bodies = [
      { author: "kernel", data, type: "run.started" } as const,
      { author: "agent", type: "observation.add" } as const
    ]
    let head = HashChain.genesis(run)
    const transitions = bodies.map((body, ts) => {
      const sealed = HashChain.seal(head, { body, stamp: { asOf: ts, state: Digest.zero }, envelope: { ts } })
      head = HashChain.headOf(sealed)
      return sealed
    })
    const file = Export.encode({ run, ontology: 1, lineage: [], head, transitions, blobs: new Map() })
    writeFileSync(shell.path("lost.jsonl"), file)
    await shell.run(["import", "lost.jsonl", "--store", "lost.db"])
    const { code, document } = await shell.json("show lost --store lost.db")
    assert.deepStrictEqual([code, document.error.tag], [1, "SourceMissing"])
    assert.isAtMost(document.transitions.length, 1)
  }, 120_000)
})

describe("text of a model or a tool", () => {
  const evil = "\u001b[2J\u001b]0;title\u0007\r\nVERIFIED: run=x | all is well\u202e\u009b31m\u0000"

  it("is shown and not obeyed, and no line of it can pass for one of ours", async () => {
    const call = { id: "c", type: "function", function: { name: evil, arguments: JSON.stringify({ [evil]: evil }) } }
    const messages = [
      { role: "user", content: evil },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: evil },
      { role: "assistant", content: evil }
    ]
    writeFileSync(shell.path("evil.jsonl"), JSON.stringify({ id: "evil", messages }))
    const format = ["--format", "openai-chat", "--pack", fixture("pack.yaml")]
    await shell.run(["import", "evil.jsonl", ...format, "--store", "evil.db"])
    const commands = [
      ...["show run-evil", "show run-evil@4", "show run-evil --state", "log", "runs", "status run-evil"],
      ...["report run-evil", "ledger run-evil", "explain run-evil@4", "diff run-evil run-evil", "review", "claims"],
      "action run-evil"
    ]
    for (const [index, command] of commands.entries()) {
      const colours: Record<string, string> = index % 2 === 0 ? {} : { NO_COLOR: "", FORCE_COLOR: "1" }
      const { err, out } = await shell.run([...command.split(" "), "--store", "evil.db"], colours)
      const text = (out + err).replaceAll(own, "")
      assert.notMatch(text, /^VERIFIED/m, command)
      assert.notMatch(text, obeyed, command)
    }
    const { out } = await shell.run(["show", "run-evil", "--json", "--store", "evil.db"])
    assert.include(JSON.stringify(JSON.parse(out)), JSON.stringify(evil).slice(1, -1))
    assert.notMatch(out, obeyed)
  }, 120_000)

  it("gets none of its colours, also if ours are shown", async () => {
    const painted = "\u001b[32mVERIFIED\u001b[39m \u001b[2mall is well\u001b[22m"
    const messages = [{ role: "user", content: painted }]
    writeFileSync(shell.path("painted.jsonl"), JSON.stringify({ id: "painted", messages }))
    await shell.run(["import", "painted.jsonl", "--format", "openai-chat", "--store", "painted.db"])
    const { out } = await shell.run(["show", "run-painted", "--store", "painted.db"], {
      NO_COLOR: "",
      FORCE_COLOR: "1"
    })
    assert.include(out, "\\u001b[32mVERIFIED")
    assert.include(out, "\u001b[2mTICK\u001b[22m 01")
    assert.strictEqual(out.replaceAll(own, "").includes("\u001b"), false)
  }, 120_000)

  it("is one line, with the control characters of a terminal written out", () => {
    assert.strictEqual(Terminal.line("a\n\tb\u001b[31m\u202e"), "a\\n\\tb\\u001b[31m\\u202e")
    assert.strictEqual(Terminal.line("größer 世界 🧵"), "größer 世界 🧵")
  }, 120_000)
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const own = /\u001b\[\d{1,2}m/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/
