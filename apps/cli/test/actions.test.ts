import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fixture("agent.ts")

describe("backstitch report and ledger", () => {
  it("say what may be said of a run that went well (L8)", async () => {
    await shell.run(["run", "trip", "--agent", agent])
    const { code, out } = await shell.run(["report", "trip"])
    assert.strictEqual(code, 0)
    assert.match(out, /REPORT: run=trip \| tick=23 \| success/)
    const { document } = await shell.json("report trip")
    assert.deepInclude(document, { run: "trip", standing: "success", held: [] })
    assert.lengthOf(document.actions, 3)
  })

  it("print an entry for each action, reads included", async () => {
    const { code, document } = await shell.json("ledger trip")
    assert.strictEqual(code, 0)
    assert.lengthOf(document.entries, 4)
    assert.deepInclude(document, { complete: 3, required: 3, incomplete: [] })
    assert.strictEqual(document.entries[1].reconciliation.status, "RECONCILED_SUCCESS")
    const { out } = await shell.run(["ledger", "trip"])
    assert.match(out, /a\d+ +order +high_risk_external +shelf\/milk +committed +verified +reconciled_success/)
    assert.include(out, "complete=3 of 3")
  })

  it("claim nothing of what a killed process had begun, and say what comes next (L7, L8)", async () => {
    const shop = shell.path("killed.json")
    await shell.run(["run", "killed", "--agent", agent], { DIE_IN: "milk", SHOP: shop })
    const { document } = await shell.json("report killed")
    assert.strictEqual(document.standing, "attempted")
    assert.deepInclude(document.held[0], { tool: "order", target: "shelf/milk", decision: null })
    assert.include(document.held[0].next, "backstitch resume killed")
    const { out } = await shell.run(["report", "killed"])
    assert.match(out, /held: order \(a\d+\), holds shelf\/milk/)
  })

  it("name a run that is not there", async () => {
    for (const command of ["report", "ledger"]) {
      const { code, err } = await shell.run([command, "nobody"])
      assert.strictEqual(code, 2)
      assert.include(err, "nobody")
    }
  })
})

describe("backstitch audit", () => {
  it("says of each tool what a crash comes to", async () => {
    const { code, document } = await shell.json(`audit ${fixture("pack.yaml")}`)
    assert.deepStrictEqual([code, document.unrecoverable], [0, 0])
    assert.deepInclude(document.tools[0], { tool: "order", recovery: "ask_then_resume", key: true, asked: true })
    assert.deepInclude(document.tools[1], { tool: "search", recovery: "resume" })
  })

  it("marks what is unrecoverable, with what the contract would have to declare", async () => {
    writeFileSync(
      shell.path("fax.yaml"),
      "pack: acme.fax\nversion: 1.0.0\ntools:\n  fax: { class: medium_risk_write, idempotency: effectful, " +
        "input: { to: string }, target: \"'fax/' + args.to\", identity: { scope: run, fields: [{ to: exact }] }, undo: X }\n"
    )
    const { code, out } = await shell.run(["audit", "fax.yaml"])
    assert.strictEqual(code, 1)
    assert.match(out, /fax +no +yes +no +no +hold, unrecoverable +declare status: by_key/)
    assert.include(out, "unrecoverable=1")
  })
})
