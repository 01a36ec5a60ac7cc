/**
 * The guides that a newcomer begins with have a first example of at most thirty lines, and say how to get a folder for
 * it. `pnpm guides:check` follows them in such folders.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import * as Guides from "../src/Guides.ts"

const root = Path.resolve(import.meta.dirname, "../..")
const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-guides-"))
afterAll(() => Fs.rmSync(folder, { recursive: true, force: true }))

/** The guide of a text, in a repository that has it alone. */
const guideOf = (text: string): Guides.Guide => {
  Fs.mkdirSync(Path.join(folder, "docs/guides"), { recursive: true })
  Fs.writeFileSync(Path.join(folder, "docs/guides/one.md"), text)
  Fs.writeFileSync(
    Path.join(folder, "README.md"),
    "| you have | begin here |\n| --- | --- |\n| a | [b](docs/guides/one.md) |\n"
  )
  return Guides.read(folder)[0]!
}

const fence = (kind: string, text: string): string => `\`\`\`${kind}\n${text}\n\`\`\`\n\n`
const section = `## In a folder of your own\n\n${fence("bash", "npm init -y")}Save it as \`a.mts\`.\n\n## Then\n`

describe("a guide", () => {
  const guides = Guides.read(root)

  it("is among those that the README begins with", () => {
    const pages = "wrap-one-tool a-loop-of-my-own mcp-tools-in-my-editor ai-sdk-agent langgraph-graph"
    assert.deepStrictEqual(
      guides.map(({ page }) => Path.basename(page, ".md")),
      [...pages.split(" "), "find-what-went-wrong", "my-first-contract"]
    )
  })

  for (const guide of guides) {
    it(`begins with an example of at most thirty lines, and says how to run it: ${guide.page}`, () => {
      assert.deepStrictEqual(Guides.faults(guide), [])
    })
  }

  it("is read with the first example, and the first one that imports a package", () => {
    const [theirs, ours] = ["console.log(1) // 1", 'import { a } from "@backstitch/sdk"\nconsole.log(a) // 2']
    const guide = guideOf(fence("ts", theirs!) + fence("ts", ours!) + section)
    assert.deepStrictEqual(
      [guide.programs.map(({ code }) => code), guide.install, guide.saved],
      [[`${theirs}\n`, `${ours}\n`], "npm init -y\n", "a.mts"]
    )
    assert.deepStrictEqual(Guides.faults(guide), [])
    assert.lengthOf(guideOf(fence("ts", ours!) + section).programs, 1)
  })

  it("has its faults named", () => {
    const lines = (count: number): string => Array.from({ length: count }, () => "console.log(1) // 1").join("\n")
    const faultsOf = (text: string): string => Guides.faults(guideOf(text)).join("\n")
    assert.strictEqual(faultsOf(fence("ts", lines(30)) + section), "")
    assert.strictEqual(
      faultsOf(fence("ts", lines(31)) + section),
      "docs/guides/one.md: its first example has 31 lines: at most 30"
    )
    assert.match(faultsOf(fence("yaml", lines(31)) + section), /31 lines/)
    assert.match(faultsOf(fence("ts", lines(1))), /how to install.*\n.*saved/)
    assert.match(faultsOf(fence("ts", "const a = 1") + section), /prints nothing/)
    assert.match(faultsOf(fence("ts fragment", "a()") + section), /no example/)
  })
})
