/** The five operations as they are written, checked against the declared fields of the pack. */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import type * as Operation from "../../state/Operation.ts"
import * as Quantise from "../../state/Quantise.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import {
  boolExpression,
  expression,
  type FunctionScope,
  functionOf,
  template,
  type WrittenExpression,
  type WrittenFunction
} from "../language.ts"
import {
  checkSealed,
  type DeclaredNames,
  isFunctionNode,
  readExpression,
  readFunction,
  readTemplate
} from "../scope.ts"

/** Changes in order, or a function that answers the changed fields. */
export type WrittenReduction = Grammar.WrittenOf<typeof reduction>

/** One change of state. */
export type WrittenOperation = { readonly when?: WrittenExpression } & (
  | { readonly set: Grammar.WrittenOf<typeof set> }
  | { readonly add: Grammar.WrittenOf<typeof add> }
  | { readonly put: Grammar.WrittenOf<typeof put> }
  | { readonly remove: Grammar.WrittenOf<typeof remove> }
  | { readonly append: Grammar.WrittenOf<typeof append> }
)

const { key, needed, text } = Grammar

const inTable = {
  table: key("The table.", needed(text)),
  key: key("The key of the row.", needed(expression))
} as const
const ofField = {
  field: key("A field such as `world.spent`, or a field of the row.", needed(text)),
  value: key("The value.", needed(template)),
  table: key("The table, if a field of a row is meant.", text),
  key: key("The key of that row.", expression)
} as const
const set = Grammar.object("set", "Gives a field, or a field of a row, a value.", ofField)
const add = Grammar.object("add", "Adds to a field, or to a field of a row.", ofField)
const put = Grammar.object("put", "Puts a row into a table.", {
  ...inTable,
  row: key("Every field of the row.", needed(template))
})
const remove = Grammar.object("remove", "Removes a row from a table.", inTable)
const append = Grammar.object("append", "Appends an item to a list.", {
  list: key("The list.", needed(text)),
  item: key("The item.", needed(template))
})

const bodies = { set, add, put, remove, append }
const kinds = Object.keys(bodies) as ReadonlyArray<keyof typeof bodies>

const operation = Grammar.object("operation", "One change of state: exactly one of the five, and when.", {
  set: key("Gives a field a value.", set),
  add: key("Adds to a number.", add),
  put: key("Puts a row into a table.", put),
  remove: key("Removes a row from a table.", remove),
  append: key("Appends an item to a list.", append),
  when: key("Makes the change only if this holds.", boolExpression)
} satisfies typeof bodies & Grammar.Properties)

/** Changes in order, or a function that answers the changed fields. */
export const reduction = Grammar.described<
  | ReadonlyArray<WrittenOperation>
  | ((scope: FunctionScope) => { readonly world?: object; readonly working?: object } | undefined)
  | WrittenFunction
>("reduction", {
  schema: Grammar.bareOr(Grammar.list(operation), functionOf()).schema,
  uses: () => [...operation.uses(), ...functionOf().uses()]
})

/** Names and sections that operations at one place may use. */
interface Context {
  readonly declared: DeclaredNames
  readonly names: Expression.Names
  readonly sections: ReadonlyArray<"world" | "working">
}

/** Reads all changes of the state by one event. */
export const readReduction = (node: Node, context: Context): Operation.Reduction | undefined => {
  if (node.isAbsent) return undefined
  if (isFunctionNode(node)) {
    const read = readFunction(node)
    return read === undefined ? undefined : { _tag: "Function", ...read }
  }
  const operations = node.items().map((item) => readOperation(item, context))
  return { _tag: "Operations", operations: operations.filter((operation) => operation !== undefined) }
}

