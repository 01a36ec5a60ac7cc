import { assert, describe, it } from "@effect/vitest"
import * as Figure from "../src/Figure.ts"
import * as Report from "../src/Report.ts"

const figure = { name: "f", title: "a figure", unit: "x", durability: "FULL ÷ FULL" } as const
const more: Figure.Figure = { ...figure, better: "more", within: 0.5, aim: 0.8 }
const less: Figure.Figure = { ...figure, better: "less", within: 0.5, aim: 0.2 }

describe("Figure", () => {
  it("judges the median by the marks, in the direction that is better", () => {
    assert.strictEqual(Figure.verdict(Figure.measured(more, [0.1, 0.9, 0.8])), "aim met")
    assert.strictEqual(Figure.verdict(Figure.measured(more, [0.5])), "ok")
    assert.strictEqual(Figure.verdict(Figure.measured(more, [0.49])), "misses")
    assert.strictEqual(Figure.verdict(Figure.measured(less, [0.2])), "aim met")
    assert.strictEqual(Figure.verdict(Figure.measured(less, [0.5])), "ok")
    assert.strictEqual(Figure.verdict(Figure.measured(less, [0.51])), "misses")
  })

  it("never calls a figure that was not measured met", () => {
    assert.strictEqual(Figure.verdict(Figure.absent(more, "not installed")), "absent")
    assert.strictEqual(Figure.verdict(Figure.measured(more, [])), "absent")
  })

  it("prints the figure with its marks, its spread and the durability of both sides", () => {
    const text = Report.table([Figure.measured(more, [0.6, 0.7, 0.9]), Figure.absent(less, "not installed")])
    assert.include(text, "| a figure | 0.70x (0.60–0.90, n=3) | ≥ 0.5x | ≥ 0.8x | ok ")
    assert.include(text, "FULL ÷ FULL")
    assert.include(text, "not installed")
  })
})
