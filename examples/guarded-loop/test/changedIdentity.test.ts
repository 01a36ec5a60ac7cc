import * as ChildProcess from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, describe, it } from "vitest"

const program = Path.join(import.meta.dirname, "charging.ts")

const folders: Array<string> = []
afterAll(() => {
  for (const folder of folders) Fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** The stores of the tests; naming the variable has a server started for them. */
const places = {
  SQLite: (folder: string) => ({ store: Path.join(folder, "trace.db") }),
  Postgres: (folder: string) => ({
    store: process.env["BACKSTITCH_TEST_POSTGRES"] ?? assert.fail("no Postgres was started for this run"),
    tenant: Path.basename(folder),
    secret: "the same wherever this store is used"
  })
}

interface Charging {
  readonly fields: ReadonlyArray<string>
  readonly before?: string
  readonly order?: string
}

/** Programs that charge on one store, each in a process of its own, and the books of what was sent. */
const world = (place: keyof typeof places, how: "guarded" | "pack") => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-identity-"))
  folders.push(folder)
  const books = Path.join(folder, "books")
  Fs.writeFileSync(books, "")
  const settings = { ...places[place](folder), books, how }
  const charges = (charging: Charging): Promise<string> => {
    const words = [program, JSON.stringify({ order: "4711", ...settings, ...charging })]
    return new Promise((resolve, fail) =>
      ChildProcess.execFile(process.execPath, words, (error, out) =>
        error === null ? resolve(out.trim()) : fail(error)
      )
    )
  }
  return { charges, sent: () => Fs.readFileSync(books, "utf8").split("\n").length - 1 }
}

const [whole, narrow] = [["order", "amount"], ["order"]]

describe("a tool whose identity was changed", () => {
  for (const [how, place] of [
    ["guarded", "SQLite"],
    ["pack", "Postgres"]
  ] as const) {
    it(`does no act of before again (${how}, ${place}), unless its owner gives the old identity up`, async () => {
      const { charges, sent } = world(place, how)
      assert.strictEqual(await charges({ fields: whole }), "done")
      const refused = await charges({ fields: narrow })
      assert.match(refused, /^identity_differs\n/)
      assert.include(refused, 'told apart by "tenant: amount, order"')
      assert.include(refused, 'they would be by "tenant: order"')
      assert.include(refused, 'identityBefore: "tenant: amount, order"')
      assert.match(await charges({ fields: narrow, before: "tenant: something else" }), /^identity_differs/)
      assert.deepStrictEqual([await charges({ fields: whole }), sent()], ["done", 1])
      const before = "tenant: amount, order"
      assert.deepStrictEqual([await charges({ fields: narrow, before }), sent()], ["done", 2])
      // The identity of before comes back, in a process that was not told of the change.
      assert.match(await charges({ fields: whole, order: "4712" }), /^identity_differs/)
      assert.deepStrictEqual([await charges({ fields: narrow, before }), sent()], ["done", 2])
    })
  }

  it("lets one of several identities be first that come at once", async () => {
    const { charges, sent } = world("SQLite", "guarded")
    const all = await Promise.all([whole, narrow, whole, narrow].map((fields) => charges({ fields })))
    const done = all.filter((each) => each === "done")
    assert.deepStrictEqual([done.length, all.length - done.length, sent()], [2, 2, 1], all.join("\n"))
  })
})
