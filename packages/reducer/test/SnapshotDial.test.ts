import * as ToolContract from "@backstitch/contracts/ToolContract"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Limits from "../src/Limits.ts"
import * as SnapshotDial from "../src/snapshot/SnapshotDial.ts"

const dial = (text: string): SnapshotDial.SnapshotDial => Result.getOrThrow(SnapshotDial.parse(text))
const committed = (folded: number, own = folded): SnapshotDial.Moment => ({ _tag: "Committed", folded, own })
const before = (
  sideEffect: ToolContract.SideEffect,
  more: { readonly tokens?: number; readonly likelihood?: number; readonly since?: number } = {}
): SnapshotDial.Moment => ({
  _tag: "BeforeCall",
  contract: { ...ToolContract.unknown("tool"), class: sideEffect },
  tokens: 0,
  likelihood: 0,
  since: 0,
  ...more
})
const writes = (text: string, moment: SnapshotDial.Moment) => SnapshotDial.decide(dial(text), moment)

describe("SnapshotDial", () => {
  it("reads the spellings of people, and lists the positions", () => {
    assert.deepStrictEqual(dial("every:50"), SnapshotDial.every(50))
    assert.deepStrictEqual(dial("auto"), SnapshotDial.auto)
    for (const wrong of ["", "every", "every:0", "every:-1", "always"]) {
      const read = SnapshotDial.parse(wrong)
      assert.isTrue(
        Result.isFailure(read) && read.failure.message.includes("micro, tool, every:N, never or auto"),
        wrong
      )
    }
  })

  it("writes at every step, at every call, every N ticks, or never", () => {
    assert.deepStrictEqual([writes("micro", committed(1)), writes("micro", before("read_only"))], ["full", "nothing"])
    assert.deepStrictEqual([writes("tool", committed(99)), writes("tool", before("read_only"))], ["nothing", "full"])
    assert.deepStrictEqual([writes("every:10", committed(9)), writes("every:10", committed(10))], ["nothing", "full"])
    for (const moment of [committed(1e6), before("critical_mutation", { tokens: 1e9 })]) {
      assert.strictEqual(writes("never", moment), "nothing")
    }
  })

  it("decides step by step: before every effect, and before a read that rests on much that is not durable", () => {
    for (const sideEffect of ToolContract.sideEffects) {
      assert.strictEqual(writes("auto", before(sideEffect)), sideEffect === "read_only" ? "nothing" : "delta")
    }
    assert.strictEqual(writes("auto", before("read_only", { tokens: 999 })), "nothing")
    assert.strictEqual(writes("auto", before("read_only", { tokens: Limits.pacing.autoTokensMax })), "delta")
    assert.strictEqual(writes("auto", before("read_only", { tokens: 600, likelihood: 0.9 })), "delta")
    assert.strictEqual(writes("auto", before("medium_risk_write", { since: 49 })), "full")
    assert.deepStrictEqual([writes("auto", committed(95)), writes("auto", committed(96))], ["nothing", "full"])
  })

  it("lets a resumed run take steps before it keeps a snapshot that is due, but not without end", () => {
    assert.strictEqual(writes("auto", committed(100, 4)), "nothing")
    assert.strictEqual(writes("auto", committed(104, 8)), "full")
    assert.strictEqual(writes("auto", committed(192, 4)), "full")
    assert.strictEqual(writes("every:10", committed(10, 1)), "full")
  })
})
