/**
 * Records golden traces in `packages/runtime/test/histories`: a trip that was killed and resumed, one that breaks a
 * rule, and a fork from before that.
 *
 * They are recorded once for each set of parts that runs pin, in addition to the earlier ones, and a test folds them
 * for ever. It is the first part of `pnpm goldens`. Its other part adds the traces that tests leave, and pins the
 * digests of all.
 */
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Stage from "./demo/Stage.ts"
import * as Story from "./demo/Story.ts"

const folder = fileURLToPath(new URL("../../packages/runtime/test/histories", import.meta.url))

// The tenant's secret is fixed, so that keys can be derived again.
process.env["BACKSTITCH_SECRET"] = "golden"

/** Plays a story in a world of its own, and exports its runs. */
const record = async (tell: (stage: Stage.Stage) => Promise<unknown>, files: Readonly<Record<string, string>>) => {
  const stage = await Stage.open()
  try {
    await tell(stage)
    for (const [run, file] of Object.entries(files)) await stage.cli.start(["export", run, "--out", file]).ended
  } finally {
    await stage.close()
  }
}

// The first three lie in the folder itself. Each further set has one of its own: its runs do the same acts again.
const sets = readdirSync(folder).filter((name) => name.startsWith("travel-")).length + 1
const store = join(folder, `travel-${sets + 1}`)
mkdirSync(store)
const [booked, violated, forked] = [1, 2, 3].map((nth) => `trip-${sets * 3 + nth}`) as [string, string, string]
await record(
  async (stage) => {
    await Story.crash(stage, booked)
    await Story.fork(stage, await Story.bisect(stage, violated), forked)
  },
  Object.fromEntries([booked, violated, forked].map((run) => [run, join(store, `${run}.jsonl`)]))
)
