import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import { docExamples, moduleOf } from "../src/docExamples.ts"
import { examplesOf } from "../src/Examples.ts"

const root = Path.resolve(import.meta.dirname, "../..")

const folders = ["packages", "packages/adapters"]
  .flatMap((parent) => Fs.globSync(`${parent}/*/src`, { cwd: root }))
  .sort()
for (const folder of folders) docExamples(Path.join(root, folder))

describe("docExamples", () => {
  const source = [
    "/**",
    " * Adds.",
    " *",
    " * **Example** (Adding)",
    " *",
    " * ```ts import.meta.vitest",
    ' * import { add } from "somewhere"',
    " *",
    " * const sum = add(1, 2)",
    " * sum // => 3",
    " * ```",
    " *",
    " * ```ts",
    " * neverRun()",
    " * ```",
    " */"
  ].join("\n")

  it("finds the marked fences, with their titles and lines", () => {
    const examples = examplesOf(source)
    assert.deepStrictEqual(
      examples.map(({ line, title }) => [title, line]),
      [["Adding", 7]]
    )
  })

  it("turns observations into checks and lifts imports", () => {
    const [example] = examplesOf(source)
    const module = moduleOf(example!)
    assert.match(module, /^import \{ add \} from "somewhere"\nexport const example/)
    assert.include(module, "\ncheck(sum, 3)\n")
    assert.notInclude(module, "neverRun")
  })

  it("finds the examples that packages have", () => {
    assert.isAbove(folders.length, 5)
    const marked = folders
      .flatMap((folder) => Fs.globSync(`${folder}/**/*.ts`, { cwd: root }))
      .map((file) => Fs.readFileSync(Path.join(root, file), "utf8"))
    for (const text of marked) {
      const fences = text.match(/^ *\* ```ts import\.meta\.vitest$/gm)?.length ?? 0
      assert.strictEqual(examplesOf(text).length, fences)
    }
  })
})
