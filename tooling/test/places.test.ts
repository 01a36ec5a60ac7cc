import * as Fs from "node:fs"
import { describe, expect, it } from "vitest"
import * as Places from "../src/Places.ts"
import { Repository, read, root } from "../src/Repository.ts"

const small = new Repository([
  [
    "docs/WHERE.md",
    [
      "## Calls",
      "| to change | begin in | and see |",
      "| --- | --- | --- |",
      "| an approval that is asked for again | [Approval](../packages/kernel/src/Approval.ts) | " +
        "its words: [Card](../packages/wording/src/Card.ts) |",
      "## Other words",
      "| theirs | here |",
      "| --- | --- |",
      "| four eyes, two-person rule, not alone | approval |"
    ].join("\n")
  ],
  ["docs/asked.txt", "packages/wording/src/Card.ts: the popup is too wide; truncated\n"],
  ["packages/kernel/src/Approval.ts", "/** The answer of a person. */\nexport const a = 1\n"],
  ["packages/wording/src/Card.ts", "/** Cards. */\nexport const a = 1\n"],
  ["packages/kernel/src/RetryDelay.ts", "/** Waits before a request is sent once more. */\nexport const a = 1\n"]
])

const paths = (words: string): ReadonlyArray<string> => Places.make(small)(words, 9).map(({ path }) => path)

describe("places of a change", () => {
  it("come in the order of a row: where the change begins, then where its cell leads", () => {
    expect(paths("approvals asked again")).toEqual(["packages/kernel/src/Approval.ts", "packages/wording/src/Card.ts"])
    expect(paths("words of an approval")[0]).toBe("packages/wording/src/Card.ts")
  })

  it("are found without a row, by the header and by the words in the name of a module", () => {
    expect(paths("send a request")).toContain("packages/kernel/src/RetryDelay.ts")
    expect(paths("delays of a retry")).toEqual(["packages/kernel/src/RetryDelay.ts"])
  })

  it("tell the row by which they were found", () => {
    expect(Places.make(small)("words of an approval", 1)[0]).toMatchObject({
      text: "an approval that is asked for again; its words"
    })
    expect(Places.make(small)("zebra", 9)).toEqual([])
  })

  it("are found by the words of other systems that the page lists, and by all of a phrase only", () => {
    expect(paths("four eyes")[0]).toBe("packages/kernel/src/Approval.ts")
    expect(paths("a rule of two persons, two-person")[0]).toBe("packages/kernel/src/Approval.ts")
    expect(paths("four")).toEqual([])
    expect(paths("nobody should decide alone")).toEqual([])
    expect(paths("not alone")[0]).toBe("packages/kernel/src/Approval.ts")
  })

  it("are found by the phrases in which strangers ask, and told by their header", () => {
    expect(Places.make(small)("a popup that is truncated", 9)).toEqual([
      { path: "packages/wording/src/Card.ts", text: "Cards." }
    ])
  })

  it("lead each row of the page, by its own words, to its module among the first three", () => {
    const repository = read(root)
    const rank = Places.make(repository)
    const lost = (repository.files.get("docs/WHERE.md")?.lines ?? []).flatMap((line) => {
      const [change = "", begin = ""] = line.split("|").slice(1)
      const leads = Array.from(begin.matchAll(/\]\(\.\.\/([^)]+)\)/g), ([, path]) => path)
      // The row of a command or of a subject has one word, and several modules answer to it.
      if (leads.length === 0 || change.includes("](") || change.trim().split(" ").length < 3) return []
      const found = rank(change, 3).map(({ path }) => path)
      return found.some((path) => leads.includes(path)) ? [] : [`${change.trim()}: ${found.join(", ")}`]
    })
    expect(lost).toEqual([])
  })

  it("answer the questions of readers among the first six", () => {
    const rank = Places.make(read(root))
    const lines = Fs.readFileSync(new URL("where/questions.txt", import.meta.url), "utf8")
      .trimEnd()
      .split("\n")
    const lost = lines.flatMap((line) => {
      const [question = "", modules = ""] = line.split(" | ")
      const found = rank(question, 6).map(({ path }) => nameOf(path))
      return modules.split(", ").some((each) => found.includes(each)) ? [] : [`${line}: ${found.join(", ")}`]
    })
    expect(lost).toEqual([])
  })
})

/** The name of a module as the page writes it: package, folders and module. */
const nameOf = (path: string): string =>
  path
    .replace(/^(?:packages\/(?:adapters\/)?|apps\/)/, "")
    .replace("/src/", "/")
    .replace(/\.ts$/, "")
