/**
 * Has the dear requests of callers answered by workers, which open the store again.
 *
 * A worker has the routes of the server, so it answers as the server would. The server recognises the caller and
 * applies its limits before it asks a worker, which is told whom it answers. Bodies wait unread, by tenants in turn,
 * until there is room for one more.
 */

import type * as Access from "@backstitch/api/Access"
import * as ApiLimits from "@backstitch/api/Limits"
import type * as Problem from "@backstitch/api/Problem"
import * as StorePlace from "@backstitch/sql/StorePlace"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpMethod from "effect/http/HttpMethod"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as BodyDepth from "../answer/BodyDepth.ts"
import * as ServerMetrics from "../upkeep/ServerMetrics.ts"
import * as HeldBodies from "./HeldBodies.ts"
import * as QuestionPool from "./QuestionPool.ts"
import * as WorkerMessages from "./WorkerMessages.ts"

/** Answers the request of a caller by a worker. */
export type Answering = (
  caller: Access.CallerFacts
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Problem.TypedProblem | HttpServerError.HttpServerError,
  HttpServerRequest.HttpServerRequest
>

/** The workers of the server; `undefined` if it answers everything itself. */
export const Questions = Context.Reference<Answering | undefined>("@backstitch/server/Questions", {
  defaultValue: () => undefined
})

/** The module that a worker runs. */
const module = new URL("../worker.ts", import.meta.url)

/** Layer of the workers: none, if none are wanted, or if nobody else can open the store. */
export const layer = ({
  workers,
  ...setup
}: WorkerMessages.Setup & { readonly workers: number }): Layer.Layer<never> =>
  workers === 0 || StorePlace.fromAddress(setup.store)._tag === "Memory"
    ? Layer.empty
    : Layer.effect(
        Questions,
        Effect.map(
          Effect.all([pooled(workers, setup), HeldBodies.make]),
          ([pool, bodies]): Answering =>
            Effect.fnUntraced(function* (caller) {
              const { tenant } = caller
              const request = yield* HttpServerRequest.HttpServerRequest
              const { headers, method, url } = request
              const asked = { method, url, headers: { ...headers }, caller }
              const withBody = Effect.flatMap(bodyOf(request), (body) =>
                pool.ask(tenant, { ...asked, body: new Uint8Array(body) })
              )
              const answer = yield* HttpMethod.hasBody(method)
                ? bodies(tenant)(withBody)
                : pool.ask(tenant, { ...asked, body: undefined })
              const { "content-length": _, "content-type": contentType, ...rest } = answer.headers
              return HttpServerResponse.uint8Array(answer.body, {
                status: answer.status,
                headers: rest,
                ...(contentType === undefined ? {} : { contentType })
              })
            })
        )
      )

const pooled = Effect.fnUntraced(function* (workers: number, setup: WorkerMessages.Setup) {
  const services = yield* Effect.context<never>()
  return yield* QuestionPool.make({
    workersMax: workers,
    start: WorkerMessages.start(module, setup),
    counted: (waiting, working) => Effect.runSyncWith(services)(ServerMetrics.asked(waiting, working))
  })
})

/** Reads the body of a request. JSON has the limit of an ordinary request, and not that of an import. */
const bodyOf = (request: HttpServerRequest.HttpServerRequest) =>
  BodyDepth.isJson(request)
    ? request.arrayBuffer
    : Effect.provideService(
        request.arrayBuffer,
        HttpIncomingMessage.MaxBodySize,
        ByteSize.bytes(ApiLimits.refusing.importBytesMax)
      )
