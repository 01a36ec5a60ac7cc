/** The types of fields as they are written: words, shorthands and the long form. */
import * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Limits from "../../Limits.ts"
import * as Quantise from "../../state/Quantise.ts"
import * as Sensitive from "../../state/Sensitive.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { expression } from "../language.ts"

/** A type, in words or in full. */
export type Type =
  | "string"
  | "int"
  | "float"
  | "bool"
  | "json"
  | (Field.Common &
      (
        | { readonly type: "string" | "int" | "float" | "decimal" | "bool" | "json"; readonly precision?: number }
        | { readonly type: "enum"; readonly values: ReadonlyArray<string> }
        | { readonly type: "object"; readonly fields: Types }
        | { readonly type: "list"; readonly item: Type }
        | { readonly type: "table"; readonly key?: string; readonly row: Type | Types }
        | { readonly decimal: number }
        | { readonly float: number }
        | { readonly enum: ReadonlyArray<string> }
        | { readonly object: Types }
        | { readonly list: Type }
        | { readonly table: { readonly key?: string; readonly row: Type | Types } }
      ))

/** Types by name. */
export interface Types {
  readonly [name: string]: Type
}

const definitions: Grammar.Grammar<never, never>["uses"] = () => [
  { name: "field", schema: () => Grammar.bareOr(type, object).schema, uses: object.uses },
  { name: "fields", schema: () => Grammar.record(field).schema, uses: object.uses }
]

/** A type, in words or in full. */
export const field: Grammar.Grammar<Type, Field.Field> = {
  schema: { $ref: "#/$defs/field" },
  uses: definitions,
  read: (node) => readField(node)
}

/** Types by name. */
export const fields: Grammar.Grammar<Types, Field.Fields> = {
  schema: { $ref: "#/$defs/fields" },
  uses: definitions,
  read: (node) => readFields(node)
}

/** A type, or the fields of an object, as rows and outputs are written. */
export const fieldOrFields = (options: { readonly row: boolean }): Grammar.Grammar<Type | Types, Field.Field> => ({
  schema: { anyOf: [field.schema, fields.schema] },
  uses: definitions,
  read: (node) => readFieldOrFields(node, options)
})

const { key } = Grammar

const type = Grammar.oneOf(Field.types)
const precision = Grammar.count(Limits.refusing.fieldDigitsMax)

const table = Grammar.inline("Rows by key.", {
  key: Grammar.key("The field of a row that is its key.", Grammar.text),
  row: Grammar.key("The fields of a row.", Grammar.needed(fieldOrFields({ row: true }), "the fields of a row"))
})

/** An expression over values before they are sealed. It is kept as text, and evaluated when they are sealed. */
const clear = (expected: string): Grammar.Grammar<string, string> => ({
  ...(expression as Grammar.Grammar<never, never>),
  read: (node) => readClear(node, expected)
})

const sensitive = Grammar.inline(
  "Sealed under the key of a subject, with facts in clear beside it. With planner, planners are shown the value.",
  {
    subject: key("The person whom the value is about.", Grammar.needed(clear("an expression that names the subject"))),
    facts: key("Facts about `value` that stay in clear, by name.", Grammar.record(clear("an expression over value"))),
    planner: key("`true`: planners are shown the value.", Grammar.flag)
  }
)

const object = Grammar.inline(undefined, {
  type: key("The type, in full.", type),
  precision: key("Digits behind the point of a `decimal` or a `float`.", precision),
  values: key("The words of an `enum`.", Grammar.texts),
  fields: key("The fields of an `object`.", fields),
  key: key("The field of a row that is its key, of a `table`.", Grammar.text),
  row: key("The fields of a row, of a `table`.", fieldOrFields({ row: true })),
  item: key("The type of an item, of a `list`.", field),
  decimal: key("A decimal with so many digits behind the point, which is exact.", precision),
  float: key("A float that is rounded to so many digits.", precision),
  enum: key("One of these words.", Grammar.texts),
  object: key("An object with these fields.", fields),
  list: key("A list of such items.", field),
  table: key("Rows by key.", table),
  nullable: key("`true`: the value may be null.", Grammar.flag),
  optional: key("`true`: the field may be absent.", Grammar.flag),
  sensitive: key("Seals the value under the key of a person.", sensitive),
  initial: key("The value at the beginning of a run.", Grammar.any<Json>()),
  description: key("A text for people.", Grammar.text)
})

