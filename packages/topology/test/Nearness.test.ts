import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Nearness from "../src/event/Nearness.ts"

describe("Nearness", () => {
  it("takes calls as near by the words of their values", () => {
    const areNear = (one: Json, other: Json) => Nearness.areNear(Nearness.wordsOf(one), Nearness.wordsOf(other))
    assert.isTrue(areNear({ q: "hotels in lugano", page: 1 }, { q: "hotels in lugano", page: 2 }))
    assert.isTrue(areNear({}, {}))
    assert.isFalse(areNear({ q: "lugano" }, { q: "basel" }))
    assert.isTrue(areNear({ command: "ls -la src" }, { command: "ls -l src" }))
    assert.isFalse(areNear({ command: "ls -la src" }, { command: "cat README" }))
  })

  it("leaves times, durations and random ids out of an answer", () => {
    const one = Nearness.answerDigest("done at 2026-01-01 10:00:00 in 3 ms, id 0b0f6c1e-52cb-4f1b-8f0e-6f4a26a1d3c1")
    const two = Nearness.answerDigest("done at 2026-01-01 11:00:01 in 44 ms, id 9b0f6c1e-52cb-4f1b-8f0e-6f4a26a1d3c2")
    assert.strictEqual(one, two)
    assert.notStrictEqual(Nearness.answerDigest("hotel 1"), Nearness.answerDigest("hotel 2"))
  })

  it("takes an answer for another day, or for another moment's day, for another answer", () => {
    const digests = [
      { day: "2026-03-01", free: true },
      { day: "2026-03-02", free: true },
      { from: "2026-03-01T08:00:00Z", free: true },
      { from: "2026-03-02T08:00:00Z", free: true }
    ].map((each) => Nearness.answerDigest(each))
    assert.strictEqual(new Set(digests).size, 4)
    const at = (time: string) => Nearness.answerDigest({ at: `2026-03-01T${time}Z`, hits: [] })
    assert.strictEqual(at("08:00:00.123"), at("09:30:01.4"))
  })

  it("reads words of every script, however its letters are encoded", () => {
    const near = (one: string, other: string) => Nearness.similarity(Nearness.words(one), Nearness.words(other))
    const text = "Résumé für Zürich"
    assert.strictEqual(near(text.normalize("NFC"), text.normalize("NFD")), 1)
    assert.isTrue(Nearness.saysAgain(text.normalize("NFC"), text.normalize("NFD")))
    assert.deepStrictEqual(Nearness.words("हिन्दी में लिखा"), ["हिन्दी", "में", "लिखा"])
    assert.isAbove(near("今天我们去苏黎世看湖", "今天我们去苏黎世看山"), 0.8)
    assert.isBelow(near("今天我们去苏黎世看湖", "订单已经取消"), 0.2)
    assert.deepStrictEqual(Nearness.words("วันที่ ๑๒ abc12"), ["วั", "น", "ที่", "๑๒", "abc12"])
  })

  it("knows a call that goes further by its numbers", () => {
    const [one, two] = [Nearness.numbersOf({ q: "x", page: 1 }), Nearness.numbersOf({ page: 2, q: "x" })]
    assert.isTrue(Nearness.goesOn(one, two))
    assert.isFalse(Nearness.goesOn(two, one))
    assert.isFalse(Nearness.goesOn(one, one))
    assert.isFalse(Nearness.goesOn(one, Nearness.numbersOf({ q: "y", page: 2 })))
    assert.isFalse(Nearness.goesOn(Nearness.numbersOf({ attempt: 1 }), Nearness.numbersOf({ attempt: 2 })))
  })

  it("takes answers for the same whose request is another", () => {
    const answer = (request: string) => Nearness.answerDigest({ hits: [], request, took: "12 ms" })
    assert.strictEqual(answer("req-1"), answer("req-2"))
    assert.notStrictEqual(Nearness.answerDigest({ hits: [1] }), Nearness.answerDigest({ hits: [2] }))
  })

  it.prop("is symmetric, and whole for equal texts", [Schema.String, Schema.String], ([one, other]) => {
    const [left, right] = [Nearness.words(one), Nearness.words(other)]
    assert.strictEqual(Nearness.similarity(left, right), Nearness.similarity(right, left))
    assert.strictEqual(Nearness.similarity(left, left), 1)
  })
})
