/**
 * Records golden traces in `packages/runtime/test/histories` and pins their digests: a trip that was killed
 * and resumed, one that breaks a rule, and a fork from before that.
 *
 * They are recorded once for each set of parts that runs pin, beside those before, and folded for ever by a test. Run
 * it when a part was added or given a new version. With `--anew`, which is for a format that nobody has yet, all are
 * recorded again, and the run that the README looks at.
 *
 * ```sh
 * node examples/travel-booking/golden.ts
 * ```
 *
 * @since 0.1.0
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as StandardFold from "@backstitch/kernel/StandardFold"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as Replay from "@backstitch/reducer/Replay"
import * as State from "@backstitch/reducer/State"
import * as Export from "@backstitch/trace/Export"
import * as Result from "effect/Result"
import * as Stage from "./demo/Stage.ts"
import * as Story from "./demo/Story.ts"

const folder = fileURLToPath(new URL("../../packages/runtime/test/histories", import.meta.url))

/** What a trace folds to, under the pack that it carries. */
const digests = (text: string) => {
  const exported = Result.getOrThrow(Export.decode(text))
  const packs = new Map(
    [...exported.blobs].flatMap(([digest, blob]) =>
      blob.startsWith("backstitch.pack.1\n")
        ? [
            [
              digest as string,
              Result.getOrThrow(TaskPack.fromJson(JSON.parse(blob.slice(blob.indexOf("\n")))))
            ] as const
          ]
        : []
    )
  )
  const rules = (digest: string) => {
    const pack = packs.get(digest)
    return pack === undefined ? undefined : PackRules.of(pack)
  }
  const fold = Fold.make({ earlier: StandardFold.earlier, parts: StandardFold.parts, sources: { rules } })
  const from = { state: State.empty, head: Export.genesis(exported) }
  const { compared, divergences, head, state } = Result.getOrThrow(Replay.strict(fold, from, exported.transitions))
  if (divergences.length > 0) throw new Error(`Tick ${divergences[0]!.tick} does not fold as it was committed`)
  return { link: head.link, state: State.digest(state), compared }
}

// The tenant's secret is known, so that keys can be derived again.
process.env["BACKSTITCH_SECRET"] = "golden"
const stage = await Stage.open()
try {
  const digestsFile = join(folder, "digests.golden.json")
  const before: Record<string, object> = JSON.parse(readFileSync(digestsFile, "utf8"))
  const isAnew = process.argv.includes("--anew")
  if (isAnew) for (const name of Object.keys(before)) rmSync(join(folder, name), { force: true })
  const pinned: Record<string, object> = isAnew ? {} : before
  const recorded = Object.keys(pinned).length
  const [booked, violated, forked] = [1, 2, 3].map((index) => `trip-${recorded + index}`) as [string, string, string]
  await Story.crash(stage, booked)
  await Story.fork(stage, await Story.bisect(stage, violated), forked)
  for (const run of [booked, violated, forked]) {
    const file = join(folder, `${run}.jsonl`)
    await stage.cli.start(["export", run, "--out", file]).ended
    pinned[`${run}.jsonl`] = digests(readFileSync(file, "utf8"))
  }
  writeFileSync(digestsFile, `${JSON.stringify(pinned, null, 2)}\n`)
  if (isAnew) {
    await Story.bisect(stage, "trip-43")
    const file = fileURLToPath(new URL("recorded/trip-43.jsonl", import.meta.url))
    await stage.cli.start(["export", "trip-43", "--out", file]).ended
  }
} finally {
  await stage.close()
}
