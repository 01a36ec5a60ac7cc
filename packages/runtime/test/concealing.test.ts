import * as Finding from "@backstitch/kernel/Finding"
import { assert, describe, it } from "@effect/vitest"
import { concealed, concealedReason } from "../src/internal/concealing.ts"

const sealed = { $sealed: "ab".repeat(32) }
const carried = [{ sealed, value: "X7654321" }]

describe("concealing", () => {
  it("keeps a code as the reason that it is, and cuts what its arguments repeat", () => {
    const late = Finding.make("answer.late", { withinMillis: 3000 })
    assert.deepStrictEqual(concealedReason(late, carried), late)
    assert.deepStrictEqual(concealedReason(late, []), late)
    const shown = Finding.make("answer.no_origin", { origin: "the desk of X7654321" })
    const cut = Finding.make("answer.no_origin", { origin: "the desk of [sealed]" })
    assert.deepStrictEqual(concealedReason(shown, carried), cut)
  })

  it("keeps a reason in words a text, also one that is a carried value as a whole", () => {
    assert.strictEqual(concealedReason("no X7654321 here", carried), "no [sealed] here")
    assert.strictEqual(concealedReason("X7654321", carried), "[sealed]")
    assert.deepStrictEqual(concealed(undefined, "X7654321", carried), sealed)
  })
})
