import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Json } from "@backstitch/trace/Canonical"
import type { Body, Outcome, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Repeats from "../src/repeats/Repeats.ts"

const trace = (...bodies: ReadonlyArray<Body>): ReadonlyArray<Transition> =>
  bodies.map((body, index) => ({ tick: index + 1, body, stamp: { asOf: 0 }, envelope: { ts: 0 } }))

const calls = (id: string, params: Json, tool = "pay"): Body => ({
  type: "action.request",
  author: "agent",
  action: { id, tool, params }
})

const answers = (id: string, output: Json, status: Outcome["status"] = "ok"): Body => ({
  type: "action.result",
  author: "kernel",
  action: { id },
  result: { basis: "recorded", output, status, trust: 1 }
})

const paid = (id: string): Body => answers(id, "paid")

const bank = Result.getOrThrow(
  TaskPack.make({
    pack: "test.bank",
    version: "1.0.0",
    tools: {
      pay: {
        class: "critical_mutation",
        input: { order: "string", amount: "int", memo: { type: "string", optional: true } },
        identity: { scope: "run", fields: [{ order: "code" }] }
      },
      look: { class: "read_only", input: {} }
    }
  })
)

const byContract: Repeats.ContractOf = (tool) => TaskPack.tool(bank, tool)

const found = (repeats: ReadonlyArray<Repeats.Repeat>) =>
  repeats.map(({ action, after, basis, of }) => `${of.action} ${after} ${action} ${basis}`)

const observed = (...bodies: ReadonlyArray<Body>) => found(Repeats.of(trace(...bodies), ToolContract.unknown))

const judged = (...bodies: ReadonlyArray<Body>) => found(Repeats.of(trace(...bodies), byContract))

describe("Repeats", () => {
  it("compares arguments as values, and each call with the latest of the same", () => {
    const made = [calls("a", { to: "ada", amount: 3 }), calls("b", { amount: 3, to: "ada" }), paid("b")]
    assert.deepStrictEqual(observed(...made, calls("c", { amount: 3, to: "ada" })), ["a silence b arguments"])
    assert.deepStrictEqual(observed(calls("a", { amount: 3 }), calls("b", { amount: 4 })), [])
    assert.deepStrictEqual(observed(calls("a", "rm x", "sh"), calls("b", "rm x", "bash")), [])
  })

  it("says at which ticks both calls are, and which arguments agree and differ", () => {
    const [first] = Repeats.of(
      trace(calls("a", { order: "LX 1", amount: 3 }), calls("b", { order: "lx-1", amount: 3, memo: "again" })),
      byContract
    )
    assert.deepStrictEqual(first, {
      action: "b",
      tick: 2,
      tool: "pay",
      of: { action: "a", tick: 1 },
      after: "silence",
      basis: "identity",
      fields: ["order"],
      differ: ["memo", "order"]
    })
  })

  it("believes the identity of a contract, and guesses none beside it", () => {
    const pays = (id: string, order: string, memo: string) => calls(id, { order, amount: 3, memo })
    assert.deepStrictEqual(judged(pays("a", "LX1", "one"), pays("b", "LX1", "two")), ["a silence b identity"])
    assert.deepStrictEqual(judged(pays("a", "LX1", "one"), pays("b", "LX2", "one")), [])
    assert.deepStrictEqual(judged(calls("a", {}, "look"), calls("b", {}, "look")), [])
    assert.deepStrictEqual(judged(pays("a", "LX1", "one"), paid("a"), pays("b", "LX1", "two")), [])
  })

  it("without a contract takes calls for one act if comments alone differ, and enough is the same", () => {
    const isAlike = (one: Json, other: Json) => observed(calls("a", one), calls("b", other)).length === 1
    assert.isTrue(isAlike({ order_id: "4711", note: "first try" }, { order_id: "4711", note: "once more" }))
    assert.isTrue(isAlike({ to: "ada", amount: 3, memo: "rent" }, { to: "ada", amount: 3, memo: "the rent" }))
    assert.isTrue(isAlike({ customer: "c1", amount: 3, reason: "x" }, { customer: "c1", amount: 3 }))
    assert.isTrue(isAlike({ iban: "CH1", amount: 3, requestId: "1" }, { iban: "CH1", amount: 3, requestId: "2" }))
    assert.isTrue(isAlike({ command: "make", description: "build" }, { command: "make", description: "again" }))
    // Whom or where an act concerns, a switch, and one name or address do not tell acts apart.
    assert.isFalse(
      isAlike({ user_id: 7, project: "p2", description: "a" }, { user_id: 7, project: "p2", description: "b" })
    )
    assert.isFalse(isAlike({ to: "a@b.ch", body: "one" }, { to: "a@b.ch", body: "two" }))
    assert.isFalse(isAlike({ to: "ada", urgent: true, note: "a" }, { to: "ada", urgent: true, note: "b" }))
    assert.isFalse(isAlike({ to: "ada", amount: 3, note: "a" }, { to: "ada", amount: 4, note: "a" }))
    assert.isFalse(isAlike({ path: "/x1", oldText: "b2", newText: "a" }, { path: "/x1", oldText: "b2", newText: "c" }))
    assert.isTrue(isAlike({ to: "a@b.ch", subject: "rent", body: "x" }, { to: "a@b.ch", subject: "rent", body: "y" }))
    assert.isFalse(isAlike({ path: "/x", content: "a" }, { path: "/x", content: "b" }))
    assert.isFalse(isAlike({ to: "a@b.ch", subject: "rent", body: "x" }, { to: "a@b.ch", subject: "key", body: "y" }))
    assert.isFalse(isAlike({ note: { order: 1 } }, { note: { order: 2 } }))
    assert.isFalse(isAlike("pay ada", "pay bob"))
  })

  it("takes an answer for none if its only line, its error or its mark says so", () => {
    const after = (output: Json, status?: Outcome["status"]) =>
      Repeats.of(trace(calls("a", {}), answers("a", output, status), calls("b", {})), ToolContract.unknown)[0]?.after
    for (const answer of ["timeout", '"timeout"', "504 Gateway Timeout", "read ECONNRESET", "Request timed out"]) {
      assert.strictEqual(after(answer), "timeout", answer)
    }
    for (const answer of ["MCP error -32000: Connection closed", "process was killed", "exit code: 137", "SIGTERM"]) {
      assert.strictEqual(after(answer), "crash", answer)
    }
    assert.strictEqual(after('{"error":{"message":"deadline exceeded"}}'), "timeout")
    assert.strictEqual(after({ error: "socket hang up" }), "timeout")
    assert.strictEqual(after("stack:\n at x\nconnection was lost", "error"), "timeout")
    assert.strictEqual(after("whatever", "unknown"), "timeout")
    const plain = [
      '{"timeout":30,"ok":true}',
      "",
      "null",
      "7",
      "a log\nthat says timeout",
      "Process exited with code 0"
    ]
    for (const answer of plain) assert.isUndefined(after(answer), answer)
    assert.isUndefined(after("card declined", "error"))
  })

  it("ignores calls that were made side by side and answered, calls that were never sent, and settled ones", () => {
    assert.deepStrictEqual(observed(calls("a", {}), calls("b", {}), paid("a"), paid("b")), [])
    const started = (id: string): Body => ({ type: "action.started", author: "kernel", action: { id } })
    const settled: Body = { type: "action.reconciled", author: "kernel", action: { id: "a" }, result: { status: "ok" } }
    assert.deepStrictEqual(observed(calls("a", {}), calls("b", {}), started("b")), [])
    assert.deepStrictEqual(observed(calls("a", {}), started("a"), settled, calls("b", {}), started("b")), [])
    assert.deepStrictEqual(observed(calls("a", {}), started("a"), calls("b", {}), started("b")), [
      "a silence b arguments"
    ])
    const more: Body = { ...calls("b", {}), intent: { occurrence: 2, occurrenceBy: "user" } }
    assert.deepStrictEqual(observed(calls("a", {}), more), [])
  })

  it("finds in another run what one has left without a known end, once", () => {
    const before = trace(calls("a", { order: 1 }), calls("b", { order: 2 }), paid("b"))
    const after = trace(calls("x", { order: 2 }), calls("y", { order: 1 }), calls("z", { order: 1 }))
    assert.deepStrictEqual(found(Repeats.between(before, after, ToolContract.unknown)), ["a silence y arguments"])
    assert.deepStrictEqual(found(Repeats.of(after, ToolContract.unknown)), ["y silence z arguments"])
  })

  const Step = Schema.Struct({
    amount: Schema.Literals([1, 2]),
    note: Schema.Literals(["", "x", "y"]),
    end: Schema.Literals(["paid", "timeout", "none"])
  })

  it.prop(
    "never names a call whose latest equal was answered, and names each that was not",
    [Schema.Array(Step)],
    ([steps]) => {
      const bodies = steps.flatMap(({ amount, end, note }, index) => [
        calls(`a${index}`, { iban: "CH1", amount, note }),
        ...(end === "none" ? [] : [answers(`a${index}`, end)])
      ])
      const repeats = Repeats.of(trace(...bodies), ToolContract.unknown)
      steps.forEach(({ amount, note }, index) => {
        const equal = steps.slice(0, index).findLastIndex((each) => each.amount === amount && each.note === note)
        const named = repeats.find(({ action }) => action === `a${index}`)
        if (equal >= 0 && steps[equal]!.end !== "paid") assert.strictEqual(named?.of.action, `a${equal}`)
        if (named !== undefined) {
          const first = Number(named.of.action.slice(1))
          assert.isTrue(first < index && steps[first]!.amount === amount && steps[first]!.end !== "paid")
        }
      })
    },
    { arbitrary: { runs: 100 } }
  )
})
