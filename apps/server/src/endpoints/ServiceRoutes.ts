/**
 * Routes about the server itself, for those who watch it: whether it lives, whether it is ready, and what it can do.
 */
import * as BackstitchApi from "@backstitch/api/BackstitchApi"
import * as Problem from "@backstitch/api/Problem"
import * as ProblemStatus from "@backstitch/api/ProblemStatus"
import * as ApiKeys from "@backstitch/runtime/ApiKeys"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"
import { sent } from "../answer/ProblemResponses.ts"
import * as Draining from "../stream/Draining.ts"

/** The process answers. */
const live = HttpRouter.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "live" }))

/** The store answers, and the server does not stop. */
const ready = HttpRouter.add(
  "GET",
  "/health/ready",
  Effect.gen(function* () {
    const keys = yield* ApiKeys.ApiKeys
    const { isBegun } = yield* Draining.Draining
    if (yield* isBegun) return sent(Problem.make("Draining", 503, { detail: "The server is about to stop" }))
    return yield* Effect.match(keys.count, {
      onFailure: (error) => sent(Problem.of(error)),
      onSuccess: () => HttpServerResponse.jsonUnsafe({ status: "ready" })
    })
  })
)

/** The page of a problem, to which its `type` leads. */
const problem = HttpRouter.add(
  "GET",
  "/problems/:tag",
  Effect.map(HttpRouter.params, ({ tag = "" }) => {
    const status = Object.hasOwn(ProblemStatus.table, tag) ? ProblemStatus.table[tag as ProblemStatus.Tag] : undefined
    return status === undefined
      ? sent(Problem.make("RouteUnknown", 404, { detail: "There is no such problem" }))
      : HttpServerResponse.jsonUnsafe({ type: Problem.typeOf(tag), tag, status, title: ProblemStatus.titles[status] })
  })
)

/** Layer of the routes, with the page that documents the API. */
export const layer = Layer.mergeAll(
  live,
  ready,
  problem,
  HttpApiScalar.layer(BackstitchApi.BackstitchApi, { path: "/docs" })
)
