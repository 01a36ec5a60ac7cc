import { assert, describe, it } from "@effect/vitest"
import * as FormatName from "../src/chat/FormatName.ts"
import * as Formats from "../src/Formats.ts"

describe("FormatName", () => {
  it("lists the formats that can be read, in their order and under their own names", () => {
    assert.deepStrictEqual(
      Object.values(Formats.all).map(({ name }) => name),
      [...FormatName.names]
    )
    assert.deepStrictEqual(Object.keys(Formats.all), [...FormatName.names])
  })
})
