/** Data keys in their written form: a name, or `name[expression]` for the part that the expression names. */
import * as Expression from "@backstitch/expressions/Expression"
import * as Result from "effect/Result"
import * as DataKey from "../../state/DataKey.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import type { DeclaredNames } from "../scope.ts"
import { resolveField } from "./operationGrammar.ts"

/** Fields of the state, or names that several skeletons use for the same value. */
export const dataKeys: Grammar.Described<ReadonlyArray<string>> = Grammar.texts

/**
 * Reads the keys of a list. Their parts may use the names that are in scope. If a stored pack has a part without a
 * meaning, the whole key is read.
 */
export const readKeys = (
  node: Node,
  declared: DeclaredNames,
  names: Expression.Names
): ReadonlyArray<DataKey.DataKey> => {
  const read = node.texts().map((written, index) => {
    const at = Array.isArray(node.value) ? node.at(index) : node
    const key = DataKey.split(written)
    if (key === undefined) {
      at.unfit({ found: written, expected: "a name, or name[expression] for one part of it" })
      return { name: written }
    }
    declaredField(at, key.name, declared)
    const part = key.part === undefined ? undefined : readPart(at, key.part, names)
    return { name: key.name, ...(part === undefined ? {} : { part }) }
  })
  return read
}

const readPart = (node: Node, source: string, names: Expression.Names): Expression.Expression | undefined => {
  const compiled = Expression.compile(source, { names, engine: node.reader.engine })
  if (Result.isSuccess(compiled)) return compiled.success
  for (const remark of compiled.failure.remarks) node.unfit(remark)
  return undefined
}

/** Checks that a name which begins like a field of the state is one. */
const declaredField = (node: Node, name: string, declared: DeclaredNames): void => {
  if (!/^(?:world|working|state)\./.test(name)) return
  const resolved = resolveField(name, declared)
  if (resolved !== undefined && resolved !== "ambiguous") return
  const known = (["world", "working"] as const).flatMap((section) =>
    Object.keys(declared[section]).map((field) => `${section}.${field}`)
  )
  if (!known.includes(name)) node.reference(known, "field")
}
