/**
 * Extensions of a pack during a run: committed, approved, and never effective in the past.
 *
 * An extension adds required fields, hash seeds and violation predicates from a future tick on. It removes nothing
 * and changes no existing rule. Any other change is a new pack, which no run changes to: a new run begins with it, or a
 * fork goes on under it. A model has no part in it: only an institution commits an extension.
 *
 * @source Dendrer, section 4.4, controlled contract evolution
 */
import type * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { DefinitionReader, Node } from "./grammar/definitionReader.ts"
import * as Issue from "./grammar/Issue.ts"
import * as RulesGrammar from "./grammar/pack/rulesGrammar.ts"
import type { DeclaredNames } from "./grammar/scope.ts"
import { resolveField } from "./grammar/tool/operationGrammar.ts"
import type * as ViolationPredicate from "./rules/ViolationPredicate.ts"
import type * as ContextHash from "./state/ContextHash.ts"
import type * as TaskPack from "./TaskPack.ts"

/**
 * The payload of `policy.contract_extension`.
 *
 * **Details**
 *
 * `target_contract` is the name of a governed transition or tool of the pack, to which the fields are added, or the
 * pack itself, which adds them to all.
 */
export const PackExtension = Schema.Struct({
  target_contract: Schema.NonEmptyString,
  adds_required: Schema.optionalKey(Schema.Array(Schema.String)),
  adds_hash_seeds: Schema.optionalKey(Schema.Array(Schema.String)),
  adds_violations: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Json))),
  effective_from_tick: Schema.Natural,
  approved_by: Schema.NonEmptyString
})

/** The payload of `policy.contract_extension`. */
export type PackExtension = typeof PackExtension.Type

/** Error for an extension that may not be committed, with every reason. */
export class ExtensionRefused extends Schema.TaggedError<ExtensionRefused>("@backstitch/contracts/ExtensionRefused")(
  "ExtensionRefused",
  { target: Schema.String, issues: Schema.Array(Issue.Issue) }
) {
  override get message(): string {
    const lines = this.issues.map((issue) => `  ${Issue.format(issue)}`)
    return `The extension of ${this.target} may not be committed\n${lines.join("\n")}`
  }
}

/**
 * Checks an extension against the pack in force and the tick at which it would be committed.
 *
 * **Details**
 *
 * Refused are an extension without an approval, one that would take effect at or before the current tick, one that
 * adds nothing, and one that names undeclared parts of the pack or adds existing ones.
 */
export const validate = (
  pack: TaskPack.TaskPack,
  payload: Canonical.Json,
  options: { readonly currentTick: number }
): Result.Result<PackExtension, ExtensionRefused> => {
  const reader = new DefinitionReader("the extension", () => ({ line: 0, column: 0 }))
  const node = new Node(reader, payload, [])
  const found = read(node, pack, options.currentTick)
  if (reader.errors.length === 0 && found !== undefined) return Result.succeed(found.extension)
  const target = node.at("target_contract").value
  return Result.fail(
    new ExtensionRefused({ target: typeof target === "string" ? target : "the contract", issues: reader.errors })
  )
}

/** The pack with an extension in force. Before `effective_from_tick`, the pack without it applies. */
export const extend = (
  pack: TaskPack.TaskPack,
  extension: PackExtension
): Result.Result<TaskPack.TaskPack, ExtensionRefused> => {
  const reader = new DefinitionReader("the extension", () => ({ line: 0, column: 0 }), {
    isStored: true,
    keeps: () => true
  })
  const found = read(new Node(reader, extension, []), pack, undefined)
  if (reader.errors.length > 0 || found === undefined) {
    return Result.fail(new ExtensionRefused({ target: extension.target_contract, issues: reader.errors }))
  }
  const digest = Digest.ofJson("backstitch.pack.1", { extends: pack.digest, with: extension as Canonical.JsonObject })
  return Result.succeed({ ...pack, transitions: found.transitions, violations: found.violations, digest })
}

/** The pack with a committed extension in force, if the pack accepts it. */
export const added = (
  pack: TaskPack.TaskPack,
  extension: Canonical.JsonObject
): Result.Result<TaskPack.TaskPack, ExtensionRefused> =>
  Result.flatMap(validate(pack, extension, { currentTick: 0 }), (checked) => extend(pack, checked))

/**
 * The pack with committed extensions in force, in the order in which they were committed.
 *
 * **Gotchas**
 *
 * They were checked before they were committed, so an extension that does not fit is a defect.
 */
export const extendAll = (
  pack: TaskPack.TaskPack,
  extensions: ReadonlyArray<Canonical.JsonObject>
): TaskPack.TaskPack =>
  extensions.reduce<TaskPack.TaskPack>((extended, extension) => Result.getOrThrow(added(extended, extension)), pack)

const keys = [
  "target_contract",
  "adds_required",
  "adds_hash_seeds",
  "adds_violations",
  "effective_from_tick",
  "approved_by"
]

/** An extension that was read, and the pack with its rules. */
interface Extended {
  readonly extension: PackExtension
  readonly transitions: TaskPack.TaskPack["transitions"]
  readonly violations: TaskPack.TaskPack["violations"]
}

