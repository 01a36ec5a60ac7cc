import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell({ apart: true })
afterAll(shell.remove)

const agent = fixture("agent.ts")

describe("backstitch run and resume", () => {
  it("prints each committed transition and a receipt, and keeps a secret beside the store", async () => {
    const { code, err, out } = await shell.run(["run", "trip", "--agent", agent])
    assert.strictEqual(err, "")
    assert.strictEqual(code, 0)
    assert.include(out, 'BOOT: goal="Buy what the week needs"')
    const lines = out.split("\n").filter((line) => line.startsWith("TICK"))
    assert.lengthOf(lines, 23)
    assert.match(lines[0]!, /^TICK 01 {2}run\.started/)
    assert.match(out, /DONE: +run=trip \| transitions=23 \| replay_verified=true/)
    assert.include(out, "overspent since tick 20")
    assert.strictEqual(statSync(shell.path(".backstitch/secret")).mode & 0o777, 0o600)
  })

  it("refuses to begin a run that exists, and names the remedy", async () => {
    const begin = () => shell.run(["run", "twice", "--agent", agent], { SHOP: shell.path("twice.json") })
    assert.strictEqual((await begin()).code, 0)
    const { code, err } = await begin()
    assert.strictEqual(code, 1)
    assert.include(err, "backstitch resume twice")
  })

  it("takes a goal and clauses, and stops if the contract refuses", async () => {
    const given = ["--goal", "Buy little", "--clause", "max=600"]
    const { code, out } = await shell.run(["run", "little", "--agent", agent, ...given, "--json"], { CHEESE: "700" })
    const receipt = JSON.parse(out)
    assert.strictEqual(code, 1)
    assert.deepInclude(receipt, {
      run: "little",
      goal: "Buy little",
      status: "refused",
      verified: true,
      violations: []
    })
    assert.include(receipt.why, "affordable")
    const tick = receipt.transitions
    const command = `backstitch explain little@${tick}`
    assert.deepStrictEqual(receipt.next, [{ command, run: "little", tick, verb: "explain" }])
  })

  it("refuses a clause that the contract does not have or that does not fit before anything is committed", async () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["mx=100", "mx: found number 100 for a clause that the pack does not have, expected one of"],
      ["max=1OO", 'max: found string "1OO", expected'],
      ["max=true", "max: found boolean true, expected"],
      ["max=1e999", 'max: found string "1e999", expected']
    ]
    for (const [clause, says] of cases) {
      const env = { SHOP: shell.path("unfit.json") }
      const { code, err, out } = await shell.run(["run", "unfit", "--agent", agent, "--clause", clause], env)
      assert.deepStrictEqual([clause, code, out], [clause, 2, ""])
      assert.include(err, says)
      assert.strictEqual((await shell.run(["show", "unfit"])).code, 2)
      assert.isFalse(existsSync(env.SHOP))
    }
  }, 120_000)

  it("refuses code that differs from its contract, with every difference, before anything is committed", async () => {
    const [from, beside] = [agent, fixture("pack.yaml")].map((each) => JSON.stringify(each))
    const text = `import agent from ${from}
const [first, second] = agent.steps
const steps = [first, { ...second, id: first.id }, { id: "odd", propose: { tool: "serch" } }]
export default { ...agent, pack: ${beside}, steps, tools: { order: { execute: agent.tools.order.execute } } }
`
    writeFileSync(shell.path("unfit.ts"), text)
    const { code, err } = await shell.run(["run", "unfit", "--agent", "unfit.ts"])
    assert.strictEqual(code, 2)
    for (const says of [
      '`steps[1].id` is "look", as that of `steps[0]`',
      "`steps[2]` proposes serch, which is no tool of the pack. Did you mean search?",
      "`tools.search` is missing: the pack declares the tool",
      "`tools.order.status` is missing: the contract says `status: by_key`",
      "`tools.order.readback` is missing: the contract says that it is read back from primary"
    ]) {
      assert.include(err, says)
    }
    assert.strictEqual((await shell.run(["show", "unfit"])).code, 2)
  }, 120_000)

  it("says of a predicate that it could not be evaluated, and not that it was violated", async () => {
    const env = { SHOP: shell.path("worded.json") }
    const worded = shell.path("worded.ts")
    const pack = fixture("pack.yaml")
    const [from, beside] = [agent, pack].map((each) => JSON.stringify(each))
    const text = `import agent from ${from}\nexport default { ...agent, clauses: {}, pack: ${beside} }\n`
    writeFileSync(worded, text)
    const { code, out } = await shell.run(["run", "worded", "--agent", worded], env)
    assert.strictEqual(code, 0)
    assert.match(out, /^unsure +overspent could not be evaluated at tick 1$/m)
    const doctor = await shell.run(["doctor", "worded"])
    assert.match(doctor.out, /^UNSURE: {3}overspent \| overspent could not be evaluated at tick 1$/m)
    assert.include(doctor.out, "backstitch explain worded@1")
    assert.notInclude(doctor.out, "bisect")
    assert.notInclude(out, "violated")
  })

  it("lets one process at a time go on with a run, and the next one wait (decision 0037)", async () => {
    const gate = shell.path("gate")
    const env = { SHOP: shell.path("gated.json") }
    const first = shell.run(["run", "gated", "--agent", agent], { ...env, GATE: gate })
    for (let turn = 0; turn < 500 && !existsSync(`${gate}.reached`); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const refused = await shell.run(["resume", "gated", "--agent", agent], env)
    assert.strictEqual(refused.code, 1)
    assert.match(refused.err, /run gated is in the hands of process \d+ on .* since [\s\S]*`--wait`/i)
    const second = shell.run(["resume", "gated", "--agent", agent, "--wait"], env)
    writeFileSync(gate, "")
    const [ran, waited] = await Promise.all([first, second])
    assert.deepStrictEqual([ran.code, waited.code], [0, 0])
    assert.match(ran.out, /DONE: +run=gated \| transitions=23/)
    assert.match(waited.out, /DONE: +run=gated \| transitions=23/)
    assert.lengthOf(Object.keys(JSON.parse(readFileSync(env.SHOP, "utf8"))), 3)
  })

  it("settles under the original key the action that a killed process had begun, once (L5, L14)", async () => {
    const shop = shell.path("crash.json")
    const killed = await shell.run(["run", "crash", "--agent", agent], {
      DIE_IN: "bread",
      SHOP: shop
    })
    assert.strictEqual(killed.signal, "SIGKILL")
    assert.match(killed.out.trimEnd().split("\n").at(-1)!, /^TICK 11 {2}action\.started/)
    const { document: held } = await shell.json("claims")
    assert.deepInclude(held.claims[0], { namespace: "target", name: "shelf/bread", run: "crash", owner: "a10" })

    const looked = await shell.json("resume crash")
    // A look says by its code what the receipt says in words, as with an agent.
    assert.strictEqual(looked.code, 1)
    assert.deepInclude(looked.document, { status: "held", transitions: 11 })
    assert.deepInclude(looked.document.open[0], { tool: "order", state: "executing", target: "shelf/bread" })

    const resumed = await shell.run(["resume", "crash", "--agent", agent], { SHOP: shop })
    assert.strictEqual(resumed.code, 0)
    assert.match(resumed.out, /RESUME: run=crash \| tick=11 \| snapshot=none \| open=1/)
    assert.match(resumed.out, /ask_then_resume +order \(a10\), in flight: the system of record is asked/)
    assert.match(resumed.out, /TICK 12 {2}action\.result +order +ok \(status\)/)
    const orders: Array<{ item: string }> = Object.values(JSON.parse(readFileSync(shop, "utf8")))
    assert.deepStrictEqual(
      orders.map(({ item }) => item),
      ["milk", "bread", "cheese"]
    )
    const none = await shell.run(["claims"])
    assert.strictEqual(none.out, "No name is held\n")
  })

  it("carries over used and reserved amounts, and gives a fork a share of the rest (L13)", async () => {
    const pack = readFileSync(fixture("pack.yaml"), "utf8")
      .replace("    status: by_key\n", "    status: by_key\n    cost: { amount: args.price, currency: CHF }\n")
      .concat("budgets: { steps: 50, elapsed: 36h, money: { currency: CHF, max: 300 } }\n")
    writeFileSync(shell.path("pack.yaml"), pack)
    copyFileSync(agent, shell.path("agent.ts"))
    const env = { DIE_IN: "bread", SHOP: shell.path("limited.json") }
    const killed = await shell.run(["run", "limited", "--agent", "agent.ts"], env)
    assert.strictEqual(killed.signal, "SIGKILL")
    const looked = await shell.run(["resume", "limited"])
    assert.match(looked.out, /carried over +steps 4 of 50, money\.CHF 30 and 50 reserved of 300\b/)
    const forked = await shell.json("fork limited --from 9 --as half --budget 50%")
    assert.deepStrictEqual(forked.document.budget.taken, { steps: 23, "money.CHF": "110" })
    const { document } = await shell.json("resume limited")
    const left = document.plan.budget.find(({ budget }: { readonly budget: string }) => budget === "money.CHF")
    assert.deepStrictEqual(left, { budget: "money.CHF", max: "300", used: "140", reserved: "50" })
    const refused = await shell.run(["fork", "limited", "--from", "9", "--as", "more", "--budget", "money.CHF=111"])
    assert.match(refused.err, /has 110 of money\.CHF left/)
    const another = await shell.run(["fork", "limited", "--from", "9", "--as", "third"])
    assert.match(another.out.replace(/\s+/g, " "), /BUDGET: .*elapsed 1d12h since limited began/)
    // What is reserved is settled, and its target is free for other runs again. The run keeps its pack.
    writeFileSync(shell.path("pack.yaml"), pack.replace("version: 1.0.0", "version: 1.1.0"))
    const resumed = await shell.run(["resume", "limited", "--agent", "agent.ts"], { SHOP: env.SHOP })
    assert.match(resumed.out, /RESUME: run=limited .* \| pack=acme\.shop 1\.0\.0 \|/)
    assert.match(
      resumed.out,
      /the run keeps acme\.shop 1\.0\.0, with which it was begun; its agent has acme\.shop 1\.1\.0/
    )
    assert.match(resumed.out, /^DONE: +run=limited/m)
    assert.strictEqual(resumed.code, 0)
    const { code, document: after } = await shell.json("resume limited")
    assert.strictEqual(code, 0)
    assert.include(after.plan.budget[1], { budget: "money.CHF", used: "260", reserved: "0" })
  })

  it("keeps snapshots where the dial says, and says from which one it goes on", async () => {
    const begun = await shell.run(["run", "dial", "--agent", agent, "--snapshots", "micro"])
    assert.strictEqual(begun.code, 0)
    const { document } = await shell.json("resume dial")
    assert.deepInclude(document.plan, { tick: 23, snapshot: 23, restart: false, steps: [] })
    const never = await shell.run(["run", "undialled", "--agent", agent, "--snapshots", "never"])
    assert.strictEqual(never.code, 0)
    assert.strictEqual((await shell.json("resume undialled")).document.plan.snapshot, 0)
    const wrong = await shell.run(["run", "wrong", "--agent", agent, "--snapshots", "often"])
    assert.strictEqual(wrong.code, 2)
    assert.include(wrong.err, "Write micro, tool, every:N, never or auto")
  })

  it("explains a refusal as a tree, with the line of the contract", async () => {
    const dear = await shell.run(["run", "dear", "--agent", agent, "--json"], { CHEESE: "700" })
    const place = `dear@${JSON.parse(dear.out).transitions}`
    const { code, out } = await shell.run(["explain", place, "--pack", fixture("pack.yaml")])
    assert.strictEqual(code, 0)
    assert.include(out, "REFUSED")
    assert.include(out, "✓ schema")
    assert.match(out, /✗ guard +affordable .*pack\.yaml:\d+/)
    assert.include(out, "args.price = 700")
    const { document } = await shell.json(`explain ${place}`)
    assert.strictEqual(document.verdict, "refused")
  })

  it("names the fault of an agent that cannot be loaded", async () => {
    const missing = await shell.run(["run", "none", "--agent", "nowhere.ts"])
    assert.deepStrictEqual([missing.code, missing.out], [2, ""])
    const says = "The agent nowhere.ts cannot be loaded: there is no such file. Correct it, or name another module"
    assert.strictEqual(missing.err, `backstitch: ${says}\n`)
  })
})

