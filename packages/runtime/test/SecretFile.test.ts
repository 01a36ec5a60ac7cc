import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { SecretFile } from "@backstitch/runtime"
import * as Effect from "effect/Effect"
import { afterAll, assert, describe, it } from "vitest"

const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-secret-"))
afterAll(() => Fs.rmSync(folder, { recursive: true, force: true }))

describe("SecretFile", () => {
  it("makes a secret once, which only its owner can read, and finds it afterwards", async () => {
    const place = Path.join(folder, "new", "secret")
    assert.isUndefined(await Effect.runPromise(SecretFile.find(place)))
    const secret = await Effect.runPromise(SecretFile.make(place))
    assert.match(secret, /^[0-9a-f]{64}$/)
    assert.strictEqual(await Effect.runPromise(SecretFile.make(place)), secret)
    assert.strictEqual(await Effect.runPromise(SecretFile.find(place)), secret)
    assert.strictEqual(Fs.statSync(place).mode & 0o777, 0o600)
  })

  it("refuses a place that cannot be read, and says nothing of a secret", async () => {
    const error = await Effect.runPromise(Effect.flip(SecretFile.find(folder)))
    assert.strictEqual(error._tag, "SecretUnreadable")
    assert.include(error.message, "BACKSTITCH_SECRET")
  })
})
