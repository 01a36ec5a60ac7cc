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
