import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TenantKeys from "../src/sealing/TenantKeys.ts"

const { tenant } = Run.make("trip")
const hex = "ab".repeat(32)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "keys-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const found = (file: string, options?: { readonly make: boolean }) =>
  Effect.map(Effect.flip(TenantKeys.fromFile(file, options).key(tenant)), (error) => error.found)

describe("TenantKeys", () => {
  it("reads a key of 32 bytes in hex and base64, and nothing else", () => {
    const bytes = Buffer.from(hex, "hex")
    for (const text of [hex, `${hex}\n`, bytes.toString("base64"), bytes.toString("base64url")]) {
      assert.deepStrictEqual(Buffer.from(TenantKeys.parse(text) ?? []), bytes)
    }
    for (const text of ["", "ab", `${hex}ab`, "password", "ä".repeat(43)]) assert.isUndefined(TenantKeys.parse(text))
  })

  it.effect("makes a file that its owner alone can read, once, if it is asked to", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "key")
      const first = { first: true }
      const [one, two] = [1, 2].map(() => TenantKeys.fromFile(file, { make: true }))
      assert.strictEqual(yield* found(file), "nothing")
      assert.strictEqual((yield* Effect.flip(TenantKeys.fromFile(file).key(tenant, first))).found, "nothing")
      assert.strictEqual((yield* Effect.flip(one!.key(tenant))).found, "nothing")
      const keys = yield* Effect.all([one!.key(tenant, first), two!.key(tenant, first)], { concurrency: "unbounded" })
      assert.deepStrictEqual(keys[0], keys[1])
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.deepStrictEqual(Buffer.from(keys[0]!).toString("hex"), readFileSync(file, "utf8").trim())
    })
  )

  it.effect("refuses a file that others can read, and one that holds no key", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "key")
      writeFileSync(file, "no key", { mode: 0o600 })
      assert.strictEqual(yield* found(file, { make: true }), "no_key")
      writeFileSync(file, hex)
      chmodSync(file, 0o644)
      assert.strictEqual(yield* found(file), "exposed")
    })
  )

  it.effect("names the place at which a key was looked for, and never its content", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(TenantKeys.fromText("hunter2", "SEALING_KEY").key(tenant))
      assert.include(error.message, "SEALING_KEY")
      assert.notInclude(error.message, "hunter2")
      assert.strictEqual((yield* Effect.flip(TenantKeys.fromText("", "SEALING_KEY").key(tenant))).found, "nothing")
    })
  )
})
