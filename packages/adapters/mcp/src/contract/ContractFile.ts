/**
 * A pack with the mapping beside it: `shop.yaml` and `shop.mcp.yaml`.
 *
 * A run pins its pack by a digest. The mapping decides what counts as proof, too, so its digest is added to the
 * description of the pack: a run is never continued under another mapping than the one that it began with.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Yaml from "@backstitch/contracts/Yaml"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Digest from "@backstitch/trace/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import type * as DraftPack from "./DraftPack.ts"
import * as ToolMapping from "./ToolMapping.ts"

/** Error for a mapping that cannot be read, or does not fit its pack, with every mistake in it. */
export class MappingInvalid extends Schema.TaggedError<MappingInvalid>("@backstitch/mcp/MappingInvalid")(
  "MappingInvalid",
  { file: Schema.String, problems: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const count = this.problems.length === 1 ? "1 thing is wrong" : `${this.problems.length} things are wrong`
    return `${count} in ${this.file}. Correct it, or draft it again\n${this.problems.map((each) => `  ${each}`).join("\n")}`
  }
}

/** Error for a draft whose file is there already: what people have reviewed is never written over. */
export class DraftInTheWay extends Schema.TaggedError<DraftInTheWay>("@backstitch/mcp/DraftInTheWay")("DraftInTheWay", {
  file: Schema.String
}) {
  override get message(): string {
    return `${this.file} is there already, and is kept. Name another file, and compare the two`
  }
}

/** A pack and the mapping of its tools. The digest of the pack covers both. */
export interface Contracts {
  readonly pack: TaskPack.TaskPack
  readonly mapping: ToolMapping.Mapping
}

/** The file of the mapping beside a pack: `shop.mcp.yaml` beside `shop.yaml`. */
export const beside = (file: string): string => `${file.replace(/\.ya?ml$/, "")}.mcp.yaml`

/** Loads a pack and the mapping beside it. A pack without one maps nothing. */
export const load = Effect.fn("ContractFile.load")(function* (file: string) {
  const pack = yield* PackFile.load(file)
  const path = beside(file)
  const text = yield* Effect.try({
    try: () => textOf(path),
    catch: (cause) => new MappingInvalid({ file: path, problems: [`it cannot be read: ${FileProblem.say(cause)}`] })
  })
  return yield* Effect.fromResult(of(pack, { file: path, text }))
})

/** Writes a draft: the pack under a name, and the mapping beside it. Nothing is written over. */
export const write = Effect.fn("ContractFile.write")(function* (
  file: string,
  { mapping, pack }: DraftPack.DraftedFiles
) {
  const files = [
    [file, pack],
    [beside(file), mapping]
  ] as const
  const taken = files.find(([path]) => existsSync(path))
  if (taken !== undefined) return yield* new DraftInTheWay({ file: taken[0] })
  for (const [path, text] of files) {
    yield* Effect.try({
      try: () => writeFileSync(path, text, { flag: "wx" }),
      catch: (cause) => new FileProblem.FileUnwritable({ file: path, problem: FileProblem.say(cause) })
    })
  }
  return files.map(([path]) => path)
})

/** Reads the mapping of a pack from text; without text, nothing is mapped. */
export const of = (
  pack: TaskPack.TaskPack,
  { file, text }: { readonly file: string; readonly text: string | undefined }
): Result.Result<Contracts, MappingInvalid> => {
  const read = text === undefined ? Result.succeed({ value: { tools: {} }, locate: nowhere }) : document(text, file)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { locate, value } = read.success
  const mapping = ToolMapping.read(value, pack)
  if (Result.isFailure(mapping)) {
    const problems = mapping.failure.map(({ path, problem }) => {
      const { column, line } = locate(path)
      return `${file}:${line}:${column} ${path.join(".") || "(whole file)"}: ${problem}`
    })
    return Result.fail(new MappingInvalid({ file, problems }))
  }
  return Result.succeed({ pack: text === undefined ? pack : bound(pack, text), mapping: mapping.success })
}

const document = (text: string, file: string) =>
  Result.mapError(Yaml.document(text, file), (issues) => {
    const problems = issues.map(
      ({ column, expected, found, line }) => `${file}:${line}:${column} found ${found}, expected ${expected}`
    )
    return new MappingInvalid({ file, problems })
  })

const nowhere: Yaml.YamlDocument["locate"] = () => ({ line: 0, column: 0 })

const textOf = (path: string): string | undefined => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (stat.size > Limits.refusing.mappingBytesMax) {
    throw new Error(`it is larger than ${Limits.refusing.mappingBytesMax} bytes`)
  }
  return readFileSync(path, "utf8")
}

/** The pack as it binds a run: its description names the digest of the mapping. */
const bound = (pack: TaskPack.TaskPack, text: string): TaskPack.TaskPack => {
  const own = pack.description === undefined ? "" : `${pack.description}\n\n`
  const description = `${own}Its tools are asked as the mapping says that has the SHA-256 ${Digest.ofBytes(text)}.`
  const whole = Result.getOrThrow(TaskPack.adding(pack, { description }, { file: pack.id }))
  return { ...whole, lines: pack.lines, warnings: pack.warnings }
}
