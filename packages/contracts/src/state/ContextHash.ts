/**
 * The state that justified an intent, as a digest.
 *
 * The contract decides which fields an intent depends on, and the kernel reads them. A field counts even if a model
 * does not mention it, and fields that a model adds only make the hash stricter. An intent that is carried to another
 * run, or continues after an approval, is checked against the state at that moment.
 *
 * @source Dendrer, section 4.4
 */

import { isList, isTable } from "@backstitch/expressions/Container"
import * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Digest from "@backstitch/trace/Digest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Operation from "./Operation.ts"

/**
 * The fields that one governed transition type or tool depends on. Paths are written `world.spent`.
 *
 * **Details**
 *
 * `required` fields have to be in the state as declared. `hashSeeds` are those of them that the context hash covers.
 * `advisory` lists the fields that a model may add; without it, any declared field may be added. `match` lists the
 * seeds that must have the same value in another run when an intent is carried there; without it, all. `data`
 * declares the payload of a transition of the type.
 */
export interface Contract {
  readonly subject: string
  readonly required: Readonly<Record<string, Field.Field>>
  readonly hashSeeds: ReadonlyArray<string>
  readonly advisory?: ReadonlyArray<string>
  readonly match?: ReadonlyArray<string>
  readonly data?: Field.Fields
}

/** The contract for a type or tool without one: no field is required, and any may be added. */
export const ungoverned = (subject: string): Contract => ({ subject, required: {}, hashSeeds: [] })

/** The digest, with the fields that it covers. */
export interface ContextHash {
  readonly hash: Digest.Digest
  /** Fields that the contract covers, with their values. */
  readonly required: Readonly<Record<string, Json>>
  /** Fields that the proposer added, with their values. */
  readonly extra: Readonly<Record<string, Json>>
}

const Violation = Schema.Struct({
  path: Schema.String,
  problem: Schema.Literals(["missing", "null", "type", "advisory"]),
  found: Schema.String,
  expected: Schema.String,
  allowed: Schema.optionalKey(Schema.Array(Schema.String)),
  has: Schema.optionalKey(Field.Seen),
  wants: Schema.optionalKey(Field.FieldShape)
})

/** Error for a state, or a declared dependency, that a contract does not accept. */
export class ContractViolated extends Schema.TaggedError<ContractViolated>("@backstitch/contracts/ContractViolated")(
  "ContractViolated",
  { subject: Schema.String, violations: Schema.Array(Violation) }
) {
  override get message(): string {
    const lines = this.violations.map(({ expected, found, path }) => `${path} is ${found}, expected ${expected}`)
    return `The contract of ${this.subject} is not met: ${lines.join("; ")}`
  }
}

/**
 * Checks the required state, and digests the fields on which the intent depends.
 *
 * **Details**
 *
 * Tables and lists enter by their digest, so their size costs nothing. A dependency may be declared without its
 * section if only one section has the field.
 *
 * **Example** (What a model leaves out still counts)
 *
 * ```ts import.meta.vitest
 * import { ContextHash } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * const contract: ContextHash.Contract = {
 *   subject: "buy",
 *   required: { "world.limit": { type: "int" } },
 *   hashSeeds: ["world.limit"]
 * }
 * const at = (limit: number) =>
 *   Result.getOrThrow(
 *     ContextHash.compute({ type: "action.request", contract, state: { world: { limit }, working: {} }, advisory: [] })
 *   ).hash
 *
 * at(1) === at(2) // => false
 * ```
 */
