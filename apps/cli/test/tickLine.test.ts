import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

describe("the line of a tick", () => {
  it("has room for a tool whose name is as long as send_confirmation, in one column with every other", async () => {
    const { out } = await shell.run(["run", "trip", "--agent", fixture("agent.ts")])
    const lines = out.split("\n").filter((line) => /^TICK \d+ {2}action\.result +(order|search) /.test(line))
    const columns = lines.map((line) => line.search(/(?<=(order|search) +)\S/) - line.search(/order|search/))
    assert.isAbove(columns.length, 2)
    assert.deepStrictEqual([...new Set(columns)], [22])
  })
})
