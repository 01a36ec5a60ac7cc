/** Granting scopes in a directory with roles, aliases, an audit log and live tokens. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Client from "../tools/Client.ts"
import * as Iam from "../tools/Iam.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const wanted: Iam.Grant = { principal: "ada", scopes: ["reports:read"], policyVersion: 3, approval: "ok-1" }

/** A directory in which Ada has nothing, and its other entries. */
const directory = async (name: string, records: ReadonlyArray<readonly [string, string, JsonObject]> = []) => {
  const client = Client.make(world.url, "iam", name)
  await client.enter("policy", "main", { version: 3 })
  await client.enter("principals", "ada", { scopes: [] })
  await client.enter("tokens", "ada", { version: 3 })
  for (const record of records) await client.enter(...record)
  return client
}
const grants = async (...about: Parameters<typeof directory>) => lab.act(Iam.grant(await directory(...about)), wanted)

describe.concurrent("a grant", () => {
  it("is confirmed when directory, audit log and token agree", async () => {
    lab.isReconciled(await grants("plain"))
  })

  it("brings the rest of a role with it: escalated", async () => {
    const trial = await grants("role", [["roles", "reports:read", { scopes: ["reports:read", "reports:delete"] }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "escalated", "value_mismatch"), {
      scopes: ["reports:read", "reports:delete"]
    })
  })

  it("reaches the account that a name was merged into: wrong_principal", async () => {
    const trial = await grants("merged", [["aliases", "ada", { to: "ada-admin" }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "wrong_principal", "wrong_target_modified"), { principal: "ada-admin" })
  })

  it("leaves no trace in an audit log that is full: no_audit_event", async () => {
    const trial = await grants("full", [["settings", "main", { auditFull: true }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "no_audit_event", "value_mismatch"), { audit: [] })
  })

  it("comes as a role with a wildcard: wildcard", async () => {
    const trial = await grants("wild", [["roles", "reports:read", { scopes: ["reports:read", "reports:*"] }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "wildcard", "value_mismatch"), {
      scopes: ["reports:read", "reports:*"]
    })
  })

  it("is not in a token that was kept from before: stale_token", async () => {
    const trial = await grants("kept", [["settings", "main", { keepsTokens: true }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "stale_token", "propagation_delay"), {
      policyVersion: 4,
      tokenVersion: 3
    })
  })

  it("is in a policy that somebody else has published since: policy_differs", async () => {
    const trial = await grants("published", [["settings", "main", { publishes: true }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "policy_differs", "stale_state"), { policyVersion: 5 })
  })
})
