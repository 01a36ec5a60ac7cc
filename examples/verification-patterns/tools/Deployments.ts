/** Rolls out a build, proven by the controller, by the state that the replicas report, and by the error budget. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** A rollout of a tag whose artifact is known by its digest. */
export interface Rollout {
  readonly tag: string
  readonly artifact: string
  readonly environment: string
  readonly regions: ReadonlyArray<string>
  readonly approval: string
}

/** The tool. It answers when the controller has finished, as `rollout status` does. */
export const deploy = (client: Client): Proven.Proven => ({
  contract: Proven.contract("deployment", {
    class: "critical_mutation",
    input: {
      tag: "string",
      artifact: "string",
      environment: "string",
      regions: { list: "string" },
      approval: "string"
    },
    identity: ["artifact", "environment"],
    target: "'environment/' + args.environment",
    sendWithin: "25s",
    waives: { tenant: "an environment belongs to one tenant" },
    options: {
      wants: {
        artifact: "args.artifact",
        regions: "args.regions",
        errorRate: "0.05",
        approval: "args.approval",
        environment: "args.environment",
        stage: "'complete'"
      },
      confirm: ["environment", "stage", "healthy"],
      sources: [{ source: "change board", from: "audit_trail", expect: "args.artifact in actual.artifacts" }],
      within: "200ms"
    }
  }),
  code: {
    execute: async (body: Rollout, { key, signal }) => {
      const { id } = await client.send("POST", "rollouts", { key, body: { ...body } })
      let stage: Json | undefined = "progressing"
      while (stage === "progressing" && !signal.aborted) {
        await sleep(25)
        stage = ((await client.get(`rollouts/${id}`)) as JsonObject)["stage"]
      }
      return { id: id ?? null, stage: stage ?? null }
    },
    readback: ({ observed }) => client.get(`rollouts/${(observed as { readonly id: string }).id}`),
    sources: { "change board": (_, { environment }: Rollout) => client.get(`changes/${environment}`) }
  }
})
