/** The program of a worker: the routes of the server, over connections of its own to the store. */
import { parentPort, workerData } from "node:worker_threads"
import * as Access from "@backstitch/api/Access"
import * as Problem from "@backstitch/api/Problem"
import * as RunHost from "@backstitch/host/RunHost"
import * as FailureNames from "@backstitch/runtime/FailureNames"
import * as RepeatedWrites from "@backstitch/runtime/RepeatedWrites"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as AllowedMethods from "./answer/AllowedMethods.ts"
import * as BodyDepth from "./answer/BodyDepth.ts"
import * as CallerGone from "./answer/CallerGone.ts"
import * as ProblemResponses from "./answer/ProblemResponses.ts"
import * as Limits from "./Limits.ts"
import type * as WorkerMessages from "./questions/WorkerMessages.ts"
import * as Routes from "./Routes.ts"
import * as Secrets from "./store/Secrets.ts"
import * as ServedAgents from "./store/ServedAgents.ts"
import * as Stores from "./store/Stores.ts"
import * as Draining from "./upkeep/Draining.ts"
import * as StoreFaults from "./upkeep/StoreFaults.ts"

/** The caller whom the server has recognised. */
const Asking = Context.Reference<Access.CallerFacts | undefined>("@backstitch/server/Asking", {
  defaultValue: () => undefined
})

/** The server has checked the caller, and tells who it is. */
const recognised = Layer.succeed(
  Access.Authorization,
  Access.Authorization.of({
    key: (endpoint, { endpoint: { annotations } }) =>
      Effect.flatMap(Asking, (caller) =>
        caller === undefined
          ? Effect.die("a worker answers nobody unknown")
          : endpoint.pipe(CallerGone.reading(annotations), Effect.provideService(Access.Caller, caller), (answer) =>
              Effect.andThen(BodyDepth.check, answer)
            )
      )
  })
)

/** A worker hosts no run, and no route that is dear asks for one. */
const unhosted = Layer.mock(RunHost.RunHost, { acting: () => () => Effect.die("a worker hosts no run") })

const layerOf = ({ answerKeptMillis, secrets, store }: WorkerMessages.Setup) =>
  Routes.layer.pipe(
    Layer.provide(recognised),
    Layer.provide(ProblemResponses.layer),
    Layer.provide(AllowedMethods.layer),
    Layer.provide(Layer.succeed(RepeatedWrites.KeepMillis, answerKeptMillis)),
    Layer.provide(StoreFaults.layer),
    Layer.provideMerge(Draining.layer),
    Layer.provideMerge(unhosted),
    Layer.provideMerge(Layer.succeed(ServedAgents.ServedAgents, new Map())),
    Layer.provideMerge(Layer.succeed(Secrets.TenantSecrets, Secrets.secretOf(store, secrets))),
    Layer.provideMerge(Stores.layer({ store, secrets }, { connectionsMax: Limits.pacing.workerConnectionsMax })),
    Layer.provide(HttpServer.layerServices),
    Layer.provide(FailureNames.layer),
    Layer.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))
  )

const { handler } = HttpRouter.toWebHandler(layerOf(workerData as WorkerMessages.Setup), { disableLogger: true })

const answered = async (
  question: WorkerMessages.WorkerQuestion,
  signal: AbortSignal
): Promise<WorkerMessages.WorkerAnswer> => {
  const { body, caller, headers, method, url } = question
  const request = new Request(new URL(url, "http://worker"), {
    method,
    headers,
    signal,
    ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> })
  })
  const response = await handler(request, Context.make(Asking, caller) as never)
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await response.arrayBuffer())
  }
}

/** The answer to a question that was given up. */
const failed: WorkerMessages.WorkerAnswer = (() => {
  const problem = Problem.make("Defect", 500, { detail: "A worker failed in a way that nobody foresaw" })
  return {
    status: problem.status,
    headers: { "content-type": Problem.contentType },
    body: new TextEncoder().encode(JSON.stringify(problem))
  }
})()

const port = parentPort!
let current = new AbortController()
port.on("message", (message: WorkerMessages.WorkerMessage) => {
  if (message === undefined) return current.abort()
  current = new AbortController()
  const { signal } = current
  void answered(message, signal).then(
    (answer) => port.postMessage(answer, [answer.body.buffer as ArrayBuffer]),
    () => {
      // The store could not be opened, and never would be by this worker: the next question starts another one.
      if (!signal.aborted) process.exit(1)
      port.postMessage(failed)
    }
  )
})
