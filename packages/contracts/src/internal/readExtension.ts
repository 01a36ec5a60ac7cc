/** Reads an extension of a contract in force. */
import * as Ontology from "@backstitch/trace/Ontology"
import type * as ContextHash from "../ContextHash.ts"
import type { ContractExtension } from "../ContractExtension.ts"
import type * as TaskPack from "../TaskPack.ts"
import type * as ViolationPredicate from "../ViolationPredicate.ts"
import type { Node } from "./reader.ts"
import { resolveField } from "./readOperation.ts"
import * as Rules from "./readRules.ts"
import type { Declared } from "./scope.ts"

const keys = [
  "target_contract",
  "adds_required",
  "adds_hash_seeds",
  "adds_violations",
  "effective_from_tick",
  "approved_by"
]

/** What an extension makes of a pack. */
export interface Extended {
  readonly extension: ContractExtension
  readonly transitions: TaskPack.TaskPack["transitions"]
  readonly violations: TaskPack.TaskPack["violations"]
}

/** Reads an extension; without a current tick, when it takes effect is not checked again. */
export const readExtension = (
  node: Node,
  pack: TaskPack.TaskPack,
  currentTick: number | undefined
): Extended | undefined => {
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
    extension: node.value as ContractExtension,
    transitions,
    violations: [...pack.violations, ...violations]
  }
}

const declaredBy = (pack: TaskPack.TaskPack): Declared => ({
  world: pack.fields.world,
  working: pack.fields.working,
  clauses: Object.fromEntries(
    Object.values(pack.specification).map((clause) => [clause.name, clause.value ?? { type: "json" as const }])
  )
})

/** The subjects that an extension is about: one of them, or all that the pack governs. */
const readTarget = (node: Node, pack: TaskPack.TaskPack): ReadonlyArray<string> | undefined => {
  const target = node.required("the pack, or a transition or tool that it governs")
  if (target === undefined) return undefined
  if (target === pack.id || target === `${pack.id}@${pack.version}`) return Object.keys(pack.transitions)
  const known = [...new Set([pack.id, ...Object.keys(pack.transitions), ...Object.keys(pack.tools)])]
  return node.reference(known, "contract") === undefined ? undefined : [target]
}

const readPaths = (node: Node, declared: Declared): ReadonlyArray<string> =>
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
      hint: "A new field is a new pack, and enters by a migration"
    })
    return []
  })

const readViolations = (
  node: Node,
  pack: TaskPack.TaskPack,
  declared: Declared
): ReadonlyArray<ViolationPredicate.ViolationPredicate> => {
  const tools = Object.keys(pack.tools)
  const subjects = [...new Set([...tools, ...Object.keys(pack.transitions), ...Object.keys(Ontology.types)])]
  const rules: Rules.Rules = { declared, inputs: new Map(), tools, subjects }
  const taken = new Set(pack.violations.map((violation) => violation.id))
  return node.items().flatMap((item) => {
    const violation = Rules.readViolation(item, rules)
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
  declared: Declared
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
