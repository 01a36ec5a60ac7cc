/**
 * The task pack: all decisions that people make in advance, in one reviewed definition.
 *
 * A pack says what the state holds, what each tool does to the world, what is refused, what counts as a violation,
 * who approves, what may be used up, and what the goal has to satisfy. Kernel, ledger, verification, recovery and
 * revision all read the same pack, and runs pin it by its digest.
 *
 * @source Dendrer, section 4.4: the four pillars of a task pack
 */

import * as FunctionSource from "@backstitch/functions/FunctionSource"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { DefinitionReader, type Locate, Node, type Path } from "./grammar/definitionReader.ts"
import * as Issue from "./grammar/Issue.ts"
import type { Definition } from "./grammar/pack/Definition.ts"
import { type Contents, readPack } from "./grammar/pack/packGrammar.ts"
import type { PackTest } from "./grammar/pack/packTestGrammar.ts"
import type * as ApprovalRule from "./rules/ApprovalRule.ts"
import * as ContextHash from "./state/ContextHash.ts"

import type * as Operation from "./state/Operation.ts"
import * as ToolContract from "./tool/ToolContract.ts"

export type { PackTest }

/** A pack that was read, checked and compiled. */
export interface TaskPack extends Contents {
  /** The line of each rule in its file, by {@link lineOf}; empty for a pack without a file. */
  readonly lines: ReadonlyMap<string, number>
  /** Remarks on the definition that refuse nothing. */
  readonly warnings: ReadonlyArray<Issue.Issue>
  /** The definition in the form that is stored with a trace. */
  readonly definition: Canonical.JsonObject
  readonly digest: Digest.Digest
  /** The engine that its expressions were compiled for; see {@link Expression.engines}. */
  readonly engine: string
}

/** Error for a definition that is no pack, with every mistake in it. */
export class PackInvalid extends Schema.TaggedError<PackInvalid>("@backstitch/contracts/PackInvalid")("PackInvalid", {
  file: Schema.String,
  issues: Schema.Array(Issue.Issue)
}) {
  override get message(): string {
    const count = this.issues.length === 1 ? "1 thing is wrong" : `${this.issues.length} things are wrong`
    return `${count} in ${this.file}. Correct it and check it again\n${this.issues.map((issue) => `  ${Issue.format(issue)}`).join("\n")}`
  }
}

/**
 * Makes a pack from a definition in TypeScript.
 *
 * **Example** (A pack with one rule)
 *
 * ```ts import.meta.vitest
 * import { TaskPack } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * const pack = Result.getOrThrow(
 *   TaskPack.make({
 *     pack: "acme.notes",
 *     version: "1.0.0",
 *     state: { working: { notes: { list: "string" } } },
 *     violations: [{ id: "too_many", when: "size(working.notes) > 100" }]
 *   })
 * )
 * pack.violations[0]?.monotone // => "lift"
 * ```
 */
export const make = (
  definition: Definition,
  options?: FunctionTreatment & { readonly file?: string }
): Result.Result<TaskPack, PackInvalid> => read(definition, options?.file ?? "the pack", nowhere, options)

/**
 * The treatment of functions whose text shows that they may not run in a fold: they are refused, or kept. A kept
 * function never runs: its call fails, and the fold records that failure. Early stages of enforcement name such
 * functions and continue.
 */
export interface FunctionTreatment {
  readonly impure?: "keep" | "refuse" | undefined
}

/**
 * Loads a pack from the definition that is stored with a trace. Functions that may not run are kept: they were
 * accepted or refused when the pack was pinned.
 */
export const fromJson = (
  json: Canonical.Json,
  options?: { readonly file?: string; readonly engine?: string }
): Result.Result<TaskPack, PackInvalid> => {
  const reading = { isStored: true, keeps: () => true, engine: options?.engine }
  return readFrom(new DefinitionReader(options?.file ?? "the stored pack", nowhere, reading), json)
}

/** The pack with its expressions compiled for an engine, as a run that pins it reads them. */
export const under = (self: TaskPack, engine: string): TaskPack =>
  self.engine === engine ? self : Result.getOrThrow(fromJson(self.definition, { engine }))

/** Reads a pack again with parts of its definition replaced. The other parts stay accepted. */
export const adding = (
  self: TaskPack,
  parts: Partial<Definition>,
  options: { readonly file: string }
): Result.Result<TaskPack, PackInvalid> => {
  const keeps = (source: string) => Canonical.encode(self.definition).includes(JSON.stringify(source))
  const reading = { isStored: true, keeps, engine: self.engine }
  return readFrom(new DefinitionReader(options.file, nowhere, reading), { ...self.definition, ...parts })
}

/**
 * The definition of a pack with functions as their sources: the form that is stored with a trace, and that the digest
 * covers.
 */
export const toJson = (self: TaskPack): Canonical.JsonObject => self.definition

