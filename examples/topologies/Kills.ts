/** Kills a scenario at one place, starts it again, and tells what the press has printed. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Press from "./Press.ts"
import type * as Scenario from "./Scenario.ts"

/**
 * The end of a trial: whether the first process was killed, the roles that died, and the places that the last process
 * has reached.
 */
export interface Trial extends Scenario.End {
  readonly isKilled: boolean
  readonly died: ReadonlyArray<string>
  readonly places: number
}

/** Phases in which a role dies: before its print, after it, and after its answer. */
export const phases = ["before", "after", "answered"] as const

/** A trial: the place at which the first process dies, or 0, and roles that die once, such as `critic:after`. */
export interface Kill {
  readonly place?: number
  readonly roles?: ReadonlyArray<string>
}

/** With its medicine, or without it. */
export type How = "careful" | "careless"

/** One trial: the first process dies at a place, if it gets there, and the second one goes on. */
export const at = async (scenario: Scenario.Name, { place = 0, roles = [] }: Kill, how: How): Promise<Trial> => {
  const press = await Press.start()
  const folder = mkdtempSync(join(tmpdir(), "backstitch-press-"))
  try {
    const run = async (dieAt: number) => {
      const careless = how === "careless" ? "1" : ""
      const program = join(import.meta.dirname, `${scenario}.ts`)
      const settings = { CARELESS: careless, DIE_AT: String(dieAt), KILL: roles.join(), PRESS_URL: press.url }
      const child = spawn(process.execPath, [program, join(folder, "t.db"), "book-1"], {
        env: { ...process.env, ...settings },
        stdio: ["ignore", "pipe", "inherit"]
      })
      let said = ""
      child.stdout.on("data", (bytes: Buffer) => {
        said += bytes.toString()
      })
      const [code, signal] = (await once(child, "close")) as [number | null, string | null]
      if (code !== null && code > 0) throw new Error(`${program} ended with ${code}: its own words stand above`)
      return { isKilled: signal === "SIGKILL", said }
    }
    const first = await run(place)
    const last = first.isKilled ? await run(0) : first
    const places = Number(readFileSync(join(folder, "places"), "utf8"))
    const died = readdirSync(folder).flatMap((file) => (file.endsWith(".dead") ? [file.slice(0, -".dead".length)] : []))
    return { isKilled: first.isKilled, died, places, printed: [...press.printed], said: last.said.trim() }
  } finally {
    await press.close()
    rmSync(folder, { force: true, recursive: true })
  }
}

/** Trials that are killed after a share of the places of a run that is not killed, from 0 to 1. */
export const atShares = async (scenario: Scenario.Name, shares: ReadonlyArray<number>, how: How) => {
  const { places } = await at(scenario, {}, how)
  const trials: Array<Trial> = []
  for (const share of shares) trials.push(await at(scenario, { place: Math.max(1, Math.round(places * share)) }, how))
  return trials
}
