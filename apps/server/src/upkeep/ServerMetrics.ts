/** The metrics of a server: its requests and streams, and the process that it is. */
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Schedule from "effect/Schedule"
import * as Limits from "../Limits.ts"

const requests = Metric.histogram("http.server.request.duration", {
  description: "Seconds until the answer to a request begins, by route and status",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  attributes: { unit: "s" }
})

const active = Metric.gauge("http.server.active_requests", { description: "Requests that are not answered yet" })

const streams = Metric.gauge("backstitch.server.streams", { description: "Streams of events that are open" })

const questions = Metric.gauge("backstitch.server.questions", {
  description: "Questions that wait for a worker, and that one answers"
})

/** The gauges of the process, each with its reading. */
const readings = [
  ["process.cpu.time", "s", "Seconds of processor time", () => cpuSeconds()],
  ["process.memory.usage", "By", "Bytes of memory of the process", () => process.memoryUsage.rss()],
  ["v8js.memory.heap.used", "By", "Bytes of objects", () => process.memoryUsage().heapUsed],
  ["process.uptime", "s", "Seconds since the process began", () => process.uptime()],
  ["nodejs.eventloop.utilization", "1", "Share of the time in which the process was busy", () => utilization()],
  ["nodejs.eventloop.delay.max", "s", "The longest time for which nothing else was looked at", () => delay()]
] as const

/** The template of the route that a request was matched with. Each name in a path would make a series of its own. */
export interface Route {
  template: string | undefined
}

/** The route of the request. */
export const Route = Context.Reference<Route>("@backstitch/server/Route", {
  defaultValue: () => ({ template: undefined })
})

/** Notes the route of the request. */
export const matched = (template: string): Effect.Effect<void> =>
  Effect.map(Route, (route) => {
    route.template = template
  })

/** Measures the answer to a request. One that was given up has the status 499. */
export const observed = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>, method: string) =>
  Effect.gen(function* () {
    const route: Route = { template: undefined }
    const began = yield* Clock.currentTimeMillis
    yield* Metric.modify(active, 1)
    return yield* answer.pipe(
      Effect.provideService(Route, route),
      Effect.onExit((exit) =>
        Effect.gen(function* () {
          const status = Exit.isSuccess(exit) ? exit.value.status : 499
          const labels = {
            "http.request.method": methods.has(method) ? method : "_OTHER",
            "http.route": route.template ?? "none",
            "http.response.status_code": String(status)
          }
          yield* Metric.modify(active, -1)
          yield* Metric.update(
            Metric.withAttributes(requests, labels),
            ((yield* Clock.currentTimeMillis) - began) / 1000
          )
        })
      )
    )
  })

/** Any other method is no method of a route, and anybody may send any. */
const methods: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"])

/** Counts an open stream for as long as the scope is. */
export const stream = Effect.acquireRelease(Metric.modify(streams, 1), () => Metric.modify(streams, -1))

/** Notes how many questions wait for a worker, and how many are answered by one. */
export const asked = (waiting: number, working: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(questions, { state: "waiting" }), waiting),
    Metric.update(Metric.withAttributes(questions, { state: "working" }), working)
  )

/** Reads the gauges of the process. */
export const read = Effect.gen(function* () {
  for (const [name, unit, description, value] of readings) {
    yield* Metric.update(Metric.gauge(name, { description, attributes: { unit } }), value())
  }
})

/** Names end with their units, as Prometheus has it. */
const nameOf = (name: string): string => {
  if (name === "http.server.request.duration") return `${name}.seconds`
  if (name.startsWith("backstitch.store.") || name.endsWith(".attempts")) return `${name}.total`
  const reading = readings.find(([each]) => each === name)
  if (reading === undefined) return name
  return `${name}${{ s: ".seconds", By: ".bytes", "1": ".ratio" }[reading[1]]}`
}

/** All metrics of the process, in the text format of Prometheus. */
export const text = Effect.andThen(read, PrometheusMetrics.format({ metricNameMapper: nameOf }))

/** Layer that gives a server metrics of its own, and reads the gauges of the process from time to time. */
export const layer: Layer.Layer<never> = Layer.effectDiscard(
  read.pipe(
    Effect.repeat(Schedule.spaced(Duration.millis(Limits.pacing.gaugeMillis))),
    Effect.forkScoped,
    Effect.andThen(
      Effect.acquireRelease(
        Effect.sync(() => delays.enable()),
        () => Effect.sync(() => delays.disable())
      )
    )
  )
).pipe(Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map())))

const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000_000
}

let before = performance.eventLoopUtilization()

const utilization = (): number => {
  const now = performance.eventLoopUtilization()
  const { utilization } = performance.eventLoopUtilization(now, before)
  before = now
  return utilization
}

const delays = monitorEventLoopDelay()

const delay = (): number => {
  const seconds = delays.max / 1_000_000_000
  delays.reset()
  return seconds
}
