import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Payload from "../src/transition/Payload.ts"

const { closed, open, optional } = Payload

describe("Payload", () => {
  const check = Payload.checker(
    closed({ by: Schema.String, rows: optional(Schema.Array(closed({ id: Schema.Natural }))), value: Payload.Json })
  )

  it("finds nothing wrong if every field fits", () => {
    assert.isUndefined(check({ by: "Ada", value: null }))
    assert.isUndefined(check({ by: "Ada", rows: [{ id: 1 }], value: { any: ["thing"] } }))
  })

  it("names the path of the first field that does not fit", () => {
    assert.strictEqual(check({ value: 1 })?.path, "by")
    assert.strictEqual(check({ by: "Ada", rows: [{ id: 1 }, { id: -1 }], value: 1 })?.path, "rows.1.id")
    assert.strictEqual(check({ by: "Ada", rows: [{ id: 1, name: "x" }], value: 1 })?.path, "rows.0.name")
    assert.strictEqual(check("Ada")?.path, "")
  })

  it("takes nothing if no field is named", () => {
    const nothing = Payload.checker(closed({}))
    assert.isUndefined(nothing({}))
    for (const value of [{ n: 1 }, [], "text", 7, null]) assert.isDefined(nothing(value), JSON.stringify(value))
  })

  it("accepts undeclared fields only if a payload is open", () => {
    const cites = Payload.checker(open({ cites: optional(Schema.String) }))
    assert.isUndefined(cites({ cites: "a1", text: "noted", n: 3 }))
    assert.strictEqual(cites({ cites: 1 })?.path, "cites")
  })

  it.prop(
    "takes what its schema takes where no field is one too many",
    [Schema.Array(Schema.Tuple([Schema.Literals(["a", "b", "c", "d", "__proto__"]), Schema.Natural]))],
    ([choices]) => {
      const inner = closed({ a: optional(Schema.String), b: optional(Payload.Json) })
      const schema = closed({
        a: optional(Schema.Array(inner)),
        b: optional(Schema.Union([inner, closed({ c: Schema.Natural })])),
        c: optional(Schema.Record(Schema.String, inner)),
        d: optional(open({ a: inner }))
      })
      const value = choices.reduce<unknown>((part, [name, choice]) => {
        const held = [[part], part, { [name]: part }, "text", 7, null, { c: 1 }, {}][choice % 8]
        return choice % 3 === 0
          ? JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(held)},"b":{}}`)
          : { [name]: held }
      }, {})
      const read = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value)
      assert.strictEqual(Payload.checker(schema)(value) === undefined, Result.isSuccess(read), JSON.stringify(value))
    },
    { arbitrary: { runs: 500 } }
  )

  it("reads a body by its type, and checks nothing", () => {
    const payloads = {
      "observation.add": open({ cites: optional(Schema.String) }),
      "predicate.violation": closed({ at: Schema.Natural, predicate: Schema.String })
    }
    const read = Payload.reader(payloads)
    const of = Payload.getter(payloads)
    const held = { author: "kernel", data: { at: 3, predicate: "p" }, type: "predicate.violation" } as const
    const body = read(held)
    assert.strictEqual(body, held)
    const at = body.type === "predicate.violation" ? body.data.at : body.type === "observation.add" ? 1 : 0
    assert.strictEqual(at, 3)
    const predicate: string | undefined = of(held, "predicate.violation")?.predicate
    assert.strictEqual(predicate, "p")
    assert.isUndefined(of(held, "observation.add"))
    assert.isUndefined(of({ type: "observation.add" }, "observation.add"))
  })

  it("says where and how in one line", () => {
    assert.strictEqual(
      Payload.told("predicate.violation", { path: "data.at", problem: "Missing key" }),
      "data.at does not fit predicate.violation: missing key"
    )
    assert.strictEqual(
      Payload.told("run.fork", { path: "data", problem: "Expected an object" }),
      "data does not fit run.fork: expected an object"
    )
  })
})
