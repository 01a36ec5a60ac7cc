/** `pnpm bench:topology`: prints how well the cracks of topologies are found, on generated and on recorded runs. */
import { parseArgs } from "node:util"
import { table } from "../src/Table.ts"
import * as Detection from "./Detection.ts"
import * as Recorded from "./Recorded.ts"

const usage = `pnpm bench:topology [--runs N] [--json]

Generates runs with planted cracks and healthy ones, and prints recall and precision by severity; then what is found in
recorded runs, if they are there. Exits with 1 if a mark is missed.

  --runs N  runs of each point, a whole number from 1 on (200 unless said otherwise)
  --json    one JSON document instead of tables`

const options = { help: { type: "boolean", short: "h" }, json: { type: "boolean" }, runs: { type: "string" } } as const

const curves = (measured: ReadonlyArray<Detection.Curve>): string =>
  measured
    .map(({ crack, kind, points, seeded, severity }) =>
      table(
        `${kind}: ${crack}, by ${severity} (the source describes ${seeded.severity})`,
        ["severity", "recall", "precision"],
        points.map(({ precision, recall, severity }) => [severity, recall, precision])
      )
    )
    .join("\n\n")

const summary = (measured: ReadonlyArray<Detection.Curve>): string =>
  table(
    `At the severity of the source: recall and precision of at least ${Detection.mark}`,
    ["topology", "crack", "recall", "precision", "met", "recall without the pack", "recognised without it"],
    measured.map((curve) => {
      const { crack, kind, recognised, seeded, undeclared } = curve
      const met = Detection.meets(curve) ? "yes" : "no"
      return [kind, crack, seeded.recall, seeded.precision, met, undeclared, recognised]
    })
  )

const harder = (measured: ReadonlyArray<Detection.Hard>): string =>
  table(
    "Runs that are meant to mislead; no mark depends on them",
    ["topology", "run", "crack", "found", "false alarms"],
    measured.map(({ alarms, crack, found, kind, name }) => [kind, name, crack ?? "none", found, alarms])
  )

const main = (): number => {
  const { values } = parseArgs({ args: process.argv.slice(2).filter((word) => word !== "--"), options })
  const runs = Number(values.runs ?? 200)
  if (values.help === true || !Number.isInteger(runs) || runs < 1) {
    process.stderr.write(`${usage}\n`)
    return values.help === true ? 0 : 2
  }
  const measured = Detection.measure(runs)
  const hard = Detection.measureHarder(runs)
  const data = Recorded.folder()
  const recorded = data === undefined ? undefined : Recorded.summary(data)
  const tables = () => [
    summary(measured),
    curves(measured),
    harder(hard),
    recorded === undefined ? "" : Recorded.print(recorded)
  ]
  process.stdout.write(
    `${values.json === true ? JSON.stringify({ measured, harder: hard, recorded }) : tables().join("\n\n")}\n`
  )
  return measured.every(Detection.meets) ? 0 : 1
}

process.exitCode = main()
