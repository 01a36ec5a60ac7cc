import { assert, describe, it } from "@effect/vitest"
import * as SpanConvention from "../src/formats/SpanConvention.ts"

describe("SpanConvention", () => {
  const names = ["new.messages", "old.messages"]
  const ask = JSON.stringify([{ role: "user", content: "weather?" }])

  it("reads the first of the named attributes that a span has", () => {
    assert.strictEqual(SpanConvention.valueOf({ "old.messages": 1, "new.messages": 2 }, names), 2)
    assert.isNull(SpanConvention.valueOf({ "old.messages": 1, "new.messages": null }, names))
    assert.strictEqual(SpanConvention.messagesOf(names, "user")({ "old.messages": ask })?.length, 1)
  })

  it("answers nothing if a span has none of them", () => {
    assert.isUndefined(SpanConvention.messagesOf(names, "user")({ other: ask }))
  })
})
