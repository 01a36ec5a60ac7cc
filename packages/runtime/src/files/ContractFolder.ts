/**
 * A folder of contracts to copy: each a folder with a pack and the code of its tools, which are files of whoever copies
 * them from then on.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FileProblem from "./FileProblem.ts"
import * as FileReplacement from "./FileReplacement.ts"
import * as PackFile from "./PackFile.ts"

/** A contract to copy. */
export interface Contract {
  readonly name: string
  readonly pack: TaskPack.TaskPack
  /** The names of its files. */
  readonly files: ReadonlyArray<string>
}

/** Error for a name that is no contract of the folder. */
export class ContractUnknown extends Schema.TaggedError<ContractUnknown>("@backstitch/runtime/ContractUnknown")(
  "ContractUnknown",
  { contract: Schema.String, known: Schema.Array(Schema.String) }
) {
  override get message(): string {
    return `There is no contract ${this.contract} to copy. There are: ${this.known.join(", ")}`
  }
}

/** Error for files that a copy would replace. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>("@backstitch/runtime/CopyRefused")("CopyRefused", {
  files: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `${this.files.join(" and ")} would be replaced, and nothing was copied. Name another folder, or remove them`
  }
}

/** Lists the contracts of a folder, by name. */
export const list = Effect.fn("ContractFolder.list")(function* (folder: string) {
  const names = yield* Effect.try({
    try: () =>
      Fs.readdirSync(folder, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : [])),
    catch: (cause) => FileProblem.unreadable(folder, cause)
  })
  return yield* Effect.forEach(names.sort(), (name) => contractOf(folder, name))
})

/** Copies a contract into a folder, which is made if it is not there. Files that are there already are kept. */
export const copy = Effect.fn("ContractFolder.copy")(function* (folder: string, name: string, to: string) {
  const known = yield* list(folder)
  const found = known.find((each) => each.name === name)
  if (found === undefined) return yield* new ContractUnknown({ contract: name, known: known.map((each) => each.name) })
  const copies = found.files.map((file) => ({ from: Path.join(folder, name, file), to: Path.join(to, file) }))
  const taken = copies.filter((each) => Fs.existsSync(each.to))
  if (taken.length > 0) return yield* new CopyRefused({ files: taken.map((each) => each.to) })
  yield* Effect.try({
    try: () => Fs.mkdirSync(to, { recursive: true }),
    catch: (cause) => FileProblem.unwritten(to, cause)
  })
  for (const each of copies) yield* FileReplacement.write(each.to, [Fs.readFileSync(each.from)])
  return { contract: found, files: copies.map((each) => each.to) }
})

const contractOf = Effect.fnUntraced(function* (folder: string, name: string) {
  const pack = yield* PackFile.load(Path.join(folder, name, "pack.yaml"))
  const contract: Contract = { name, pack, files: Fs.readdirSync(Path.join(folder, name)).sort() }
  return contract
})
