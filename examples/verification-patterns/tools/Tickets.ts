/** Changes a ticket, proven by the record and by the history of its changes. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** A change to a ticket. `version` is the version of the ticket when the change was planned. */
export interface Change {
  readonly ticket: string
  readonly version: number
  readonly values: JsonObject
  readonly assignee: string
  readonly comment: string
}

/** The tool. The tickets belong to the customer of the desk. */
export const update = (client: Client, tenant: string): Proven.Proven => ({
  contract: Proven.contract("ticketing", {
    class: "medium_risk_write",
    input: { ticket: "string", version: "int", values: "json", assignee: "string", comment: "string" },
    identity: ["ticket", "version"],
    target: "'ticket/' + args.ticket",
    options: {
      wants: {
        values: "args.values",
        assignee: "args.assignee",
        version: "args.version",
        trace: "key",
        id: "args.ticket",
        tenant: `'${tenant}'`,
        status: "'open'",
        comment: "args.comment",
        actor: "'agent'",
        workflow: "'support'",
        since: "args.version + 1"
      },
      confirm: ["object", "tenant", "status", "comment", "actor", "workflow", "timestamp"]
    }
  }),
  code: {
    execute: ({ ticket, version: _, ...body }: Change, { key }) =>
      client.send("PATCH", `tickets/${ticket}`, { key, body }),
    readback: async ({ key }, { ticket }: Change) => {
      const record = (await client.get(`tickets/${ticket}`)) as JsonObject | undefined
      if (record === undefined) return undefined
      const same = (await client.get(`tickets?ref=${record["ref"]}`)) as ReadonlyArray<string>
      const history = (await client.get(`history?ticket=${ticket}`)) as ReadonlyArray<JsonObject>
      const basis = history.find(({ trace }) => trace === key)?.["basis"] ?? null
      return { ...record, count: same.length, history: history.map(({ trace }) => trace ?? ""), basis }
    }
  }
})
