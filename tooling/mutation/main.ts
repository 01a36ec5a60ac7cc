/**
 * Changes the pure packages at one place at a time, and reports whether a test notices: `pnpm mutation`.
 *
 * A seeded sample of Stryker's mutants is tried in a copy of the checkout, package by package: each against the tests
 * of its own package, in one process of low priority, within a time limit. Mutants that the compiler refuses are not
 * counted. Survivors are listed: a gap in the tests, or a change without an effect.
 *
 * pnpm mutation --share 0.02 --seed 7 pnpm mutation --package kernel --share 0.1 --minutes 60 pnpm mutation --file
 * packages/ledger/src/plan/Saga.ts --share 1
 */
import * as Os from "node:os"
import { parseArgs } from "node:util"
import { type Fate, run, type Tried } from "./Trial.ts"
import { make } from "./Workspace.ts"

const all = [
  "contracts",
  "expressions",
  "functions",
  "kernel",
  "ledger",
  "reconciliation",
  "reducer",
  "trace",
  "version-control"
]

const { values: flags } = parseArgs({
  options: {
    file: { type: "string", multiple: true, default: [] },
    json: { type: "boolean", default: false },
    minutes: { type: "string", default: "20" },
    package: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
    share: { type: "string", default: "0.02" }
  }
})

const refuse = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const share = Number(flags.share)
if (!(share > 0 && share <= 1))
  refuse(`--share ${flags.share}: expected a number above 0 and up to 1, the share of mutants to try`)
const minutes = Number(flags.minutes)
if (!(minutes > 0)) refuse(`--minutes ${flags.minutes}: expected a number above 0, the time that a package may take`)
const unknown = flags.package.filter((name) => !all.includes(name))
if (unknown.length > 0) refuse(`--package ${unknown.join(", ")}: expected one of ${all.join(", ")}`)
const packageOf = (file: string): string => /^packages\/([^/]+)\/src\//.exec(file)?.[1] ?? ""
const foreign = flags.file.filter((file) => !all.includes(packageOf(file)))
if (foreign.length > 0) refuse(`--file ${foreign.join(", ")}: expected packages/NAME/src/… of one of ${all.join(", ")}`)
const asked = [...flags.package, ...flags.file.map(packageOf)]
const packages = all.filter((name) => asked.length === 0 || asked.includes(name))

/** Figures of one package, or of all. */
interface Row {
  readonly package: string
  readonly drawn: number
  readonly killed: number
  readonly timedOut: number
  readonly survived: number
  readonly uncovered: number
  readonly refused: number
  readonly untried: number
  /** The share of mutants that a test noticed, among those that compile and were tried in time. */
  readonly score: number | null
}

const rowOf = (name: string, tried: ReadonlyArray<Tried>): Row => {
  const count = (wanted: Fate): number => tried.filter(({ fate }) => fate === wanted).length
  const noticed = count("killed") + count("timed out")
  const counted = noticed + count("survived") + count("uncovered")
  return {
    package: name,
    drawn: tried.length,
    killed: count("killed"),
    timedOut: count("timed out"),
    survived: count("survived"),
    uncovered: count("uncovered"),
    refused: count("refused"),
    untried: count("untried"),
    score: counted === 0 ? null : noticed / counted
  }
}

const columns = ["drawn", "killed", "timedOut", "survived", "uncovered", "refused", "untried"] as const

const line = (row: Row): string =>
  [
    row.package.padEnd(16),
    ...columns.map((column) => String(row[column]).padStart(column.length + 2)),
    (row.score === null ? "–" : `${Math.round(row.score * 100)} %`).padStart(7)
  ].join("")

const shorten = (text: string): string => {
  const flat = text.replace(/\s+/g, " ")
  return flat.length > 90 ? `${flat.slice(0, 89)}…` : flat
}

const isAlive = ({ fate }: Tried): boolean => fate === "survived" || fate === "uncovered"

/** Prints the result of a package as soon as it is known. */
const tell = (row: Row, tried: ReadonlyArray<Tried>): void => {
  console.log(["".padEnd(16), ...columns.map((column) => `  ${column}`), "  score"].join(""))
  console.log(line(row))
  for (const { fate, mutant } of tried.filter(isAlive)) {
    const { fileName, location, mutatorName, replacement } = mutant
    const place = `${fileName}:${location.start.line}:${location.start.column}`
    console.log(`${fate.padEnd(9)}  ${place}  ${mutatorName} → ${shorten(replacement)}`)
  }
}

Os.setPriority(10)
const workspace = await make()
const tried: Array<Tried> = []
const rows: Array<Row> = []
for (const name of packages) {
  const own = await run(workspace, {
    files: flags.file.filter((file) => packageOf(file) === name),
    isLoud: !flags.json,
    limitMillis: minutes * 60_000,
    package: name,
    seed: flags.seed,
    share
  })
  const row = rowOf(name, own)
  if (!flags.json) tell(row, own)
  tried.push(...own)
  rows.push(row)
}
if (flags.json) {
  const survivors = tried.filter(isAlive)
  console.log(JSON.stringify({ seed: flags.seed, share, packages: rows, survivors }, null, 2))
} else console.log(line(rowOf("all", tried)))