export const compute = (options: {
  readonly type: string
  readonly action?: Json
  readonly contract?: Contract | undefined
  readonly state: Operation.Sections
  readonly advisory: ReadonlyArray<string>
}): Result.Result<ContextHash, ContractViolated> => {
  const { state } = options
  const contract = options.contract ?? ungoverned(options.type)
  const violations: Array<typeof Violation.Type> = []
  for (const [path, field] of Object.entries(contract.required)) check(path, field, lookup(state, path), violations)
  const extra: Record<string, Json> = {}
  for (const path of [...new Set(options.advisory.map((name) => inFull(state, name)))].sort()) {
    if (contract.hashSeeds.includes(path)) continue
    const value = lookup(state, path)
    if (contract.advisory !== undefined && !contract.advisory.includes(path) && contract.required[path] === undefined) {
      const allowed = contract.advisory
      const expected = `one of ${allowed.join(", ") || "no further fields"}`
      violations.push({ path, problem: "advisory", found: "not a dependency that may be declared", expected, allowed })
    } else if (value === undefined) {
      violations.push({ path, problem: "missing", found: "not in the state", expected: "a field of the state" })
    } else extra[path] = compact(value)
  }
  if (violations.length > 0) return Result.fail(new ContractViolated({ subject: contract.subject, violations }))
  const required: Record<string, Json> = {}
  for (const path of [...contract.hashSeeds].sort()) required[path] = compact(lookup(state, path) ?? null)
  const content: Record<string, Json> = {
    ...defined({ action: options.action }),
    fields: { ...required, ...extra },
    subject: contract.subject,
    type: options.type
  }
  return Result.succeed({ hash: Digest.ofJson("backstitch.context.1", content), required, extra })
}

/** The seeds that must have the same value in another run when an intent is carried there. */
export const matched = (self: Contract): ReadonlyArray<string> => self.match ?? self.hashSeeds

/** The part of a field, such as `world.spent`, that a hash covers: its value, or the digest of a table or list. */
export const valueAt = (state: Operation.Sections, path: string): Json | undefined => {
  const value = lookup(state, path)
  return value === undefined ? undefined : compact(value)
}

/** Tells whether a dependency, in any permitted form, names a field of the state. */
export const isField = (state: Operation.Sections, name: string): boolean =>
  lookup(state, inFull(state, name)) !== undefined

/** Merges the contracts that govern one intent into one, under the subject of the first. */
export const merge = (own: Contract, also: Contract): Contract => {
  const advisory = own.advisory ?? also.advisory
  const match = own.match === undefined && also.match === undefined ? undefined : unite(matched(own), matched(also))
  return {
    subject: own.subject,
    required: { ...also.required, ...own.required },
    hashSeeds: unite(own.hashSeeds, also.hashSeeds),
    ...defined({ advisory, match })
  }
}

const unite = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set([...left, ...right])].sort()

/** Dependencies may be written without their section: `total` and `state.total` stand for `working.total`. */
const inFull = (state: Operation.Sections, name: string): string => {
  if (/^(?:world|working)\./.test(name)) return name
  const bare = name.replace(/^state\./, "")
  const sections = (["world", "working"] as const).filter((section) => Object.hasOwn(state[section], bare))
  return sections.length === 1 ? `${sections[0]}.${bare}` : name
}

const lookup = (state: Operation.Sections, path: string): Field.Value | undefined => {
  const at = path.indexOf(".")
  const section = path.slice(0, at)
  const name = path.slice(at + 1)
  if (section !== "world" && section !== "working") return undefined
  return Object.hasOwn(state[section], name) ? state[section][name] : undefined
}

const compact = (value: Field.Value): Json => {
  if (isTable(value)) return { table: value.digest() }
  if (isList(value)) return { list: value.digest() }
  return value as Json
}

const check = (
  path: string,
  field: Field.Field,
  value: Field.Value | undefined,
  violations: Array<typeof Violation.Type>
): void => {
  const wants = Field.shapeOf(field)
  const expected = Field.inWords(wants)
  if (value === undefined) {
    violations.push({ path, problem: "missing", found: "not in the state", expected, wants })
    return
  }
  if (value === null && field.nullable !== true && field.type !== "json") {
    violations.push({ path, problem: "null", found: "null", expected, wants })
    return
  }
  // The rows of a table were checked when they entered.
  const differs = isTable(value) || isList(value) ? container(field, value) : Field.check(field, value)[0]
  if (differs === undefined) return
  const at = differs.path === "" ? path : `${path}.${differs.path}`
  violations.push({ ...differs, path: at, problem: "type" })
}

const container = (field: Field.Field, value: Field.Value): Field.Mismatch | undefined =>
  (isTable(value) ? field.type === "table" : field.type === "list")
    ? undefined
    : Field.mismatch("", value, Field.shapeOf(field))
