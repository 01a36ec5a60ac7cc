import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Reversal from "../src/Reversal.ts"
import { Bench, call, definition, failing, ok } from "./lab.ts"

const { book, unbook } = definition.tools
const changes = {
  tools: {
    ...definition.tools,
    book: { ...book, undo: { class: "K", by: "unbook", with: { id: "actual.id", percent: "100" } } },
    unbook: {
      ...unbook,
      input: { id: "string", percent: "int" },
      identity: { scope: "run", fields: [{ id: "code" }] },
      readback: { source: "airline", expect: ["actual == null"] }
    }
  }
} as const

const booked = () => {
  const bench = new Bench({ changes })
  bench.books("LX1")
  bench.books("LX2")
  const [one = "", two = ""] = SettledActions.inOrder(bench.state).map(([action]) => action)
  return { bench, one, two }
}

const of = (bench: Bench, params: JsonObject, tool = "unbook") =>
  Reversal.of(bench.state, { contract: bench.pack.tools[tool]!, params })?.reversal

/** Takes a booking back, and lets its tool answer, and its record where it does. */
const unbooks = (bench: Bench, params: JsonObject, answer: "ok" | "refused" | "silence") => {
  const { action } = call(bench.proposes({ tool: "unbook", params }))
  const error = { _tag: "Error", error: "too late" } as const
  const silence = { _tag: "Unknown", reason: "cut" } as const
  bench.answers(action, answer === "ok" ? ok({}) : answer === "refused" ? error : silence)
  if (answer === "ok") bench.readsBack(action, ok(null))
}

const undoOf = (bench: Bench, action: string) => SettledActions.of(bench.state).get(action)?.undo

describe("Reversal", () => {
  it("is what was registered for an action, however it is spelt, and whole then", () => {
    const { bench, one, two } = booked()
    assert.deepStrictEqual(of(bench, { id: "LX1", percent: 100 }), { action: one, whole: true })
    assert.deepStrictEqual(of(bench, { id: "lx2", percent: 100 }), { action: two, whole: true })
  })

  it("may be a part where more or less than that is asked for", () => {
    const { bench, one } = booked()
    assert.deepStrictEqual(of(bench, { id: "LX1", percent: 50 }), { action: one, whole: false })
    assert.deepStrictEqual(of(bench, { id: "LX1", percent: 100, fee: 1 }), { action: one, whole: false })
  })

  it("is no call for another thing, and none of another tool", () => {
    const { bench } = booked()
    assert.isUndefined(of(bench, { id: "LX3", percent: 100 }))
    assert.isUndefined(of(bench, { id: "LX1", percent: 100 }, "tell"))
    assert.isUndefined(Reversal.of(new Bench({ changes }).state, { contract: bench.pack.tools["unbook"]!, params: {} }))
  })

  it("has undone its action once it is verified, which may be done again then", () => {
    const { bench, one, two } = booked()
    const { key = "" } = SettledActions.of(bench.state).get(one) ?? {}
    unbooks(bench, { id: "LX1", percent: 100 }, "ok")
    assert.deepStrictEqual([undoOf(bench, one), undoOf(bench, two)], ["undone", "standing"])
    assert.strictEqual(UsedKeys.find(bench.state, key)?.status, "undone")
    assert.isUndefined(of(bench, { id: "LX1", percent: 100 }))
  })

  it("has undone nothing where it is refused, and something perhaps where it is a part", () => {
    const { bench, one, two } = booked()
    const { key = "" } = SettledActions.of(bench.state).get(two) ?? {}
    unbooks(bench, { id: "LX1", percent: 100 }, "refused")
    unbooks(bench, { id: "LX2", percent: 50 }, "ok")
    assert.deepStrictEqual([undoOf(bench, one), undoOf(bench, two)], ["standing", "doubtful"])
    assert.strictEqual(UsedKeys.find(bench.state, key)?.status, "ok")
  })

  it("is under way as long as nobody knows, and is refused where another run relies on its action (L10)", () => {
    const { bench, one, two } = booked()
    unbooks(bench, { id: "LX1", percent: 100 }, "silence")
    assert.strictEqual(undoOf(bench, one), "undoing")
    bench.turns = { next: {}, relied: { [two]: { run: "other", action: "a7", tick: 12 } } }
    const refused = bench.proposes({ tool: "unbook", params: { id: "LX2", percent: 100 } })
    assert.deepStrictEqual(failing(refused), [`policy ${two}`])
  })
})
