import { stripVTControlCharacters } from "node:util"
import * as Finding from "@backstitch/kernel/Finding"
import type * as Rebasing from "@backstitch/runtime/Rebasing"
import { assert, describe, it, vi } from "@effect/vitest"
import * as RebaseView from "../src/output/versions/RebaseView.ts"

const warnings = [Finding.make("context.unbound", { subject: "tell" })]
const replayed = { type: "action.request", tool: "tell", treatment: "record", status: "fits" } as const
const rebased: Rebasing.Rebased = {
  run: "left-onto-right",
  status: "rehearsed",
  source: { run: "left", from: 8, to: 12 },
  onto: { run: "right", tick: 9 },
  replayed: [9, 10].map((tick) => ({ ...replayed, tick, at: undefined, same: undefined, warnings })),
  left: [
    { tick: 8, type: "review.decided", author: "user", why: "not an agent's" },
    { tick: 12, type: "action.request", author: "agent", why: "undone" }
  ],
  conflict: undefined
}

const printed = (): ReadonlyArray<string> => {
  let text = ""
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  try {
    RebaseView.print(rebased)
  } finally {
    write.mockRestore()
  }
  return stripVTControlCharacters(text).split("\n")
}

describe("RebaseView", () => {
  it("lists the intents that are not replayed together, and states once what holds for many intents", () => {
    const lines = printed()
    const [first = "", second = ""] = lines.filter((line) => / by the (user|agent) /.test(line))
    assert.include(first, "stays where it was said")
    assert.strictEqual(first.indexOf("stays"), second.indexOf("was undone"))
    assert.strictEqual(first.indexOf("review.decided"), second.indexOf("action.request"))
    assert.deepStrictEqual(
      lines.filter((line) => line.includes("WARNING")),
      ["WARNING: left@9, left@10: the pack declares no context for tell: nothing was compared"]
    )
  })
})
