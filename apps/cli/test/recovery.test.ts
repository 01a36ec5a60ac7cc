import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const folder = new URL("../../../examples/form/", import.meta.url)
const agent = fileURLToPath(new URL("agent.ts", folder))
const pack = fileURLToPath(new URL("pack.yaml", folder))

describe("backstitch recover", () => {
  it("takes one slot of a form back, leaves the other, and names who stands on it (L10)", async () => {
    const desk = { FORM_DESK: shell.path("desk.json") }
    const ran = await shell.run(["run", "form-7", "--agent", agent], { ...desk, FORM_FULL: "tuesday" })
    assert.match(ran.out, /next +backstitch recover form-7\n/)
    for (const verb of ["status", "ledger"]) {
      assert.match((await shell.run([verb, "form-7"])).out, /reserve \(a4\) can be undone until \S+, 23h59m from now/)
    }
    const { document: listed } = await shell.json("instances form-7")
    assert.deepStrictEqual(
      listed.instances.map(({ instance, phase }: { instance: string; phase: string }) => `${instance} ${phase}`),
      ["slot::0::0 exited", "slot::1::0 committed"]
    )
    const { document: points } = await shell.json("checkpoints form-7")
    assert.lengthOf(points.checkpoints, 5)
    const told = await shell.run(["recover", "form-7", "--policy", "entry"])
    assert.match(told.out, /ADMITTED: run=form-7 \| slot::1::0 goes back to its entry checkpoint/)
    assert.include(told.out, "nothing was done")
    const yes = ["--agent", agent, "--yes", "--reason", "tuesday is full"]
    const done = await shell.run(["recover", "form-7", "--policy", "entry", ...yes], desk)
    assert.strictEqual(done.code, 0)
    assert.include(done.out, "RESTORED: run=form-7")
    assert.match(done.out, /checkpoint after tick \d+, in state open \| policy entry \|/)
    const shown = await shell.run(["show", "form-7"])
    assert.match(shown.out, /recovery\.restored +slot::1::0 back at its entry checkpoint of tick \d+ by policy entry; /)
    await shell.run(["resume", "form-7", "--agent", agent], desk)
    const { code, document } = await shell.json("why-blocked form-7 --policy entry --instance slot::0::0")
    assert.strictEqual(code, 1)
    assert.deepInclude(document.reasons[0], { code: "committed_consumers_present", instances: ["form::null::0"] })
    assert.strictEqual(document.joint.irreversible, 0)
    const { out } = await shell.run(["why-blocked", "form-7", "--instance", "slot::0::0"])
    assert.match(out, /BLOCKED: run=form-7 \| slot::0::0/)
    assert.include(out, "these could go back, which nothing does by itself")
    const verified = await shell.run(["verify", "form-7", "--redecide"])
    assert.strictEqual(verified.code, 0)
  }, 120_000)

  it.each([
    [
      "{ policy: entry }",
      "form-1",
      /recovery\.restored +slot::1::0 back at its entry checkpoint of tick \d+ by policy entry/
    ],
    ["{ tries: 0, blocked: rerun }", "form-1-again", /RERUN: run=form-1-again \| the task of form-1 was done again/]
  ])(
    "is not needed where the contract asks for recovery: %s",
    async (recovery, run, said) => {
      // Runs of one goal in one store would take over what the others did.
      const own = new Shell()
      const [file, module] = [own.path("pack.yaml"), own.path("agent.ts")]
      writeFileSync(file, `${readFileSync(pack, "utf8")}recovery: ${recovery}\n`)
      const source = `import form from ${JSON.stringify(agent)}\nexport default { ...form, pack: ${JSON.stringify(file)} }\n`
      writeFileSync(module, source)
      const desk = { FORM_DESK: own.path("desk.json"), FORM_FULL: "tuesday" }
      const { code, err, out } = await own.run(["run", "form-1", "--agent", module], desk)
      assert.strictEqual(code, 0, err)
      assert.match(out, said)
      assert.match(out, /\+ world\.reserved\.1 wednesday/)
      assert.strictEqual((await own.run(["verify", run, "--redecide"])).code, 0)
      own.remove()
    },
    120_000
  )

  it("says what it needs, and which run has no subtasks", async () => {
    const { code, err } = await shell.run(["recover", "form-7", "--yes"])
    assert.strictEqual(code, 2)
    assert.include(err, "--yes needs --agent FILE")
    const unknown = await shell.run(["why-blocked", "form-7", "--instance", "slot::9::0"])
    assert.strictEqual(unknown.code, 2)
    assert.include(unknown.err, "has no subtask slot::9::0. `backstitch instances form-7` lists them\n")
    const other = await shell.run(["instances", "form-9"])
    assert.notStrictEqual(other.code, 0)
  })
})

describe("backstitch pack boundaries", () => {
  it("counts what there is to review, and finds no drift in a reviewed contract", async () => {
    const { code, document } = await shell.json(`pack boundaries ${pack}`)
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(document.load, { skeletons: 2, commits: 3, exits: 2, pending: 0, states: 3, edges: 3 })
  })
})