const shorthands = ["decimal", "float", "enum", "object", "list", "table"] as const

/** Reads fields by name. */
export const readFields = (node: Node): Field.Fields => {
  const fields: Record<string, Field.Field> = {}
  for (const [name, child] of node.entries()) {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      child.fail({ found: `the name ${name}`, expected: "a name of letters, digits and _", key: true })
    }
    // A field that could not be read still counts as declared, so that references to it are no further mistakes.
    fields[name] = readField(child) ?? { type: "json" }
  }
  return fields
}

/** Names that are usual for money. Sums of floats drift, so such a field should be a decimal. */
const money =
  /(?:^|_)(?:amount|balance|budget|cash|charge|cost|deductible|fee|fare|fund|money|paid|payment|payout|price|refund|salary|spent|total)s?(?:_|$)/i

/** Reads a field that may also be written as a mapping of fields, as rows and outputs are. */
const readFieldOrFields = (node: Node, options: { readonly row: boolean }): Field.Field | undefined => {
  if (!node.isRecord()) return readField(node)
  const type = node.at("type").value
  const isField = options.row
    ? type === "object" || type === "json" || node.at("object").isRecord()
    : (typeof type === "string" && Field.types.some((known) => known === type)) || hasShorthand(node)
  return isField ? readField(node) : Field.object(readFields(node))
}

const hasShorthand = (node: Node): boolean =>
  (["list", "object", "table"] as const).some((word) => !node.at(word).isAbsent) ||
  typeof node.at("decimal").value === "number" ||
  Array.isArray(node.at("enum").value)

/** Reads one field. */
export const readField = (node: Node): Field.Field | undefined => {
  const field = readType(node)
  adviseOnMoney(node, field)
  return field
}

const readType = (node: Node): Field.Field | undefined => {
  if (typeof node.value === "string") return readWord(node, node.value)
  if (!node.isRecord()) return node.expected(`a type (${Field.types.join(", ")}) or a mapping that has one`)
  if (!node.hasKeysOf(object.keys)) return undefined
  const given = shorthands.filter((word) => node.at(word).value !== undefined)
  const type = node.at("type").isAbsent ? undefined : node.at("type").oneOf(Field.types)
  const words = node.at("type").isAbsent ? given : [...given, "type"]
  if (words.length !== 1) {
    return node.fail({ found: words.length === 0 ? "no type" : words.join(" and "), expected: "exactly one type" })
  }
  const [shorthand] = given
  const field =
    shorthand !== undefined ? readShorthand(node, shorthand) : type === undefined ? undefined : readLong(node, type)
  // Mistakes beside the type are reported, too.
  if (field === undefined) withCommon(node, { type: "json" })
  if (type === undefined && shorthand === undefined) Grammar.pick(object, node, {}, "precision")
  return field === undefined ? undefined : withCommon(node, field)
}

const adviseOnMoney = (node: Node, field: Field.Field | undefined): void => {
  const name = node.path[node.path.length - 1]
  if (field?.type !== "float" || typeof name !== "string" || !money.test(name)) return
  const hint = `Write { decimal: ${field.precision ?? 2} }`
  node.warn({ found: "money as a float", expected: "a decimal, or whole minor units", hint })
}

