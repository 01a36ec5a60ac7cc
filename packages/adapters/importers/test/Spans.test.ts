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

  it("takes a span that names the type of an error for failed, unless its status says that it is fine", () => {
    const attributes = [{ key: "error.type", value: { stringValue: "timeout" } }]
    const failed = (more: object) => Spans.of(span({ attributes, ...more }))[0]?.failed
    assert.deepStrictEqual(
      [failed({}), failed({ status: { code: 0 } }), failed({ status: { code: 1 } })],
      [true, true, false]
    )
  })

  describe("in the form of Python's SDK", () => {
    const exported = (more: object = {}) => ({
      name: "execute_tool charge",
      context: { trace_id: "0xaa", span_id: "0x1", trace_state: "[]" },
      parent_id: null,
      start_time: "2025-01-01T00:00:02.123456Z",
      end_time: "2025-01-01T00:00:03.000000Z",
      status: { status_code: "ERROR", description: "card declined" },
      attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "charge" },
      events: [{ name: "exception", attributes: { "exception.message": "declined" } }],
      ...more
    })

    it("reads ids, times and failures", () => {
      const [read] = Spans.of(exported())
      const about = { trace: "aa", id: "1", at: 1_735_689_602_123, failed: true, failure: "card declined" }
      assert.deepInclude(read, about)
      assert.strictEqual(Spans.of(exported({ status: { status_code: "ERROR" } }))[0]?.failure, "declined")
      for (const status of ["ERROR", "StatusCode.ERROR", { code: "2" }]) {
        assert.isTrue(Spans.of(exported({ status }))[0]?.failed)
      }
      assert.isFalse(Spans.of(exported({ status: { status_code: "UNSET" } }))[0]?.failed)
      assert.isFalse(Spans.of(exported({ status: "OK" }))[0]?.failed)
    })

    it("reads one document a line, and those that the console exporter indents", () => {
      const both = [exported(), exported({ context: { trace_id: "0xbb", span_id: "0x2" }, status: "OK" })]
      for (const space of [0, 4]) {
        const text = both.map((each) => `${JSON.stringify(each, null, space)}\n`).join("")
        const spans = Result.getOrThrow(Spans.read(text))
        assert.deepStrictEqual(
          spans.map(({ failed, trace }) => `${trace} ${failed}`),
          ["aa true", "bb false"]
        )
      }
      const broken = `${JSON.stringify(exported(), null, 4)}\n{\n  "name": \n}\n`
      assert.match(Result.getOrThrow(Result.flip(Spans.read(broken))), /^document 2: it is not JSON/)
    })

    it("refuses a span whose trace is not known, by its name", () => {
      const failure = Result.getOrThrow(
        Result.flip(Spans.read(JSON.stringify([exported(), exported({ context: {} })])))
      )
      assert.strictEqual(failure, 'span 1 ("execute_tool charge") has no traceId, trace_id or context.trace_id')
    })
  })

  it("parses one document, or says why it is none", () => {
    assert.deepStrictEqual(Result.getOrThrow(Spans.document("[1]")), [1])
    assert.include(Result.getOrThrow(Result.flip(Spans.document("{"))), "it is not JSON")
  })
})
