/**
 * What a compiled function runs with beside its own text: guards where the text cannot tell what will happen.
 *
 * `rows[name]` may be a field or, for the right name, the way to code from
 * text. `list.map.calls = 1` may change a local list or a function that every
 * fold shares. Both depend on values, so both are looked at when they happen,
 * and what is refused fails in the same way everywhere.
 *
 * @since 0.1.0
 */
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import type * as Acorn from "acorn"
import { childrenOf, isNamed, isSyntax, refusedMembers, type Syntax } from "./javascript.ts"

/** Names that the guards go by in the text: longer than any that it uses itself. */
export interface Names {
  readonly key: string
  readonly look: string
  readonly own: string
}

/** The text of a function with its guards in place. `offset` is where the text begins in what was parsed. */
export const guard = (
  source: string,
  node: Acorn.Node,
  offset: number
): { readonly text: string; readonly names: Names } => {
  const root: unknown = node
  const used = new Set<string>()
  const wraps: Array<Wrap> = []
  if (isSyntax(root)) collect(root, used, wraps)
  let suffix = "$"
  while (["key", "look", "own"].some((name) => used.has(`${name}${suffix}`))) suffix += "$"
  const names = { key: `key${suffix}`, look: `look${suffix}`, own: `own${suffix}` }
  return { text: wrapped(source, wraps, names, offset), names }
}

interface Wrap {
  readonly by: keyof Names
  readonly start: number
  readonly end: number
}

const collect = (node: Syntax, used: Set<string>, wraps: Array<Wrap>): void => {
  const wrap = (by: keyof Names, part: unknown) => {
    if (isSyntax(part)) wraps.push({ by, start: Number(part["start"]), end: Number(part["end"]) })
  }
  const change = (target: unknown) => {
    if (isSyntax(target) && target.type === "MemberExpression") wrap("own", target["object"])
  }
  if (node.type === "Identifier") used.add(String(node["name"]))
  if (node.type === "MemberExpression" && node["computed"] === true && !isLiteral(node["property"])) {
    wrap("key", node["property"])
  }
  if (node.type === "MemberExpression" && node["computed"] === false && isNamed(node["property"], inside)) {
    wrap("look", node["object"])
  }
  if (node.type === "ObjectPattern") {
    for (const property of node["properties"] as ReadonlyArray<Syntax>) {
      if (property["computed"] === true) wrap("key", property["key"])
    }
  }
  if (node.type === "AssignmentExpression") change(node["left"])
  if (node.type === "UpdateExpression") change(node["argument"])
  if (node.type === "UnaryExpression" && node["operator"] === "delete") change(deletedOf(node["argument"]))
  for (const child of childrenOf(node)) collect(child, used, wraps)
}

/** Where tables and lists keep their nodes, with what is remembered of each. */
const inside = "tree"

const isLiteral = (node: unknown): boolean => isSyntax(node) && node.type === "Literal"

/** `delete a?.b` wraps its member in a chain. */
const deletedOf = (node: unknown): unknown =>
  isSyntax(node) && node.type === "ChainExpression" ? node["expression"] : node

/** Inserts calls around parts of the text. Parts nest or are apart, and the outer one of two was collected first. */
const wrapped = (source: string, wraps: ReadonlyArray<Wrap>, names: Names, offset: number): string => {
  const opens = wraps.map(({ by, start }, order) => ({ at: start, order, text: `${names[by]}(` }))
  const closes = wraps.map(({ end }, order) => ({ at: end, order: -order, text: ")" }))
  const isOpen = new Set(opens)
  const edits = [...opens, ...closes].sort((one, other) => {
    if (one.at !== other.at) return one.at - other.at
    // Where one part ends and the next begins, the end comes first.
    const [left, right] = [isOpen.has(one) ? 1 : 0, isOpen.has(other) ? 1 : 0]
    return left === right ? one.order - other.order : left - right
  })
  let text = ""
  let from = 0
  for (const edit of edits) {
    text += source.slice(from, edit.at - offset) + edit.text
    from = edit.at - offset
  }
  return text + source.slice(from)
}

/** What a guard throws. */
export class ReachedOut extends Error {
  override readonly name = "ReachedOut"
}

/** A computed key: refused where the name itself would be. */
export const key = (value: unknown): unknown => {
  if (typeof value === "number") return value
  const name = String(value)
  if (refusedMembers.test(name) || name === inside) throw new ReachedOut(`it uses .${name}`)
  return name
}

/** What a function is about to change: functions, built-in objects, tables and lists are shared by folds. */
export const own = (value: unknown): unknown => {
  if (typeof value === "function" || value === JSON || value === Math || Table.is(value) || List.is(value)) {
    throw new ReachedOut("it changes a function, a built-in object, a table or a list, which other folds share")
  }
  return value
}

/** What a function looks into: what a table remembers of its nodes differs between equal tables. */
export const look = (value: unknown): unknown => {
  if (Table.is(value) || List.is(value)) throw new ReachedOut("it looks inside a table or a list")
  return value
}

/** `Object` as a function of a pack sees it: nothing that looks behind values, and nothing that changes shared ones. */
export const facade: unknown = (() => {
  const made = (value: unknown) => Object(value)
  const statics = {
    assign: (target: object, ...sources: ReadonlyArray<object>) => Object.assign(own(target) as object, ...sources),
    entries: Object.entries,
    freeze: (value: unknown) => Object.freeze(own(value)),
    fromEntries: Object.fromEntries,
    hasOwn: Object.hasOwn,
    is: Object.is,
    keys: Object.keys,
    values: Object.values
  }
  for (const member of Object.values(statics)) Object.freeze(member)
  Object.defineProperty(made, Symbol.hasInstance, { value: (value: unknown) => value instanceof Object })
  return Object.freeze(Object.assign(made, statics))
})()
