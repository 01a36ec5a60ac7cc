/**
 * The mapping of contracts to the tools of a server: how a contracted call reaches its tool, and how it is asked about.
 *
 * A pack says what a call does and what its record has to show. It does not say how a server is asked: that is in a
 * mapping beside it. A mapping names the read tool of the same server that shows the record, its arguments, and the
 * part of its answer that is the record. It says where the key goes, and what the server said of the tool when people
 * reviewed it.
 *
 * @source docs/decisions/0061
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Expression from "@backstitch/expressions/Expression"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Payload from "@backstitch/trace/Payload"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/** A question as it is written: a read tool of the server, its arguments, and the part of its answer that counts. */
const WrittenQuestion = Schema.Struct({
  tool: Schema.String,
  args: Schema.optionalKey(Schema.Record(Schema.String, Payload.Json)),
  pick: Schema.optionalKey(Schema.String),
  absent: Schema.optionalKey(Schema.String)
})

const Reviewed = Schema.Struct({
  inputSchema: Schema.optionalKey(Payload.Json),
  outputSchema: Schema.optionalKey(Payload.Json),
  annotations: Schema.optionalKey(Payload.Json)
})

const WrittenTool = Schema.Struct({
  reviewed: Schema.optionalKey(Reviewed),
  key: Schema.optionalKey(
    Schema.Union([Schema.Struct({ argument: Schema.String }), Schema.Struct({ meta: Schema.String })])
  ),
  errors: Schema.optionalKey(Schema.Literals(["refused", "unknown"])),
  readback: Schema.optionalKey(WrittenQuestion),
  status: Schema.optionalKey(WrittenQuestion),
  sources: Schema.optionalKey(Schema.Record(Schema.String, WrittenQuestion))
})

const Written = Schema.Struct({ tools: Schema.Record(Schema.String, WrittenTool) })

/** The form in which a server listed a tool when people reviewed its contract. */
export type Reviewed = typeof Reviewed.Type

/** A question that can be asked. Text in `args` is an expression; anything else is a value. */
export interface MappedQuestion {
  readonly tool: string
  readonly args: { readonly [name: string]: Expression.Expression }
  /** The record in the answer; by default its value, or its text. `null` and an empty list mean that there is none. */
  readonly pick?: Expression.Expression
  /** A condition on the answer that means that there is no record. */
  readonly absent?: Expression.Expression
}

/**
 * The mapping of one tool.
 *
 * **Details**
 *
 * `key` names the argument, or the field of `_meta`, in which the server expects the key. With `errors: refused`,
 * people vouch that an error of the tool means that nothing happened; otherwise it means that nobody knows.
 */
export interface ToolMapping {
  readonly reviewed?: Reviewed
  readonly key?: { readonly argument: string } | { readonly meta: string }
  readonly errors: "refused" | "unknown"
  readonly readback?: MappedQuestion
  readonly status?: MappedQuestion
  readonly sources: { readonly [source: string]: MappedQuestion }
}

/** The mapping of all tools, by name. */
export interface Mapping {
  readonly tools: { readonly [tool: string]: ToolMapping }
}

/** A mapping that maps nothing, for a pack without a file beside it. */
export const empty: Mapping = { tools: {} }

/** The mapping of a tool. Of one that is not named, errors prove nothing, and no question can be asked. */
export const of = (self: Mapping, tool: string): ToolMapping =>
  Object.hasOwn(self.tools, tool) ? (self.tools[tool] as ToolMapping) : { errors: "unknown", sources: {} }

/** A mistake in a mapping, and the path of its place. */
export interface Mistake {
  readonly path: ReadonlyArray<string | number>
  readonly problem: string
}

/** Reads a mapping and checks it against its pack. A failure lists all mistakes. */
export const read = (value: unknown, pack: TaskPack.TaskPack): Result.Result<Mapping, ReadonlyArray<Mistake>> => {
  const decoded = decode(value)
  if (Result.isFailure(decoded)) return Result.fail(mistakesOf(decoded.failure.issue))
  const mistakes: Array<Mistake> = []
  const tools = Object.fromEntries(
    Object.entries(decoded.success.tools).map(([name, written]) => [name, readTool(name, written, mistakes)])
  )
  const mapping: Mapping = { tools }
  mistakes.push(...misfits(mapping, pack))
  return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(mapping)
}

const decode = Schema.decodeUnknownResult(Written, { errors: "all", onExcessProperty: "error" })

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const mistakesOf = (issue: SchemaIssue.Issue): ReadonlyArray<Mistake> =>
  formatter(issue).issues.map(({ message, path = [] }) => ({
    path: path.map((part) => (typeof part === "number" ? part : String(typeof part === "object" ? part.key : part))),
    problem: message
  }))

