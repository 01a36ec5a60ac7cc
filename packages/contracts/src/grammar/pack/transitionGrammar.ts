/**
 * Governed transitions as they are written: the data that they carry, the state that they need (`required_state`), and
 * the fields that justify them (`hash_seeds`, `advisory`, `match`).
 */
import type * as Field from "@backstitch/expressions/Field"
import type * as ContextHash from "../../state/ContextHash.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import type { DeclaredNames } from "../scope.ts"
import { field, fields, type Types } from "../tool/fieldGrammar.ts"
import { resolveField } from "../tool/operationGrammar.ts"

const { key } = Grammar

/** A governed transition. */
export const transition = Grammar.object(
  "transition",
  "The data of a governed transition, and the fields that it needs in the state.",
  {
    data: key("Fields of its payload.", Grammar.emptied(fields)),
    required_state: key(
      "Fields that the state must have, as it declares them.",
      Grammar.emptied({
        schema: { anyOf: [Grammar.texts.schema, fields.schema] },
        uses: fields.uses,
        read: readRequired
      } as Grammar.Grammar<ReadonlyArray<string> | Types, ReadonlyArray<Required>>)
    ),
    hash_seeds: key("Required fields that the context hash covers. Default: all.", Grammar.texts),
    advisory: key("Fields that a model may add to the context hash. Default: any declared one.", Grammar.texts),
    match: key(
      "Hash seeds that have the same value where an intent is carried to another run. Default: all.",
      Grammar.texts
    ),
    description: key("A text for people.", Grammar.text)
  }
)

/** A required field as it is written: bare, or with its section. */
export interface Required {
  readonly name: string
  readonly field: Field.Field | undefined
  readonly node: Node
}

function readRequired(node: Node): ReadonlyArray<Required> {
  if (Array.isArray(node.value)) {
    return node.items().flatMap((item) => {
      const name = item.required("a field of the state")
      return name === undefined ? [] : [{ name, field: undefined, node: item }]
    })
  }
  return node.entries().map(([name, child]) => ({ name, field: field.read(child, {}), node: child }))
}

/**
 * Fields that only required states declare. In a pack without a `state` section these are the only declarations, and
 * they are fields of `working`.
 */
export const declaredByTransitions = (transitions: ReadonlyArray<readonly [string, Node]>): Field.Fields => {
  const fields: Record<string, Field.Field> = {}
  const unread = new Set<string>()
  for (const [, node] of transitions) {
    for (const [name, child] of node.at("required_state").entries()) {
      const bare = name.replace(/^(?:state|working)\./, "")
      const field = quietly(child)
      if (bare.includes(".")) continue
      if (field === undefined) {
        unread.add(bare)
        continue
      }
      const earlier = fields[bare]
      if (earlier === undefined) fields[bare] = field
      else if (!sameType(earlier, field)) {
        child.fail({
          found: `${bare} as ${describe(field)}`,
          expected: `${describe(earlier)}, as another transition declares it`
        })
      }
    }
  }
  // A field that could not be read still counts as declared, so that references to it are no further mistakes.
  for (const name of unread) fields[name] ??= { type: "json" }
  return fields
}

/** Reads a field without reporting its errors, which a later reading reports. */
const quietly = (node: Node): Field.Field | undefined => {
  const { errors, warnings } = node.reader
  const before = [errors.length, warnings.length] as const
  const read = field.read(node, {})
  errors.length = before[0]
  warnings.length = before[1]
  return read
}

const describe = (field: Field.Field): string =>
  field.type + ("precision" in field && field.precision !== undefined ? ` with ${field.precision} digits` : "")

const sameType = (left: Field.Field, right: Field.Field): boolean => describe(left) === describe(right)

/** Reads the contract of one governed transition. */
export const readTransition = (
  subject: string,
  node: Node,
  declared: DeclaredNames
): ContextHash.Contract | undefined => {
  if (!node.hasKeysOf(transition.keys)) return undefined
  const required: Record<string, Field.Field> = {}
  for (const { field, name, node: at } of readRequired(node.at("required_state"))) {
    const resolved = resolve(name, at, declared)
    if (resolved === undefined) continue
    if (field !== undefined && !sameType(field, resolved.field)) {
      at.fail({ found: describe(field), expected: `${describe(resolved.field)}, as the state declares ${name}` })
    }
    required[resolved.path] = field ?? resolved.field
  }
  const paths = (key: string) =>
    node
      .at(key)
      .items()
      .flatMap((item) => {
        const name = item.required("a field of the state")
        return (name === undefined ? undefined : resolve(name, item, declared)?.path) ?? []
      })
  const seeds = node.at("hash_seeds").isAbsent ? Object.keys(required) : paths("hash_seeds")
  // A seed is part of the context hash, so it is required, too.
  for (const path of seeds) if (required[path] === undefined) required[path] = fieldAt(path, declared)
  const match = paths("match")
  for (const path of match) {
    if (!seeds.includes(path)) {
      node.at("match").fail({ found: path, expected: `one of the hash seeds: ${seeds.join(", ") || "there is none"}` })
    }
  }
  return {
    subject,
    ...Grammar.pick(transition, node, {}, "data"),
    required,
    hashSeeds: [...new Set(seeds)].sort(),
    ...(node.at("advisory").isAbsent ? {} : { advisory: [...new Set(paths("advisory"))].sort() }),
    ...(node.at("match").isAbsent ? {} : { match: [...new Set(match)].sort() })
  }
}

const resolve = (name: string, node: Node, declared: DeclaredNames) => {
  const found = resolveField(name, declared)
  if (found !== undefined && found !== "ambiguous")
    return { path: `${found.section}.${found.name}`, field: found.field }
  const known = (["world", "working"] as const).flatMap((section) =>
    Object.keys(declared[section]).map((field) => `${section}.${field}`)
  )
  const key = !Array.isArray(node.value) && typeof node.path[node.path.length - 1] === "string"
  return node.fail({
    found: found === "ambiguous" ? `${name}, which both sections declare` : `the field ${name}`,
    expected: `a field that the pack declares: ${known.join(", ") || "none is declared"}`,
    key
  })
}

const fieldAt = (path: string, declared: DeclaredNames): Field.Field => {
  const found = resolveField(path, declared)
  return found === undefined || found === "ambiguous" ? { type: "json" } : found.field
}
