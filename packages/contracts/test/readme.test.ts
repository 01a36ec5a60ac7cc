import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

const example = readme.slice(readme.indexOf("```ts import.meta.vitest\n") + "```ts import.meta.vitest\n".length)
const code = example.slice(0, example.indexOf("\n```"))

describe("README", () => {
  it("shows an example that runs and prints the shown observations", async () => {
    const folder = mkdtempSync(join(import.meta.dirname, ".readme-"))
    try {
      const observed = code.replace(/^(.*\S) +\/\/ => (.*)$/gm, "observed.push([$1, $2])")
      const file = join(folder, "example.ts")
      writeFileSync(file, `export const observed: Array<[unknown, unknown]> = []\n${observed}\n`)
      const module: { readonly observed: ReadonlyArray<[unknown, unknown]> } = await import(file)
      assert.isAtLeast(module.observed.length, 3)
      for (const [actual, expected] of module.observed) assert.deepStrictEqual(actual, expected)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
