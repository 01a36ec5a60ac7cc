/**
 * Marks of calls that only make a value, so that bundlers leave out those of which a page uses nothing.
 *
 * A module of a package without side effects computes constants, and bases of classes, when it is loaded. Bundlers drop
 * such a module as a whole. Within a chunk they drop a constant only if its calls are marked.
 */
import { RolldownMagicString } from "rolldown"
import { parseAst } from "rolldown/parseAst"
import type { SyntaxNode } from "./Repository.ts"

/** Marks the calls of constants and of bases of classes in a module. Answers the text and its source map. */
export const mark = (text: string): { readonly code: string; readonly map: string } => {
  const marked = new RolldownMagicString(text)
  for (const start of starts(text)) marked.appendLeft(start, "/* @__PURE__ */ ")
  return { code: marked.toString(), map: marked.generateMap({ hires: true }).toString() }
}

/** Lists where calls begin. A chain of calls begins at one place, and one mark covers all of it. */
const starts = (text: string): ReadonlySet<number> => {
  const found = new Set<number>()
  const collect = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) collect(each)
    if (typeof node !== "object" || node === null || !("type" in node)) return
    const { start, type } = node as SyntaxNode
    if (type.includes("Function")) return
    if (type === "CallExpression" || type === "NewExpression") found.add(start)
    Object.values(node).forEach(collect)
  }
  for (const statement of parseAst(text, { lang: "ts" }).body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    if (declared?.type === "VariableDeclaration") collect(declared.declarations.map(({ init }) => init))
    if (declared?.type === "ClassDeclaration") collect(declared.superClass)
  }
  return found
}
