/** Grants scopes, proven by the directory, the audit log and a live token. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** A grant. `policyVersion` is the version of the policy when the grant was planned. */
export interface Grant {
  readonly principal: string
  readonly scopes: ReadonlyArray<string>
  readonly policyVersion: number
  readonly approval: string
}

/** The tool. */
export const grant = (client: Client): Proven.Proven => ({
  contract: Proven.contract("security", {
    class: "critical_mutation",
    input: { principal: "string", scopes: { list: "string" }, policyVersion: "int", approval: "string" },
    identity: ["principal", "approval"],
    target: "'principal/' + args.principal",
    waives: { tenant: "a directory has the principals of one tenant" },
    options: {
      wants: {
        scopes: "args.scopes",
        principal: "args.principal",
        trace: "key",
        policyVersion: "args.policyVersion + 1",
        granted: "args.scopes",
        removed: "['admin']",
        diff: "args.scopes",
        approval: "args.approval",
        actor: "'agent'"
      },
      confirm: ["granted", "removed", "diff", "approval", "actor"],
      sources: [{ source: "policy", from: "primary", expect: "actual.version > args.policyVersion" }]
    }
  }),
  code: {
    execute: (body: Grant, { key }) => client.send("POST", "grants", { key, body: { ...body } }),
    readback: async ({ observed }, args: Grant) => {
      const changed = (observed as { readonly principal?: string } | undefined)?.principal ?? args.principal
      const found = (await client.get(`principals/${changed}`)) as JsonObject | undefined
      if (found === undefined) return undefined
      const audit = (await client.get(`audit?principal=${changed}`)) as ReadonlyArray<JsonObject>
      const token = (await client.get(`tokens/${changed}`)) as JsonObject | null
      return { ...found, audit: audit.map(({ trace }) => trace ?? ""), tokenVersion: token?.["version"] ?? null }
    },
    sources: { policy: () => client.get("policy") }
  }
})
