import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

describe("backstitch key", () => {
  it("makes a key and the store, shows its text once, lists it, and revokes it for its tenant", async () => {
    const acme = ["--tenant", "acme", "--json"]
    const made = await shell.run(["key", "create", "--name", "Ada", "--role", "approver", "--as", "manager", ...acme])
    assert.strictEqual(made.code, 0)
    const { key, text } = JSON.parse(made.out)
    assert.match(text, /^bsk_[0-9a-f]{16}_[0-9a-f]{64}$/)
    assert.deepInclude(key, { name: "Ada", role: "approver", capacities: ["manager"], revoked: null })
    const listed = await shell.run(["key", "list", "--tenant", "acme"])
    assert.include(listed.out, key.id)
    assert.notInclude(listed.out, text.slice(-64))
    assert.include((await shell.run(["key", "list"])).out, "Tenant default has no keys")
    const foreign = await shell.run(["key", "revoke", key.id])
    assert.deepStrictEqual([foreign.code, foreign.out], [2, ""])
    assert.strictEqual((await shell.run(["key", "revoke", key.id, "--tenant", "acme"])).code, 0)
    const { keys } = JSON.parse((await shell.run(["key", "list", ...acme])).out)
    assert.isString(keys[0].revoked)
  })
})
