import * as Field from "@backstitch/expressions/Field"
import * as Finding from "@backstitch/kernel/Finding"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import { closed, isWord, refusal, silence, undeclared } from "../src/sealing/concealing.ts"

const hide = (value: Json): Json => ({ hidden: value })
const carried = ["X7654321", 7]

describe("concealing", () => {
  it("keeps declared fields, and hides every undeclared one and every one of another type", () => {
    const field = Field.object({
      id: { type: "string" },
      kind: { type: "enum", values: ["a"] },
      rows: { type: "table", key: "id", row: Field.object({ id: { type: "string" } }) },
      passport: { type: "string", sensitive: { subject: "args.traveller" } },
      tags: { type: "list", item: { type: "string" } },
      raw: { type: "json" }
    })
    const sealed = { $sealed: "ab".repeat(32) }
    const json = {
      id: "v1",
      kind: "X 765 4321",
      rows: { v1: { id: "v1", note: "x-7654321" }, v2: "none" },
      passport: sealed,
      tags: ["one", 2],
      raw: { any: true },
      X7654321: true,
      also: null
    }
    assert.deepStrictEqual(undeclared(field, json, hide), {
      id: "v1",
      kind: { hidden: "X 765 4321" },
      rows: { v1: { id: "v1", $undeclared: { hidden: { note: "x-7654321" } } }, v2: { hidden: "none" } },
      passport: sealed,
      tags: ["one", { hidden: 2 }],
      raw: { hidden: { any: true } },
      $undeclared: { hidden: { X7654321: true, also: null } }
    })
    assert.deepStrictEqual(undeclared(undefined, "said", hide), { hidden: "said" })
    for (const bare of [true, null]) assert.strictEqual(undeclared(undefined, bare, hide), bare)
  })

  it("keeps the code and the status of a refusal, if they have that form, and hides its words", () => {
    const error = { code: "seat_gone", status: 409, why: "for X7654321" }
    assert.deepStrictEqual(refusal(error, carried, hide), {
      code: "seat_gone",
      status: 409,
      written: { hidden: error }
    })
    for (const other of [
      "X7654321",
      { code: "X7654321" },
      { code: "no visa" },
      { code: 7_654_321, status: 7 },
      { status: "x7654321.gone", more: ["gone"] },
      ["gone"],
      { code: "answer.no_origin ", args: { origin: "X7654321" } },
      { code: "X7654321", args: {} },
      { $sealed: "X7654321" }
    ]) {
      assert.deepStrictEqual(refusal(other, carried, hide), { written: { hidden: other } })
    }
    const own = Finding.make("refusal.too_large", { charactersMax: 9 })
    assert.deepStrictEqual(refusal(own, carried, hide), own)
  })

  it("takes letters for a code if they spell no carried value, in any case", () => {
    assert.isTrue(isWord("gone", ["anna"]))
    for (const [text, value] of [
      ["by_ANNA", "anna"],
      ["by.an-na", "Anna"],
      ["gone", "o"],
      ["gone ", "x"],
      ["g0ne", "x"]
    ] as const) {
      assert.isFalse(isWord(text, [value]), text)
    }
  })

  it("keeps a code as the reason that it is, with the names of its contract and no other text", () => {
    const late = Finding.make("answer.late", { withinMillis: 3000 })
    assert.deepStrictEqual(silence(late, []), late)
    const unread = Finding.make("answer.no_readback", { source: "ledger" })
    assert.deepStrictEqual(silence(unread, ["ledger"]), unread)
    const shown = Finding.make("answer.no_origin", { origin: "the desk of X7654321" })
    assert.deepStrictEqual(silence(shown, ["ledger"]), Finding.make("answer.no_origin", { origin: "[sealed]" }))
  })

  it("keeps the name of an unknown argument, if it is a word, and not its content", () => {
    const fields = { traveller: { type: "string" } } as const
    const given = { traveller: "c-311", pasport: "Y1", X7654321: "Y1" }
    assert.deepStrictEqual(closed(fields, given, { carried, hide }), {
      traveller: "c-311",
      pasport: "[sealed]",
      "[sealed]": "[sealed]"
    })
    assert.strictEqual(closed(fields, "X7654321", { carried, hide }), "[sealed]")
  })
})