const readTool = (name: string, written: typeof WrittenTool.Type, mistakes: Array<Mistake>): ToolMapping => {
  const at = ["tools", name]
  const { errors = "unknown", key, readback, reviewed, sources = {}, status } = written
  const question = (path: ReadonlyArray<string>, given: typeof WrittenQuestion.Type) =>
    readQuestion([...at, ...path], given, mistakes)
  return {
    ...defined({ reviewed, key }),
    errors,
    ...(readback === undefined ? {} : { readback: question(["readback"], readback) }),
    ...(status === undefined ? {} : { status: question(["status"], status) }),
    sources: Object.fromEntries(
      Object.entries(sources).map(([source, given]) => [source, question(["sources", source], given)])
    )
  }
}

const asked: Expression.Names = { args: "any", key: { type: "string" }, observed: "any" }
const answered: Expression.Names = { ...asked, isError: { type: "bool" }, text: { type: "string" }, value: "any" }

const readQuestion = (
  path: ReadonlyArray<string>,
  { absent, args = {}, pick, tool }: typeof WrittenQuestion.Type,
  mistakes: Array<Mistake>
): MappedQuestion => {
  const compiled = (key: ReadonlyArray<string>, source: string, names: Expression.Names) => {
    const read = Expression.compile(source, { names })
    if (Result.isSuccess(read)) return read.success
    for (const { expected, found } of read.failure.remarks) {
      mistakes.push({ path: [...path, ...key], problem: `found ${found}, expected ${expected}` })
    }
    return Expression.constant(null)
  }
  return {
    tool,
    args: Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        typeof value === "string" ? compiled(["args", name], value, asked) : Expression.constant(value as Json)
      ])
    ),
    ...(pick === undefined ? {} : { pick: compiled(["pick"], pick, answered) }),
    ...(absent === undefined ? {} : { absent: compiled(["absent"], absent, answered) })
  }
}

/** Finds the places where a mapping and its pack do not fit: a question that is never asked, or that nobody answers. */
const misfits = (mapping: Mapping, pack: TaskPack.TaskPack): ReadonlyArray<Mistake> => {
  const surplus = Object.keys(mapping.tools)
    .filter((name) => !Object.hasOwn(pack.tools, name))
    .map((name) => ({ path: ["tools", name], problem: `the pack ${pack.id} has no tool ${name}` }))
  return [...surplus, ...Object.values(pack.tools).flatMap((contract) => misfitsOf(contract, mapping, pack))]
}

const misfitsOf = (
  contract: ToolContract.ToolContract,
  mapping: Mapping,
  pack: TaskPack.TaskPack
): ReadonlyArray<Mistake> => {
  const { name, readback } = contract
  const { key, sources, ...questions } = of(mapping, name)
  const at = ["tools", name]
  const missing = (part: string, says: string): Mistake => ({ path: at, problem: `${says}, and ${part} is not here` })
  const further = [...(readback?.sources ?? []), ...(readback?.strong === undefined ? [] : [readback.strong])]
  const all = Object.entries({ ...questions, ...sources }).flatMap(([part, question]) =>
    typeof question === "object" && "tool" in question ? [[part, question] as const] : []
  )
  return [
    ...(readback !== undefined && questions.readback === undefined
      ? [missing("readback", `the contract of ${name} has a readback`)]
      : []),
    ...(readback === undefined && questions.readback !== undefined
      ? [{ path: [...at, "readback"], problem: `the contract of ${name} has no readback, so this is never asked` }]
      : []),
    ...(contract.status === "by_key" && questions.status === undefined
      ? [missing("status", `the contract of ${name} says status: by_key`)]
      : []),
    ...(contract.status !== "by_key" && questions.status !== undefined
      ? [{ path: [...at, "status"], problem: `the contract of ${name} does not say status: by_key` }]
      : []),
    ...further.flatMap(({ source }) =>
      sources[source] === undefined ? [missing(`sources.${source}`, `the contract of ${name} has that source`)] : []
    ),
    ...(ToolContract.isMutating(contract) && contract.idempotency === "idempotent_write" && key === undefined
      ? [missing("key", `the contract of ${name} says that the server honours a key`)]
      : []),
    ...(contract.idempotency !== "idempotent_write" && contract.status === "by_key" && key === undefined
      ? [missing("key", `the contract of ${name} has the server asked under a key`)]
      : []),
    ...all.flatMap(([part, { tool }]) => unreadable(tool, pack, [...at, part, "tool"]))
  ]
}

/** A question may change nothing, so its tool has to be one that the pack calls a read. */
const unreadable = (tool: string, pack: TaskPack.TaskPack, path: ReadonlyArray<string>): ReadonlyArray<Mistake> => {
  const contract = pack.tools[tool]
  if (contract?.class === "read_only") return []
  const problem =
    contract === undefined
      ? `the pack has no tool ${tool}; declare it as read_only`
      : `${tool} is ${contract.class}; a question may only use a tool that is read_only`
  return [{ path, problem }]
}

/** The reviewed form of a tool, as a server lists it. */
export const reviewedOf = ({ annotations, inputSchema, outputSchema }: JsonObject): Reviewed => ({
  ...defined({ inputSchema, outputSchema, annotations })
})
