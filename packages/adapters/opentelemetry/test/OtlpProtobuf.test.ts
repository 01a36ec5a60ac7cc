import { assert, describe, it } from "@effect/vitest"
import * as OtlpProtobuf from "../src/OtlpProtobuf.ts"

const length = (value: number): Buffer =>
  value < 128 ? Buffer.from([value]) : Buffer.from([(value & 0x7f) | 0x80, value >> 7])

const within = (tag: number, inner: Buffer) => Buffer.concat([Buffer.from([tag]), length(inner.length), inner])

/** The value of an attribute, in the span of a request. */
const request = (value: Buffer) =>
  [0x4a, 0x12, 0x12, 0x0a].reduce<Buffer>((inner, tag) => within(tag, inner), within(0x12, value))

const spanOf = (value: Buffer) => ({
  resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: [{ value: OtlpProtobuf.read(request(value)) }] }] }] }]
})

describe("OtlpProtobuf", () => {
  it("reads values as the JSON form of the protocol has them", () => {
    const value = (bytes: Buffer) => JSON.stringify(OtlpProtobuf.read(request(bytes))).match(/"value":(.*?)\}\]/)?.[1]
    assert.strictEqual(value(within(0x0a, Buffer.from("ä"))), '{"stringValue":"ä"}')
    assert.strictEqual(value(Buffer.from([0x10, 1])), '{"boolValue":true}')
    assert.strictEqual(value(Buffer.from("18ffffffffffffffffff01", "hex")), '{"intValue":"-1"}')
    assert.strictEqual(value(Buffer.from("21000000000000f07f", "hex")), '{"doubleValue":"Infinity"}')
    assert.strictEqual(value(within(0x3a, Buffer.from([1, 2]))), '{"bytesValue":"AQI="}')
  })

  it("skips fields that it does not know, of every type", () => {
    const unknown = Buffer.from("f83f05" + "f93f0000000000000000" + "fa3f0161" + "fd3f00000000", "hex")
    assert.deepStrictEqual(OtlpProtobuf.read(unknown), {})
  })

  it("refuses a list of lists, a hundred times over", () => {
    const list = Array.from({ length: 100 }).reduce<Buffer>(
      (inner) => within(0x2a, within(0x0a, inner)),
      Buffer.alloc(0)
    )
    assert.throws(() => spanOf(list), /nests more than 64 levels deep/)
  })

  it("refuses lengths beyond the bytes, numbers without an end, and fields of another type", () => {
    const read = (hex: string) => () => OtlpProtobuf.read(Buffer.from(hex, "hex"))
    assert.throws(read("0a05"), /ends within a field/)
    assert.throws(read("0affffffffffffffffff01"), /ends within a field/)
    assert.throws(read("ffffffffffffffffffffff"), /has no end/)
    assert.throws(read("0801"), /of another type than OTLP has/)
    assert.throws(read("f43f"), /begins no field/)
  })
})
