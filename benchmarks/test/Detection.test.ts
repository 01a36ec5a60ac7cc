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
  it("counts what is found in runs that are ill, and alarms in those that are healthy", () => {
    const planted = Planted.all.find(({ kind }) => kind === "pipeline")!
    const { crack, declared } = planted
    const ill = (run: Recording): void => planted.ill(run, planted.seeded)
    const kinds = [
      { name: "ill", declared, crack, make: ill },
      { name: "ill with another crack", declared, crack: "runaway", make: ill },
      { name: "ill by mistake", declared, crack, make: planted.healthy },
      { name: "healthy", declared, make: planted.healthy },
      { name: "healthy by mistake", declared, make: ill }
    ] as const
    assert.deepStrictEqual(
      Detection.measureHarder(4, kinds).map(({ alarms, found }) => [found, alarms]),
      [
        [1, undefined],
        [0, undefined],
        [0, undefined],
        [undefined, 0],
        [undefined, 1]
      ]
    )
  })

  it("has runs of every topology that are healthy, or ill, under names of their own", () => {
    assert.strictEqual(new Set(Harder.all.map(({ name }) => name)).size, Harder.all.length)
    for (const { declared } of Planted.all) {
      const kinds = Harder.all.filter((each) => each.declared.kind === declared.kind)
      assert.isTrue(kinds.some(({ crack }) => crack === undefined) && kinds.some(({ crack }) => crack !== undefined))
    }
  })

  it("makes the same runs from the same seeds", () => {
    assert.deepStrictEqual(Detection.measureHarder(3), Detection.measureHarder(3))
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
