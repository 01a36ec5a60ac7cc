import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../src/Repository.ts"
import * as Rooms from "../src/Rooms.ts"

const module = "/** A module. */\n"

const roomsOf = (home: string, paths: ReadonlyArray<string>, rule: Repository.Rule) => {
  const sources = paths.map((path) => [`${home}/src/${path}.ts`, module] as const)
  const all = new Repository.Repository([[`${home}/package.json`, "{}"], ...sources])
  return [...rule(all)].map(({ file }) => file)
}

describe("rooms", () => {
  it("demands a stack of a package with folders, and none of one without", () => {
    assert.deepStrictEqual(roomsOf("packages/clocks", ["Clock", "hands/Hand", "Limits"], Rooms.rooms), [
      "packages/clocks/src/hands/Hand.ts"
    ])
    assert.deepStrictEqual(roomsOf("packages/clocks", ["Clock", "Limits"], Rooms.rooms), [])
  })

  it("finds a folder with more than fifteen nouns in each package, the one without folders too", () => {
    const many = Array.from({ length: 16 }, (_, index) => `Clock${index}`)
    assert.deepStrictEqual(roomsOf("packages/clocks", many, Rooms.sizes), ["packages/clocks/src/Clock15.ts"])
    assert.deepStrictEqual(roomsOf("packages/clocks", many.slice(1), Rooms.sizes), [])
    assert.deepStrictEqual(roomsOf("benchmarks", many, Rooms.sizes), [])
  })
})

describe("listedRooms", () => {
  it("demands each folder of a stack on the page, in the order of the stack", () => {
    const sources = Object.fromEntries(
      ["queries/Tables", "postgres/Postgres", "sqlite/Sqlite", "tenants/RowSecurity"].map((path) => [
        `packages/sql/src/${path}.ts`,
        "/** A module. */\n"
      ])
    )
    const listed = (...rows: ReadonlyArray<string>) => {
      const table = [
        "| sql | what stands there |",
        "| --- | --- |",
        ...rows.map((row) => `| \`${row}\` | its modules |`)
      ]
      const page = ["## Rooms", "", ...table, ""].join("\n")
      const all = new Repository.Repository(Object.entries({ ...sources, "docs/ARCHITECTURE.md": page }))
      return [...Rooms.listedRooms(all)].map(({ line, rule }) => `${line}: ${rule}`)
    }
    assert.deepStrictEqual(listed("tenants", "postgres", "sqlite", "queries"), [])
    assert.deepStrictEqual(listed("tenants", "sqlite", "postgres", "queries"), ["3: rooms"])
    assert.deepStrictEqual(listed("tenants", "postgres", "queries"), ["3: rooms"])
  })
})

describe("reachedRooms", () => {
  it("demands a module of each folder, and refuses a folder in its place", () => {
    const paths = ["english/pages/runs", "english/terms/steps", "said/Words"]
    const sources = paths.map((path) => [`packages/wording/src/${path}.ts`, module] as const)
    const found = (...links: ReadonlyArray<string>) => {
      const page = links.map((path) => `| a change | [there](../packages/wording/src/${path}) |`).join("\n")
      const all = new Repository.Repository([...sources, ["docs/WHERE.md", page]])
      return [...Rooms.reachedRooms(all)].map(
        ({ advice, line }) => `${line}: ${advice.split(" ").slice(0, 3).join(" ")}`
      )
    }
    const [first, ...others] = ["english/pages/runs.ts", "english/terms/steps.ts", "english/findings/checks.ts"]
    assert.deepStrictEqual(found(first!, ...others, "said/Words.ts"), [])
    assert.deepStrictEqual(found(first!, "english/terms", "english/findings/checks.ts", "said/Words.ts"), [
      "2: name the module",
      "1: name a change"
    ])
    assert.lengthOf(found("english-pages/runs.ts"), 4)
  })
})

describe("reachedCommands", () => {
  it("demands each command of the command line, by its name", () => {
    const command = (name: string) =>
      [`apps/cli/src/commands/runs/${name}.ts`, `export const it = Command.make("${name}", config)\n`] as const
    const found = (page: string) => {
      const all = new Repository.Repository([command("doctor"), command("why-blocked"), ["docs/WHERE.md", page]])
      return [...Rooms.reachedCommands(all)].map(({ advice }) => advice)
    }
    assert.deepStrictEqual(found("| `doctor` | x |\n| `recover`, `why-blocked` | x |\n"), [])
    assert.deepStrictEqual(found("| `doctor RUN` | x |\n"), [
      "name the module that answers doctor",
      "name the module that answers why-blocked"
    ])
  })
})
