/**
 * The server: the API and its routes over one store, on one port.
 *
 * A route recognises its caller, reads its request, makes one call of a package, and answers with one view. It
 * decides nothing about runs itself.
 */
import * as Http from "node:http"
import * as ClusterHost from "@backstitch/cluster/ClusterHost"
import * as ClusterNode from "@backstitch/cluster/ClusterNode"
import type * as EndpointAddress from "@backstitch/host/EndpointAddress"
import * as ProcessHost from "@backstitch/host/ProcessHost"
import type * as RunHost from "@backstitch/host/RunHost"
import * as RepeatedWrites from "@backstitch/runtime/RepeatedWrites"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as AllowedMethods from "./answer/AllowedMethods.ts"
import * as MalformedRequests from "./answer/MalformedRequests.ts"
import * as ProblemResponses from "./answer/ProblemResponses.ts"
import * as CallerCheck from "./caller/CallerCheck.ts"
import * as IdentityProvider from "./caller/IdentityProvider.ts"
import * as RateLimit from "./caller/RateLimit.ts"
import * as SenderAddress from "./caller/SenderAddress.ts"
import * as ServiceRoutes from "./handlers/ServiceRoutes.ts"
import * as WebhooksHandlers from "./handlers/WebhooksHandlers.ts"
import * as Limits from "./Limits.ts"
import * as Questions from "./questions/Questions.ts"
import * as Routes from "./Routes.ts"
import * as Secrets from "./store/Secrets.ts"
import * as ServedAgents from "./store/ServedAgents.ts"
import * as Stores from "./store/Stores.ts"
import * as Draining from "./upkeep/Draining.ts"
import * as Expiry from "./upkeep/Expiry.ts"
import * as StoreFaults from "./upkeep/StoreFaults.ts"
import * as Telemetry from "./upkeep/Telemetry.ts"
import { version } from "./Version.ts"

/** The place at which a server listens, and its store: the name of a SQLite file, or the address of Postgres. */
export interface Settings {
  readonly store: string
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly secrets: Secrets.EnvironmentSecrets
  /** The modules of agents, by the names under which callers know them. */
  readonly agents: Readonly<Record<string, string>>
  /** The identity provider whose tokens are recognised, beside keys. */
  readonly identity: IdentityProvider.ProviderSettings | undefined
  /** The address at which other nodes reach this one, if several processes share the runs of a Postgres database. */
  readonly cluster: ClusterNode.NodeAddress | undefined
  /** Addresses to which webhooks may be sent. */
  readonly webhooks: EndpointAddress.Options
  /** Requests of a key in a second, on average. */
  readonly requestsPerSecond: number
  /** Proxies of the operator through which each request comes, and whose `X-Forwarded-For` is believed. */
  readonly proxies: number
  /** The environment, of which the variables of OpenTelemetry are read. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The key with which the metrics of the process are read. Without one nobody reads them. */
  readonly metricsKey: string | undefined
  /** Workers that answer questions which cost processor time; with none the server answers them itself. */
  readonly workers: number
  /** The time for which the answer of a write is kept for a repeated request. */
  readonly answerKeptMillis: number
}

/** The routes, with the callers whom the server recognises, and the workers that answer dear questions. */
const routes = (settings: Settings) =>
  Routes.layer.pipe(
    Layer.provide(CallerCheck.layer),
    Layer.merge(ServiceRoutes.layer),
    Layer.provide(ProblemResponses.layer),
    Layer.provide(AllowedMethods.layer),
    Layer.provide(Questions.layer(settings))
  )

const listening = ({ host, port }: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const server = Http.createServer({
        headersTimeout: Limits.refusing.requestMillisMax,
        requestTimeout: Limits.refusing.requestMillisMax,
        connectionsCheckingInterval: 1000,
        keepAliveTimeout: Limits.pacing.connectionIdleMillis
      })
      server.on("clientError", MalformedRequests.answer)
      yield* Draining.closing(server)
      return NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout: Limits.pacing.drainMillisMax })
    })
  )

/** Layer that serves, and its services: the store's keys among them. */
export const layer = (settings: Settings) =>
  Draining.layerFirst.pipe(
    Layer.provideMerge(HttpRouter.serve(routes(settings), { disableListenLog: true, disableLogger: true })),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(Limits.refusing.bodyBytesMax))),
    Layer.provide(Layer.succeed(RateLimit.Rate, settings.requestsPerSecond)),
    Layer.provide(Layer.succeed(WebhooksHandlers.Permitted, settings.webhooks)),
    Layer.provide(Layer.succeed(SenderAddress.Proxies, settings.proxies)),
    Layer.provide(Layer.succeed(RepeatedWrites.KeepMillis, settings.answerKeptMillis)),
    Layer.provide(Layer.succeed(ServiceRoutes.MetricsKey, redacted(settings.metricsKey))),
    Layer.provide(StoreFaults.layer),
    Layer.merge(Expiry.layer),
    Layer.provideMerge(listening(settings)),
    Layer.provideMerge(Draining.layer),
    Layer.provideMerge(Layer.succeed(Secrets.TenantSecrets, Secrets.secretOf(settings.store, settings.secrets))),
    Layer.provideMerge(IdentityProvider.layer(settings.identity)),
    Layer.provide(hosting(settings)),
    Layer.provide(ServedAgents.layer(settings.agents)),
    Layer.provideMerge(Stores.layer(settings)),
    Layer.provide(Telemetry.layer(settings.environment, version))
  )

const redacted = (text: string | undefined) => (text === undefined ? undefined : Redacted.make(text))

type Hosting = Layer.Layer<
  RunHost.RunHost,
  Layer.Error<ReturnType<typeof ProcessHost.layer> | ReturnType<typeof ClusterHost.layer<ClusterNode.NodeUnjoined>>>,
  ProcessHost.Services
>

/** The host of this process, which goes on with the runs that were given to it, or to its cluster, before. */
const hosting = ({ cluster, secrets, store, webhooks }: Settings) =>
  Layer.unwrap(
    Effect.map(Effect.all([ServedAgents.ServedAgents, Stores.Stores]), ([served, { of: storeOf }]): Hosting => {
      const agents = Object.fromEntries(served)
      const settings = { agents, secretOf: Secrets.secretOf(store, secrets), storeOf, webhooks }
      if (cluster === undefined) return ProcessHost.layer(settings)
      return ClusterHost.layer(settings, ClusterNode.layer({ url: store, address: cluster }))
    })
  )
