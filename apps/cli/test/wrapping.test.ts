import { stripVTControlCharacters } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as TextTable from "../src/terminal/TextTable.ts"
import * as Wrapping from "../src/terminal/Wrapping.ts"

const Columns = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 30 }))

const bare = (text: string): string => stripVTControlCharacters(text).replace(/\s/g, "")

const red = (text: string): string => `\u001b[31;7m${text}\u001b[39;7m`

describe("Wrapping", () => {
  it.prop(
    "leaves nothing out, and makes no line longer than it may be",
    [Schema.Array(Schema.Literals(["a", "word", " ", "東京", "e\u0301", red("red ones"), "👩‍🚀"])), Columns],
    ([parts, columns]) => {
      const text = parts.join("")
      const lines = Wrapping.wrap(text, columns)
      assert.strictEqual(bare(lines.join("")), bare(text))
      for (const line of lines) assert.isAtMost(Wrapping.width(line), columns)
    }
  )

  it("measures a wide character as two columns, and a combining one as none", () => {
    assert.deepStrictEqual(["東京", "e\u0301", red("ok")].map(Wrapping.width), [4, 1, 2])
    assert.deepStrictEqual(Wrapping.wrap("東京都", 4), ["東京", "都"])
  })

  it("ends a style with its line, and begins it again on the next", () => {
    assert.deepStrictEqual(Wrapping.wrap(red("one two"), 4), [red("one"), red("two")])
    assert.strictEqual(Wrapping.cut(red("one two"), 5), red("one …"))
  })
})

const rows = [
  ["a1", "order", "This was completed, and that was verified.", "backstitch report a-run-with-a-name"],
  ["a2", "charge", "Nobody knows yet.", "backstitch resolve a-run a2 --as success --evidence TEXT --by NAME"]
]
const header = ["ACTION", "TOOL", "MAY BE SAID", TextTable.command("NEXT")]

describe("Table", () => {
  it("shows every cell whole at any width, and a command on one line", () => {
    for (const width of [20, 40, 60, 80, 120, 200, Number.POSITIVE_INFINITY]) {
      for (const options of [
        { header, width },
        { width, rail: "│ " }
      ]) {
        const text = TextTable.render(rows, options)
        const shown = bare(text.replaceAll("│", ""))
        for (const cell of rows.flat()) {
          if (!text.includes(cell)) assert.include(shown, bare(cell), `at ${width}`)
        }
        if ("header" in options) {
          const lines = text.split("\n")
          for (const [, , , command = ""] of rows) assert.isTrue(lines.some((line) => line.includes(command)))
          const long = lines.filter((line) => !rows.some(([, , , command = ""]) => line.includes(command)))
          for (const line of long) assert.isAtMost(line.length, width)
        }
      }
    }
  })

  it("is aligned if it fits, wraps the last column if it stays readable, and otherwise puts one block a row", () => {
    assert.strictEqual(TextTable.render([["a", "b"]], { header: ["ONE", "TWO"], width: 80 }), "ONE  TWO\na    b")
    const text = ["a1", "This was completed, and that was verified by the system of record."]
    assert.strictEqual(
      TextTable.render([text], { header: ["ACTION", "MAY BE SAID"], width: 40 }),
      "ACTION  MAY BE SAID\n" +
        "a1      This was completed, and that was\n" +
        "        verified by the system of\n" +
        "        record."
    )
    const block = "ACTION       a1\nMAY BE SAID  This was\n             completed, and\n"
    const blocks = TextTable.render([text, text], { header: ["ACTION", "MAY BE SAID"], width: 30 }).split("\n\n")
    assert.lengthOf(blocks, 2)
    for (const each of blocks) assert.isTrue(`${each}\n`.startsWith(block), each)
  })

  it("shortens only shortenable text, and names the place of the full text", () => {
    const goal = { name: "GOAL", see: "backstitch runs --json" }
    const text = TextTable.render([["trip", "a goal that is told at a length that no line of a terminal has"]], {
      header: ["RUN", goal],
      width: 40
    })
    assert.strictEqual(
      text,
      "RUN   GOAL\n" + "trip  a goal that is told at …\n" + "GOAL is cut here: backstitch runs --json"
    )
  })
})
