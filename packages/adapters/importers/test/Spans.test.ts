import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Spans from "../src/formats/Spans.ts"

const span = (more: object = {}) => ({
  traceId: "t",
  spanId: "s",
  startTimeUnixNano: "1700000000050999999",
  attributes: [{ key: "a", value: { intValue: "1" } }],
  ...more
})

describe("Spans", () => {
  it("reads a span that a file has twice once, and each span without an id", () => {
    const read = (...spans: ReadonlyArray<object>) => Result.getOrThrow(Spans.read(JSON.stringify(spans))).length
    assert.strictEqual(read(span(), span(), span({ spanId: "other" }), span({ traceId: "other" })), 3)
    assert.strictEqual(read({ a: 1 }, { a: 1 }), 2)
  })

  it("keeps the milliseconds of a time, which a float of nanoseconds does not hold", () => {
    assert.strictEqual(Spans.of(span())[0]?.at, 1_700_000_000_050)
    assert.strictEqual(Spans.of(span({ startTimeUnixNano: undefined, startTime: [1, 5_000_000] }))[0]?.at, 1_005)
    assert.isUndefined(Spans.of({ a: 1 })[0]?.at)
  })

  it("says in whose words a span failed: those of its status, its exception, or the type of its error", () => {
    const failure = (more: object) => Spans.of(span(more))[0]?.failure
    const thrown = { name: "exception", attributes: [{ key: "exception.message", value: { stringValue: "no route" } }] }
    const typed = [{ key: "error.type", value: { stringValue: "timeout" } }]
    assert.strictEqual(failure({ status: { code: 2, message: "timed out" }, events: [thrown] }), "timed out")
    assert.strictEqual(failure({ status: { code: "STATUS_CODE_ERROR" }, events: [thrown] }), "no route")
    assert.strictEqual(failure({ status: { code: 2 }, attributes: typed }), "timeout")
    assert.isUndefined(failure({ status: { code: 1, message: "fine" }, events: [thrown] }))
  })

  it("parses one document, or says why it is none", () => {
    assert.deepStrictEqual(Result.getOrThrow(Spans.document("[1]")), [1])
    assert.include(Result.getOrThrow(Result.flip(Spans.document("{"))), "it is not JSON")
  })
})
