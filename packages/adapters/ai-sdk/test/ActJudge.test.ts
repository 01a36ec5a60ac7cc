import { assert, describe, it } from "@effect/vitest"
import * as ActJudge from "../src/ActJudge.ts"
import * as lab from "./lab.ts"
import { type Answer, ModelProcess } from "./ModelProcess.ts"

const question = (action: string) => ({ action, tool: "hire", params: {}, class: "K" as const, clauses: ["city"] })

const judge = async (answer: Answer) => {
  const model = await ModelProcess.start({ answers: [answer] })
  try {
    const questions = ["a2", "a5", "a9"].map(question)
    const goal = { clauses: { city: "Bern" } }
    return await ActJudge.make({ model: lab.modelOf(model) })({ before: goal, after: goal, said: [], questions })
  } finally {
    model.stop()
  }
}

describe("ActJudge", () => {
  it("answers for the acts that it was asked about, and takes two answers about one act for a conflict", async () => {
    const verdicts = [
      { action: "a2", answer: "compatible" },
      { action: "a5", answer: "compatible" },
      { action: "a5", answer: "conflict" },
      { action: "a7", answer: "compatible" },
      { action: "a9", answer: "perhaps" }
    ]
    const { answers, tokens } = await judge({ calls: [{ name: "judge_acts", arguments: { verdicts } }], tokens: 70 })
    assert.strictEqual(tokens, 70)
    assert.deepStrictEqual(
      [...answers],
      [
        ["a2", "compatible"],
        ["a5", "conflict"]
      ]
    )
  })

  it("answers nothing where the model says nothing that can be read", async () => {
    for (const calls of [
      [{ name: "judge_acts", arguments: "[" }],
      [{ name: "judge_acts", arguments: { verdicts: 1 } }]
    ]) {
      assert.strictEqual((await judge({ calls })).answers.size, 0)
    }
    assert.strictEqual((await judge({ text: "All fit." })).answers.size, 0)
  })
})