/** Reads an extension. Without a current tick, its first tick is not checked again. */
const read = (node: Node, pack: TaskPack.TaskPack, currentTick: number | undefined): Extended | undefined => {
  if (!node.isRecord()) return node.expected(`a mapping with the keys ${keys.join(", ")}`)
  for (const [key, child] of node.entries()) {
    if (!keys.includes(key)) child.fail({ found: `the key ${key}`, expected: `one of ${keys.join(", ")}` })
  }
  const declared = declaredBy(pack)
  const target = readTarget(node.at("target_contract"), pack)
  const required = readPaths(node.at("adds_required"), declared)
  const seeds = readPaths(node.at("adds_hash_seeds"), declared)
  const violations = readViolations(node.at("adds_violations"), pack, declared)
  readEffect(node.at("effective_from_tick"), currentTick)
  node.at("approved_by").required("who approved it: a person, or the policy that did")
  if (required.length + seeds.length + node.at("adds_violations").items().length === 0) {
    node.fail({ found: "an extension that adds nothing", expected: "required fields, hash seeds or violations" })
  }
  if (target === undefined) return undefined
  const transitions = { ...pack.transitions }
  for (const subject of target) {
    const before = transitions[subject] ?? { subject, required: {}, hashSeeds: [] }
    transitions[subject] = add(before, required, seeds, declared)
  }
  return {
    extension: node.value as PackExtension,
    transitions,
    violations: [...pack.violations, ...violations]
  }
}

const declaredBy = (pack: TaskPack.TaskPack): DeclaredNames => ({
  world: pack.fields.world,
  working: pack.fields.working,
  clauses: Object.fromEntries(
    Object.values(pack.specification).map((clause) => [clause.name, clause.value ?? { type: "json" as const }])
  )
})

/** The tools and transitions to which an extension applies: one of them, or all that the pack governs. */
const readTarget = (node: Node, pack: TaskPack.TaskPack): ReadonlyArray<string> | undefined => {
  const target = node.required("the pack, or a transition or tool that it governs")
  if (target === undefined) return undefined
  if (target === pack.id || target === `${pack.id}@${pack.version}`) return Object.keys(pack.transitions)
  const known = [...new Set([pack.id, ...Object.keys(pack.transitions), ...Object.keys(pack.tools)])]
  return node.reference(known, "contract") === undefined ? undefined : [target]
}

const readPaths = (node: Node, declared: DeclaredNames): ReadonlyArray<string> =>
  node.items().flatMap((item) => {
    const name = item.required("a field of the state")
    const found = name === undefined ? undefined : resolveField(name, declared)
    if (found !== undefined && found !== "ambiguous") return [`${found.section}.${found.name}`]
    if (name === undefined) return []
    const known = (["world", "working"] as const).flatMap((section) =>
      Object.keys(declared[section]).map((field) => `${section}.${field}`)
    )
    item.fail({
      found: found === "ambiguous" ? `${name}, which both sections declare` : `the field ${name}`,
      expected: `a field that the pack declares: ${known.join(", ") || "none is declared"}`,
      hint: "A new field is a new pack: begin a new run with it, or fork this run under it"
    })
    return []
  })

const readViolations = (
  node: Node,
  pack: TaskPack.TaskPack,
  declared: DeclaredNames
): ReadonlyArray<ViolationPredicate.ViolationPredicate> => {
  const tools = Object.keys(pack.tools)
  const subjects = [...new Set([...tools, ...Object.keys(pack.transitions), ...Object.keys(Ontology.types)])]
  const rules: RulesGrammar.Rules = { declared, inputs: new Map(), tools, subjects }
  const taken = new Set(pack.violations.map((violation) => violation.id))
  return node.items().flatMap((item) => {
    const violation = RulesGrammar.readViolation(item, rules)
    if (violation === undefined) return []
    if (taken.has(violation.id)) {
      item.at("id").fail({ found: `${violation.id}, which is there already`, expected: "an id of its own" })
    }
    taken.add(violation.id)
    return [violation]
  })
}

const readEffect = (node: Node, currentTick: number | undefined): void => {
  const tick: unknown = node.value
  if (typeof tick !== "number" || !Number.isSafeInteger(tick) || tick < 1) node.expected("the tick from which it holds")
  else if (currentTick !== undefined && tick <= currentTick) {
    node.fail({
      found: `tick ${tick}`,
      expected: `a tick after ${currentTick}, the current one`,
      hint: "An extension is never retroactive"
    })
  }
}

const add = (
  before: ContextHash.Contract,
  required: ReadonlyArray<string>,
  seeds: ReadonlyArray<string>,
  declared: DeclaredNames
): ContextHash.Contract => {
  const fields = { ...before.required }
  for (const path of [...required, ...seeds]) {
    const found = resolveField(path, declared)
    if (found !== undefined && found !== "ambiguous") fields[path] ??= found.field
  }
  return {
    ...before,
    required: fields,
    hashSeeds: [...new Set([...before.hashSeeds, ...seeds])].sort(),
    ...(before.match === undefined ? {} : { match: [...new Set([...before.match, ...seeds])].sort() })
  }
}