const readOperation = (node: Node, context: Context): Operation.Operation | undefined => {
  if (!node.hasKeysOf(operation.keys)) return undefined
  const given = kinds.filter((kind) => node.at(kind).value !== undefined)
  const [kind] = given
  if (kind === undefined || given.length > 1) {
    return node.fail({
      found: given.length === 0 ? "no operation" : given.join(" and "),
      expected: `one of ${kinds.join(", ")}`
    })
  }
  const body = node.at(kind)
  if (!body.hasKeysOf(bodies[kind].keys)) return undefined
  const when = node.at("when").value === undefined ? undefined : readExpression(node.at("when"), context.names, "bool")
  const read = readers[kind](body, context)
  return read === undefined || when === undefined ? read : { ...read, when }
}

type Reader = (node: Node, context: Context) => Operation.Operation | undefined

const readValue =
  (tag: "Set" | "Add"): Reader =>
  (node, context) => {
    if (!node.at("table").isAbsent) return readRowValue(tag, node, context)
    const target = readTarget(node.at("field"), context)
    const value = readTemplate(node.at("value"), context.names)
    if (target === undefined || value === undefined) return undefined
    const { type } = target.field
    if (type === "table" || type === "list") {
      const instead = type === "table" ? "put, remove, or set with a table and a key" : "append"
      return node
        .at("field")
        .fail({ found: `a ${type}`, expected: `a field that holds one value; for a ${type}: ${instead}` })
    }
    if (tag === "Add" && !Field.isNumeric(target.field)) return refuseSum(node.at("field"), target.field)
    checkValue(node.at("value"), target.field, value)
    return { _tag: tag, target, value }
  }

const readRowValue = (tag: "Set" | "Add", node: Node, context: Context): Operation.Operation | undefined => {
  const target = readTable(node.at("table"), context)
  const key = readExpression(node.at("key"), context.names)
  const value = readTemplate(node.at("value"), context.names)
  const name = node.at("field").required("a field of the row")
  if (target === undefined || value === undefined || name === undefined) return undefined
  const row = target.field.type === "table" ? target.field.row : target.field
  const known = row.type === "object" ? Object.keys(row.fields) : []
  if (row.type === "object" && node.at("field").reference(known, "field of the row") === undefined) return undefined
  const field: Field.Field = row.type === "object" ? (row.fields[name] as Field.Field) : { type: "json" }
  if (tag === "Add" && field.type !== "json" && !Field.isNumeric(field)) return refuseSum(node.at("field"), field)
  checkValue(node.at("value"), field, value)
  return key === undefined ? undefined : { _tag: tag, target, value, row: { key, name, field } }
}

const refuseSum = (node: Node, field: Field.Field): undefined =>
  node.fail({ found: `a field that is ${field.type}`, expected: "a field that is int, float or decimal, to add to" })

const readPut: Reader = (node, context) => {
  const target = readTable(node.at("table"), context)
  const key = readExpression(node.at("key"), context.names)
  const value = readTemplate(node.at("row"), context.names)
  if (target === undefined || value === undefined) return undefined
  if (target.field.type === "table") {
    checkRow(node.at("row"), target.field.row, value)
    checkValue(node.at("row"), target.field.row, value)
  }
  return key === undefined ? undefined : { _tag: "Put", target, key, value }
}

/** A written row must have exactly the declared fields. */
const checkRow = (node: Node, row: Field.Field, value: Operation.Template): void => {
  if (value._tag !== "Object" || row.type !== "object") return
  for (const name of Object.keys(value.fields)) {
    if (Object.hasOwn(row.fields, name)) continue
    const known = Object.keys(row.fields).join(", ")
    node.at(name).fail({ found: `the field ${name}`, expected: `a field of the row: ${known}`, key: true })
  }
  for (const [name, field] of Object.entries(row.fields)) {
    if (field.optional === true || Object.hasOwn(value.fields, name)) continue
    node.fail({ found: `a row without ${name}`, expected: "every field of the row that is not optional" })
  }
}

/** Refuses a value that can never have the field's type here, and not at the tick at which it would be written. */
const checkValue = (node: Node, field: Field.Field, template: Operation.Template): void => {
  checkSealed(node, field, template)
  checkType(node, field, template)
}