const readWord = (node: Node, word: string): Field.Field | undefined => {
  switch (word) {
    case "string":
    case "int":
    case "bool":
    case "json":
    case "float":
      return { type: word }
    case "decimal":
      return node.fail({ found: "decimal", expected: "decimal with its digits", hint: "Write { decimal: 2 }" })
    case "object":
    case "table":
    case "list":
    case "enum":
      return node.fail({ found: word, expected: `what the ${word} holds`, hint: `Write { ${word}: … }` })
    default:
      node.oneOf(Field.types)
      return undefined
  }
}

const readShorthand = (node: Node, word: (typeof shorthands)[number]): Field.Field | undefined => {
  const child = node.at(word)
  switch (word) {
    case "decimal":
    case "float": {
      const digits = Grammar.pick(object, node, {}, word)[word]
      return digits === undefined ? undefined : { type: word, precision: digits }
    }
    case "enum":
      return readEnum(child)
    case "object":
      return Field.object(readFields(child))
    case "list": {
      const item = readField(child)
      return item === undefined ? undefined : { type: "list", item }
    }
    case "table":
      return child.hasKeysOf(table.keys) ? readTable(child) : undefined
  }
}

const readLong = (node: Node, type: (typeof Field.types)[number]): Field.Field | undefined => {
  switch (type) {
    case "string":
    case "int":
    case "bool":
    case "json":
      return { type }
    case "float":
      return { type, ...Grammar.pick(object, node, {}, "precision") }
    case "decimal": {
      if (node.at("precision").isAbsent) {
        return node.at("precision").fail({ found: "nothing", expected: "the digits after the point" })
      }
      const digits = Grammar.pick(object, node, {}, "precision").precision
      return digits === undefined ? undefined : { type, precision: digits }
    }
    case "enum":
      return readEnum(node.at("values"))
    case "object":
      return Field.object(readFields(node.at("fields")))
    case "list": {
      const item = readField(node.at("item"))
      return item === undefined ? undefined : { type, item }
    }
    case "table":
      return readTable(node)
  }
}

const readEnum = (node: Node): Field.Field | undefined => {
  const values = node.texts()
  if (values.length === 0) return node.fail({ found: "no words", expected: "the words that the value may be" })
  return { type: "enum", values }
}

const readTable = (node: Node): Field.Field | undefined => {
  const { key = "key", row } = Grammar.pick(table, node, {}, "key", "row")
  return row === undefined ? undefined : { type: "table", key, row }
}

const withCommon = (node: Node, field: Field.Field): Field.Field => {
  const common = Grammar.pick(object, node, {}, "nullable", "optional", "description")
  const sensitive = readSensitive(node.at("sensitive"))
  const whole: Field.Field = { ...field, ...common, ...(sensitive === undefined ? {} : { sensitive }) }
  const initial = node.at("initial")
  if (initial.value === undefined) return whole
  if (sensitive !== undefined) {
    initial.fail({ found: "a value in clear", expected: "no initial value for what is sensitive", key: true })
    return whole
  }
  const rounded = Quantise.value(whole, initial.value as Json)
  for (const issue of Field.check(whole, rounded)) initial.fail({ found: issue.found, expected: issue.expected })
  return { ...whole, initial: rounded }
}

/** Subject and facts are evaluated at the edge, before values are sealed, with the names of one call in scope. */
const readSensitive = (node: Node): Field.Sensitive | undefined => {
  if (node.isAbsent) return undefined
  if (!node.isRecord()) return node.expected("the subject whose key seals the value", "Write { subject: args.name }")
  const { subject, ...rest } = sensitive.read(node, {}) ?? {}
  return subject === undefined ? undefined : { subject, ...rest }
}

const readClear = (node: Node, expected: string): string | undefined => {
  const source = node.required(expected)
  if (source === undefined) return undefined
  const read = Expression.compile(source, { names: Sensitive.names, plain: true, engine: node.reader.engine })
  if (Result.isSuccess(read)) return source
  for (const remark of read.failure.remarks) node.fail({ ...remark, offset: remark.start })
  return undefined
}
