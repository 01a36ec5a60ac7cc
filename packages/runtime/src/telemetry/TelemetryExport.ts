/**
 * Sends spans, metrics and logs to an OpenTelemetry collector, if the environment names one.
 *
 * The variables are those of OpenTelemetry, such as `OTEL_EXPORTER_OTLP_ENDPOINT`. Without them nothing is loaded,
 * traced or counted. What is sent names failures, and quotes no message of them.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FailureNames from "./FailureNames.ts"

/** The environment, and the program that sends. */
export interface Options {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The name of the program, unless `OTEL_SERVICE_NAME` says another one. */
  readonly service: string
  readonly version: string
  /** The signals that the program has. */
  readonly signals: ReadonlyArray<"traces" | "metrics" | "logs">
}

/** Tells whether the environment names a collector. */
export const isNamed = ({ environment, signals }: Options): boolean =>
  ["", ...signals.map((signal) => `_${signal.toUpperCase()}`)].some(
    (which) => (environment[`OTEL_EXPORTER_OTLP${which}_ENDPOINT`] ?? "") !== ""
  )

const exporting = ({ environment, service, signals, version }: Options) =>
  Effect.promise(async () => {
    const [MetricsExport, FetchHttpClient, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer] = await Promise.all([
      import("./MetricsExport.ts"),
      import("effect/http/FetchHttpClient"),
      import("effect/observability/OtlpLogger"),
      import("effect/observability/OtlpMetrics"),
      import("effect/observability/OtlpSerialization"),
      import("effect/observability/OtlpTracer")
    ])
    const resource = { serviceName: environment["OTEL_SERVICE_NAME"] ?? service, serviceVersion: version }
    const logs = signals.includes("logs") ? OtlpLogger.layerFromConfig({ resource }) : Layer.empty
    const isProtobuf = environment["OTEL_EXPORTER_OTLP_PROTOCOL"] === "http/protobuf"
    // The specification exports by OTLP by default.
    const defaults = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" }
    const signalled = Layer.mergeAll(
      OtlpTracer.layerFromConfig({ resource }),
      OtlpMetrics.layerFromConfig({ resource }),
      MetricsExport.layer(),
      logs
    ).pipe(
      Layer.provide(isProtobuf ? OtlpSerialization.layerProtobuf : OtlpSerialization.layerJson),
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...defaults, ...defined(environment) } })))
    )
    return FailureNames.layer.pipe(Layer.provideMerge(signalled))
  })

/** Layer that exports; empty if the environment names no collector. */
export const layer = (options: Options): Layer.Layer<never> =>
  Layer.suspend(() => (isNamed(options) ? Layer.unwrap(exporting(options)) : Layer.empty))

const defined = (environment: Options["environment"]): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined))
