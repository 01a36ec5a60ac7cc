import { assert, describe, it } from "@effect/vitest"
import * as SpanRun from "../src/SpanRun.ts"
import * as spans from "./spans.ts"

const made = spans.spansOf(spans.paysTwice(1))

const tags = (steps: ReturnType<SpanRun.SpanRun["add"]>) => steps.map((each) => each.map(({ _tag }) => _tag))

describe("SpanRun", () => {
  it("tells of a span what it has not told before, by message", () => {
    const live = SpanRun.SpanRun.of([])
    assert.deepStrictEqual(
      made.map((span) => tags(live.add(span))),
      [[["Received"], ["Called"]], [["Answered"]], [["Called"]], [["Answered"]], [["Sent"]]]
    )
    assert.deepStrictEqual(
      made.map((span) => live.add(span)),
      [[], [], [], [], []]
    )
  })

  it("names a span by its trace and its own id", () => {
    assert.strictEqual(SpanRun.nameOf(made[1]!), `${spans.traceOf(1)}-0000000000000002`)
  })

  it("reads a span around model calls only if it has none of them", () => {
    const [around] = spans.spansOf([
      { trace: 1, id: 9, attributes: { "ai.operationId": "ai.generateText", "ai.response.text": "hello" } }
    ])
    assert.deepStrictEqual(tags(SpanRun.SpanRun.of([]).add(around!)), [["Sent"]])
    const live = SpanRun.SpanRun.of([])
    live.add(made[0]!)
    assert.deepStrictEqual(live.add(around!), [])
  })
})
