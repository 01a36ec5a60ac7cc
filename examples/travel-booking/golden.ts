/**
 * Records golden traces in `packages/runtime/test/histories`: a trip that was killed and resumed, one that breaks a
 * rule, and a fork from before that.
 *
 * They are recorded once for each set of parts that runs pin, beside those before, and folded for ever by a test. It is
 * the first half of `pnpm goldens`, whose second half records further ones and pins the digests of all. With `--anew`,
 * which is for a format that nobody has yet, all are recorded again, and the run that the README looks at.
 *
 * @since 0.1.0
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Stage from "./demo/Stage.ts"
import * as Story from "./demo/Story.ts"

const folder = fileURLToPath(new URL("../../packages/runtime/test/histories", import.meta.url))

// The tenant's secret is known, so that keys can be derived again.
process.env["BACKSTITCH_SECRET"] = "golden"
const stage = await Stage.open()
try {
  const isAnew = process.argv.includes("--anew")
  const before = readdirSync(folder).filter((name) => name.endsWith(".jsonl"))
  if (isAnew) {
    for (const name of before) rmSync(join(folder, name))
    writeFileSync(join(folder, "digests.golden.json"), "{}\n")
  }
  const count = isAnew ? 0 : before.filter((name) => name.startsWith("trip-")).length
  const [booked, violated, forked] = [1, 2, 3].map((nth) => `trip-${count + nth}`) as [string, string, string]
  await Story.crash(stage, booked)
  await Story.fork(stage, await Story.bisect(stage, violated), forked)
  for (const run of [booked, violated, forked]) {
    await stage.cli.start(["export", run, "--out", join(folder, `${run}.jsonl`)]).ended
  }
  if (isAnew) {
    await Story.bisect(stage, "trip-43")
    const file = fileURLToPath(new URL("recorded/trip-43.jsonl", import.meta.url))
    await stage.cli.start(["export", "trip-43", "--out", file]).ended
  }
} finally {
  await stage.close()
}
