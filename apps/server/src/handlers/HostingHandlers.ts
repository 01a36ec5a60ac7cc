/** Begins, continues and stops runs, by the agents of this server. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as HostingApi from "@backstitch/api/HostingApi"
import type * as AgentLack from "@backstitch/host/AgentLack"
import * as RunHost from "@backstitch/host/RunHost"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Leases from "@backstitch/trace/Leases"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Schema from "effect/Schema"
import { about, answer } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"
import * as ServedAgents from "../store/ServedAgents.ts"

const standing = Effect.fnUntraced(function* (run: Run) {
  const { agent, doing, ending, lack, tick, waits, wakesAt } = yield* (yield* RunHost.RunHost).status(run)
  return {
    run: run.id,
    agent,
    doing,
    tick,
    waits: waits as ReadonlyArray<object> as ReadonlyArray<Schema.JsonObject>,
    wakesAt: wakesAt === undefined ? null : new Date(wakesAt).toISOString(),
    why: ending?.reason ?? lack?.why ?? null,
    next: ending?.next ?? null
  }
})

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "hosting", (group) =>
  group.handleAll({
    agents: () =>
      answer(
        Effect.fnUntraced(function* ({ tenant }) {
          const leases = yield* Leases.Leases
          // A run that waits here may be at work on a server that has its agent.
          const isIdle = ({ run }: AgentLack.AgentLack) => Effect.map(leases.find(run), (lease) => lease === undefined)
          const lacking = yield* Effect.filter(yield* (yield* RunHost.RunHost).lacking(tenant), isIdle)
          const agents = [...(yield* ServedAgents.ServedAgents)].map(([agent, file]) => ({
            agent,
            agents: AgentFile.agents(file),
            pack: file.pack.id,
            version: file.pack.version,
            digest: file.pack.digest,
            goal: file.agent.goal
          }))
          return { agents, lacking: lacking.map(({ agent, run, why }) => ({ run: run.id, agent, why })) }
        })
      ),
    start: (arrived) =>
      Writes.write(
        arrived,
        HostingApi.Hosted,
        Effect.fnUntraced(function* ({ tenant }) {
          const { clauses, run: id, ...asked } = arrived.payload
          const run = { tenant, id }
          const given = clauses === undefined ? {} : { clauses: clauses as JsonObject }
          yield* (yield* RunHost.RunHost).start(run, { ...asked, ...given })
          return yield* standing(run)
        }),
        202
      ),
    show: ({ params }) => about(params, standing),
    resume: (arrived) =>
      Writes.write(
        arrived,
        HostingApi.Hosted,
        Effect.fnUntraced(function* ({ tenant }) {
          const run = { tenant, id: arrived.params.run }
          yield* (yield* RunHost.RunHost).resume(run, arrived.payload.agent)
          return yield* standing(run)
        }),
        202
      ),
    cancel: (arrived) =>
      Writes.write(
        arrived,
        HostingApi.Hosted,
        Effect.fnUntraced(function* ({ name, tenant }) {
          const run = { tenant, id: arrived.params.run }
          yield* (yield* RunHost.RunHost).cancel(run, { by: name, reason: arrived.payload.reason })
          return yield* standing(run)
        }),
        202
      )
  })
)
