import { assert, describe, it } from "@effect/vitest"
import * as Plot from "../src/Plot.ts"

const labels = { title: "Waste & quality", x: "waste", y: "quality < 5" }

const numbersOf = (svg: string, name: string) =>
  [...svg.matchAll(new RegExp(` ${name}="([^"]+)"`, "g"))].map(([, value]) => Number(value))

describe("Plot", () => {
  it("draws more to the right and higher values higher, within the frame", () => {
    const svg = Plot.lines(labels, [
      {
        name: "one",
        points: [
          { x: 1, y: 2, spread: 0.5 },
          { x: 3, y: 7 }
        ]
      }
    ])
    const [left = 0, right = 0] = numbersOf(svg, "cx")
    const [low = 0, high = 0] = numbersOf(svg, "cy")
    assert.isTrue(left < right && low > high)
    for (const place of [...numbersOf(svg, "cx"), ...numbersOf(svg, "cy")]) assert.isTrue(place >= 0 && place <= 720)
    assert.include(svg, "<polyline")
    assert.notInclude(Plot.points(labels, [{ name: "one", points: [{ x: 1, y: 2 }] }]), "<polyline")
  })

  it("stacks the parts of a bar on one another, each as high as its value", () => {
    const svg = Plot.bars(labels, ["kept", "wasted"], [{ name: "g", bars: [[3, 1]] }])
    const [, kept = 0, wasted = 0] = numbersOf(svg, "height").slice(1)
    assert.closeTo(kept / wasted, 3, 0.01)
  })

  it("shades the most of a heatmap darkest, and writes each number", () => {
    const svg = Plot.heatmap("H", ["a", "b"], [{ name: "r", cells: [0, 4.25] }])
    assert.include(svg, 'fill="rgb(255,255,255)"')
    assert.include(svg, 'fill="rgb(105,105,255)"')
    assert.include(svg, ">4.25</text>")
  })

  it("draws a tile for each step", () => {
    const tile = { colour: "#123456", text: "K" }
    const svg = Plot.tiles("T", [{ name: "run", cells: [tile, tile] }], [{ colour: "#123456", text: "kept" }])
    assert.lengthOf(svg.match(/#123456/g) ?? [], 3)
  })

  it("escapes words, has no value that is not a number, and is the same for the same numbers", () => {
    const draw = () => Plot.points(labels, [{ name: "none", points: [] }])
    assert.include(draw(), "Waste &amp; quality")
    assert.include(draw(), "quality &lt; 5")
    for (const svg of [draw(), Plot.bars(labels, ["a"], []), Plot.heatmap("H", ["a"], [{ name: "r", cells: [1] }])]) {
      assert.notMatch(svg, /NaN|Infinity/)
    }
    assert.strictEqual(draw(), draw())
  })
})
