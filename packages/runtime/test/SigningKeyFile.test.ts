import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import * as SigningKeyFile from "../src/files/SigningKeyFile.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-key-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("SigningKeyFile", () => {
  it.effect("makes a key that only its owner can read, finds it again, and refuses a file without one", () =>
    Effect.gen(function* () {
      const file = join(folder, "note.pem")
      const made = yield* SigningKeyFile.signer(file, "example.org/log")
      const again = yield* SigningKeyFile.signer(file, "example.org/log")
      assert.strictEqual(made.verifier, again.verifier)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      writeFileSync(file, "no key")
      const refusal = (path: string) => Effect.map(Effect.flip(SigningKeyFile.signer(path, "x")), (e) => e.message)
      assert.include(yield* refusal(file), "no private Ed25519 key in PEM")
      assert.include(yield* refusal(join(folder, "none/k.pem")), "cannot be used")
    })
  )
})
