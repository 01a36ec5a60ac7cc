/**
 * Tries the drawn mutants of one package against the tests of that package.
 *
 * Stryker switches the mutants of functions on and off in one process, and runs the tests that reach them. Code that
 * runs once, when a module is loaded, cannot be switched: Stryker would run every test of the package anew, slowed
 * down by all mutants. Such mutants are written into the file one at a time instead.
 */
import * as Fs from "node:fs"
import { type Mutant, type Noted, variables } from "./Sample.ts"
import type { Workspace } from "./Workspace.ts"

/**
 * The fate of a mutant.
 *
 * **Details**
 *
 * A mutant that the compiler refused (`refused`) is not counted: no author could commit it. No test runs an
 * `uncovered` one. For an `untried` one there was no time left.
 */
export type Fate = "killed" | "refused" | "survived" | "timed out" | "uncovered" | "untried"

/** A mutant and its fate. */
export interface Tried {
  readonly fate: Fate
  readonly mutant: Mutant
}

/** The mutants to draw, and their time limit. */
export interface Draw {
  /** Files or patterns; by default every file of the package. */
  readonly files: ReadonlyArray<string>
  readonly isLoud: boolean
  readonly limitMillis: number
  readonly package: string
  readonly seed: string
  readonly share: number
}

const config = { notes: "mutation.notes", stryker: "mutation.stryker.json", types: "mutation.tsconfig.json" }
const testConfig = "mutation.vitest.ts"

const offset = (text: string, { column, line }: { readonly line: number; readonly column: number }): number =>
  text
    .split("\n")
    .slice(0, line - 1)
    .reduce((sum, each) => sum + each.length + 1, 0) +
  column -
  1

const write = (workspace: Workspace, draw: Draw): void => {
  const own = `packages/${draw.package}`
  const test = { include: [`${own}/test/**/*.test.ts`], testTimeout: 120_000, hookTimeout: 120_000 }
  Fs.writeFileSync(workspace.path(testConfig), `export default { test: ${JSON.stringify(test)} }\n`)
  const types = { extends: "./tsconfig.json", include: [`${own}/src`, `${own}/test`], exclude: ["**/node_modules"] }
  Fs.writeFileSync(workspace.path(config.types), JSON.stringify(types))
  const settings = {
    checkers: ["sample"],
    // One process that tests: what is measured is whether it fails, and the machine has others to serve.
    concurrency: 1,
    coverageAnalysis: "perTest",
    dryRunTimeoutMinutes: draw.limitMillis / 60_000,
    ignoreStatic: true,
    ignorers: ["sentences"],
    // Packages reach one another by links into this copy, which a copy of the copy would leave.
    inPlace: true,
    mutate: draw.files.length > 0 ? draw.files : [`${own}/src/**/*.ts`],
    plugins: ["@stryker-mutator/vitest-runner", "./tooling/mutation/Sample.ts"],
    reporters: draw.isLoud ? ["notes", "progress-append-only"] : ["notes"],
    testRunner: "vitest",
    timeoutMS: 30_000,
    // Processes, as in `pnpm test`: in a thread the stack is deeper, and what is too deep to be read is read.
    vitest: { configFile: testConfig, pool: "forks" }
  }
  Fs.writeFileSync(workspace.path(config.stryker), JSON.stringify(settings))
  Fs.rmSync(workspace.path(config.notes), { force: true })
}

/** Notes of the run so far; of several about one mutant the last. */
const read = (workspace: Workspace): ReadonlyArray<Noted> => {
  const path = workspace.path(config.notes)
  if (!Fs.existsSync(path)) throw new Error("Stryker drew nothing: the tests fail without any change, or it stopped")
  const notes = new Map<string, Noted>()
  for (const line of Fs.readFileSync(path, "utf8").split("\n").filter(Boolean)) {
    const noted = JSON.parse(line) as Noted
    notes.set(noted.id, noted)
  }
  return [...notes.values()]
}

const said: { readonly [status in Noted["status"]]: Fate } = {
  // Left to this program: the mutant is written into its file and tried again.
  Ignored: "uncovered",
  Killed: "killed",
  NoCoverage: "uncovered",
  Pending: "untried",
  // A test file that can no longer be loaded.
  RuntimeError: "killed",
  Survived: "survived",
  Timeout: "timed out"
}

/** Checks a mutant with the compiler, and with the tests if it is in code that runs when a module is loaded. */
const judge = async (workspace: Workspace, noted: Noted, until: number): Promise<Fate> => {
  const limitMillis = until - Date.now()
  if (noted.status === "Pending" || limitMillis <= 0) return "untried"
  const path = workspace.path(noted.fileName)
  const text = Fs.readFileSync(path, "utf8")
  const { end, start } = noted.location
  Fs.writeFileSync(path, text.slice(0, offset(text, start)) + noted.replacement + text.slice(offset(text, end)))
  try {
    const compiled = await workspace.run(["tsc", "-p", config.types], { limitMillis })
    if (compiled !== "passed") return compiled === "failed" ? "refused" : "untried"
    const fate = said[noted.status]
    if (noted.static !== true || (fate !== "survived" && fate !== "uncovered")) return fate
    const words = ["vitest", "run", "--config", testConfig, "--bail", "1"]
    const outcome = await workspace.run(words, { limitMillis: Math.min(limitMillis, 5 * 60_000) })
    return outcome === "passed" ? "survived" : outcome === "failed" ? "killed" : "timed out"
  } finally {
    Fs.writeFileSync(path, text)
  }
}

/** Draws mutants of a package, tries them, and reports their fates. */
export const run = async (workspace: Workspace, draw: Draw): Promise<ReadonlyArray<Tried>> => {
  const until = Date.now() + draw.limitMillis
  const restore = workspace.keep(`packages/${draw.package}/src`)
  write(workspace, draw)
  await workspace.run(["stryker", "run", config.stryker], {
    env: {
      [variables.notes]: workspace.path(config.notes),
      [variables.seed]: draw.seed,
      [variables.share]: String(draw.share)
    },
    isLoud: draw.isLoud,
    // A third of the time is kept for the compiler and the mutants that Stryker leaves.
    limitMillis: (draw.limitMillis * 2) / 3
  })
  // Also after a run that was stopped.
  restore()
  const tried: Array<Tried> = []
  for (const noted of read(workspace)) {
    const { fileName, id, location, mutatorName, replacement } = noted
    const mutant = { fileName, id, location, mutatorName, replacement }
    tried.push({ mutant, fate: await judge(workspace, noted, until) })
  }
  return tried
}
