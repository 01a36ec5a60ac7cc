/**
 * Telemetry of a server: metrics of its own, logs on stderr, and what is sent to a collector if the environment names
 * one.
 *
 * A request is told of by its route, its status and a few headers. The values of a query are left out, except those
 * that count and order: a predicate may quote what a pack declares as sensitive.
 */
import * as FailureNames from "@backstitch/runtime/FailureNames"
import * as MetricsExport from "@backstitch/runtime/MetricsExport"
import * as TelemetryExport from "@backstitch/runtime/TelemetryExport"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ServerMetrics from "./ServerMetrics.ts"

/** Headers that a span shows. */
const shown: ReadonlySet<string> = new Set(["content-length", "content-type", "retry-after"])

const requests = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.TracerHeaderFilter, (name) => shown.has(name)),
  Layer.succeed(UrlParams.CurrentRedactedNames, [/^(?!(?:after|from|limit|since|tick|to)$)/]),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => /^\/(?:health\/|metrics$)/.test(url))
)

/** Layer of the telemetry of a server. */
export const layer = (
  environment: TelemetryExport.Options["environment"],
  version: string
): Layer.Layer<never, TelemetryExport.ProtocolUnsupported> =>
  FailureNames.layer.pipe(
    Layer.provideMerge(
      TelemetryExport.layer({
        environment,
        service: "backstitch-server",
        version,
        signals: ["traces", "metrics", "logs"]
      })
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
        MetricsExport.layer(),
        ServerMetrics.layer,
        requests
      )
    )
  )
