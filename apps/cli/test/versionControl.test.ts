import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)
beforeAll(async () => {
  await shell.run(["run", "trip", "--agent", fixture("agent.ts")])
})

describe("backstitch bisect", () => {
  it("finds the onset of a registered predicate within the bound", async () => {
    const { code, document } = await shell.json("bisect trip --predicate overspent")
    assert.strictEqual(code, 0)
    assert.deepInclude(document, { onset: 20, length: 23 })
    assert.isAtMost(document.evaluations, Math.ceil(Math.log2(24)))
    assert.deepInclude(document.transition, { tick: 20, type: "action.reconciled" })
    assert.isTrue(document.causalChain.every(({ heuristic }: { heuristic: boolean }) => heuristic))
  })

  it("answers none, and shows its probes", async () => {
    const { out } = await shell.run(["bisect", "trip", "--anomaly"])
    assert.include(out, "NONE: it never was so")
    assert.match(out, /tick 12 {2}ok/)
  })

  it("makes one pass for an expression, says so, and remembers it", async () => {
    const ask = () => shell.run(["bisect", "trip", "--predicate", "working.mood > 5", "--json"])
    const first = JSON.parse((await ask()).out)
    assert.deepInclude(first, { onset: 15, evaluations: 15 })
    assert.strictEqual(first.linear.code, "search.unregistered")
    assert.deepStrictEqual(JSON.parse((await ask()).out), { ...first, cached: true })
  })

  it("names the field that is not there", async () => {
    const { code, err } = await shell.run(["bisect", "trip", "--predicate", "world.spnt > 5"])
    assert.strictEqual(code, 2)
    assert.include(err, "world.spnt")
    assert.include(err, "a declared field: orders, spent")
  })

  it("calls a predicate that no command can read wrong usage", async () => {
    const unread = "world.spent >"
    const commands = [
      ["bisect", "trip", "--predicate", unread],
      ["contributors", "trip", "--predicate", unread],
      ["predicate", "test", "trip", unread],
      ["predicate", "register", "over", "--when", unread, "--sample", "trip"]
    ]
    for (const args of commands) {
      const { code, err } = await shell.run(args)
      assert.strictEqual(code, 2, args.join(" "))
      assert.include(err, "expected an expression of CEL")
    }
  })

  it("asks for exactly one question", async () => {
    const { code, err } = await shell.run(["bisect", "trip"])
    assert.strictEqual(code, 2)
    assert.include(err, "--policy-flip")
  })
})

describe("backstitch fork and diff", () => {
  it("forks before an onset under another tool policy, goes on at once, and shows where they part", async () => {
    const fork = [
      "fork",
      "trip",
      "--from",
      "15",
      "--as",
      "frugal",
      "--reason",
      "no cheese",
      "--tool-policy",
      "order=deny"
    ]
    const { code, out } = await shell.run([...fork, "--agent", fixture("agent.ts")])
    assert.strictEqual(code, 1)
    assert.match(out, /FORK: run=frugal \| shares trip up to tick 15 \| replay_verified=true/)
    assert.match(out, /TICK 17 {2}intent\.refused/)

    const { document } = await shell.json("diff trip frugal --type outcome")
    assert.deepStrictEqual([document.shared, document.counts.outcome], [15, 1])
    const diff = await shell.run(["diff", "trip", "frugal"])
    assert.match(diff.out, /structural +\+ tick 16 {2}run\.fork/)
    assert.match(diff.out, /world\/spent +150 +80/)

    const parted = await shell.json("bisect trip --divergence frugal")
    assert.deepInclude(parted.document, { onset: 16 })
    assert.strictEqual((await shell.run(["verify", "frugal"])).code, 0)
  })

  it("says SAME only if all was compared, and refuses ticks that neither run has", async () => {
    await shell.run(["fork", "trip", "--from", "15", "--as", "short"])
    const { out } = await shell.run(["diff", "trip", "short", "--type", "confidence"])
    assert.match(out, /NONE: no confidence differences; \d+ other differences were found/)
    assert.notInclude(out, "SAME")
    const early = await shell.run(["diff", "trip", "short", "--to", "15"])
    assert.include(early.out, "SAME: nothing differs up to tick 15")
    for (const range of ["--from 16 --to 10", "--from=-3", "--from 100 --to 200"]) {
      const refused = await shell.run(["diff", "trip", "short", ...range.split(" ")])
      assert.strictEqual(refused.code, 2, range)
      assert.include(refused.err, "The longer run has ticks 1 to 23")
    }
  })

  it("refuses a tick that is not there and a tool that is not known", async () => {
    const tick = await shell.run(["fork", "trip", "--from", "99"])
    assert.strictEqual(tick.code, 2)
    assert.include(tick.err, "from 1 to 23")
    const tool = await shell.run(["fork", "trip", "--from", "9", "--tool-policy", "buy=deny"])
    assert.strictEqual(tool.code, 2)
    assert.include(tool.err, "The tools are order, search")
  })

  it("commits a comparison and an answer when asked to", async () => {
    const made = await shell.json("fork trip --from 23 --as noted")
    assert.deepInclude(made.document, { run: "noted", parent: "trip", at: 23 })
    await shell.run(["bisect", "noted", "--predicate", "overspent", "--record"])
    await shell.run(["diff", "noted", "trip", "--record"])
    const { document } = await shell.json("show noted --from 24 --fields transition_type")
    assert.deepStrictEqual(
      document.transitions.map((each: { transition_type: string }) => each.transition_type),
      ["run.fork", "bisect.result", "causal.chain", "diff.summary"]
    )
  })
})

describe("backstitch predicate", () => {
  it("refuses as monotone a predicate that recovered in a sample, and names the tick", async () => {
    const register = ["predicate", "register", "moody", "--when", "working.mood > 5", "--sample", "trip"]
    const { code, err, out } = await shell.run([...register, "--verify-monotone"])
    assert.strictEqual(code, 1)
    assert.match(out, /tick 22 {2}ok .* it recovered/)
    assert.include(err, "monotone: lift")
    const lifted = await shell.run(register)
    assert.strictEqual(lifted.code, 0)
    assert.include(lifted.out, 'when: "working.mood > 5"')
  })

  it("commits an approved predicate to a run and lists it", async () => {
    await shell.run(["fork", "trip", "--from", "23", "--as", "watched"])
    const extend = ["predicate", "register", "moody", "--when", "working.mood > 5", "--into", "watched"]
    assert.strictEqual((await shell.run(extend)).code, 2)
    const { code, out } = await shell.run([...extend, "--approved-by", "grace"])
    assert.strictEqual(code, 0)
    assert.match(out, /COMMITTED: run=watched \| tick=25 \| in force from tick 26/)
    const { document } = await shell.json("predicate list watched")
    assert.deepStrictEqual(
      document.predicates.map(({ id }: { id: string }) => id),
      ["overspent", "moody"]
    )
  })
})
