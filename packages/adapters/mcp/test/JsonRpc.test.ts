import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "../src/message/JsonRpc.ts"

const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}'
const codeOf = (text: string) => JsonRpc.arrived(text).map((each) => ("code" in each ? each.code : each.message._tag))

describe("JsonRpc", () => {
  it("tells requests, notifications and responses apart, also in a batch", () => {
    assert.deepStrictEqual(codeOf(call), ["Request"])
    assert.deepStrictEqual(codeOf('{"jsonrpc":"2.0","method":"notifications/initialized"}'), ["Notification"])
    assert.deepStrictEqual(codeOf('{"jsonrpc":"2.0","id":"x","result":{}}'), ["Response"])
    assert.deepStrictEqual(codeOf(`[${call},{"jsonrpc":"2.0","method":"b"}]`), ["Request", "Notification"])
  })

  it("refuses text that two readers could understand in two ways", () => {
    const hidden = '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}'
    const escaped = '{"jsonrpc":"2.0","id":1,"method":"ping","\\u006dethod":"tools/call"}'
    const lenient = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"x":NaN}}}'
    assert.deepStrictEqual([hidden, escaped, lenient, "[]", "{}", "not JSON"].flatMap(codeOf), [
      JsonRpc.codes.invalid,
      JsonRpc.codes.invalid,
      JsonRpc.codes.parse,
      JsonRpc.codes.invalid,
      JsonRpc.codes.invalid,
      JsonRpc.codes.parse
    ])
  })

  it("passes a text on as it came, but for carriage returns, at which some servers end a line", () => {
    const spaced = call.replace('"params"', '\r "params"')
    const [plain, mended] = [call, spaced].flatMap((text) => JsonRpc.arrived(text))
    assert.strictEqual(plain && "text" in plain && plain.text, call)
    assert.notInclude(String(mended && "text" in mended && mended.text), "\r")
  })

  it("notices whole numbers that cannot be kept exactly", () => {
    const exact = (value: string) =>
      JsonRpc.arrived(call.replace("{}", `{"n":${value}}`)).map((each) => "isInexact" in each && !each.isInexact)
    assert.deepStrictEqual(["1", "-0.5", "1e3", "9007199254740991"].flatMap(exact), [true, true, true, true])
    assert.deepStrictEqual(["9007199254740993", "1e400", "12345678901234567890"].flatMap(exact), [false, false, false])
  })

  it("keeps a text of a server that is no message", () => {
    assert.deepStrictEqual(JsonRpc.frameOf("what a server prints by mistake").message, undefined)
    assert.strictEqual(JsonRpc.frameOf(Buffer.from('{"id":1,"result":{}}')).message?._tag, "Response")
  })
})
