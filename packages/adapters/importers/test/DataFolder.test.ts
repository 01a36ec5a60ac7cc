import { createHash } from "node:crypto"
import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as DataFolder from "../src/text/DataFolder.ts"
import { inFolder } from "./fixture.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

describe("DataFolder", () => {
  it.effect("reads every table under db, plain or gzip", () =>
    inFolder([], ({ folder }) =>
      Effect.gen(function* () {
        writeFileSync(`${folder}/db/loans.json`, '{"l1": {"of": "ada"}}')
        writeFileSync(`${folder}/db/notes.txt`, "no table")
        const { tables } = yield* DataFolder.read(folder)
        assert.deepStrictEqual(Object.keys(tables), ["accounts", "loans"])
        assert.deepStrictEqual(tables["accounts"]?.get("ada"), { balance: 100 })
        assert.deepStrictEqual(tables["loans"]?.get("l1"), { of: "ada" })
      })
    )
  )

  it("hashes tables as Python prints them, in any order of tables and rows", () => {
    const users = Table.from([
      ["b", { name: "it's" }],
      ["a", { name: null }]
    ])
    const flights = Table.from([["f", { seats: [1] }]])
    const text = `(('flights', (('f', (('seats', (1,)),)),)), ('users', (('a', (('name', None),)), ('b', (('name', "it's"),)))))`
    assert.strictEqual(DataFolder.hash({ users, flights }), sha256(text))
    assert.strictEqual(
      DataFolder.hash({ flights, users: Table.empty.set("a", { name: null }).set("b", { name: "it's" }) }),
      sha256(text)
    )
    assert.notStrictEqual(DataFolder.hash({ flights, users: users.set("a", { name: "" }) }), sha256(text))
    assert.strictEqual(DataFolder.hash({ users: Table.empty }), sha256("(('users', ()),)"))
  })

  it.effect("names the fault of a folder", () =>
    inFolder([], ({ folder }) =>
      Effect.gen(function* () {
        assert.match((yield* Effect.flip(DataFolder.read(`${folder}/none`))).message, /none has no folder db/)
        writeFileSync(`${folder}/db/list.json`, "[]")
        assert.match((yield* Effect.flip(DataFolder.read(folder))).message, /list\.json cannot be read as a table/)
        rmSync(`${folder}/db/list.json`)
        appendFileSync(`${folder}/db/accounts.json.gz`, "x")
        assert.match(
          (yield* Effect.flip(DataFolder.read(folder))).message,
          /accounts\.json\.gz cannot be read as a table/
        )
        rmSync(`${folder}/db/accounts.json.gz`)
        assert.match((yield* Effect.flip(DataFolder.read(folder))).message, /db holds no table/)
      })
    )
  )
})
