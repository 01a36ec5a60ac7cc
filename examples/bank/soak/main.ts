/**
 * Random kills, as a table: a bank and an agent that use none of our code, and a judge that compares reports and
 * books.
 *
 * node soak/main.ts --trials 20 --seed 1 node soak/main.ts --trials 20 --store postgres node soak/main.ts --only 17
 *        # one trial again
 *
 * The plan of a trial follows from its seed; when a process dies does not, since time is real. Exits with 1 where an
 * account is not true. Without `DATABASE_URL` a Postgres is started.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bundle } from "../../../apps/cli/build.ts"
import * as Plan from "./Plan.ts"
import * as Stores from "./Stores.ts"
import * as Trial from "./Trial.ts"

const usage = "Usage: node soak/main.ts [--trials N] [--seed N] [--only SEED] [--store sqlite|postgres] [--keep]"

const flags = (): {
  readonly keep: boolean
  readonly seeds: ReadonlyArray<number>
  readonly store: "sqlite" | "postgres"
} => {
  try {
    const { values } = parseArgs({
      options: {
        keep: { type: "boolean", default: false },
        only: { type: "string" },
        seed: { type: "string", default: "1" },
        store: { type: "string", default: "sqlite" },
        trials: { type: "string", default: "20" }
      }
    })
    const { keep, only, store } = values
    if (store !== "sqlite" && store !== "postgres") throw new Error(`--store ${store}: expected sqlite or postgres`)
    for (const name of ["only", "seed", "trials"] as const) {
      if (values[name] !== undefined && !/^\d{1,9}$/.test(values[name])) throw new Error(`--${name}: expected a number`)
    }
    const first = Number(only ?? values.seed)
    return {
      keep,
      seeds: Array.from({ length: only === undefined ? Number(values.trials) : 1 }, (_, at) => first + at),
      store
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
    process.exit(2)
  }
}

const { keep, seeds, store } = flags()
const home = mkdtempSync(join(tmpdir(), "backstitch-soak-"))
// The bundle finds the libraries outside it relative to the place of the program.
const program = join(import.meta.dirname, `../../../apps/cli/node_modules/.cache/soak-${process.pid}`)
process.once("exit", () => {
  rmSync(program, { recursive: true, force: true, maxRetries: 3 })
  if (!keep) rmSync(home, { recursive: true, force: true, maxRetries: 3 })
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

await bundle(program)
const stores = await Stores.make(store)
let [broken, kills, processes] = [0, 0, 0]
try {
  for (const seed of seeds) {
    const plan = Plan.make(seed, store)
    const folder = join(home, `trial-${seed}`)
    const result = await Trial.run(plan, {
      folder,
      program: join(program, "main.js"),
      store: await stores.of(plan, folder)
    })
    kills += result.kills
    processes += result.processes
    if (result.violations.length > 0) broken++
    const verdict = result.violations.length === 0 ? "ok    " : "BROKEN"
    process.stdout.write(
      `${verdict} ${String(seed).padStart(4)}  ${String(result.kills).padStart(3)} kills  ${Plan.render(plan)}\n`
    )
    for (const violation of result.violations) process.stdout.write(`             ${violation}\n`)
  }
} finally {
  await stores.close()
}
process.stdout.write(
  `\n${seeds.length} trials on ${store}: ${processes} processes, ${kills} kills, ${broken} with a violation\n`
)
if (keep) process.stdout.write(`What they left: ${home}\n`)
process.exitCode = broken === 0 ? 0 : 1
