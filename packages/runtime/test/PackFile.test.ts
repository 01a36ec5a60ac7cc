import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PackFile from "../src/files/PackFile.ts"

const yaml = `pack: test.files
version: 1.0.0
state:
  world:
    seats: { table: { key: id, row: { free: bool } } }
tools:
  take:
    class: critical_mutation
    input: { id: string }
    identity: none
    model: { function: ./take.ts }
violations:
  - id: full
    each: world.seats
    when:
      function: "./full.ts"
`

const take = `/** Takes a seat. */
import type { Call } from "./nowhere.ts"

interface Args { readonly id: string }

// Types go; the function stays as it was written.
export default ({ args, world }: Call<Args>): object => ({
  output: "taken",
  world: { seats: world.seats.set(args.id, { free: false }) }
})
`

const full = "export default function full({ row }: { row: { free: boolean } }) { return !row.free };\n"

const files: Readonly<Record<string, string>> = { "take.ts": take, "full.ts": full }

const parse = (text: string, from: Readonly<Record<string, string>> = files) =>
  PackFile.parse(text, {
    file: "packs/pack.yaml",
    read: (path) => {
      const found = from[path.slice(path.lastIndexOf("packs/") + "packs/".length)]
      if (found === undefined) throw Object.assign(new Error("missing"), { code: "ENOENT" })
      return found
    }
  })

const issues = (text: string, from?: Readonly<Record<string, string>>) => {
  const parsed = parse(text, from)
  return Result.isFailure(parsed) ? parsed.failure.issues : []
}

describe("PackFile", () => {
  it("takes the functions that a pack names from their files, without running them", () => {
    const pack = Result.getOrThrow(parse(yaml))
    const source = pack.tools["take"]?.model?.function.source
    assert.match(String(source), /^\(\{ args, world \}/)
    assert.notInclude(String(source), "Call<Args>")
    const throwing = { ...files, "take.ts": `${take}\nthrow new Error("never run")\n` }
    assert.match(issues(yaml, throwing)[0]?.found ?? "", /not the source of one function expression/)
  })

  it("gives the pack the digest of the same definition with its functions written out", () => {
    const pack = Result.getOrThrow(parse(yaml))
    const again = Result.getOrThrow(TaskPack.fromJson(TaskPack.toJson(pack)))
    assert.strictEqual(again.digest, pack.digest)
    const other = Result.getOrThrow(parse(yaml, { ...files, "full.ts": full.replace("!row.free", "row.free") }))
    assert.notStrictEqual(other.digest, pack.digest)
  })

  it("reports the faults of all files at once, each with its place", () => {
    const broken = yaml.replace("class: critical_mutation", "class: critical").replace("./full.ts", "./gone.ts")
    const found = issues(broken, { "take.ts": take.replace("args.id", "seat") })
    assert.deepStrictEqual(
      found.map(({ line }) => line),
      [8, 11, 16]
    )
    assert.match(found[1]?.found ?? "", /seat/)
    assert.match(found[2]?.found ?? "", /\.\/gone\.ts, which cannot be read: there is no such file/)
  })

  it("refuses a module that is more than one function and types", () => {
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      [
        "const limit = 3\nexport default () => limit",
        /holds more than one function and types, from `const limit = 3` on/
      ],
      ["import { x } from './x.ts'\nexport default () => x", /from `import \{ x \} from '\.\/x\.ts'` on/],
      ["export const take = () => 1", /has no `export default`/],
      ["export default (a: ) => 1", /not TypeScript/],
      ["enum Seat { A }\nexport default () => 1", /not TypeScript/]
    ]
    for (const [module, expected] of cases) {
      const source = PackFile.functionSource(module)
      assert.match(Result.isFailure(source) ? source.failure : "none", expected)
    }
  })

  it.effect("refuses bytes that are no text in UTF-8, which would be read as text that no person reviewed", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "backstitch-pack-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const file = join(folder, "pack.yaml")
      const plain = "pack: test.bytes\nversion: 1.0.0\ndescription: caf"
      writeFileSync(file, Buffer.from(`${plain}\u00e9\n`, "latin1"))
      const error = yield* Effect.flip(PackFile.load(file))
      assert.strictEqual(error._tag, "PackUnreadable")
      assert.include(error.message, "it is no text in UTF-8")
      writeFileSync(file, `\ufeff${plain}\u00e9\n`)
      assert.strictEqual((yield* PackFile.load(file)).id, "test.bytes")
    })
  )

  it.effect("loads from a folder, and names a pack that is not there", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-pack-"))),
      (folder) =>
        Effect.gen(function* () {
          for (const [name, text] of Object.entries({ ...files, "pack.yaml": yaml }))
            writeFileSync(join(folder, name), text)
          const pack = yield* PackFile.load(join(folder, "pack.yaml"))
          assert.strictEqual(pack.id, "test.files")
          const missing = yield* Effect.flip(PackFile.load(join(folder, "none.yaml")))
          assert.match(missing.message, /none\.yaml cannot be read: there is no such file/)
        }),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
  )
})
