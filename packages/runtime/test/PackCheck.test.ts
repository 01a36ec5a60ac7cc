import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PackCheck from "../src/files/PackCheck.ts"

const checked = (text: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-pack-"))),
    (folder) => {
      writeFileSync(join(folder, "pack.yaml"), text)
      return PackCheck.file(join(folder, "pack.yaml"))
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const pack = (end: string) => `pack: test.check\nversion: 1.0.0\nstate:\n  world: { spent: int }\n${end}`

describe("PackCheck", () => {
  it.effect("tells a contract that is right from one that cannot be read and one that is not pure", () =>
    Effect.gen(function* () {
      const right = yield* checked(pack(""))
      assert.deepInclude(right, { ok: true, issues: [], impure: [] })
      assert.strictEqual(right.pack?.id, "test.check")
      assert.deepInclude(right.reversibility, { ratio: 1, tools: [] })
      const broken = yield* checked(pack("tolls: {}\n"))
      assert.isFalse(broken.ok)
      assert.isUndefined(broken.pack)
      assert.isUndefined(broken.reversibility)
      assert.strictEqual(broken.issues.length, 1)
      const impure = yield* checked(
        pack("violations:\n  - { id: late, when: { function: '({ world }) => { world.spent = 1; return true }' } }\n")
      )
      assert.isFalse(impure.ok)
      assert.deepStrictEqual([impure.issues.length, impure.impure.length, impure.pack?.id], [0, 1, "test.check"])
    })
  )

  it.effect("fails if there is no file", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(PackCheck.file("/nowhere/pack.yaml")))._tag, "PackUnreadable")
    })
  )
})
