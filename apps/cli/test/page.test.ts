import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import * as RunPage from "../src/output/page/RunPage.ts"
import * as RunPicture from "../src/output/page/RunPicture.ts"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const example = (name: string): string => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))

/** The page of a run. */
const drawn = async (run: string, ...flags: ReadonlyArray<string>): Promise<string> => {
  const file = shell.path(`${run}.html`)
  const { code, err } = await shell.run(["show", run, "--html", file, ...flags])
  assert.strictEqual(code, 0, err)
  return readFileSync(file, "utf8")
}

const empty = new Set(["!doctype", "meta", "circle", "line", "path", "rect", "br"])

/** Tags that are not closed in their order; attributes may hold no tag. */
const unclosed = (page: string): ReadonlyArray<string> => {
  const open: Array<string> = []
  for (const [, end, name = "", rest = ""] of page.matchAll(/<(\/?)([!a-z][a-z0-9]*)((?:[^<>"]|"[^"<]*")*)>/g)) {
    if (end === "/") {
      if (open.pop() !== name) return [...open, name]
    } else if (!empty.has(name) && !rest.endsWith("/")) open.push(name)
  }
  return open
}

const namesOf = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/<div class="name"[^>]*><span class="dot (\w+)"><\/span>(\w+) /g)].map(
    ([, tone, name]) => `${name} ${tone}`
  )

