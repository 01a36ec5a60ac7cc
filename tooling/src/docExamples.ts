/**
 * Runs the examples of doc comments, so that they stay correct.
 *
 * An example is a fence marked `ts import.meta.vitest` under a line `**Example** (Title)`. Each line that ends in `//
 * => value` is checked. An example without such a line is refused, because it checks nothing. Examples import like a
 * reader's code, and run as separate modules in a scratch folder beside the sources, where those imports resolve.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Equal from "effect/Equal"
import { afterAll, assert, describe, it } from "vitest"
import { type Example, examplesOf } from "./Examples.ts"

/** Writes an example as a module that passes each observed value and its expected value to `check`. */
export const moduleOf = ({ code }: Example): string => {
  const body = code.join("\n")
  const statement = /^import [^"]*?from "[^"]+"$/gm
  const imports = body.match(statement) ?? []
  const observed = body
    .replace(statement, "")
    .replace(/^(?<indent> *)(?<actual>\S.*?) +\/\/ => (?<expected>.+)$/gm, "$<indent>check($<actual>, $<expected>)")
  return `${imports.join("\n")}\nexport const example = async (check) => {\n${observed}\n}\n`
}

/** Registers a test for every example in the files of a folder. */
export const docExamples = (sourceFolder: string): void => {
  const files = Fs.readdirSync(sourceFolder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts")
  )
  let scratch: string | undefined
  afterAll(() => scratch !== undefined && Fs.rmSync(scratch, { recursive: true, force: true }))
  for (const file of files.sort()) {
    const examples = examplesOf(Fs.readFileSync(Path.join(sourceFolder, file), "utf8"))
    if (examples.length === 0) continue
    describe(`examples in ${Path.relative(process.cwd(), Path.join(sourceFolder, file))}`, () => {
      for (const example of examples) {
        it(example.title, async () => {
          scratch ??= Fs.mkdtempSync(Path.join(Path.dirname(sourceFolder), ".docs-"))
          const path = Path.join(scratch, `${file.replaceAll(/\W+/g, "-")}-${example.line}.ts`)
          Fs.writeFileSync(path, moduleOf(example))
          const checks = await run(path)
          assert.isAbove(checks, 0, "the example observes nothing")
        })
      }
    })
  }
}

const run = async (path: string): Promise<number> => {
  let checks = 0
  const { example } = (await import(/* @vite-ignore */ path)) as {
    readonly example: (check: (actual: unknown, expected: unknown) => void) => Promise<void>
  }
  await example((actual, expected) => {
    checks++
    if (!Equal.equals(actual, expected)) assert.deepStrictEqual(actual, expected)
  })
  return checks
}
