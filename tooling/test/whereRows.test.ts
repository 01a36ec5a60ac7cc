import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../src/Repository.ts"
import * as WhereRows from "../src/WhereRows.ts"

const module = "/** A module. */\n"

const found = (rule: Repository.Rule, texts: Readonly<Record<string, string>>) =>
  [...rule(new Repository.Repository(Object.entries(texts)))].map(({ advice, line }) => `${line}: ${advice}`)

describe("reachedRooms", () => {
  it("demands a module of each folder, and refuses a folder in its place", () => {
    const paths = ["english/pages/runs", "english/terms/steps", "said/Words"]
    const sources = Object.fromEntries(paths.map((path) => [`packages/wording/src/${path}.ts`, module]))
    const told = (...links: ReadonlyArray<string>) => {
      const page = links.map((path) => `| a change | [there](../packages/wording/src/${path}) |`).join("\n")
      return found(WhereRows.reachedRooms, { ...sources, "docs/WHERE.md": page }).map((each) =>
        each.split(" ").slice(0, 4).join(" ")
      )
    }
    const [first, ...others] = ["english/pages/runs.ts", "english/terms/steps.ts", "english/findings/checks.ts"]
    assert.deepStrictEqual(told(first!, ...others, "said/Words.ts"), [])
    assert.deepStrictEqual(told(first!, "english/terms", "english/findings/checks.ts", "said/Words.ts"), [
      "2: name the module",
      "1: name a change"
    ])
    assert.lengthOf(told("english-pages/runs.ts"), 4)
  })
})

describe("reachedModules", () => {
  it("demands each module of eighty lines or more, whether a row begins there or only mentions it", () => {
    const long = (lines: number) => `${module}${"export {}\n".repeat(lines - 1)}`
    const told = (page: string) =>
      found(WhereRows.reachedModules, {
        "apps/cli/src/Cli.ts": long(80),
        "packages/sql/src/SqlLeases.ts": long(79),
        "packages/sql/src/queries/Tables.ts": long(80),
        // Limits and tables of contents have pages of their own, and tests are found by the names of their modules.
        "packages/sql/src/Limits.ts": long(90),
        "packages/sql/src/index.ts": long(90),
        "packages/sql/test/Tables.test.ts": long(90),
        "docs/WHERE.md": page
      })
    const both = "| a | [x](../apps/cli/src/Cli.ts) | [y](../packages/sql/src/queries/Tables.ts) |\n"
    assert.deepStrictEqual(told(both), [])
    assert.deepStrictEqual(told("| a | [x](../packages/sql/src/queries/Tables.ts) |  |\n"), [
      "1: name a change or a symptom that leads to apps/cli/src/Cli.ts, which has 80 lines"
    ])
  })
})

describe("askedModules", () => {
  it("demands modules that exist, each once and in order", () => {
    const told = (...paths: ReadonlyArray<string>) =>
      found(WhereRows.askedModules, {
        "packages/sql/src/Tables.ts": module,
        "packages/sql/src/Rows.ts": module,
        "docs/asked.txt": paths.map((path) => `packages/sql/src/${path}.ts: a column is missing`).join("\n")
      }).map((each) => each.replaceAll("packages/sql/src/", ""))
    assert.deepStrictEqual(told("Rows", "Tables"), [])
    assert.deepStrictEqual(told("Cells", "Tables", "Rows", "Rows"), [
      "1: Cells.ts is not there: name the module where it went",
      "3: Rows.ts stands behind Tables.ts: one line for a module, in order",
      "4: Rows.ts stands behind Rows.ts: one line for a module, in order"
    ])
  })
})

describe("reachedCommands", () => {
  const runtime = JSON.stringify({
    name: "@backstitch/runtime",
    exports: { "./Diffing": "./src/Diffing.ts", "./RunComparison": "./src/RunComparison.ts" }
  })
  const commands = (handlers: Readonly<Record<string, string>>, page: string) =>
    found(WhereRows.reachedCommands, {
      "packages/runtime/package.json": runtime,
      ...Object.fromEntries(
        Object.entries(handlers).flatMap(([name, text]) => [
          [`apps/cli/src/commands/runs/${name}.ts`, `export const it = Command.make("${name}", config)\n`],
          [`apps/cli/src/commands/runs/${name}.run.ts`, text]
        ])
      ),
      "apps/cli/src/program/Session.ts": 'import * as Diffing from "@backstitch/runtime/Diffing"\n',
      "docs/WHERE.md": page
    })
  const row = (name: string, module: string) =>
    `| [\`${name}\`](../apps/cli/src/commands/runs/${name}.run.ts) | [x](../packages/runtime/src/${module}.ts) |  |\n`
  const compares = 'import * as RunComparison from "@backstitch/runtime/RunComparison"\n'

  it("demands each command of the command line, by its name and by its handler", () => {
    const handlers = { diff: compares, doctor: compares }
    assert.deepStrictEqual(commands(handlers, row("diff", "RunComparison") + row("doctor", "RunComparison")), [])
    assert.deepStrictEqual(commands(handlers, row("diff", "RunComparison")), [
      "1: name the module that answers doctor",
      "1: name the module that answers apps/cli/src/commands/runs/doctor.run.ts"
    ])
  })

  it("refuses a module that the handler does not call, itself or through a module of the command line", () => {
    const wrong =
      "1: apps/cli/src/commands/runs/diff.run.ts does not call packages/runtime/src/Diffing.ts: name what it calls"
    const told = (handler: string, module: string) => commands({ diff: handler }, row("diff", module))
    assert.deepStrictEqual(told(compares, "RunComparison"), [])
    assert.deepStrictEqual(told(compares, "Diffing"), [wrong])
    assert.deepStrictEqual(told('import * as Session from "../../program/Session.ts"\n', "Diffing"), [])
    assert.deepStrictEqual(told('import type * as Diffing from "@backstitch/runtime/Diffing"\n', "Diffing"), [wrong])
    assert.deepStrictEqual(told('const it = import("@backstitch/runtime/Diffing")\n', "Diffing"), [])
  })

  it("refuses a row without an answer", () => {
    const page = "| [`diff`](../apps/cli/src/commands/runs/diff.run.ts) |  |  |\n"
    assert.deepStrictEqual(commands({ diff: compares }, page), [
      "1: apps/cli/src/commands/runs/diff.run.ts does not call what answers it: name what it calls"
    ])
  })
})
