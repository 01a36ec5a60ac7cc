/** Measures runs. */
import * as Duration from "@backstitch/contracts/Duration"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import * as MetricsExport from "@backstitch/runtime/MetricsExport"
import * as RunMetrics from "@backstitch/runtime/RunMetrics"
import * as Wording from "@backstitch/wording/Wording"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Result from "effect/Result"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import { version } from "../../terminal/Version.ts"
import type { Input } from "./metrics.ts"

const print = ({ actions, anomalies, measures, runs }: RunMetrics.Measured): void => {
  const rows = ActionMetrics.names.map((name) => {
    const { denominator, numerator } = measures[name]
    const { denominator: over, numerator: of } = Wording.measure(name)
    const unit = ActionMetrics.units[name]
    const value = ActionMetrics.value(measures[name])
    const shown = value === undefined ? "-" : unit === "millis" ? `${Math.round(value)} ms` : percent(value)
    const total = unit === "millis" ? `${Math.round(numerator)} ms` : String(numerator)
    return [Terminal.name(name), shown, total, String(denominator), `${of} / ${over}`]
  })
  const [value, total, count] = ["VALUE", "SUM", "OVER"].map(Table.number) as [Table.Column, Table.Column, Table.Column]
  Table.print(rows, { header: ["MEASURE", value, total, count, "SUM OF WHAT / OVER WHAT"] })
  const kinds = Object.entries(anomalies).map(([kind, count]) => `${count} ${kind}`)
  const met = kinds.length === 0 ? "" : ` | anomalies: ${kinds.join(", ")}`
  Terminal.print(`\n${Terminal.bold("METRICS:")} runs=${runs} | mutations=${actions}${met}`)
}

const percent = (value: number): string => `${(100 * value).toFixed(1)}%`

const millisOf = (text: string | undefined): Effect.Effect<number | undefined, Usage> => {
  if (text === undefined) return Effect.succeed(undefined)
  const parsed = Duration.parse(text)
  return Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Effect.fail(new Usage({ problem: parsed.failure.message }))
}

const exposed = (measured: RunMetrics.Measured, labels: Readonly<Record<string, string>>) =>
  MetricsExport.add(measured.measures, labels).pipe(
    Effect.andThen(PrometheusMetrics.format()),
    // Only these measures are printed, not others that this process has counted.
    Effect.provideService(Metric.MetricRegistry, new Map())
  )

/** Prints the nineteen measures of a run or of a tenant. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    if (input.prometheus && globals.json) {
      return yield* new Usage({ problem: "Choose one: --json or --prometheus" })
    }
    const window = yield* millisOf(input.since)
    const since = window === undefined ? undefined : (yield* Clock.currentTimeMillis) - window
    const options = { since, pendingMillisMax: yield* millisOf(input.pending), wrapper: version }
    const tenant = yield* StoreSession.tenant(globals)
    const named = input.run === undefined ? undefined : yield* StoreSession.find(input.run, globals)
    const measured =
      named === undefined ? yield* RunMetrics.ofTenant(tenant, options) : yield* RunMetrics.ofRun(named, options)
    const { actions, anomalies, runs } = measured
    const measures = RunMetrics.rows(measured)
    const document = { tenant, run: named?.id ?? null, since: since ?? null, runs, actions, anomalies, measures }
    if (!input.prometheus) return Printer.answer(document, () => print(measured))
    const run = named === undefined ? {} : { run: named.id }
    const text = yield* exposed(measured, { tenant, ...run })
    return Printer.answer(document, () => Terminal.write(text))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
