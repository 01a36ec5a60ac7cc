/** The golden traces: where they lie, what they are pinned to, and how they are folded. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as ContractExtension from "@backstitch/contracts/ContractExtension"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as Replay from "@backstitch/reducer/Replay"
import * as State from "@backstitch/reducer/State"
import * as Export from "@backstitch/trace/Export"
import * as Result from "effect/Result"

/** What a golden trace folds to, and how many states of it were compared with those that it committed. */
export interface Pinned {
  readonly link: string
  readonly state: string
  readonly compared: number
}

const folder = Path.join(import.meta.dirname, "histories")
const digestsFile = Path.join(folder, "digests.golden.json")

/** Names of the files, in order. */
export const names = (): ReadonlyArray<string> =>
  Fs.readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()

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
    return pack === undefined ? undefined : PackRules.of(ContractExtension.extendAll(pack, extensions))
  }
  return Fold.make({ earlier, parts, sources: { rules } })
}

/** Folds a trace and compares every digest on the way. */
export const replay = (exported: Export.Export, kernel: Kernel.Kernel) => {
  const from = { state: State.empty, head: Export.genesis(exported) }
  const answer = Replay.strict(foldOf(exported, kernel), from, exported.transitions)
  const { compared, divergences, head, state } = Result.getOrThrow(answer)
  return { divergences, found: { link: head.link, state: State.digest(state), compared } satisfies Pinned }
}

/** Adds golden traces, and pins all that are not pinned yet. */
export const add = (traces: ReadonlyArray<readonly [name: string, text: string]>): void => {
  for (const [name, text] of traces) Fs.writeFileSync(Path.join(folder, name), text)
  const known = pinned()
  const all = names().map((name) => {
    const { divergences, found } = replay(read(name), Kernel.standard)
    if (divergences.length > 0) throw new Error(`${name}: tick ${divergences[0]!.tick} folds otherwise than committed`)
    return [name, known[name] ?? found] as const
  })
  Fs.writeFileSync(digestsFile, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}
