/**
 * Runs the tests of this package and of `release`, and chooses golden traces from the runs that they leave: as few
 * bytes as show all that any of them shows. It is the last part of `pnpm goldens`, and writes down what no golden trace
 * shows.
 */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Export from "@backstitch/trace/Export"
import * as Transition from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as coverage from "./coverage.ts"
import * as goldens from "./goldens.ts"

/** The runs of one store, and the parts of the format that they show. */
interface Group {
  readonly name: string
  readonly texts: ReadonlyArray<readonly [file: string, text: string]>
  readonly size: number
  readonly shown: ReadonlySet<string>
}

const groupOf = (folder: string, name: string): Group => {
  const place = Path.join(folder, name)
  const files = Fs.readdirSync(place).sort()
  const texts = files.map((file) => [file, Fs.readFileSync(Path.join(place, file), "utf8")] as const)
  const transitions = texts.flatMap(([, text]) => Result.getOrThrow(Export.decode(text)).transitions)
  const size = texts.reduce((sum, [, text]) => sum + text.length, 0)
  return { name, shown: coverage.shown(transitions.map((each) => Transition.open(each))), size, texts }
}

/** As much as is kept in all. */
const sizeMax = 1_100_000

/** The group that shows most of what is not shown yet for its bytes, again and again, while there is room. */
const chosen = (groups: ReadonlyArray<Group>, before: ReadonlySet<string>): ReadonlyArray<Group> => {
  const seen = new Set(before)
  const found: Array<Group> = []
  let size = 0
  let left = groups.map((group) => ({ group, gain: 0 }))
  for (;;) {
    left = left.flatMap(({ group }) => {
      const gain = [...group.shown].filter((feature) => !seen.has(feature)).length / group.size
      return gain === 0 ? [] : [{ gain, group }]
    })
    const [first, ...rest] = left
    if (first === undefined) return found
    const best = rest.reduce((one, other) => (other.gain > one.gain ? other : one), first)
    size += best.group.size
    if (size > sizeMax) return found
    found.push(best.group)
    for (const feature of best.group.shown) seen.add(feature)
  }
}

/** The tests that read golden traces, and play nothing else. */
const readers = ["Lexicon", "garbledWording", "goldenTraces", "unfinishedRuns"].flatMap((name) => [
  "--exclude",
  `**/${name}.test.ts`
])

const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-harvest-"))
const { status } = spawnSync(
  "vitest",
  ["run", "--project", "pure", "--silent=true", "packages/runtime", "packages/release", ...readers],
  {
    cwd: Path.join(import.meta.dirname, "../../.."),
    env: { ...process.env, BACKSTITCH_HARVEST: folder },
    stdio: "inherit"
  }
)
if (status !== 0) throw new Error("golden traces are recorded by tests that pass")
const groups = Fs.readdirSync(folder)
  .sort()
  .map((name) => groupOf(folder, name))
const best = chosen(groups, goldens.shown())
const known = goldens.groups()
const nameOf = (name: string, nth = 1): string => {
  const each = nth === 1 ? name : `${name}-again-${nth}`
  return known.has(each) ? nameOf(name, nth + 1) : each
}
goldens.add(best.flatMap(({ name, texts }) => texts.map(([file, text]) => [`${nameOf(name)}/${file}`, text] as const)))
goldens.writeUnshown()
Fs.rmSync(folder, { recursive: true })
