/**
 * Sends the spans and measures of an agent's actions to an OpenTelemetry collector, if the environment names one.
 *
 * The variables are those of OpenTelemetry, such as `OTEL_EXPORTER_OTLP_ENDPOINT`. Without them nothing is loaded,
 * traced or counted.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { version } from "../terminal/Version.ts"

const isNamed = (): boolean =>
  ["", "_TRACES", "_METRICS"].some((which) => (process.env[`OTEL_EXPORTER_OTLP${which}_ENDPOINT`] ?? "") !== "")

const defaults = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp" }

const exporting = Effect.promise(async () => {
  const [MetricsExport, FetchHttpClient, OtlpMetrics, OtlpSerialization, OtlpTracer] = await Promise.all([
    import("@backstitch/runtime/MetricsExport"),
    import("effect/http/FetchHttpClient"),
    import("effect/observability/OtlpMetrics"),
    import("effect/observability/OtlpSerialization"),
    import("effect/observability/OtlpTracer")
  ])
  const resource = { serviceName: process.env["OTEL_SERVICE_NAME"] ?? "backstitch", serviceVersion: version }
  return Layer.mergeAll(
    OtlpTracer.layerFromConfig({ resource }),
    OtlpMetrics.layerFromConfig({ resource }),
    MetricsExport.layer({ wrapper: version })
  ).pipe(
    Layer.provide(OtlpSerialization.layerJson),
    Layer.provide(FetchHttpClient.layer),
    // The specification exports by OTLP by default.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...defaults, ...process.env } })))
  )
})

/** Layer that exports; empty if the environment names no collector. */
export const layer: Layer.Layer<never> = Layer.suspend(() => (isNamed() ? Layer.unwrap(exporting) : Layer.empty))
