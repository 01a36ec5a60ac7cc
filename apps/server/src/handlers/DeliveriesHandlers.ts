/**
 * Takes deliveries of providers in. They have no key, so their rate is limited by the address that they come from, and
 * their signature is all that is believed of them.
 */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as Problem from "@backstitch/api/Problem"
import * as HostDeliveries from "@backstitch/host/HostDeliveries"
import * as DeliveryVerdict from "@backstitch/runtime/DeliveryVerdict"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as RateLimit from "../caller/RateLimit.ts"
import * as SenderAddress from "../caller/SenderAddress.ts"
import * as ServedAgents from "../store/ServedAgents.ts"
import * as Stores from "../store/Stores.ts"
import * as ServerMetrics from "../upkeep/ServerMetrics.ts"

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "deliveries", (group) =>
  Effect.map(RateLimit.make, (rates) =>
    group.handle("deliver", ({ endpoint, params: { tenant, tool }, request }) =>
      Effect.gen(function* () {
        yield* ServerMetrics.matched(endpoint.path)
        yield* rates.take(yield* SenderAddress.of(request))
        const served = yield* ServedAgents.ServedAgents
        const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
        const arrived = { tool, headers: new Map(Object.entries(request.headers)), body }
        const packs = [...served.values()].map(({ pack }) => pack)
        const taken = yield* HostDeliveries.authenticate(packs, arrived).pipe(
          Effect.flatMap((webhook) => Stores.within(tenant, HostDeliveries.take(webhook, { ...arrived, tenant }))),
          Effect.mapError(Problem.of)
        )
        const { action, verdict } = taken
        return HttpServerResponse.jsonUnsafe({ tool, verdict, action }, { status: DeliveryVerdict.statusOf(taken) })
      })
    )
  )
)
