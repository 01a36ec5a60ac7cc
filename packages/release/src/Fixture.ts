/**
 * Makes a regression test from a run: its trace with every recorded effect, and a test that a replay gives the same
 * result.
 *
 * The test imports the trace into a store in memory, verifies the chain and every state, and compares the predicates
 * that held. With an agent, the agent runs again while its tools answer from the record, and has to do the same.
 * There is no network and no clock, and only the agent's own code decides.
 */

import { mkdir } from "node:fs/promises"
import { findPackageJSON } from "node:module"
import { join, relative, resolve, sep } from "node:path"
import { pathToFileURL } from "node:url"
import * as Latch from "@backstitch/reducer/Latch"
import * as State from "@backstitch/reducer/State"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as FileReplacement from "@backstitch/runtime/FileReplacement"
import * as RunExport from "@backstitch/runtime/RunExport"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as Export from "@backstitch/trace/Export"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as RecordedReplay from "./RecordedReplay.ts"
import * as RecordedRuns from "./RecordedRuns.ts"

/** The outcome of a run that is folded and, with an agent, run again. */
export interface FixtureOutcome {
  readonly ticks: number
  readonly head: string
  /** Digest of the last state. */
  readonly state: string
  /** First ticks at which predicates held. */
  readonly held: { readonly [predicate: string]: number }
  /** The first tick at which the agent did something else; `null` if it did the same, absent without an agent. */
  readonly partedAt?: number | null
}

/** The two files of a fixture. */
export interface Fixture {
  readonly trace: string
  readonly test: string
  readonly outcome: FixtureOutcome
}

/**
 * Makes the fixture of a run.
 *
 * **Details**
 *
 * `trace` is the name of the trace file beside the test, and `agent` the path of the agent's module from there, if
 * the test runs it. If the agent already differs now, the test records the tick at which it parts.
 */
export const make = Effect.fn("Fixture.make")(function* (
  run: Run,
  options: { readonly trace: string; readonly agent?: { readonly file: string; readonly from: string } | undefined }
) {
  const trace = Export.encode(yield* RunExport.exportRun(run))
  const outcome = yield* outcomeOf(trace, options.agent?.file)
  const fixture: Fixture = { trace, outcome, test: testOf(run, outcome, options) }
  return fixture
})

/** The written files, and the result that their test expects. */
export interface WrittenFixture {
  readonly files: ReadonlyArray<string>
  readonly outcome: FixtureOutcome
}

/** Makes the fixture of a run and writes it into a folder, which is created. The agent is in a file of its own. */
export const write = Effect.fn("Fixture.write")(function* (
  run: Run,
  { agent, folder }: { readonly folder: string; readonly agent?: string | undefined }
) {
  const trace = `${run.id}.trace.jsonl`
  const named = agent === undefined ? undefined : { file: agent, from: fromHere(folder, agent) }
  const made = yield* make(run, { trace, agent: named })
  yield* Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true }),
    catch: (cause) => FileProblem.unwritten(folder, cause)
  })
  const texts = { [`${run.id}.test.ts`]: made.test, [trace]: made.trace }
  const files = yield* Effect.forEach(Object.entries(texts), ([name, text]) => {
    const file = join(folder, name)
    return Effect.as(FileReplacement.write(file, [text]), file)
  })
  const written: WrittenFixture = { files, outcome: made.outcome }
  return written
})

/** Names the packages that a test imports and does not find from a folder, which may be one that is not there yet. */
export const missing = (folder: string): ReadonlyArray<string> => {
  const test = pathToFileURL(join(resolve(folder), "run.test.ts"))
  return imported.filter((name) => {
    try {
      return findPackageJSON(name, test) === undefined
    } catch {
      return true
    }
  })
}

const imported = ["vitest", "@backstitch/release"]

/** Names a module relative to the folder of the test, with forward slashes. */
const fromHere = (folder: string, file: string): string => {
  const path = relative(resolve(folder), resolve(file)).split(sep).join("/")
  return path.startsWith(".") ? path : `./${path}`
}

/** Imports a trace and runs it again, for tests: no service is needed, and nothing is stored. */
export const play = (files: { readonly trace: string; readonly agent?: string | undefined }): Promise<FixtureOutcome> =>
  Effect.runPromise(outcomeOf(files.trace, files.agent))

const outcomeOf = (trace: string, agent: string | undefined) =>
  Effect.gen(function* () {
    const exported = yield* Effect.fromResult(Export.decode(trace))
    yield* RunExport.importRun(exported)
    const { run } = exported
    const { divergences, head, state } = yield* StrictReplay.of(run)
    const first = divergences[0]
    const digest = first === undefined ? State.digest(state) : `folds otherwise from tick ${first.tick} on`
    const outcome: FixtureOutcome = { ticks: head.tick, head: head.link, state: digest, held: Latch.of(state) }
    if (agent === undefined) return outcome
    const { partedAt } = yield* RecordedReplay.replay(run, yield* AgentFile.load(agent, { undeclared: "permit" }), {
      secret: "fixture"
    })
    return { ...outcome, partedAt }
  }).pipe(Effect.provide(RecordedRuns.memory))

const testOf = (
  run: Run,
  outcome: FixtureOutcome,
  { agent, trace }: { readonly trace: string; readonly agent?: { readonly from: string } | undefined }
): string => {
  const did = agent === undefined ? "folds to what it committed" : "does what it did, with its recorded effects"
  const found = JSON.stringify(outcome, null, 2).replace(/"([A-Za-z_]\w*)":/g, "$1:")
  return `import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Fixture from "@backstitch/release/Fixture"
import { expect, it } from "vitest"

const beside = (name: string) => join(import.meta.dirname, name)

it(${JSON.stringify(`run ${run.id} ${did}`)}, async () => {
  const outcome = await Fixture.play({
    trace: readFileSync(beside(${JSON.stringify(`./${trace}`)}), "utf8")${
      agent === undefined ? "" : `,\n    agent: beside(${JSON.stringify(agent.from)})`
    }
  })
  expect(outcome).toEqual(${found.replaceAll("\n", "\n  ")})
})
`
}
