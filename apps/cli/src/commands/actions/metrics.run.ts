/** Measures runs. */
import * as Duration from "@backstitch/contracts/Duration"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import * as PrometheusText from "@backstitch/runtime/PrometheusText"
import * as RunMetrics from "@backstitch/runtime/RunMetrics"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./metrics.ts"

const print = ({ actions, alarms, anomalies, measures, runs }: RunMetrics.Measured): void => {
  const rows = ActionMetrics.names.map((name) => {
    const { denominator, numerator } = measures[name]
    const { denominator: over, numerator: of } = Wording.measure(name)
    const unit = ActionMetrics.units[name]
    const value = ActionMetrics.value(measures[name])
    const shown = value === undefined ? "-" : unit === "millis" ? `${Math.round(value)} ms` : percent(value)
    const total = unit === "millis" ? `${Math.round(numerator)} ms` : String(numerator)
    return [Terminal.name(name), shown, total, String(denominator), `${of} / ${over}`]
  })
  const [value, total, count] = ["VALUE", "SUM", "OVER"].map(TextTable.number) as [
    TextTable.Column,
    TextTable.Column,
    TextTable.Column
  ]
  TextTable.print(rows, { header: ["MEASURE", value, total, count, "SUM OF WHAT / OVER WHAT"] })
  const counted = (name: string, counts: Readonly<Record<string, number>>): string => {
    const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
    return kinds.length === 0 ? "" : ` | ${name}: ${kinds.join(", ")}`
  }
  const met = `${counted("anomalies", anomalies)}${counted("alarms", alarms)}`
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

/** Prints the nineteen measures of a run or of a tenant. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    if (input.prometheus && globals.json) {
      return yield* new Usage({ problem: "Choose one: --json or --prometheus" })
    }
    const tenant = yield* StoreSession.tenant(globals)
    const run = input.run === undefined ? undefined : yield* StoreSession.find(input.run, globals)
    const [lastMillis, pendingMillisMax] = [yield* millisOf(input.since), yield* millisOf(input.pending)]
    const found = yield* RunMetrics.of({ lastMillis, pendingMillisMax, run, tenant })
    const document = { ...found, measures: RunMetrics.rows(found) }
    if (!input.prometheus) return Printer.answer(document, () => print(found))
    const text = yield* PrometheusText.of(found.measures, run === undefined ? { tenant } : { run: run.id, tenant })
    return Printer.answer(document, () => Terminal.write(text))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
