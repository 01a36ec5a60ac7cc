import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import * as Document from "../src/form/Document.ts"

interface View {
  readonly run: string
  readonly why?: string | undefined
  readonly more: { readonly ticks: ReadonlyArray<number> }
}

const schema = Schema.toCodecJson(Document.of<View>()("View", { run: Schema.String }))

describe("Document", () => {
  it("passes every field of a view, named or not, and drops what JSON does not have", () => {
    const view: View = { run: "trip", why: undefined, more: { ticks: [1] } }
    assert.deepStrictEqual(Schema.encodeSync(schema)(view), { run: "trip", more: { ticks: [1] } })
    assert.deepStrictEqual(Schema.decodeUnknownSync(schema)({ run: "trip", more: { ticks: [1] } }), {
      run: "trip",
      more: { ticks: [1] }
    })
  })

  it("refuses a document without a named field, and takes a part as it is", () => {
    assert.throws(() => Schema.decodeUnknownSync(schema)({ more: { ticks: [] } }))
    assert.deepStrictEqual(Schema.decodeUnknownSync(Schema.toCodecJson(Document.part<View>()))([1]) as unknown, [1])
  })
})
