import { assert, describe, it } from "@effect/vitest"
import * as Table from "../src/Table.ts"

describe("Table", () => {
  it("aligns words to the left and numbers to the right, and has a dash for what is missing", () => {
    const lines = Table.table(
      "T",
      ["a", "long"],
      [
        ["x", 1],
        ["yy", null]
      ]
    ).split("\n")
    assert.deepStrictEqual(lines, ["T", "a   long", "--  ----", "x      1", "yy     –"])
  })

  it("writes whole numbers in full, others by their size, and words as they are", () => {
    const [, , , row = ""] = Table.table("T", ["n"], [[12]]).split("\n")
    assert.strictEqual(row, "12")
    const cells = [0.12345, 1.5, 1234.5, 0.00001].map((cell) =>
      Table.table("T", ["n"], [[cell]])
        .split("\n")[3]
        ?.trim()
    )
    assert.deepStrictEqual(cells, ["0.123", "1.50", "1235", "1.0e-5"])
  })
})
