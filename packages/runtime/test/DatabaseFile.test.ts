import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import * as DatabaseFile from "../src/files/DatabaseFile.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-database-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("DatabaseFile", () => {
  it("tells a database from an empty file, another file, a folder and nothing", () => {
    const store = join(folder, "store")
    const database = new DatabaseSync(store)
    database.exec("create table runs (id integer)")
    database.close()
    writeFileSync(join(folder, "empty"), "")
    writeFileSync(join(folder, "notes"), "SQLite format 3 is a format")
    assert.isTrue(DatabaseFile.isOne(store))
    for (const name of ["empty", "notes", ".", "absent"]) assert.isFalse(DatabaseFile.isOne(join(folder, name)), name)
  })
})