const checkType = (node: Node, field: Field.Field, template: Operation.Template): void => {
  if (field.type === "json" || field.sensitive !== undefined) return
  if (template._tag === "Expression") {
    checkExpression(node, field, template.expression)
  } else if (template._tag === "Object" && field.type === "object") {
    for (const [name, part] of Object.entries(template.fields)) {
      if (Object.hasOwn(field.fields, name)) checkType(node.at(name), field.fields[name] as Field.Field, part)
    }
  } else if (template._tag === "Array" && field.type === "list") {
    for (const [index, item] of template.items.entries()) checkType(node.at(index), field.item, item)
  } else {
    node.expected(declaredAs(field))
  }
}

const checkExpression = (node: Node, field: Field.Field, { type }: Expression.Expression): void => {
  if (typeof node.value !== "string") {
    for (const issue of Field.check(field, Quantise.value(field, node.value as Json))) node.fail(issue)
    return
  }
  const [found, expected] = [type === undefined ? undefined : Field.kindOf(type), Field.kindOf(field)]
  // A decimal may be written as a number or as text.
  if (found === undefined || found === expected || (field.type === "decimal" && found === "text")) return
  node.fail({ found: `an expression that answers ${article(type as Field.Field)}`, expected: declaredAs(field) })
}

const declaredAs = (field: Field.Field): string => `${article(field)}, as the field is declared`

const article = ({ type }: Field.Field): string => `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`

const readRemove: Reader = (node, context) => {
  const target = readTable(node.at("table"), context)
  const key = readExpression(node.at("key"), context.names)
  return target === undefined || key === undefined ? undefined : { _tag: "Remove", target, key }
}

const readAppend: Reader = (node, context) => {
  const target = readTarget(node.at("list"), context)
  const value = readTemplate(node.at("item"), context.names)
  if (target === undefined || value === undefined) return undefined
  if (target.field.type !== "list") {
    return node.at("list").fail({ found: `a field that is ${target.field.type}`, expected: "a list" })
  }
  checkValue(node.at("item"), target.field.item, value)
  return { _tag: "Append", target, value }
}

const readers: Readonly<Record<keyof typeof bodies, Reader>> = {
  set: readValue("Set"),
  add: readValue("Add"),
  put: readPut,
  remove: readRemove,
  append: readAppend
}

const readTable = (node: Node, context: Context): Operation.Target | undefined => {
  const target = readTarget(node, context)
  if (target === undefined || target.field.type === "table") return target
  return node.fail({ found: `a field that is ${target.field.type}`, expected: "a table" })
}

const readTarget = (node: Node, context: Context): Operation.Target | undefined => {
  const path = node.required("a field such as world.spent")
  if (path === undefined) return undefined
  const resolved = resolveField(path, context.declared)
  if (resolved === undefined || resolved === "ambiguous") {
    const known = context.sections.flatMap((section) =>
      Object.keys(context.declared[section]).map((name) => `${section}.${name}`)
    )
    node.reference(resolved === "ambiguous" ? known : known.filter((name) => name !== path), "field")
    return undefined
  }
  if (context.sections.includes(resolved.section)) return resolved
  return node.fail({
    found: path,
    expected: `a field of ${context.sections.join(" or ")}`,
    hint: "The world changes only when an action is reconciled or recorded"
  })
}

/** Finds a declared field by its path: `world.x`, `working.x`, or `state.x` and `x` if only one section has it. */
export const resolveField = (path: string, declared: DeclaredNames): Operation.Target | "ambiguous" | undefined => {
  const [first = "", second, ...rest] = path.split(".")
  if (rest.length > 0) return undefined
  if ((first === "world" || first === "working") && second !== undefined) {
    const field = Object.hasOwn(declared[first], second) ? declared[first][second] : undefined
    return field === undefined ? undefined : { section: first, name: second, field }
  }
  const name = first === "state" ? second : second === undefined ? first : undefined
  if (name === undefined) return undefined
  const found = (["world", "working"] as const).filter((section) => Object.hasOwn(declared[section], name))
  const [section] = found
  if (section === undefined) return undefined
  return found.length > 1 ? "ambiguous" : { section, name, field: declared[section][name] as Field.Field }
}
