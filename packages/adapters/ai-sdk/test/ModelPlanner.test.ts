import { assert, describe, it } from "@effect/vitest"
import * as lab from "./lab.ts"
import type { Answer } from "./ModelProcess.ts"

const look: Answer = { calls: [{ name: "look", arguments: { item: "milk" } }] }
const pay: Answer = {
  text: "It costs 30.",
  calls: [{ name: "pay", arguments: { item: "milk", price: 30 } }],
  tokens: 50
}
const done: Answer = { calls: [{ name: "complete_goal", arguments: { message: "The milk is paid" } }] }

const bodies = (played: lab.Played, type: string) =>
  played.transitions.filter(({ body }) => body.type === type).map(({ body }) => body)

describe("ModelPlanner", () => {
  for (const onText of [undefined, () => {}]) {
    it(`proposes what a model calls, until it declares the goal reached: ${onText === undefined ? "at once" : "as a stream"}`, async () => {
      const played = await lab.play({ answers: [look, pay, done] }, { onText })
      assert.deepStrictEqual(played.types.slice(0, 4), [
        "run.started",
        "action.request",
        "action.result",
        "action.request"
      ])
      assert.strictEqual(played.types.at(-1), "goal.complete")
      assert.strictEqual(played.shop.paid.size, 1)
      assert.deepInclude(bodies(played, "goal.complete")[0]?.data, { message: "The milk is paid" })
      assert.strictEqual(bodies(played, "action.request")[1]?.intent?.description, "It costs 30.")
      assert.deepStrictEqual(played.spent, { tokens: 70 })
      const [first, second] = played.requests
      assert.deepStrictEqual(
        first?.tools?.map((each) => each.function.name),
        ["look", "pay", "plan_update", "complete_goal"]
      )
      assert.deepStrictEqual(
        second?.messages.map(({ role }) => role),
        ["system", "user", "assistant", "tool", "user"]
      )
      assert.strictEqual(first?.stream === true, onText !== undefined)
    })
  }

  it("sends words without a call as a message, and is done", async () => {
    const played = await lab.play({ answers: [pay, { text: "Paid." }] })
    assert.strictEqual(played.types.at(-1), "message.sent")
    assert.deepInclude(bodies(played, "message.sent")[0]?.data, {
      content: "Paid.",
      reports: [{ action: "a2", standing: "success" }]
    })
    assert.lengthOf(played.requests, 2)
  })

  it("proposes the calls of one answer one after the other, and asks again after the first that fails", async () => {
    const calls = [
      { name: "look", arguments: { item: "milk" } },
      { name: "pay", arguments: { item: "gold", price: 5000 } },
      { name: "pay", arguments: { item: "milk", price: 30 } }
    ]
    const played = await lab.play({ answers: [{ calls }, { text: "Too dear." }] })
    assert.lengthOf(played.requests, 2)
    assert.strictEqual(played.shop.paid.size, 0)
    assert.include(JSON.stringify(played.requests[1]?.messages.at(-1)), "affordable")
  })

  it("records what the contract declares beside tools", async () => {
    const plan: Answer = { calls: [{ name: "plan_update", arguments: { plan: "milk first" } }, ...(pay.calls ?? [])] }
    const played = await lab.play({ answers: [plan, done] })
    assert.deepStrictEqual(bodies(played, "plan.update")[0]?.data, { plan: "milk first" })
    assert.strictEqual(played.shop.paid.size, 1)
  })

  it("has arguments that are no JSON refused, and tells the model", async () => {
    const broken: Answer = { calls: [{ name: "pay", arguments: '{"item": "milk", "pri' }] }
    const played = await lab.play({ answers: [broken] })
    assert.deepStrictEqual(played.types, ["run.started", "intent.refused", "intent.refused"])
    assert.strictEqual(played.shop.paid.size, 0)
    assert.include(JSON.stringify(played.requests[1]?.messages.at(-1)), "no JSON")
    assert.include(String((played.failure as Error).message), "3 answers in a row")
  })

  it("flags a tool that nobody offered, and asks again at most three times", async () => {
    const invented: Answer = { calls: [{ name: "teleport", arguments: {} }] }
    const played = await lab.play({ answers: [invented] })
    assert.deepStrictEqual(played.types, ["run.started", "anomaly.flag", "anomaly.flag"])
    assert.deepInclude(bodies(played, "anomaly.flag")[0]?.data, { kind: "model.invented_tool", tool: "teleport" })
    assert.include(JSON.stringify(played.requests[1]?.messages.at(-1)), "does not exist: teleport")
    assert.include(String((played.failure as Error).message), "teleport")
    assert.deepStrictEqual(played.spent, { tokens: 20 })
  })

  it("flags an answer without words and calls, and one that is cut off", async () => {
    for (const [answer, kind] of [
      [{}, "model.empty"],
      [{ text: "I think that", finish: "length" }, "model.truncated"]
    ] as const) {
      const played = await lab.play({ answers: [answer] })
      assert.deepInclude(bodies(played, "anomaly.flag")[0]?.data, { kind })
    }
  })

  it("gives up when what it proposes comes to nothing time after time, or a budget is used up", async () => {
    const dear: Answer = { calls: [{ name: "pay", arguments: { item: "gold", price: 5000 } }] }
    const played = await lab.play({ answers: [dear] })
    assert.lengthOf(played.requests, 10)
    assert.include(String((played.failure as Error).message), "affordable")
    const spent = await lab.play({ answers: [look] }, {}, { budgets: { tokens: 25 } })
    assert.lengthOf(spent.requests, 3)
    assert.include(String((spent.failure as Error).message), "tokens")
  })

  it("is not asked again once the goal is reached", async () => {
    const played = await lab.play({ answers: [pay, done] })
    assert.lengthOf(played.requests, 2)
    assert.isUndefined(played.failure)
  })

  for (const onText of [undefined, () => {}]) {
    for (const [kind, says] of [
      ["hang", "did not answer within 0.5 s"],
      ["401", "was refused with status 401 (the fault 401)"],
      ["garbage", "gave no readable answer"],
      ["cut", onText === undefined ? "cannot be reached" : "gave no readable answer"]
    ] as const) {
      const asked = onText === undefined ? "at once" : "as a stream"
      it(`ends with a named failure, and nothing proposed, if its model fails by ${kind}: ${asked}`, async () => {
        const program = { answers: [look, pay], faults: [{ request: 2, kind }] }
        const played = await lab.play(program, { onText, timeoutMillis: 500 })
        assert.include(String((played.failure as Error | undefined)?.message), says)
        assert.deepStrictEqual(played.types, ["run.started", "action.request", "action.result"])
        assert.strictEqual(played.shop.paid.size, 0)
      })
    }
  }
})
