/** Names in findings of what a pack has in the place of something else: also where nothing stands, or a list. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as TaskPack from "../../src/TaskPack.ts"

const found = (more: object): string => {
  const tool = { class: "medium_risk_write", input: { item: "string" }, identity: { scope: "run", fields: ["item"] } }
  const made = TaskPack.make({ pack: "acme.x", version: "1", tools: { act: tool }, ...more } as never)
  return Result.isFailure(made) ? made.failure.message : "nothing is wrong"
}

describe("what is found in a pack", () => {
  for (const [what, more, says] of [
    ["a status by nothing", { tools: { act: { class: "read_only", status: { within: "1h" } } } }, "found nothing"],
    [
      "a list in an identity",
      { tools: { act: { class: "medium_risk_write", input: { a: "string" }, identity: { fields: [["a"], null] } } } },
      "found an array"
    ],
    ["two violations without an id", { violations: [{ when: "true" }, { when: "true" }] }, "found nothing"]
  ] as const) {
    it(`is named where a pack has ${what}`, () => {
      const message = found(more)
      assert.include(message, says)
      assert.notMatch(message, /undefined|\[object Object\]/)
    })
  }
})
