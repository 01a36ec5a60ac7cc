/**
 * Writes measures in the text format of Prometheus, for a file that its node exporter collects.
 *
 * Only the given measures are written, and no other metrics that the process has counted.
 */
import type * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as MetricsExport from "./MetricsExport.ts"

/** Writes measures under labels such as the tenant. */
export const of = (measures: ActionMetrics.Measures, labels: Readonly<Record<string, string>>): Effect.Effect<string> =>
  MetricsExport.add(measures, labels).pipe(
    Effect.andThen(PrometheusMetrics.format()),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
