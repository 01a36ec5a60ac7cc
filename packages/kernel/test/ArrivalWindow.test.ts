import { assert, describe, it } from "@effect/vitest"
import * as ArrivalWindow from "../src/action/ArrivalWindow.ts"
import * as Limits from "../src/Limits.ts"
import { Bench } from "./lab.ts"

const declared = { times: { sendWithinMillis: 3_000, settleAfterMillis: 1_000 } }
const silent = { times: {} }

describe("ArrivalWindow", () => {
  it("the sender drops its request, then the window closes, and then no answer is awaited", () => {
    assert.strictEqual(ArrivalWindow.leavesBy(declared, 10_000), 13_000)
    assert.strictEqual(ArrivalWindow.closesAt(declared, 10_000), 14_000)
    assert.strictEqual(ArrivalWindow.answeredBy(declared, 10_000), 16_000)
    assert.strictEqual(ArrivalWindow.millisOf(declared), 4_000)
  })

  it("a contract that says nothing of its times has the standard time to send, and none to settle", () => {
    assert.strictEqual(ArrivalWindow.millisOf(silent), Limits.deciding.sendWithinMillis)
    assert.isFalse(ArrivalWindow.isDeclared(silent))
    assert.isFalse(ArrivalWindow.isDeclared({ times: { sendWithinMillis: 3_000 } }))
    assert.isTrue(ArrivalWindow.isDeclared(declared))
  })

  it("time that the clock leapt over after the start has not passed (L14)", () => {
    const terms = { ...new Bench().terms, now: 20_000, leaps: [{ at: 15_000, millis: 8_000 }] }
    assert.strictEqual(ArrivalWindow.left(terms, { startedAt: 10_000, until: 14_000 }), 2_000)
    assert.strictEqual(ArrivalWindow.left(terms, { startedAt: 16_000, until: 17_000 }), -3_000)
  })
})
