import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../src/Repository.ts"
import * as Rooms from "../src/Rooms.ts"

describe("listedRooms", () => {
  it("demands each folder of a stack on the page, in the order of the stack", () => {
    const sources = Object.fromEntries(
      ["queries/Tables", "postgres/Postgres", "sqlite/Sqlite"].map((path) => [
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
    assert.deepStrictEqual(listed("postgres", "sqlite", "queries"), [])
    assert.deepStrictEqual(listed("sqlite", "postgres", "queries"), ["3: rooms"])
    assert.deepStrictEqual(listed("postgres", "queries"), ["3: rooms"])
  })
})