/** Reads a definition with known places in a file. For readers of file formats. */
export const read = (
  definition: unknown,
  file: string,
  locate: Locate,
  options?: FunctionTreatment
): Result.Result<TaskPack, PackInvalid> =>
  readFrom(new DefinitionReader(file, locate, { keeps: () => options?.impure === "keep" }), definition)

const readFrom = (reader: DefinitionReader, definition: unknown): Result.Result<TaskPack, PackInvalid> => {
  const { file } = reader
  const plain = toPlain(new Node(reader, definition, []))
  // Reads from the stored form, so that a pack means the same wherever it is loaded.
  const contents = readPack(new Node(reader, plain, []))
  if (reader.errors.length > 0 || contents === undefined) {
    return Result.fail(new PackInvalid({ file, issues: sorted(reader.errors) }))
  }
  const json = plain as Canonical.JsonObject
  const digest = Digest.ofJson("backstitch.pack.1", json)
  const lines = linesOf(json, reader.place)
  const warnings = sorted(reader.warnings)
  return Result.succeed({ ...contents, lines, warnings, definition: json, digest, engine: reader.engine })
}

/**
 * The contract of a tool. Without a pack, or for a tool that the pack does not name, the strictest possible contract.
 */
export const tool = (self: TaskPack | undefined, name: string): ToolContract.ToolContract =>
  self !== undefined && Object.hasOwn(self.tools, name)
    ? (self.tools[name] as ToolContract.ToolContract)
    : ToolContract.unknown(name)

/** The state that a transition type or tool requires. */
export const contractOf = (self: TaskPack, subject: string): ContextHash.Contract =>
  Object.hasOwn(self.transitions, subject)
    ? (self.transitions[subject] as ContextHash.Contract)
    : ContextHash.ungoverned(subject)

/**
 * The state that an intent requires: by the contract of its tool or type, and by the other contracts that govern it.
 */
export const governing = (
  self: TaskPack | undefined,
  [subject, ...also]: readonly [string, ...ReadonlyArray<string>]
): ContextHash.Contract =>
  self === undefined || ![subject, ...also].some((each) => Object.hasOwn(self.transitions, each))
    ? ContextHash.ungoverned(subject)
    : also.map((each) => contractOf(self, each)).reduce(ContextHash.merge, contractOf(self, subject))

/** The approval that the pack requires for a tool; `undefined` if none. */
export const approvalOf = (self: TaskPack | undefined, name: string): ApprovalRule.ApprovalRule | undefined =>
  self !== undefined && Object.hasOwn(self.approvals, name) ? self.approvals[name] : undefined

/** The change of `working` that a pack declares for a transition type, or for the answer of a tool. */
export const reducerOf = (self: TaskPack, subject: string): Operation.Reduction | undefined =>
  Object.hasOwn(self.reducers, subject) ? self.reducers[subject] : undefined

/** The line of a rule in its file: `["guards", id]`, `["tools", name]`, `["transitions", type]` and so on. */
export const lineOf = (self: TaskPack, path: ReadonlyArray<string>): number | undefined =>
  self.lines.get(path.join("."))

/** Lines of all named parts of the definition. */
const linesOf = (definition: Canonical.JsonObject, locate: Locate): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  const note = (name: string, path: Path) => {
    const { line } = locate(path, { key: true })
    if (line > 0) lines.set(name, line)
  }
  for (const [part, value] of Object.entries(definition)) {
    const section = part === "contracts" ? "transitions" : part
    if (Array.isArray(value)) {
      value.forEach((item: Canonical.Json, index) => {
        const id = typeof item === "object" && item !== null && "id" in item ? item["id"] : undefined
        if (typeof id === "string") note(`${section}.${id}`, [part, index])
      })
    } else if (typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) note(`${section}.${name}`, [part, name])
    }
  }
  return lines
}

const nowhere: Locate = () => ({ line: 0, column: 0 })

const sorted = (issues: ReadonlyArray<Issue.Issue>): ReadonlyArray<Issue.Issue> => {
  const distinct = new Map(issues.map((issue) => [Issue.format(issue), issue]))
  return [...distinct.values()].sort((left, right) => left.line - right.line || left.column - right.column)
}

/** JSON, with each function replaced by its source, and without absent values. */
const toPlain = (node: Node): Canonical.Json | undefined => {
  const { value } = node
  switch (typeof value) {
    case "function":
      return { function: FunctionSource.of(value as (...args: never) => unknown).source }
    case "undefined":
      return undefined
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value)
        ? value
        : node.fail({ found: String(value), expected: "a number that JSON can carry" })
    case "object":
      if (value === null) return null
      if (Array.isArray(value)) return node.items().map((item) => toPlain(item) ?? null)
      if (node.isRecord() && isPlain(value)) {
        const entries = node.entries().flatMap(([key, child]) => {
          const plain = toPlain(child)
          return plain === undefined ? [] : [[key, plain] as const]
        })
        // In the order of the stored form, so that ordered lists mean the same wherever the pack is loaded.
        return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
      }
  }
  return node.fail({ found: `a ${typeof value}`, expected: "a value that JSON can carry" })
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
