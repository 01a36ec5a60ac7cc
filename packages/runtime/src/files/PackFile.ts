/**
 * Packs from files: reviewed YAML, and the functions that it names.
 *
 * A pack may name a file in place of a function: `function: ./models/book.ts`. The file exports one function as its
 * default. The file is read, not imported: its types are stripped, and its text becomes part of the pack. So the
 * pack's digest covers it, and no code of the file runs outside of a fold.
 */
import { readFileSync, statSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname, resolve } from "node:path"
import type * as Issue from "@backstitch/contracts/Issue"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Yaml from "@backstitch/contracts/Yaml"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

/** Error for a pack whose file cannot be read. */
export class PackUnreadable extends Schema.TaggedError<PackUnreadable>("@backstitch/runtime/PackUnreadable")(
  "PackUnreadable",
  { file: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `The pack ${this.file} cannot be read: ${this.problem}. Name a YAML file that exists`
  }
}

/** Loads a pack and the functions that it names. A failure lists every issue in all of these files. */
export const load = Effect.fn("PackFile.load")(function* (file: string, options?: TaskPack.FunctionTreatment) {
  const text = yield* Effect.tryPromise({
    try: async () => read(file),
    catch: (cause) => new PackUnreadable({ file, problem: problemOf(cause) })
  })
  return yield* Effect.fromResult(parse(text, { ...options, file, read }))
})

/** Reads a pack from text, asking `read` for the files that it names. */
export const parse = (
  text: string,
  options: TaskPack.FunctionTreatment & { readonly file: string; readonly read: (path: string) => string }
): Result.Result<TaskPack.TaskPack, TaskPack.PackInvalid> => {
  const issues: Array<Issue.Issue> = []
  const folder = dirname(resolve(options.file))
  const whole = text
    .split("\n")
    .map((line, index) =>
      line.replace(reference, (_, key: string, path: string, at: number) => {
        const source = functionOf(resolve(folder, path), options.read)
        if (Result.isSuccess(source)) return `${key}${JSON.stringify(source.success)}`
        const place = { file: options.file, line: index + 1, column: at + key.length + 1, path: "" }
        issues.push({ ...place, found: `${path}, ${source.failure}`, expected: "a file that exports one function" })
        return `${key}"() => null"`
      })
    )
    .join("\n")
  const pack = Yaml.fromYaml(whole, options)
  if (issues.length === 0) return pack
  return Result.fail(
    new TaskPack.PackInvalid({
      file: options.file,
      issues: [...issues, ...(Result.isFailure(pack) ? pack.failure.issues : [])].sort(
        (left, right) => left.line - right.line || left.column - right.column
      )
    })
  )
}

/**
 * Takes the default-exported function out of a module's text, without its types.
 *
 * **Details**
 *
 * A failure names what prevents this: other statements would be left behind, and the function could need them.
 */
export const functionSource = (module: string): Result.Result<string, string> => {
  let text: string
  try {
    text = strip(module)
  } catch (cause) {
    return Result.fail(`which is not TypeScript whose types can be stripped (${problemOf(cause)})`)
  }
  const at = text.search(/^export default /m)
  if (at < 0) return Result.fail("which has no `export default`")
  const rest = text.slice(0, at).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")
  const statement = rest.split(/[\n;]/).find((line) => line.trim() !== "")
  if (statement !== undefined) {
    return Result.fail(`which holds more than one function and types, from \`${statement.trim()}\` on`)
  }
  return Result.succeed(
    text
      .slice(at + "export default ".length)
      .trim()
      .replace(/;$/, "")
  )
}

/** `function: ./path.ts`, quoted or not, in block or flow style. */
const reference = /((?:^|[\s{,])function:\s+)["']?(\.{1,2}\/[^\s"',}]+\.[mc]?[jt]s)["']?/g

const functionOf = (path: string, read: (path: string) => string): Result.Result<string, string> => {
  try {
    return functionSource(read(path))
  } catch (cause) {
    return Result.fail(`which cannot be read: ${problemOf(cause)}`)
  }
}

/** Node prints on stderr that type stripping is experimental. A user of a pack can do nothing about that. */
const strip = (module: string): string => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(module)
  } finally {
    process.emitWarning = emitWarning
  }
}

const read = (file: string): string => {
  if (statSync(file).size > Limits.refusing.packBytesMax)
    throw new Error(`it is larger than ${Limits.refusing.packBytesMax} bytes`)
  return decode(readFileSync(file))
}

const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes)

const problemOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return "there is no such file"
  if (code === "EISDIR") return "it is a folder"
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "it is no text in UTF-8"
  return cause instanceof Error ? cause.message : String(cause)
}
