/** The names in scope at each place of a pack, and the reading of expressions with them. */

import * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import * as FunctionSource from "@backstitch/functions/FunctionSource"
import * as Result from "effect/Result"
import type * as Condition from "../state/Condition.ts"
import type * as Operation from "../state/Operation.ts"
import type { Node } from "./definitionReader.ts"

/** Fields and clauses that the whole pack declares, and that are in scope everywhere. */
export interface DeclaredNames {
  readonly world: Field.Fields
  readonly working: Field.Fields
  readonly clauses: Field.Fields
}

/** Names that are in scope wherever state is. */
export const stateNames = (declared: DeclaredNames): Expression.Names => ({
  world: Field.object(declared.world),
  working: Field.object(declared.working),
  state: "any",
  kernel: "any",
  clause: Field.object(declared.clauses)
})

/** Names that are in scope of conditions over committed state, with the states before and after. */
export const windowNames = (declared: DeclaredNames): Expression.Names => {
  const sections = Field.object({
    world: Field.object(declared.world),
    working: Field.object(declared.working),
    kernel: { type: "json" }
  })
  return { ...stateNames(declared), before: sections, after: sections }
}

/** Reads an expression. A value that is no text is a constant. */
export const readExpression = (
  node: Node,
  names: Expression.Names,
  expects?: "bool" | "string",
  options: { readonly copies?: boolean } = {}
): Expression.Expression | undefined => {
  const { value } = node
  if (typeof value === "number" || typeof value === "boolean" || value === null) {
    if (expects === "bool" && typeof value !== "boolean") return node.expected("a condition that is true or false")
    if (expects === "string") return node.expected("an expression that answers text", "Quote it twice: \"'text'\"")
    return Expression.constant(value)
  }
  if (typeof value !== "string" || value.trim() === "") return node.expected("an expression")
  const { engine } = node.reader
  const read = Expression.compile(value, { names, engine, ...options, ...(expects === undefined ? {} : { expects }) })
  if (Result.isFailure(read)) {
    for (const remark of read.failure.remarks) node.fail({ ...remark, offset: remark.start })
    return undefined
  }
  for (const path of read.success.reads) {
    if (!node.reader.read.has(path)) node.reader.read.set(path, node.path)
  }
  for (const { isClosed = false, ...remark } of read.success.warnings) {
    if (isClosed) node.unfit({ ...remark, offset: remark.start })
    else node.warn({ ...remark, offset: remark.start })
  }
  if (read.success.rewritten) {
    node.warn({ found: "and, or or not", expected: "&&, || or !", hint: "It was read as CEL's operators" })
  }
  return read.success
}

/** Reads a function, or the source of one. */
export const readFunction = (
  node: Node
): { readonly function: FunctionSource.FunctionSource; readonly run: FunctionSource.Compiled } | undefined => {
  const source = functionSource(node)
  if (source === undefined) return undefined
  const compiled = FunctionSource.compile(source.source)
  if (Result.isSuccess(compiled)) return { function: source, run: compiled.success }
  const isKept = node.reader.keeps(source.source)
  for (const reason of compiled.failure.reasons) {
    const note = { found: `a function of which ${reason}`, expected: "a function that is pure and stands alone" }
    if (isKept) node.warn(note)
    else node.fail(note)
  }
  if (!isKept) return undefined
  const refused = compiled.failure
  return {
    function: source,
    run: () => {
      throw refused
    }
  }
}

/** Tells whether a value is a function or the source of one. */
export const isFunctionNode = (node: Node): boolean =>
  typeof node.value === "function" || (node.isRecord() && node.at("function").value !== undefined)

const functionSource = (node: Node): FunctionSource.FunctionSource | undefined => {
  if (typeof node.value === "function") return FunctionSource.of(node.value as (...args: never) => unknown)
  const source = node.at("function").required("the source of a function")
  return source === undefined ? undefined : { source }
}

/** Reads a condition in either language. */
export const readCondition = (node: Node, names: Expression.Names): Condition.Condition | undefined => {
  if (isFunctionNode(node)) {
    const read = readFunction(node)
    return read === undefined ? undefined : { _tag: "Function", ...read }
  }
  const expression = readExpression(node, names, "bool")
  return expression === undefined ? undefined : { _tag: "Expression", expression }
}

/** Reads a value that is written with expressions in its leaves. */
export const readTemplate = (node: Node, names: Expression.Names): Operation.Template | undefined => {
  if (Array.isArray(node.value)) {
    const items = node.items().map((item) => readTemplate(item, names))
    return { _tag: "Array", items: items.filter((item) => item !== undefined) }
  }
  if (node.isRecord()) {
    const fields: Record<string, Operation.Template> = {}
    for (const [name, child] of node.entries()) {
      const template = readTemplate(child, names)
      if (template !== undefined) fields[name] = template
    }
    return { _tag: "Object", fields }
  }
  const expression = readExpression(node, names, undefined, { copies: true })
  return expression === undefined ? undefined : { _tag: "Expression", expression }
}

/** Refuses a sealed value for a field that is not sensitive, and a value in clear for a sensitive field. */
export const checkSealed = (node: Node, field: Field.Field, template: Operation.Template): void => {
  if (template._tag === "Expression") {
    const { sealed, type } = template.expression
    if (sealed !== undefined && field.sensitive === undefined) {
      const hint = "Declare it sensitive, with the subject"
      node.fail({ found: `${sealed}, which is sensitive`, expected: "a field that is sensitive, to copy it to", hint })
    }
    if (sealed === undefined && field.sensitive !== undefined && (type !== undefined || isClear(node.value))) {
      node.fail({ found: "a value in clear", expected: "a value that is sealed, to copy it" })
    }
    return
  }
  if (field.sensitive !== undefined) {
    node.fail({ found: "a value in clear", expected: "a value that is sealed, to copy it" })
    return
  }
  const parts: ReadonlyArray<readonly [string | number, Operation.Template]> =
    template._tag === "Array" ? [...template.items.entries()] : Object.entries(template.fields)
  for (const [name, part] of parts) {
    const inner =
      field.type === "list"
        ? field.item
        : field.type === "object" && Object.hasOwn(field.fields, name)
          ? field.fields[name]
          : undefined
    checkSealed(node.at(name), inner ?? { type: "json" }, part)
  }
}

/** A text is an expression; any other value except null is a constant. */
const isClear = (value: unknown): boolean => typeof value !== "string" && value !== null