describe("backstitch stage", () => {
  it("observes first: acts that the contract would refuse are done, noted, and listed for the next stage", async () => {
    const begun = await shell.run(["run", "watched", "--agent", agent, "--stage", "observe", "--clause", "max=400"], {
      CHEESE: "700"
    })
    assert.strictEqual(begun.code, 0, begun.err)
    const { document } = await shell.json("stage watched")
    assert.strictEqual(document.enforced, 0)
    assert.strictEqual(document.reached, 1)
    const [noted] = document.stages[2].missing
    assert.include(noted.what, "guard affordable")
    const { out } = await shell.run(["stage", "watched"])
    assert.include(out, "STAGE: run=watched | reached=1 replay | enforces=observe")
    assert.include(out, "missing for stage 2, contracts")
  })

  it("enforces one tool while the rest is observed", async () => {
    const flags = ["--stage", "observe", "--stage-of", "order=contracts"]
    const { out } = await shell.run(["run", "partly", "--agent", agent, ...flags], { CHEESE: "700" })
    assert.include(out, "affordable")
    const { document } = await shell.json("show partly")
    assert.include(JSON.stringify(document), "intent.refused")
  })

  it("describes a stage", async () => {
    const { code, err } = await shell.run(["run", "odd", "--agent", agent, "--stage-of", "order=most"])
    assert.strictEqual(code, 2)
    assert.include(err, "observe, replay, contracts, full")
  })

  it("refuses a stage for a name that is neither a tool of the contract nor a type of transition", async () => {
    const begin = (name: string) => shell.run(["run", "astray", "--agent", agent, "--stage-of", `${name}=full`])
    for (const name of ["nosuch", "toString"]) {
      const { code, err } = await begin(name)
      assert.strictEqual(code, 2)
      assert.include(err, `"${name}" is none of the tools of`)
      assert.include(err, "order")
    }
    assert.strictEqual((await shell.run(["show", "astray"])).code, 2)
    assert.notStrictEqual((await begin("action.request")).code, 2)
  })
})
