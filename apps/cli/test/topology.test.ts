import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import { serve } from "../../server/test/served.ts"
import { Shell } from "./shell.ts"

const shell = new Shell({ apart: true })
afterAll(shell.remove)

/** A pack with a topology, and an agent under it whose roles draft and criticise. */
const write = (name: string, topology: string, roles: string): string => {
  writeFileSync(shell.path(`${name}.yaml`), `pack: acme.${name}\nversion: 1.0.0\n${topology}\ntools: {}\n`)
  const agent = `export default { pack: "${name}.yaml", goal: "a chapter", tools: {}, ${roles} }\n`
  writeFileSync(shell.path(`${name}.ts`), agent)
  return `${name}.ts`
}

const debating = `roles: {
  drafter: ({ round }) => round % 2 === 1 ? "a chapter in short" : "one that says everything twice and once more",
  critic: ({ round }) => round % 2 === 1 ? "too short" : "too long",
  judge: (tied) => tied[1].round
}`

describe("backstitch run --topology", () => {
  it("lets the roles of an agent debate, ships what the judge decides, and repeats nothing on a resume", async () => {
    const agent = write("debate", "topology: { kind: debate, rounds: 2, agents: { judge: reader } }", debating)
    const { code, out } = await shell.run(["run", "chapter", "--agent", agent, "--topology", "debate", "--json"])
    const receipt = JSON.parse(out)
    assert.deepInclude(receipt, { run: "chapter", status: "done", verified: true })
    assert.strictEqual(code, 0)
    const again = JSON.parse((await shell.run(["resume", "chapter", "--agent", agent, "--json"])).out)
    assert.deepInclude(again, { status: "done", transitions: receipt.transitions })
    const told = await shell.run(["run", "chapter-2", "--agent", agent])
    assert.include(told.out, "SPAWN: 3 agents (drafter, critic, reader)")
    const resumed = await shell.run(["resume", "chapter-2", "--agent", agent])
    assert.match(resumed.out, /^RESUME: .*\n(?: .*\n)*SPAWN: 3 agents \(drafter, critic, reader\)$/m)
    // The cap was reached, and drafts still changed: the judge is the medicine, and the signal stays on record.
    assert.match((await shell.run(["doctor", "chapter"])).out, /deadlock/)
  }, 120_000)

  it.live("is told of a server's agents as of one here, at the beginning and on a resume", () =>
    Effect.gen(function* () {
      const agent = write("served", "topology: { kind: debate, rounds: 2, agents: { judge: reader } }", debating)
      const { address, key } = yield* serve(undefined, { served: shell.path(agent) })
      const operator = yield* key("default", "operator")
      for (const line of ["run remote --agent served", "resume remote --agent served"]) {
        const asked = [...line.split(" "), "--server", address]
        const { out } = yield* Effect.promise(() => shell.run(asked, { BACKSTITCH_KEY: operator }))
        assert.include(out, "SPAWN: 3 agents (drafter, critic, reader)")
      }
    })
  )

  it("refuses a topology that the pack does not declare, a missing detector, and a missing role", async () => {
    const cases = [
      ["other", "topology: { kind: debate, rounds: 2 }", "pipeline", /declares a debate, and not a pipeline/],
      ["none", "", "debate", /declares no topology\. Add `topology: \{ kind: debate, rounds: 3 \}`/],
      [
        "blind",
        "topology: debate",
        "debate",
        /nothing would see its first crack: declare topology\.rounds, two or three/
      ],
      [
        "few",
        "topology: { kind: plan_execute, plan: 60s }",
        "plan_execute",
        /`roles\.planner` is missing: the pack decl/
      ]
    ] as const
    for (const [name, topology, kind, says] of cases) {
      const agent = write(name, topology, debating)
      const { code, err, out } = await shell.run(["run", name, "--agent", agent, "--topology", kind])
      assert.deepStrictEqual([name, code, out], [name, 2, ""])
      assert.match(err, says)
      assert.strictEqual((await shell.run(["show", name])).code, 2)
    }
  }, 120_000)

  it("holds the run with a question that says what to do, and goes on once somebody resumes", async () => {
    const roles = (breaks: boolean) =>
      `roles: {
        boss: () => [{ task: "one", brief: "Count" }],
        worker: () => { ${breaks ? 'throw new Error("no ink")' : "return 1"} }
      }`
    const broken = write("press", "topology: { kind: orchestrator, silence: 30s }", roles(true))
    const held = JSON.parse((await shell.run(["run", "press", "--agent", broken, "--json"])).out)
    assert.strictEqual(held.status, "held")
    assert.match(held.why, /lost handoff \(one\): no ink\. A person decides/)
    const { document } = await shell.json("review")
    assert.deepInclude(document.held[0], { run: "press", tool: "orchestrator", action: "topology.lost_handoff" })
    assert.strictEqual(document.held[0].next.command, "backstitch resume press --agent FILE")
    const mended = write("press", "topology: { kind: orchestrator, silence: 30s }", roles(false))
    const done = JSON.parse((await shell.run(["resume", "press", "--agent", mended, "--json"])).out)
    assert.strictEqual(done.status, "done")
    assert.deepStrictEqual((await shell.json("review")).document.held, [])
  }, 120_000)

  it("lists a run that is held at an alarm, with the step that passes it", async () => {
    const topology = "topology: { kind: react, steps: 20, on_alarm: hold }"
    writeFileSync(
      shell.path("loop.yaml"),
      `pack: acme.loop\nversion: 1.0.0\n${topology}\ntools: { look: { class: read_only } }\n`
    )
    const tools = `{ look: { execute: () => [] } }`
    const agent = `export default { pack: "loop.yaml", goal: "g", tools: ${tools}, next: () => ({ tool: "look" }) }`
    writeFileSync(shell.path("loop.mjs"), agent)
    assert.strictEqual(
      JSON.parse((await shell.run(["run", "loop", "--agent", "loop.mjs", "--json"])).out).status,
      "held"
    )
    const { document } = await shell.json("review loop")
    assert.strictEqual(
      document.held[0].next.command,
      "backstitch resume loop --agent FILE --past topology.runaway --by NAME --reason TEXT"
    )
    assert.include((await shell.run(["report", "loop"])).out, "topology.runaway")
  }, 120_000)
})