describe("the page of a run", () => {
  it("shows no action as done but one that was verified (L8)", () => {
    const done = ReconciliationStatus.all.filter((at) => RunPicture.toneOf(at) === "done")
    assert.deepStrictEqual(done, ["success"])
  })

  it("has a lane for each action in its tone, an arrow to what was undone, and a row for each tick", async () => {
    const env = { EVENT_DESK: shell.path("desk.json"), EVENT_UNTIL: "invite" }
    const agent = example("event-planning/agent.ts")
    assert.strictEqual((await shell.run(["run", "event-7", "--agent", agent], env)).code, 0)
    await shell.run(["inject", "event-7", "--set", "city=Basel", "--by", "Ada"])
    assert.include((await shell.run(["resume", "event-7", "--agent", agent], env)).out, "DONE:")
    const page = await drawn("event-7")
    assert.deepStrictEqual(namesOf(page), [
      "find done",
      "book_hall back",
      "book_band done",
      "order_food back",
      "cancel_food done",
      "cancel_hall done",
      "find done",
      "book_hall done",
      "order_food done"
    ])
    assert.strictEqual(page.match(/class="undo"/g)?.length, 2)
    const { document } = await shell.json("show event-7")
    const ticks = document.transitions.map(({ tick }: { readonly tick: number }) => tick)
    assert.deepStrictEqual(
      [...page.matchAll(/<tr id="t(\d+)">/g)].map(([, tick]) => Number(tick)),
      ticks
    )
    assert.include(page, "order_food")
    assert.deepStrictEqual(unclosed(page), [])
    const part = await drawn("event-7", "--from", "4", "--to", "8")
    assert.deepStrictEqual(namesOf(part), ["book_hall back"])
    assert.include(part, `5 of ${ticks.length} ticks`)
    const rows = new Set([...part.matchAll(/ id="(t\d+)"/g)].map(([, id]) => id))
    const links = [...part.matchAll(/href="#(t\d+)"/g)].map(([, id]) => id)
    assert.isAbove(links.length, 0)
    assert.deepStrictEqual(
      links.filter((id) => !rows.has(id)),
      []
    )
  }, 60_000)

  it("says how long after the first transition another came, in units that fit", () => {
    assert.deepStrictEqual(
      [0, 9_999, -1_000, 65_500, 125_000, 5_400_000, 1_209_600_000, -90_000_000].map(RunPage.afterOf),
      ["0 ms", "9999 ms", "-1000 ms", "65.5 s", "2 min 5 s", "1 h 30 min", "14 d 0 h 0 min", "-1 d 1 h 0 min"]
    )
  })

  it("has a lane for each task of a topology", async () => {
    await shell.run(["run", "chapter-1", "--agent", example("topologies/agent.ts")])
    assert.deepStrictEqual(namesOf(await drawn("chapter-1")), [
      "drafter done",
      "drafter done",
      "drafter done",
      "reader done"
    ])
  }, 60_000)

  it("holds texts of models and tools as text, and forbids scripts and requests", async () => {
    const hostile = `</title><script>alert(1)</script><img src=x onerror="alert(2)">'\u0000\u202e\ud800`
    const calls = [{ id: "c1", type: "function", function: { name: "look", arguments: JSON.stringify({ hostile }) } }]
    const traj = [
      { role: "user", content: hostile },
      { role: "assistant", content: hostile, tool_calls: calls },
      { role: "tool", tool_call_id: "c1", content: hostile }
    ]
    writeFileSync(shell.path("chat.jsonl"), `${JSON.stringify({ task_id: "h", traj })}\n`)
    const { document } = await shell.json("import chat.jsonl --format openai-chat --prefix h-")
    const page = await drawn(document.runs[0].id)
    assert.notMatch(page, /<script|<img|onerror="|[\0\u202e]/)
    assert.include(page, "&#60;script&#62;")
    assert.match(page, /http-equiv="Content-Security-Policy" content="default-src 'none'/)
    assert.deepStrictEqual(unclosed(page), [])
  }, 60_000)

  it("shows a read that failed, and one without an answer, as such, and names no store of this machine", async () => {
    writeFileSync(
      shell.path("reads.yaml"),
      "pack: acme.reads\nversion: 1.0.0\ntools:\n  look: { class: read_only }\n  miss: { class: read_only }\n"
    )
    const steps = [`{ id: "a", propose: { tool: "look" } }`, `{ id: "b", propose: { tool: "miss" } }`]
    const miss = `throw Object.assign(new Error("no"), { _tag: "ToolRefused", detail: "no such shelf" })`
    const tools = `{ look: { execute: () => 1 }, miss: { execute: () => { ${miss} } } }`
    const agent = `export default { pack: "reads.yaml", goal: "g", tools: ${tools}, steps: [${steps}] }\n`
    writeFileSync(shell.path("reads.mjs"), agent)
    await shell.run(["run", "reads", "--agent", "reads.mjs", "--store", "reads.db"])
    const file = shell.path("reads.html")
    assert.strictEqual((await shell.run(["show", "reads", "--html", file, "--store", "reads.db"])).code, 0)
    const page = readFileSync(file, "utf8")
    assert.deepStrictEqual(namesOf(page), ["look done", "miss failed"])
    assert.notInclude(page, "reads.db")
    await shell.run(["show", "reads", "--html", file, "--store", "reads.db", "--to", "2"])
    assert.deepStrictEqual(namesOf(readFileSync(file, "utf8")), ["look open"])
  }, 60_000)

  it("replaces an earlier page, and no other file", async () => {
    const file = shell.path("secret")
    writeFileSync(file, "the secret of the store")
    const { code, err } = await shell.run(["show", "chapter-1", "--html", file])
    assert.strictEqual(code, 2)
    assert.match(err, /another file is there, of another kind/)
    assert.strictEqual(readFileSync(file, "utf8"), "the secret of the store")
    assert.strictEqual(await drawn("chapter-1"), await drawn("chapter-1"))
  }, 60_000)

  it("is of a run or a part of it, and takes no flag of the lines", async () => {
    for (const asked of [["chapter-1@2"], ["chapter-1", "--state"], ["chapter-1", "--fields", "tick"]]) {
      const { code, err } = await shell.run(["show", ...asked, "--html", shell.path("x.html")])
      assert.strictEqual(code, 2)
      assert.match(err, /--html draws a run, or the part between --from and --to/)
    }
  })
})
