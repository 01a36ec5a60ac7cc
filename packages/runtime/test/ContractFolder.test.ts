import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ContractFolder from "../src/files/ContractFolder.ts"

const inFolder = <A, E>(work: (folder: string, to: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-contracts-"))),
    (root) => {
      mkdirSync(join(root, "contracts/desk"), { recursive: true })
      writeFileSync(join(root, "contracts/desk/pack.yaml"), 'pack: acme.desk\nversion: "1"\n')
      writeFileSync(join(root, "contracts/desk/tools.ts"), "export const desk = 1\n")
      return work(join(root, "contracts"), join(root, "copy"))
    },
    (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
  )

describe("ContractFolder", () => {
  it.effect("copies every file of a contract", () =>
    inFolder((folder, to) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          (yield* ContractFolder.list(folder)).map(({ files, name }) => [name, files]),
          [["desk", ["pack.yaml", "tools.ts"]]]
        )
        const { files } = yield* ContractFolder.copy(folder, "desk", to)
        assert.deepStrictEqual(files, [join(to, "pack.yaml"), join(to, "tools.ts")])
        assert.strictEqual(readFileSync(join(to, "tools.ts"), "utf8"), "export const desk = 1\n")
      })
    )
  )

  it.effect("copies nothing where one file would be replaced, and names it", () =>
    inFolder((folder, to) =>
      Effect.gen(function* () {
        mkdirSync(to)
        writeFileSync(join(to, "tools.ts"), "mine")
        const refused = yield* Effect.flip(ContractFolder.copy(folder, "desk", to))
        assert.include(refused.message, `${join(to, "tools.ts")} would be replaced`)
        assert.strictEqual(readFileSync(join(to, "tools.ts"), "utf8"), "mine")
        assert.isFalse(existsSync(join(to, "pack.yaml")))
      })
    )
  )

  it.effect("names the contracts that there are where one is not", () =>
    inFolder((folder, to) =>
      Effect.gen(function* () {
        const unknown = yield* Effect.flip(ContractFolder.copy(folder, "desks", to))
        assert.strictEqual(unknown.message, "There is no contract desks to copy. There are: desk")
      })
    )
  )
})
