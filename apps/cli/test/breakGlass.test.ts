import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = shell.path("agent.ts")

beforeAll(() => {
  copyFileSync(fixture("agent.ts"), agent)
  const pack = readFileSync(fixture("pack.yaml"), "utf8")
    .replace("high_risk_external", "critical_mutation")
    .replace("      source: primary\n", "      source: primary\n      sources: [{ source: audit }]\n")
    .replace(
      "    undo: { class: X }\n",
      "    undo: { class: X }\n    waives: { target: one shelf, tenant: one shop }\n"
    )
  writeFileSync(shell.path("pack.yaml"), pack)
})

const glass = (review: string, reason = "the hotel is on fire"): ReadonlyArray<string> => [
  "--break-glass",
  review,
  "--by",
  "Ada",
  "--reason",
  reason
]

const resume = (...args: ReadonlyArray<string>) => shell.run(["resume", "fire", "--agent", agent, ...args])

describe("backstitch resume --break-glass", () => {
  it("starts the waiting intent, is shown in every view, and is no success before it is accepted", async () => {
    await shell.run(["run", "fire", "--agent", agent])
    const [waiting] = (await shell.json("approvals")).document.approvals
    assert.strictEqual(
      waiting.breakGlass.command,
      `backstitch resume fire --agent FILE --break-glass ${waiting.review} --by NAME --reason TEXT`
    )
    const broken = await resume(...glass(waiting.review))
    assert.strictEqual(broken.code, 1)
    assert.include(broken.out, "Ada broke the glass: the hotel is on fire")
    assert.include(broken.out, "the glass was broken for order, and what it did is verified and not reviewed")

    const approvals = (await shell.json("approvals")).document.approvals
    assert.lengthOf(approvals, 1)
    const [{ after, breakGlass, review }] = approvals
    assert.deepStrictEqual([after, breakGlass], ["a8", null])
    const { document: held } = await shell.json("review fire")
    assert.include(held.held[0].why, "Ada broke the glass: the hotel is on fire. operator reviews it")
    assert.include(held.held[0].next.command, `backstitch approve fire ${review} --by NAME --role operator`)
    const status = await shell.json("status fire")
    assert.deepInclude(
      { code: status.code, ...status.document },
      { code: 1, done: false, standing: "review_required", waiting: 1 }
    )
    assert.deepInclude(status.document.glass[0], { action: "a8", by: "Ada", review, verdict: null })
    const ledger = (await shell.json("ledger fire")).document
    const entry = ledger.entries.find(({ action_id: id }: { action_id: string }) => id === "a8")
    assert.deepInclude(entry.approval, { required: true, approval_id: review, approver_id: null })
    assert.strictEqual(entry.recovery.review_id, review)
    assert.deepInclude(ledger.glass[0], { action: "a8", reason: "the hotel is on fire" })
    const page = await shell.run(["action", "a8", "--run", "fire"])
    assert.match(page.out, /broken glass +Ada broke the glass: the hotel is on fire/)

    const twice = await resume(...glass(review))
    assert.strictEqual(twice.code, 2)
    assert.include(twice.err, `The glass was broken for ${review} already`)
    const accepted = await shell.run(["approve", "fire", review, "--by", "Grace", "--role", "operator"])
    assert.strictEqual(accepted.code, 0)
    await resume()
    const after8 = (await shell.json("action a8 --run fire")).document
    assert.deepInclude(after8.breakGlass, { verdict: "approved", decidedBy: "Grace" })
    assert.strictEqual(after8.standing, "success")
    const proven = await shell.json("verify fire --redecide")
    assert.deepStrictEqual([proven.code, proven.document.redecided.differs], [0, []])
  }, 120_000)

  it("needs a name, a reason, an agent and a review that waits", async () => {
    const store = ["--store", "needs.db"]
    await shell.run(["run", "fire", "--agent", agent, ...store])
    const [{ review }] = (await shell.json(`approvals ${store.join(" ")}`)).document.approvals
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["--agent", agent, "--break-glass", review, "--by", "Ada"], "give --by NAME and --reason TEXT"],
      [["--agent", agent, "--break-glass", review, "--reason", "fire"], "give --by NAME and --reason TEXT"],
      [["--agent", agent, ...glass(review, "  ")], "give --by NAME and --reason TEXT"],
      [["--agent", agent, "--by", "Ada"], "give --break-glass REVIEW"],
      [["--agent", agent, ...glass("r0")], `has no review "r0". ${review} waits for an approval`],
      [glass(review), "name it with --agent FILE"]
    ]
    for (const [args, says] of cases) {
      const { code, err } = await shell.run(["resume", "fire", ...args, ...store])
      assert.strictEqual(code, 2, err)
      assert.include(err, says)
    }
  }, 120_000)

  it("does not break the glass for an act that is not critical, and names the person who decides", async () => {
    const rule = "approvals:\n  order: { by: [owner] }\n"
    mkdirSync(shell.path("calm"))
    writeFileSync(shell.path("calm/pack.yaml"), readFileSync(fixture("pack.yaml"), "utf8") + rule)
    const agent = shell.path("calm/agent.ts")
    copyFileSync(fixture("agent.ts"), agent)
    await shell.run(["run", "calm", "--agent", agent, "--store", "calm.db"])
    const [{ breakGlass, review }] = (await shell.json("approvals --store calm.db")).document.approvals
    assert.isNull(breakGlass)
    const { code, err, out } = await shell.run([
      ...["resume", "calm", "--agent", agent, "--store", "calm.db"],
      ...glass(review)
    ])
    assert.strictEqual(code, 1)
    assert.include(err, `the glass was not broken for ${review}`)
    assert.include(err, "owner decides")
    assert.notInclude(out, "action.started")
  }, 120_000)
})
