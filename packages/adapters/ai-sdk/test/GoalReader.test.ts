import { assert, describe, it } from "@effect/vitest"
import * as GoalReader from "../src/GoalReader.ts"
import * as lab from "./lab.ts"
import { type Answer, ModelProcess } from "./ModelProcess.ts"

const specification = [{ clause: "city", holds: "true", value: "Bern", description: "The city of the party" }]

const read = async (answer: Answer) => {
  const model = await ModelProcess.start({ answers: [answer] })
  try {
    const found = await GoalReader.make({ model: lab.modelOf(model) })("Basel, and no music", specification)
    return { ...found, requests: await model.requests() }
  } finally {
    model.stop()
  }
}

const failing = async (answer: Answer): Promise<string> =>
  read(answer).then(
    () => "",
    (cause: Error) => cause.message
  )

describe("GoalReader", () => {
  it("reads each form of a change, in the order of the calls", async () => {
    const calls = [
      { name: "set_clause", arguments: { clause: "city", value: "Basel" } },
      { name: "withdraw_clause", arguments: { clause: "music" } },
      { name: "add_clause", arguments: { clause: "quiet", holds: "world.noise < 3" } },
      { name: "prioritise_clauses", arguments: { clauses: ["city"] } }
    ]
    const { changes, requests, tokens } = await read({ calls, tokens: 40 })
    assert.strictEqual(tokens, 40)
    assert.deepStrictEqual(changes, [
      { change: "set", clause: "city", value: "Basel" },
      { change: "withdraw", clause: "music" },
      { change: "add", clause: "quiet", holds: "world.noise < 3" },
      { change: "prioritise", clauses: ["city"] }
    ])
    const said = JSON.stringify(requests[0]?.messages)
    assert.include(said, "Basel, and no music")
    assert.include(said, "The city of the party")
  })

  it("refuses an answer of which any part is no change, and one without a change", async () => {
    const fine = { name: "withdraw_clause", arguments: { clause: "music" } }
    for (const wrong of [
      { name: "set_clause", arguments: { clause: "city" } },
      { name: "set_clause", arguments: "{" },
      { name: "drop_everything", arguments: { clause: "city" } },
      { name: "prioritise_clauses", arguments: { clauses: [1] } }
    ]) {
      assert.include(await failing({ calls: [fine, wrong] }), `gave a change that cannot be read: ${wrong.name}`)
    }
    assert.include(await failing({ text: "Hello." }), "read no change of the goal in these words; it said: Hello.")
  })
})
