/**
 * Changes the pure packages one place at a time and asks whether a test notices: `pnpm mutation`.
 *
 * A seeded sample of the mutants of Stryker, in a copy of the checkout. A mutant
 * that survives the tests of the pure packages is held against the compiler,
 * which refuses what no author could commit, and against every test that starts
 * no process. The rest is listed: a gap in the tests, or a change that nobody
 * can see.
 *
 *     pnpm mutation --share 0.02 --seed 7
 *     pnpm mutation --package kernel --share 0.1
 *     pnpm mutation --file packages/ledger/src/Saga.ts --share 1
 *
 * @since 0.1.0
 */
import { execFileSync, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { type Mutant, variables } from "./Sample.ts"

const root = Path.resolve(import.meta.dirname, "../..")
const all = ["contracts", "kernel", "ledger", "reconciliation", "reducer", "trace", "version-control"]

const stryker = ["@stryker-mutator/core@10.1.1", "@stryker-mutator/vitest-runner@10.1.1"]

const { values: flags } = parseArgs({
  options: {
    file: { type: "string", multiple: true, default: [] },
    json: { type: "boolean", default: false },
    package: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
    share: { type: "string", default: "0.02" }
  }
})
const share = Number(flags.share)
if (!(share > 0 && share <= 1)) {
  console.error(`--share ${flags.share}: expected a number above 0 and up to 1, the share of mutants to try`)
  process.exit(2)
}
const unknown = flags.package.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`--package ${unknown.join(", ")}: expected one of ${all.join(", ")}`)
  process.exit(2)
}
const packages = flags.package.length > 0 ? flags.package : all

interface Tried extends Mutant {
  readonly status: string
}

/** What a mutant came to: `refused` by the compiler counts for nothing. */
type Fate = "killed" | "refused" | "survived"

const copy = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-mutation-"))
process.once("exit", () => Fs.rmSync(copy, { recursive: true, force: true, maxRetries: 3 }))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

const run = (words: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): boolean =>
  spawnSync("npx", ["-y", "pnpm@12", ...words], {
    cwd: copy,
    env: { ...process.env, ...env },
    // The report of Stryker goes to a file; its progress is for people.
    stdio: ["ignore", words.includes("stryker") && !flags.json ? "inherit" : "ignore", "ignore"]
  }).status === 0

const tests = (include: ReadonlyArray<string>): string =>
  `export default { test: ${JSON.stringify({ include, testTimeout: 120_000, hookTimeout: 120_000 })} }\n`

/** Tries the sample with the tests of the pure packages. */
const sample = (): ReadonlyArray<Tried> => {
  Fs.writeFileSync(Path.join(copy, "mutation.vitest.ts"), tests([`packages/{${all.join(",")}}/test/**/*.test.ts`]))
  const settings = {
    checkers: ["sample"],
    concurrency: Os.availableParallelism(),
    coverageAnalysis: "perTest",
    // A machine that is busy takes ten times as long; what really hangs is ended all the same.
    dryRunTimeoutMinutes: 60,
    ignorers: ["sentences"],
    // Packages reach one another by links into this copy, which a copy of the copy would leave.
    inPlace: true,
    jsonReporter: { fileName: "mutation.json" },
    mutate: flags.file.length > 0 ? flags.file : packages.map((name) => `packages/${name}/src/**/*.ts`),
    plugins: ["@stryker-mutator/vitest-runner", "./tooling/mutation/Sample.ts"],
    reporters: flags.json ? ["json"] : ["json", "progress-append-only"],
    testRunner: "vitest",
    timeoutMS: 60_000,
    vitest: { configFile: "mutation.vitest.ts" }
  }
  Fs.writeFileSync(Path.join(copy, "mutation.stryker.json"), JSON.stringify(settings))
  run(["exec", "stryker", "run", "mutation.stryker.json"], {
    [variables.seed]: flags.seed,
    [variables.share]: flags.share
  })
  const report = Path.join(copy, "mutation.json")
  if (!Fs.existsSync(report))
    throw new Error("Stryker left no report: the tests fail without any change, or it stopped")
  const { files } = JSON.parse(Fs.readFileSync(report, "utf8")) as {
    readonly files: Readonly<Record<string, { readonly mutants: ReadonlyArray<Omit<Tried, "fileName">> }>>
  }
  return Object.entries(files)
    .flatMap(([fileName, { mutants }]) => mutants.map((mutant) => ({ ...mutant, fileName })))
    .filter(({ status }) => status !== "CompileError" && status !== "Ignored")
}

const offset = (text: string, { column, line }: { readonly line: number; readonly column: number }): number =>
  text
    .split("\n")
    .slice(0, line - 1)
    .reduce((sum, each) => sum + each.length + 1, 0) +
  column -
  1

/** Holds a survivor against the compiler, and against all that starts no process. */
const judge = ({ fileName, location, replacement }: Tried): Fate => {
  const path = Path.join(copy, fileName)
  const text = Fs.readFileSync(path, "utf8")
  try {
    Fs.writeFileSync(
      path,
      text.slice(0, offset(text, location.start)) + replacement + text.slice(offset(text, location.end))
    )
    if (!run(["exec", "tsc", "-p", "tsconfig.json"])) return "refused"
    return run(["exec", "vitest", "run", "--project", "pure", "--bail", "1"]) ? "survived" : "killed"
  } finally {
    Fs.writeFileSync(path, text)
  }
}

const place = ({ fileName, location }: Tried): string => `${fileName}:${location.start.line}:${location.start.column}`

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, " ")
  return line.length > 90 ? `${line.slice(0, 89)}…` : line
}

const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
for (const name of tracked.toString().split("\0")) {
  const from = Path.join(root, name)
  if (name !== "" && Fs.existsSync(from)) Fs.cpSync(from, Path.join(copy, name))
}
if (!run(["install", "--frozen-lockfile", "--prefer-offline"])) throw new Error("pnpm install failed in the copy")
// Only here: its hundred and fifty packages would be a third of what everybody installs.
if (!run(["add", "--workspace-root", "--save-dev", ...stryker])) throw new Error("Stryker could not be installed")

const fates = sample().map((mutant) => {
  const alive = mutant.status === "Survived" || mutant.status === "NoCoverage"
  return { mutant, fate: alive ? judge(mutant) : ("killed" as Fate) }
})
const counted = fates.filter(({ fate }) => fate !== "refused")
const rows = packages.map((name) => {
  const own = counted.filter(({ mutant }) => mutant.fileName.startsWith(`packages/${name}/`))
  return { package: name, mutants: own.length, killed: own.filter(({ fate }) => fate === "killed").length }
})
const survivors = counted.filter(({ fate }) => fate === "survived").map(({ mutant }) => mutant)
if (flags.json) {
  console.log(JSON.stringify({ seed: flags.seed, share, packages: rows, survivors }, null, 2))
} else {
  const score = (killed: number, mutants: number) => (mutants === 0 ? "–" : `${Math.round((killed / mutants) * 100)} %`)
  for (const { killed, mutants, package: name } of rows) {
    console.log(
      `${name.padEnd(16)} ${String(mutants).padStart(5)} ${String(killed).padStart(5)}  ${score(killed, mutants)}`
    )
  }
  const [mutants, killed] = [counted.length, counted.length - survivors.length]
  console.log(
    `${"all".padEnd(16)} ${String(mutants).padStart(5)} ${String(killed).padStart(5)}  ${score(killed, mutants)}`
  )
  for (const mutant of survivors)
    console.log(`survived  ${place(mutant)}  ${mutant.mutatorName} → ${shorten(mutant.replacement)}`)
}
