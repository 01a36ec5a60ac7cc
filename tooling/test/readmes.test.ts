/** Examples of documents compile in a strict project as a reader copies them, and print what the document says. */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import * as Readmes from "../src/Readmes.ts"

const root = Path.resolve(import.meta.dirname, "../..")

/** Guides to a framework, whose package has it. */
const frameworks: Readonly<Record<string, string>> = {
  "docs/guides/langgraph-graph.md": "packages/adapters/langgraph"
}

/** The folder from which the imports of a document resolve: its package, or the program, which has them all. */
const homeOf = (file: string): string =>
  frameworks[file] ?? /^packages\/(?:adapters\/)?[^/]+/.exec(file)?.[0] ?? "apps/cli"

const documents = ["README.md", "packages/*/README.md", "packages/adapters/*/README.md", "apps/*/README.md"]
  .concat("docs/guides/*.md", "examples/*/README.md")
  .flatMap((pattern) => Fs.globSync(pattern, { cwd: root }))
  .sort()

const scratch = new Map<string, string>()
afterAll(() => {
  for (const folder of scratch.values()) Fs.rmSync(folder, { recursive: true, force: true })
})

const copied = documents.flatMap((file) =>
  Readmes.examplesOf(Fs.readFileSync(Path.join(root, file), "utf8")).map((example) => {
    const home = homeOf(file)
    const folder = scratch.get(home) ?? Fs.mkdtempSync(Path.join(root, home, ".docs-"))
    scratch.set(home, folder)
    const path = Path.join(folder, `${file.replaceAll(/\W+/g, "-")}-${example.line}.ts`)
    Fs.writeFileSync(path, `${example.code}\nexport {}\n`)
    return { ...example, name: `${file}:${example.line}`, path }
  })
)

const spaceless = (text: string): string => text.replaceAll(/\s/g, "")

describe("an example of a document", () => {
  it("is found with its printed output, unless it is a fragment", () => {
    const text =
      "# a\n\n```ts\nconsole.log(1) // 1\nconsole.log(2)\n// 2\n```\n\n```ts fragment\nx\n```\n\n```sh\ny\n```\n"
    assert.deepStrictEqual(Readmes.examplesOf(text), [
      { line: 4, code: "console.log(1) // 1\nconsole.log(2)\n// 2\n", prints: ["1", "2"] }
    ])
    assert.isAbove(copied.length, 12)
  })

  it("compiles under strict TypeScript", () => {
    const folder = Fs.mkdtempSync(Path.join(root, "tooling/.docs-"))
    scratch.set(folder, folder)
    const options = { noEmit: true, allowImportingTsExtensions: true, noUnusedLocals: false }
    const config = { extends: Path.join(root, "tooling/tsconfig/base.json"), compilerOptions: options }
    const project = Path.join(folder, "tsconfig.json")
    Fs.writeFileSync(project, JSON.stringify({ ...config, files: copied.map(({ path }) => path) }))
    const compiler = Path.join(root, "node_modules/.bin/tsc")
    const { status, stdout } = spawnSync(compiler, ["-p", project], { encoding: "utf8", cwd: root })
    const said = copied.reduce((text, { name, path }) => text.replaceAll(Path.relative(root, path), name), stdout)
    assert.strictEqual(status, 0, said)
  })

  for (const { name, path, prints } of copied.filter(({ prints }) => prints.length > 0)) {
    it(`prints what it says: ${name}`, () => {
      const { stderr, stdout } = spawnSync(process.execPath, [path], { encoding: "utf8" })
      assert.strictEqual(spaceless(stdout), spaceless(prints.join("")), stderr)
    })
  }
})
