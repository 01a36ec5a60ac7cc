import { assert, describe, it } from "@effect/vitest"
import * as Detection from "../topologybench/Detection.ts"
import * as Harder from "../topologybench/Harder.ts"
import * as Planted from "../topologybench/Planted.ts"
import { chanceOf, Recording, revised, textOf } from "../topologybench/Recording.ts"

describe("Detection", () => {
  it("meets its marks at the severity of the source, and finds nothing at the least one", () => {
    const measured = Detection.measure(6)
    assert.strictEqual(measured.length, 6)
    for (const curve of measured) {
      assert.isTrue(Detection.meets(curve), `${curve.kind}: ${JSON.stringify(curve.seeded)}`)
      assert.strictEqual(curve.points[0]?.recall, 0, curve.kind)
    }
  })
})

describe("Harder", () => {
  it("measures each kind of run that is meant to mislead, by its recall or by its false alarms", () => {
    const measured = Detection.measureHarder(3)
    assert.strictEqual(measured.length, Harder.all.length)
    for (const { alarms, crack, found, name } of measured) {
      assert.strictEqual(found === undefined, crack === undefined, name)
      assert.strictEqual(alarms === undefined, crack !== undefined, name)
    }
    assert.strictEqual(new Set(measured.map(({ name }) => name)).size, measured.length)
  })
})

describe("Planted", () => {
  it("makes the same run from the same seed, and another from another", () => {
    for (const planted of Planted.all) {
      assert.deepStrictEqual(Planted.healthy(planted, 7), Planted.healthy(planted, 7))
      assert.notDeepEqual(Planted.healthy(planted, 7), Planted.healthy(planted, 8))
      assert.isAbove(Planted.ill(planted, planted.seeded, 1).length, 2)
    }
  })
})

describe("Recording", () => {
  it("revises the share of a text that it is told, and draws numbers within their range", () => {
    const recording = new Recording(3)
    const text = textOf(recording, 40)
    const other = revised(recording, text, 0.25).split(" ")
    const changed = text.split(" ").filter((word, index) => word !== other[index]).length
    assert.isTrue(changed > 5 && changed <= 10)
    const chance = chanceOf(1)
    for (let index = 0; index < 100; index++) assert.isTrue(chance() >= 0 && chance() < 1)
  })
})
