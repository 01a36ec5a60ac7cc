/** The golden traces: where they lie, what they are pinned to, and how they are folded. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as PackExtension from "@backstitch/contracts/PackExtension"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as Replay from "@backstitch/reducer/Replay"
import * as Snapshot from "@backstitch/reducer/Snapshot"
import * as State from "@backstitch/reducer/State"
import type * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as Transition from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as coverage from "./coverage.ts"

/** The fold of a golden trace, and the number of its states that were compared with those that it committed. */
export interface Pinned {
  readonly link: string
  readonly state: string
  readonly compared: number
}

const folder = Path.join(import.meta.dirname, "histories")
const digestsFile = Path.join(folder, "digests.golden.json")
const unshownFile = Path.join(folder, "unshown.golden.json")

/** Names of the files, in order: what lay in a store of its own has a folder. */
export const names = (): ReadonlyArray<string> =>
  Fs.readdirSync(folder, { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => name.split(Path.sep).join("/"))
    .sort()

/** Golden traces by the store that they lay in; the first of the example, and those beside them, lay in one. */
export const groups = (): ReadonlyMap<string, ReadonlyArray<string>> => Map.groupBy(names(), Path.posix.dirname)

/** The secret of the tenant when the traces of a group were recorded: that of the lab, where a test left them. */
export const secretOf = (group: string): string => (group === "." || group.startsWith("travel-") ? "golden" : "secret")

export const pinned = (): Readonly<Record<string, Pinned>> => JSON.parse(Fs.readFileSync(digestsFile, "utf8"))

export const read = (name: string): Export.Export =>
  Result.getOrThrow(Export.decode(Fs.readFileSync(Path.join(folder, name), "utf8")))

/** The fold of a kernel with the packs that a trace carries. */
export const foldOf = ({ blobs }: Export.Export, { earlier, parts }: Kernel.Kernel): Fold.Fold => {
  const packs = new Map(
    [...blobs].flatMap(([digest, text]) => {
      if (!text.startsWith("backstitch.pack.1\n")) return []
      return [
        [digest as string, Result.getOrThrow(TaskPack.fromJson(JSON.parse(text.slice(text.indexOf("\n")))))] as const
      ]
    })
  )
  const rules: Fold.Sources["rules"] = (digest, extensions) => {
    const pack = packs.get(digest)
    return pack === undefined ? undefined : PackRules.of(PackExtension.extendAll(pack, extensions))
  }
  const initial: Fold.Sources["initial"] = (digest) => {
    const text = blobs.get(digest as Digest.Digest)
    if (text === undefined) return undefined
    const { working = {}, world = {} } = Snapshot.readSections(text.slice(text.indexOf("\n") + 1), (node) =>
      blobs.get(node)
    )
    return { working, world }
  }
  return Fold.make({ earlier, parts, sources: { initial, rules } })
}

/** Folds a trace and compares every digest on the way. */
export const replay = (exported: Export.Export, kernel: Kernel.Kernel) => {
  const from = { state: State.empty, head: Export.genesis(exported) }
  const answer = Replay.strict(foldOf(exported, kernel), from, exported.transitions)
  const { compared, divergences, head, state } = Result.getOrThrow(answer)
  return { divergences, found: { link: head.link, state: State.digest(state), compared } satisfies Pinned }
}

/** Lists the parts of the format that the golden traces show. */
export const shown = (): ReadonlySet<string> =>
  coverage.shown(names().flatMap((name) => read(name).transitions.map((each) => Transition.open(each))))

/** Lists the parts of the format that no golden trace shows, by name. */
export const unshown = (): ReadonlyArray<string> => {
  const found = shown()
  return [...coverage.all].filter((feature) => !found.has(feature)).sort()
}

/** Reads the names that are known not to be shown. */
export const knownUnshown = (): ReadonlyArray<string> => JSON.parse(Fs.readFileSync(unshownFile, "utf8"))

export const writeUnshown = (): void => Fs.writeFileSync(unshownFile, `${JSON.stringify(unshown(), null, 2)}\n`)

/** Adds golden traces, and pins all that are not pinned yet. What is there stays as it is (decision 0047). */
export const add = (traces: ReadonlyArray<readonly [name: string, text: string]>): void => {
  const before = new Set(names())
  for (const [name, text] of traces) {
    if (before.has(name)) throw new Error(`${name} is frozen: give what is added another name`)
    Fs.mkdirSync(Path.dirname(Path.join(folder, name)), { recursive: true })
    Fs.writeFileSync(Path.join(folder, name), text)
  }
  const known = pinned()
  const all = names().map((name) => {
    const { divergences, found } = replay(read(name), Kernel.standard)
    if (divergences.length > 0) throw new Error(`${name}: tick ${divergences[0]!.tick} folds otherwise than committed`)
    return [name, known[name] ?? found] as const
  })
  Fs.writeFileSync(digestsFile, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}
