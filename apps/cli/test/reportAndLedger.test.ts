import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fixture("agent.ts")

describe("backstitch report and ledger", () => {
  beforeAll(async () => {
    await shell.run(["run", "trip", "--agent", agent])
  }, 120_000)

  it("give the permitted statement about a successful run (L8)", async () => {
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

  it("call actions audit-confirmed under a head that was kept elsewhere, and under no other", async () => {
    const { document: verified } = await shell.json("verify trip")
    const { code, document } = await shell.json(`ledger trip --head ${verified.head}`)
    assert.deepStrictEqual([code, document.audit.anchoredTo], [0, verified.ticks])
    assert.deepStrictEqual(
      document.audit.actions.map(({ confirmed, grounds }: { confirmed: boolean; grounds: [] }) => [confirmed, grounds]),
      [
        [true, []],
        [true, []],
        [true, []]
      ]
    )
    const { action } = document.audit.actions[0]
    const page = await shell.run(["action", action, "--run", "trip", "--head", verified.head])
    assert.match(page.out, /trust +4 of 4, audit-confirmed/)
    assert.match(page.out, /AUDIT: confirmed=1 of 1 \| anchored up to tick \d+/)
    const other = await shell.run(["ledger", "trip", "--head", "0".repeat(64)])
    assert.deepStrictEqual([other.code, other.out.includes("AUDIT: confirmed=0 of 0")], [1, true])
    assert.strictEqual((await shell.run(["ledger", "trip", "--head", "yesterday"])).code, 2)
  })

  it("claim nothing about the action that a killed process had begun, and name the next step (L7, L8)", async () => {
    const shop = shell.path("killed.json")
    await shell.run(["run", "killed", "--agent", agent], { DIE_IN: "milk", SHOP: shop })
    const { document } = await shell.json("report killed")
    assert.strictEqual(document.standing, "attempted")
    assert.deepInclude(document.held[0], { tool: "order", target: "shelf/milk", decision: null })
    assert.include(document.held[0].next.command, "backstitch resume killed")
    const { out } = await shell.run(["report", "killed"])
    assert.match(out, /HELD: order \(a\d+\) \| target=shelf\/milk/)
  })

  it("name a run that is not there", async () => {
    for (const command of ["report", "ledger"]) {
      const { code, err } = await shell.run([command, "nobody"])
      assert.strictEqual(code, 2)
      assert.include(err, "nobody")
    }
  })
})

describe("backstitch review and resolve", () => {
  it("list the held actions of every run, and settle one with evidence, in a person's name (L8)", async () => {
    const store = `--store=${shell.path("held.db")}`
    await shell.run(["run", "held", store, "--agent", agent], { DIE_IN: "bread", SHOP: shell.path("held.json") })
    const { document } = await shell.json(`review ${store}`)
    const found = document.held.find(({ run }: { run: string }) => run === "held")
    assert.deepInclude(found, { tool: "order", target: "shelf/bread" })
    const { out } = await shell.run(["review", "held", store])
    assert.match(out, /HELD: run=held \| order \(a\d+\) \| target=shelf\/bread/)

    const resolve = ["resolve", "held", found.action, store, "--by", "Ada"]
    const unfounded = await shell.run([...resolve, "--as", "failure", "--evidence", ""])
    assert.strictEqual(unfounded.code, 1)
    assert.include(unfounded.out, "what the decision rests on")
    // By its contract it has left within 5 s, and shows within 1 s after that.
    await setTimeout(6_000)
    const settled = await shell.run([...resolve, "--as", "failure", "--evidence", "the shop says no, ticket 311"])
    assert.deepStrictEqual([settled.code, settled.out.includes("RESOLVED: run=held")], [0, true])
    assert.include((await shell.run(["review", "held", store])).out, "Nothing is held for a person. `approvals`")
    const report = (await shell.json(`report held ${store}`)).document
    assert.include(
      report.actions.map(({ standing, tool }: { standing: string; tool: string }) => `${tool} ${standing}`),
      "order failure"
    )
    const again = await shell.run([...resolve, "--as", "success", "--evidence", "it is there after all"])
    assert.match(again.out, /expected an action that is held, found one that is not/)
    const unknown = await shell.json(`resolve held zzz ${store} --as success --evidence seen --by Ada`)
    assert.deepStrictEqual([unknown.code, unknown.document.error.tag], [2, "ActionUnknown"])
  })

  it("accept no failure of an action that may still arrive, and say from when on (decision 0036)", async () => {
    const store = `--store=${shell.path("slow.db")}`
    copyFileSync(agent, shell.path("slow.ts"))
    const pack = readFileSync(fixture("pack.yaml"), "utf8").replaceAll("sendWithin: 5s", "sendWithin: 1h")
    writeFileSync(shell.path("pack.yaml"), pack)
    const shop = { DIE_IN: "bread", SHOP: shell.path("slow.json") }
    await shell.run(["run", "slow", store, "--agent", shell.path("slow.ts")], shop)
    const [{ action }] = (await shell.json(`review slow ${store}`)).document.held
    const resolve = ["resolve", "slow", action, store, "--by", "Ada", "--evidence", "phoned", "--as"]
    const early = await shell.run([...resolve, "failure"])
    assert.strictEqual(early.code, 1)
    assert.match(early.out, /a verdict that it did not happen from \d{4}-\d\d-\d\dT[\d:.]+Z on/)
    assert.include(early.out, "--as success|abandoned")
    assert.strictEqual((await shell.run([...resolve, "abandoned"])).code, 0)
    assert.strictEqual((await shell.run(["verify", "slow", store, "--redecide"])).code, 0)
  })

  it("believe no success on a word alone, and the record that a person attests (L8)", async () => {
    const store = `--store=${shell.path("word.db")}`
    const shop = { SHOP: shell.path("word.json") }
    await shell.run(["run", "word", store, "--agent", agent], { DIE_IN: "bread", ...shop })
    const { action } = (await shell.json(`review word ${store}`)).document.held[0]
    const resolve = ["resolve", "word", action, store, "--by", "Ada", "--as", "success", "--evidence", "phoned"]
    const word = await shell.run(resolve)
    assert.deepStrictEqual([word.code, word.out.includes("found a word alone")], [1, true])
    assert.include(word.out, "--record FILE")
    writeFileSync(shell.path("record.json"), JSON.stringify({ item: "bread", price: 50 }))
    const missing = await shell.run([...resolve, "--record", shell.path("nowhere.json")])
    assert.deepStrictEqual([missing.code, /nowhere\.json.*there is no such file/.test(missing.err)], [2, true])
    assert.strictEqual((await shell.run([...resolve, "--record", shell.path("record.json")])).code, 0)
    const resumed = await shell.run(["resume", "word", store, "--agent", agent], { CHEESE: "10", ...shop })
    assert.strictEqual(resumed.code, 0, resumed.out)
    const { out } = await shell.run(["show", "word", store, "--state"])
    assert.strictEqual(JSON.parse(out.match(/^\{.*\}$/gm)?.at(-1) ?? "{}").world.spent, 90)
    assert.strictEqual((await shell.run(["verify", "word", store, "--redecide"])).code, 0)
  })
})

describe("backstitch audit", () => {
  it("reports for each tool the consequence of a crash", async () => {
    const { code, document } = await shell.json(`audit ${fixture("pack.yaml")}`)
    assert.deepStrictEqual([code, document.unrecoverable], [0, 0])
    assert.deepInclude(document.tools[0], { tool: "order", recovery: "ask_then_resume", key: true, asked: true })
    assert.deepInclude(document.tools[1], { tool: "search", recovery: "resume" })
  })

  it("marks unrecoverable tools, with the declarations that their contract lacks", async () => {
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

describe("backstitch approve and deny", () => {
  const shell = new Shell()
  afterAll(shell.remove)
  const asking = shell.path("agent.ts")
  const prepare = (): void => {
    copyFileSync(fixture("agent.ts"), asking)
    const rule = "approvals:\n  order: { when: args.price >= 50, by: [manager, owner], expires: 1h }\n"
    writeFileSync(shell.path("pack.yaml"), readFileSync(fixture("pack.yaml"), "utf8") + rule)
  }

  it("let a parked step pass when the run is resumed, and no other", async () => {
    prepare()
    const parked = await shell.run(["run", "asked", "--agent", asking, "--json"])
    const receipt = JSON.parse(parked.out)
    assert.deepStrictEqual([parked.code, receipt.status], [1, "parked"])
    const { document: before } = await shell.json("report asked")
    const waiting = await shell.json("status asked")
    assert.deepInclude(
      { code: waiting.code, ...waiting.document },
      { code: 1, done: false, standing: "review_required", waiting: 1 }
    )
    assert.strictEqual(before.standing, "review_required")
    const { needs, next, review, tool } = before.waits[0]
    assert.deepStrictEqual([tool, needs], ["order", ["manager", "owner"]])
    assert.strictEqual(next.command, `backstitch approve asked ${review} --by NAME --role ROLE`)
    assert.deepInclude(next, { needs, review, run: "asked", verb: "decide" })
    assert.deepStrictEqual(receipt.next[0], next)
    const doctor = await shell.run(["doctor", "asked"])
    assert.strictEqual(doctor.code, 1)
    assert.match(doctor.out, /^HELD: {5}order \| order waits for the approval of manager or owner since tick \d+$/m)
    assert.include(doctor.out, next.command)
    assert.notInclude(doctor.out, "HEALTHY")
    const looked = await shell.json("resume asked")
    assert.deepStrictEqual([looked.code, looked.document.status], [1, "parked"])
    assert.deepStrictEqual(looked.document.asks[0].params, { item: "bread", price: 50 })
    assert.match(looked.document.why, /^order waits for the approval of manager or owner since tick \d+$/)
    assert.deepStrictEqual(looked.document.next[0], next)

    const nameless = await shell.run(["approve", "asked", review, "--by", "Ada"])
    assert.strictEqual(nameless.code, 2)
    assert.include(nameless.err, "--role")
    const wrong = await shell.json(`approve asked ${review} --by Ada --role clerk`)
    assert.deepStrictEqual([wrong.code, wrong.document.ok], [1, false])
    assert.deepStrictEqual(wrong.document.next, next)
    const blank = await shell.run(["approve", "asked", review, "--by", "  ", "--role", "manager"])
    assert.strictEqual(blank.code, 1)
    assert.include(blank.out, "expected the name of who decides, found nobody")
    // What a person was refused is no proposal of the agent.
    const { document: told } = await shell.json("report asked")
    assert.strictEqual(told.unfinished, "The goal was not declared reached.")
    const right = await shell.json(`approve asked ${review} --by Ada --role manager`)
    assert.deepStrictEqual([right.code, right.document.verdict], [0, "approved"])
    const { ticks } = (await shell.json("runs")).document.runs[0]
    const again = await shell.run(["approve", "asked", review, "--by", "Bob", "--role", "owner"])
    assert.strictEqual(again.code, 0)
    assert.include(again.out, "ALREADY APPROVED: run=asked")
    assert.include(again.out, "by Ada (manager); nothing was committed")
    assert.strictEqual((await shell.json("runs")).document.runs[0].ticks, ticks)
    const clerk = await shell.json(`approve asked ${review} --by Bob --role clerk`)
    assert.deepStrictEqual([clerk.code, clerk.document.ok], [1, false])

    const resumed = await shell.run(["resume", "asked", "--agent", asking, "--json"])
    const next2 = JSON.parse(resumed.out)
    assert.strictEqual(next2.status, "parked")
    const { document: after } = await shell.json("report asked")
    assert.lengthOf(after.waits, 1)
    assert.notStrictEqual(after.waits[0].review, review)
    const { document: ledger } = await shell.json("ledger asked")
    const approved = ledger.entries.filter((entry: { approval: { approver_id: string | null } }) => {
      return entry.approval.approver_id === "Ada"
    })
    assert.lengthOf(approved, 1)
    assert.strictEqual(approved[0].approval.approval_id, review)
    for (const command of ["deny", "approve"]) {
      const late = await shell.json(`${command} asked ${review} --by Bob --role owner`)
      assert.deepStrictEqual([late.code, late.document.ok], [1, false])
      assert.include(late.document.why, `already used by order (${approved[0].action_id})`)
    }

    const bob = ["--by", "Bob", "--role", "owner"]
    const denied = await shell.run(["deny", "asked", after.waits[0].review, ...bob, "--reason", "too dear"])
    assert.match(denied.out, /DENIED: run=asked \| review=r[0-9a-f]+ \| order \| by Bob \(owner\): too dear/)
    assert.match((await shell.run(["show", "asked"])).out, /review\.decided .* denied by Bob \(owner\): too dear/)
    const stopped = await shell.run(["resume", "asked", "--agent", asking, "--json"])
    assert.deepInclude(JSON.parse(stopped.out), { status: "refused", verified: true })
    const refused = await shell.json("status asked")
    assert.deepInclude(
      { code: refused.code, ...refused.document },
      { code: 1, done: false, standing: "partial", waiting: 0 }
    )
    assert.match(refused.document.unfinished, /^The goal was not declared reached\. The last proposal was refused at/)
    assert.include(JSON.parse(stopped.out).why, "denied by Bob (owner)")
    const proven = await shell.json("verify asked --redecide")
    assert.deepStrictEqual([proven.code, proven.document.redecided.differs], [0, []])
  })

  it("name the reviews that wait when another is named", async () => {
    const store = ["--store", "free.db"]
    await shell.run(["run", "free", "--agent", agent, ...store], { SHOP: shell.path("free.json") })
    const { code, err } = await shell.run(["approve", "free", "r1", "--by", "Ada", ...store])
    assert.strictEqual(code, 2)
    assert.include(err, 'Run free has no review "r1". Nothing waits for a decision')
  })
})
