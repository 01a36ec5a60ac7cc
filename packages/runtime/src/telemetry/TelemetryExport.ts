/**
 * Sends spans, metrics and logs to an OpenTelemetry collector, if the environment names one.
 *
 * The variables are those of OpenTelemetry, such as `OTEL_EXPORTER_OTLP_ENDPOINT`. Without them nothing is loaded,
 * traced or counted. What is sent names failures, and quotes no message of them. It is sent over HTTP, as JSON or
 * protobuf.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as OtlpSerializations from "effect/observability/OtlpSerialization"
import * as Schema from "effect/Schema"
import * as FailureNames from "./FailureNames.ts"

/** Error for a protocol that the environment names and that nothing is sent by, such as `grpc`. */
export class ProtocolUnsupported extends Schema.TaggedError<ProtocolUnsupported>(
  "@backstitch/runtime/ProtocolUnsupported"
)("ProtocolUnsupported", { variable: Schema.String, found: Schema.String }) {
  override get message(): string {
    return (
      `${this.variable} is "${this.found}", and telemetry is sent over HTTP. Set it to http/protobuf or http/json, and ` +
      "OTEL_EXPORTER_OTLP_ENDPOINT to the address at which the collector takes HTTP, such as http://localhost:4318"
    )
  }
}

/** The environment, and the program that sends. */
export interface Options {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The name of the program, unless `OTEL_SERVICE_NAME` says another one. */
  readonly service: string
  readonly version: string
  /** The signals that the program has. */
  readonly signals: ReadonlyArray<Signal>
}

/** A kind of what is sent. */
type Signal = "traces" | "metrics" | "logs"

/** Tells whether the environment names a collector. */
export const isNamed = ({ environment, signals }: Options): boolean =>
  ["", ...signals.map((signal) => `_${signal.toUpperCase()}`)].some(
    (which) => (environment[`OTEL_EXPORTER_OTLP${which}_ENDPOINT`] ?? "") !== ""
  )

/** Layer that exports; empty if the environment names no collector. Fails for a protocol other than HTTP. */
export const layer = (options: Options): Layer.Layer<never, ProtocolUnsupported> =>
  Layer.suspend(() => (isNamed(options) ? Layer.unwrap(exporting(options)) : Layer.empty))

const exporting = Effect.fnUntraced(function* (options: Options) {
  const { environment, service, signals, version } = options
  const [traces, metrics, logs] = [
    yield* protocolOf(options, "traces"),
    yield* protocolOf(options, "metrics"),
    yield* protocolOf(options, "logs")
  ]
  return yield* Effect.promise(async () => {
    const [MetricsExport, FetchHttpClient, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer] = await Promise.all([
      import("./MetricsExport.ts"),
      import("effect/http/FetchHttpClient"),
      import("effect/observability/OtlpLogger"),
      import("effect/observability/OtlpMetrics"),
      import("effect/observability/OtlpSerialization"),
      import("effect/observability/OtlpTracer")
    ])
    const resource = { serviceName: environment["OTEL_SERVICE_NAME"] ?? service, serviceVersion: version }
    const written = (protocol: Protocol): Layer.Layer<OtlpSerializations.OtlpSerialization> =>
      protocol === "http/protobuf" ? OtlpSerialization.layerProtobuf : OtlpSerialization.layerJson
    // The specification exports by OTLP by default.
    const defaults = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" }
    const signalled = Layer.mergeAll(
      OtlpTracer.layerFromConfig({ resource }).pipe(Layer.provide(written(traces))),
      OtlpMetrics.layerFromConfig({ resource }).pipe(Layer.provide(written(metrics))),
      MetricsExport.layer(),
      signals.includes("logs")
        ? OtlpLogger.layerFromConfig({ resource }).pipe(Layer.provide(written(logs)))
        : Layer.empty
    ).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...defaults, ...defined(environment) } })))
    )
    return FailureNames.layer.pipe(Layer.provideMerge(signalled))
  })
})

type Protocol = "http/json" | "http/protobuf"

/** The protocol of a signal: its own, or that of all. Of one that is not sent, no word is taken. */
const protocolOf = (options: Options, signal: Signal): Effect.Effect<Protocol, ProtocolUnsupported> => {
  const { environment } = options
  const names = [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`, "OTEL_EXPORTER_OTLP_PROTOCOL"]
  const variable = names.find((name) => (environment[name] ?? "") !== "")
  const found = variable === undefined || !isSent(options, signal) ? "http/json" : (environment[variable] ?? "")
  return found === "http/json" || found === "http/protobuf"
    ? Effect.succeed(found)
    : Effect.fail(new ProtocolUnsupported({ variable: variable ?? "", found }))
}

/** Tells whether a signal goes to a collector, and the environment neither turns it off nor has it sent elsewhere. */
const isSent = (options: Options, signal: Signal): boolean => {
  const { environment, signals } = options
  const exporters = environment[`OTEL_${signal.toUpperCase()}_EXPORTER`] || "otlp"
  return (
    signals.includes(signal) &&
    isNamed({ ...options, signals: [signal] }) &&
    environment["OTEL_SDK_DISABLED"] !== "true" &&
    exporters.split(",").some((each) => each.trim() === "otlp")
  )
}

const defined = (environment: Options["environment"]): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined))
