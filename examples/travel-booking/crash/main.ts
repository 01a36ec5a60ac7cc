/**
 * The complete crash matrix and the ambiguous time-outs, as tables. The tests hold a short form of them.
 *
 * Real agent processes are killed with SIGKILL at every place of the commit path, during every tool that changes the
 * world, on SQLite and on Postgres; every run is resumed by one process, by two at once, and after a second death.
 * Then the world's own database is counted. Exits with 1 if a claim breaks. Without `DATABASE_URL` a Postgres is
 * started.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Postgres from "../../../tooling/src/postgres.ts"
import * as Ambiguity from "./Ambiguity.ts"
import * as Crew from "./Crew.ts"
import * as Figure from "./Figure.ts"
import * as Matrix from "./Matrix.ts"
import * as Sweep from "./Sweep.ts"
import type * as Trial from "./Trial.ts"
import * as Truth from "./Truth.ts"

const usage = `Usage: node examples/travel-booking/crash/main.ts [--only sqlite|postgres|paths|ambiguity|figure] [--timeouts N]`

const options = () => {
  try {
    const { values } = parseArgs({ options: { only: { type: "string" }, timeouts: { type: "string" } } })
    const { only, timeouts = "1000" } = values
    if (only !== undefined && !["sqlite", "postgres", "paths", "ambiguity", "figure"].includes(only))
      throw new Error(`no part ${only}`)
    if (!/^[1-9]\d{0,5}$/.test(timeouts)) throw new Error(`--timeouts must be a number, found ${timeouts}`)
    return { does: (part: string) => only === undefined || only === part, timeouts: Number(timeouts) }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
    process.exit(2)
  }
}

const { does, timeouts } = options()
const print = (text = ""): void => {
  process.stdout.write(`${text}\n`)
}
const progress = (what: string) => (done: number, of: number) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${what} ${done}/${of}${done === of ? "\r\x1b[K" : ""}`)
}

/** Claims that failed, over all parts. */
const broken: Array<string> = []

const resumptions: ReadonlyArray<Trial.Resumption> = ["one", "two", "again"]

const matrix = async (title: string, postgres?: { readonly url: string; readonly schema: string }): Promise<void> => {
  const crew = new Crew.Crew(3)
  try {
    const all = { moments: Matrix.moments, tools: Truth.tools, resumptions }
    const verdicts = await Matrix.run([all], { crew, postgres, progress: progress(title) })
    const answered = Matrix.moments.filter(({ place }) => place === "effect/answered")
    const control = { ...all, moments: answered, resumptions: ["one" as const], isKeyless: true }
    const blind = await Matrix.run([control], { crew, postgres, tenants: "control" })
    print(`${title}: effects in the world's database after a death and`)
    print("a resumption by one process, by two at once, and by one that is killed again. Every trace verifies.\n")
    print(Matrix.render(verdicts))
    print(`\n${verdicts.length} runs, ${verdicts.filter(({ end }) => end === "held").length} held as unknown`)
    for (const { trial, why } of verdicts) {
      if (why.length > 0) print(`  ${trial.death.place} ${trial.death.nth}, by ${trial.resumption}: ${why.join("; ")}`)
    }
    print(`Control, a client that sends no key: ${blind.map(({ effects }) => effects).join(", ")} effects\n`)
    broken.push(...Matrix.broken(verdicts))
    if (blind.some(({ problems }) => problems.length === 0)) broken.push("the control found no duplicate")
  } finally {
    await crew.close()
  }
}

const paths = async (): Promise<void> => {
  const crew = new Crew.Crew(3)
  const folder = mkdtempSync(join(tmpdir(), "backstitch-paths-"))
  try {
    print("Killed at every place that a path reaches, and resumed as above\n")
    for (const path of Sweep.paths) {
      const storeOf = (name: string) => ({ dialect: "sqlite", filename: join(folder, `${name}.db`) }) as const
      const verdicts = await Sweep.run(path, { crew, storeOf })
      print(Sweep.render(path, verdicts))
      broken.push(...Sweep.broken(path, verdicts))
    }
    print()
  } finally {
    await crew.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const ambiguity = async (): Promise<void> => {
  const protocol = await Ambiguity.withProtocol(timeouts, (done) => progress("time-outs")(done, timeouts))
  const blind = await Ambiguity.withBlindRetry(timeouts, (done) => progress("blind")(done, timeouts))
  print(`${timeouts} ambiguous time-outs, and the same again with blind retry under fresh keys\n`)
  print(Ambiguity.render(protocol, blind))
  print()
  const { duplicates, lost, unreal } = Ambiguity.total(protocol)
  if (duplicates + lost + unreal > 0) broken.push(`time-outs: ${duplicates} duplicates, ${lost} lost, ${unreal} unreal`)
  if (Ambiguity.total(blind).duplicates === 0) broken.push("the control, blind retry, doubled nothing")
}

const figure = async (): Promise<void> => {
  const crew = new Crew.Crew(1)
  try {
    const found = await Figure.run(crew)
    print(
      "Killed after the airline had booked, before the agent heard of it: begun again without record or key, and resumed\n"
    )
    print(`${Figure.render(found)}\n`)
    if (Number(found.resume.cost) * 2 !== Number(found.restart.cost)) broken.push("a resumption repeated what it paid")
    if (found.resume.flights !== 1) broken.push(`a resumption booked ${found.resume.flights} flights`)
  } finally {
    await crew.close()
  }
}

if (does("sqlite")) await matrix("SQLite")
if (does("postgres")) {
  const given = process.env["DATABASE_URL"] ?? ""
  const { stop, url } = given === "" ? await Postgres.start() : { stop: async () => undefined, url: given }
  await matrix("Postgres", { url, schema: `crash_${randomBytes(6).toString("hex")}` })
  await stop()
}
if (does("paths")) await paths()
if (does("ambiguity")) await ambiguity()
if (does("figure")) await figure()
for (const claim of broken) print(`BROKEN: ${claim}`)
process.exitCode = broken.length === 0 ? 0 : 1
