/**
 * Routes about the server itself, for those who watch it: whether it lives, whether it is ready, and what it can do.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import * as BackstitchApi from "@backstitch/api/BackstitchApi"
import * as Problem from "@backstitch/api/Problem"
import * as ProblemStatus from "@backstitch/api/ProblemStatus"
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { sent } from "../answer/ProblemResponses.ts"
import * as Limits from "../Limits.ts"
import * as Draining from "../upkeep/Draining.ts"
import * as ServerMetrics from "../upkeep/ServerMetrics.ts"

/** Adds a route, under whose template its requests are counted. */
const get = <E, R>(path: `/${string}`, answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  HttpRouter.add("GET", path, Effect.andThen(ServerMetrics.matched(path), answer))

/** The process answers. */
const live = get("/health/live", Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "live" })))

/** The store answers in time, and the server does not stop. */
const ready = get(
  "/health/ready",
  Effect.gen(function* () {
    const keys = yield* ApiKeys.ApiKeys
    const { isBegun } = yield* Draining.Draining
    if (yield* isBegun) return sent(Problem.make("Draining", 503, { detail: "The server is about to stop" }))
    // Each failure of the store is told as one: the server cannot answer now.
    const count = yield* Effect.option(Effect.timeout(keys.count, Duration.millis(Limits.refusing.readyMillisMax)))
    return Option.isNone(count) ? sent(silent) : HttpServerResponse.jsonUnsafe({ status: "ready" })
  })
)

const silent = Problem.make("AnswerLate", 503, { detail: "The store does not answer" })

/** The key with which the metrics of the process are read; `undefined` if nobody may read them. */
export const MetricsKey = Context.Reference<Redacted.Redacted<string> | undefined>("@backstitch/server/MetricsKey", {
  defaultValue: () => undefined
})

/** The metrics of the process, over all tenants, for those whom the operator has given their key. */
const metrics = Layer.unwrap(
  Effect.map(MetricsKey, (key) =>
    key === undefined
      ? Layer.empty
      : get(
          "/metrics",
          Effect.gen(function* () {
            const { headers } = yield* HttpServerRequest.HttpServerRequest
            if (!isSame(headers["authorization"] ?? "", `Bearer ${Redacted.value(key)}`)) return sent(unrecognised)
            return HttpServerResponse.text(yield* ServerMetrics.text, { contentType: "text/plain; version=0.0.4" })
          })
        )
  )
)

const unrecognised = Problem.make("CallerUnknown", 401, {
  detail: "Send the key of the metrics as `Authorization: Bearer KEY`"
})

/** Compares digests, so that the time says nothing about the key. */
const isSame = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((text) => createHash("sha256").update(text).digest())
  return timingSafeEqual(left!, right!)
}

/** The page of a problem, to which its `type` leads. */
const problem = get(
  "/problems/:tag",
  Effect.map(HttpRouter.params, ({ tag = "" }) => {
    const status = ProblemStatus.statusOf(tag)
    return status === undefined
      ? sent(Problem.make("RouteUnknown", 404, { detail: "There is no such problem" }))
      : HttpServerResponse.jsonUnsafe({ type: Problem.typeOf(tag), tag, status, title: ProblemStatus.titles[status] })
  })
)

/** Layer of the routes, with the page that documents the API. */
export const layer = Layer.mergeAll(
  live,
  ready,
  metrics,
  problem,
  HttpApiScalar.layer(BackstitchApi.BackstitchApi, { path: "/docs" })
)
