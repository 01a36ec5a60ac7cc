/** Kills a scenario at one place, starts it again, and tells what the press has printed. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Press from "./Press.ts"

/** The end of a trial: whether the first process was killed, what was printed, and what the last process said. */
export interface Trial {
  readonly isKilled: boolean
  readonly printed: ReadonlyArray<string>
  readonly said: string
}

/** The scenarios of this folder, with the roles that work in processes of their own. */
export const scenarios = {
  crew: [],
  debate: ["drafter", "critic", "judge"],
  hierarchy: ["leaf", "boss"],
  loop: [],
  pipeline: [],
  plan: ["world", "planner", "executor"]
} as const satisfies { readonly [scenario: string]: ReadonlyArray<string> }

/** A scenario of this folder. */
export type Scenario = keyof typeof scenarios

/** A trial: the place at which the first process dies, or 0, and roles that die once, such as `critic:after`. */
export interface Kill {
  readonly place?: number
  readonly roles?: ReadonlyArray<string>
}

/** One trial: the first process dies at a place, if it gets there, and the second one goes on. */
export const at = async (
  scenario: Scenario,
  { place = 0, roles = [] }: Kill,
  how: "careful" | "careless"
): Promise<Trial> => {
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
      const [, signal] = (await once(child, "close")) as [number | null, string | null]
      return { isKilled: signal === "SIGKILL", said }
    }
    const first = await run(place)
    const last = first.isKilled ? await run(0) : first
    return { isKilled: first.isKilled, printed: [...press.printed], said: last.said.trim() }
  } finally {
    await press.close()
    rmSync(folder, { force: true, recursive: true })
  }
}
