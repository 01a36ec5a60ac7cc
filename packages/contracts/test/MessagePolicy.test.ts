import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { MessagePolicy, TaskPack } from "../src/index.ts"

const read = (definition: object) => TaskPack.fromJson({ pack: "acme.notes", version: "1.0.0", ...definition } as never)
const policyOf = (definition: object) => MessagePolicy.of(Result.getOrThrow(read(definition)))

const look = { class: "read_only", input: { q: "string" } }
const put = { class: "medium_risk_write", input: { id: "string" }, identity: "none", target: "none", undo: "X" }

describe("MessagePolicy", () => {
  it("requires reports if a tool changes the world, and refuses a report that differs from the record (L8)", () => {
    assert.deepStrictEqual(policyOf({ tools: { look, put } }), { reports: "required", unreconciled: "refuse" })
    assert.deepStrictEqual(policyOf({ tools: { look } }), { reports: "optional", unreconciled: "refuse" })
    assert.deepStrictEqual(MessagePolicy.of(undefined), { reports: "optional", unreconciled: "refuse" })
  })

  it("is exactly the policy that the pack declares", () => {
    const tools = { put }
    assert.deepStrictEqual(policyOf({ tools, messages: { reports: "optional" } }), {
      reports: "optional",
      unreconciled: "refuse"
    })
    assert.deepStrictEqual(policyOf({ tools: {}, messages: { reports: "required", unreconciled: "mark" } }), {
      reports: "required",
      unreconciled: "mark"
    })
  })

  it("refuses words and fields that it does not know", () => {
    for (const messages of [{ reports: "never" }, { unreconciled: "ignore" }, { rights: "required" }, "mark"]) {
      assert.isTrue(Result.isFailure(read({ messages })), JSON.stringify(messages))
    }
  })
})
