/** The clauses of the goal that a tool's calls rest on (`assumes`), each with or without a condition of its own. */
import type * as Expression from "@backstitch/expressions/Expression"
import * as ToolContract from "../../tool/ToolContract.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { condition } from "../language.ts"
import type { DeclaredNames } from "../scope.ts"

const conditions = Grammar.record(condition)

/** Clauses by name, each with or without a condition that tells whether a call still fits the clause. */
export const assumes = Grammar.bareOr(Grammar.list(Grammar.bareOr(Grammar.text, conditions)), conditions)

/** The names of the pack, and the names that are in scope once a tool was read back. */
interface Context {
  readonly declared: DeclaredNames
  readonly names: Expression.Names
}

/** Reads the assumptions of a tool; `undefined` if the contract does not declare any, and so does not decide. */
export const readAssumptions = (
  node: Node,
  { declared, names }: Context
): ReadonlyArray<ToolContract.Assumption> | undefined => {
  if (node.isAbsent) return undefined
  const known = Object.keys(declared.clauses)
  const scope: Expression.Names = { ...names, key: { type: "string" } }
  const read = partsOf(node).flatMap((part): ReadonlyArray<readonly [Node, ToolContract.Assumption | undefined]> => {
    if (part.isRecord()) {
      return part.entries().map(([clause, child]) => [child, readConditional(clause, child, { known, names: scope })])
    }
    const clause = part.reference(known, "clause")
    return [[part, clause === undefined ? undefined : { clause }]]
  })
  return read.flatMap(([at, assumption], index) => {
    if (assumption === undefined) return []
    if (read.findIndex(([, other]) => other?.clause === assumption.clause) === index) return [assumption]
    at.unfit({ found: `${assumption.clause} again`, expected: "each clause once", key: true })
    return []
  })
}

const partsOf = (node: Node): ReadonlyArray<Node> => {
  if (node.isRecord() || typeof node.value === "string") return [node]
  if (Array.isArray(node.value)) return node.items()
  node.expected("a list of clauses, or a mapping from clauses to conditions")
  return []
}

const readConditional = (
  clause: string,
  node: Node,
  { known, names }: { readonly known: ReadonlyArray<string>; readonly names: Expression.Names }
): ToolContract.Assumption | undefined => {
  const isKnown = node.keyReference(known, "clause") !== undefined
  const holds = condition.read(node, names)
  if (!isKnown || holds === undefined) return undefined
  const reads = holds._tag === "Function" ? ["clause"] : holds.expression.reads
  if (!reads.some((path) => path === "clause" || `${path}.`.startsWith(`clause.${clause}.`))) {
    node.warn({
      found: `a condition that does not read clause.${clause}`,
      expected: `a condition over clause.${clause}`,
      hint: "A new value of the clause would not change its answer"
    })
  }
  return { clause, holds }
}

/** Warns of tools without `assumes`, in a pack that permits revisions: it is open on which clauses they rest. */
export const adviseOnAssumptions = (node: Node, tools: Readonly<Record<string, ToolContract.ToolContract>>): void => {
  for (const contract of Object.values(tools)) {
    if (!ToolContract.isMutating(contract) || contract.assumes !== undefined) continue
    node.at(contract.name).warn({
      found: `${contract.name} without assumes, in a pack that permits revisions`,
      expected: "the clauses that its calls assume, or [] for none",
      hint: "A model or a person is asked whether its calls fit a revised goal",
      key: true
    })
  }
}
