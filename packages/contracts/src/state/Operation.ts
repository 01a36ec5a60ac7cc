/**
 * Changes of state: five operations over expressions, or a function that was checked to be pure.
 *
 * The set of operations is closed, so a reviewer can read it, a linter can check it against the declared fields, and
 * the written fields are known before it runs. `set` gives a value to a field or to a field of a row, `put` and
 * `remove` change a table, `add` calculates, and `append` extends a list.
 */

import { isList, isRecord, isTable } from "@backstitch/expressions/Container"
import * as Decimal from "@backstitch/expressions/Decimal"
import * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import * as FunctionSource from "@backstitch/functions/FunctionSource"
import * as Branded from "@backstitch/trace/Branded"
import type { Json } from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Quantise from "./Quantise.ts"

/** A value that an operation writes: an expression, or an object of them. */
export type Template =
  | { readonly _tag: "Expression"; readonly expression: Expression.Expression }
  | { readonly _tag: "Object"; readonly fields: Readonly<Record<string, Template>> }
  | { readonly _tag: "Array"; readonly items: ReadonlyArray<Template> }

/** A field of a section that an operation writes. */
export interface Target {
  readonly section: "world" | "working"
  readonly name: string
  readonly field: Field.Field
}

/**
 * One change of state. `when` makes it conditional.
 *
 * **Details**
 *
 * A `set` or `add` with a `row` changes one field of one row, which has to exist.
 */
export type Operation = { readonly when?: Expression.Expression } & (
  | { readonly _tag: "Set"; readonly target: Target; readonly value: Template; readonly row?: RowField }
  | { readonly _tag: "Add"; readonly target: Target; readonly value: Template; readonly row?: RowField }
  | { readonly _tag: "Put"; readonly target: Target; readonly key: Expression.Expression; readonly value: Template }
  | { readonly _tag: "Remove"; readonly target: Target; readonly key: Expression.Expression }
  | { readonly _tag: "Append"; readonly target: Target; readonly value: Template }
)

/** One field of one row of a table. */
export interface RowField {
  readonly key: Expression.Expression
  readonly name: string
  readonly field: Field.Field
}

/**
 * All changes of the state by one event: operations in order, or a function of the names in scope.
 *
 * **Details**
 *
 * A function takes one object with the names in scope and answers the changed fields: `{ world: { spent: … } }`.
 */
export type Reduction =
  | { readonly _tag: "Operations"; readonly operations: ReadonlyArray<Operation> }
  | {
      readonly _tag: "Function"
      readonly function: FunctionSource.FunctionSource
      readonly run: FunctionSource.Compiled
    }

/** The sections that operations change. */
export interface Sections {
  readonly world: Section
  readonly working: Section
}

/** One section: its fields by name. */
export interface Section {
  readonly [name: string]: Field.Value
}

/** Error for an operation that cannot be applied to a state. */
export class OperationFailed extends Schema.TaggedError<OperationFailed>("@backstitch/contracts/OperationFailed")(
  "OperationFailed",
  { operation: Schema.String, target: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `Could not ${this.operation} ${this.target}: ${this.reason}`
  }
}

/** The state before anything is committed. */
export const initial = (fields: Field.Fields): Section =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Field.initial(field)]))

/** Fields that a reduction may write, such as `world.bookings`. A function may write any. */
export const writes = (self: Reduction): ReadonlyArray<string> | "any" =>
  self._tag === "Function"
    ? "any"
    : [...new Set(self.operations.map(({ target }) => `${target.section}.${target.name}`))].sort()

/**
 * Computes the new value of the field that an operation writes.
 *
 * **Details**
 *
 * Values are rounded as the field declares and checked against it. If `when` does not hold, the field is returned
 * unchanged, or absent. Throws {@link OperationFailed} and `ExpressionFailed`; {@link reduce} does not.
 */
export const apply = (
  self: Operation,
  current: Field.Value | undefined,
  bindings: Expression.Bindings
): Field.Value | undefined => {
  if (self.when !== undefined && Expression.evaluateUnsafe(self.when, bindings) !== true) return current
  switch (self._tag) {
    case "Set":
      return self.row === undefined
        ? enter(self, self.target.field, fillUnsafe(self.value, bindings))
        : changeRow(self, self.row, current, bindings, () => fillUnsafe(self.value, bindings))
    case "Add":
      return self.row === undefined
        ? enter(self, self.target.field, sum(self, current, fillUnsafe(self.value, bindings)))
        : changeRow(self, self.row, current, bindings, (value) => sum(self, value, fillUnsafe(self.value, bindings)))
    case "Put": {
      const table = tableOf(self, current)
      const row = self.target.field.type === "table" ? self.target.field.row : self.target.field
      return table.set(keyOf(self, self.key, bindings), enter(self, row, fillUnsafe(self.value, bindings)))
    }
    case "Remove":
      return tableOf(self, current).delete(keyOf(self, self.key, bindings))
    case "Append": {
      if (!isList(current)) throw refuse(self, `it holds ${Field.nameOf(current)}, and append needs a list`)
      const item = self.target.field.type === "list" ? self.target.field.item : self.target.field
      return current.append(enter(self, item, fillUnsafe(self.value, bindings)))
    }
  }
}

/**
 * Applies a reduction to the sections: all of it, or none of it.
 *
 * **Details**
 *
 * Each operation sees the changes of the earlier ones. Unchanged sections are returned as the same objects.
 */
export const reduce = (
  self: Reduction,
  sections: Sections,
  options: {
    readonly fields: { readonly world: Field.Fields; readonly working: Field.Fields }
    readonly bindings: Expression.Bindings
  }
): Result.Result<Sections, OperationFailed | Expression.ExpressionFailed> => {
  try {
    return Result.succeed(reduceUnsafe(self, sections, options))
  } catch (error) {
    if (Branded.isError(error, OperationFailed) || Branded.isError(error, Expression.ExpressionFailed))
      return Result.fail(error)
    throw error
  }
}

/**
 * Applies a reduction to the sections; throws {@link OperationFailed} and `ExpressionFailed`.
 *
 * **When to use** in a fold, where a success should allocate nothing.
 */
export const reduceUnsafe = (
  self: Reduction,
  sections: Sections,
  options: {
    readonly fields: { readonly world: Field.Fields; readonly working: Field.Fields }
    readonly bindings: Expression.Bindings
  }
): Sections => {
  if (self._tag === "Function") {
    return merge(sections, answer(self.run, { ...options.bindings, ...sections }), options.fields)
  }
  const bindings = { ...options.bindings, world: sections.world, working: sections.working }
  for (const operation of self.operations) {
    const { name, section } = operation.target
    const current = bindings[section]
    const before = current[name]
    const next = apply(operation, before, bindings)
    if (next !== undefined && next !== before) bindings[section] = { ...current, [name]: next }
  }
  return bindings.world === sections.world && bindings.working === sections.working
    ? sections
    : { world: bindings.world, working: bindings.working }
}

/** Fills a template with the names in scope, or answers the expression that failed. */
export const fill = (
  template: Template,
  bindings: Expression.Bindings
): Result.Result<Json, Expression.ExpressionFailed> =>
  Result.try({
    try: () => fillUnsafe(template, bindings),
    catch: (error) => {
      if (Branded.isError(error, Expression.ExpressionFailed)) return error
      throw error
    }
  })

const words = { Set: "set", Add: "add to", Put: "put into", Remove: "remove from", Append: "append to" } as const

const refuse = (self: Operation, reason: string): OperationFailed =>
  new OperationFailed({ operation: words[self._tag], target: `${self.target.section}.${self.target.name}`, reason })

const fillUnsafe = (template: Template, bindings: Expression.Bindings): Json => {
  switch (template._tag) {
    case "Expression":
      return Expression.evaluateUnsafe(template.expression, bindings)
    case "Array":
      return template.items.map((item) => fillUnsafe(item, bindings))
    case "Object": {
      const filled: Record<string, Json> = {}
      for (const name of Object.keys(template.fields).sort())
        filled[name] = fillUnsafe(template.fields[name] as Template, bindings)
      return filled
    }
  }
}

/** Rounds and checks a value on its way into the state. */
const enter = (self: Operation, field: Field.Field, value: Json): Json => {
  const rounded = Quantise.value(field, value)
  const issue = Field.check(field, rounded)[0]
  if (issue === undefined) return rounded
  const at = issue.path === "" ? "" : `${issue.path} of `
  throw refuse(self, `${at}the value is ${issue.found}, expected ${issue.expected}`)
}

const sum = (self: Operation, current: unknown, value: Json): Json => {
  if (typeof current === "number" && typeof value === "number") {
    // Sums of binary floats drift; sums of their printed decimals do not.
    if (Number.isSafeInteger(current) && Number.isSafeInteger(value)) return current + value
  }
  const left = Decimal.from(current)
  const right = Decimal.from(value)
  if (left === undefined || right === undefined) {
    throw refuse(self, `${Field.nameOf(current)} and ${Field.nameOf(value)} cannot be added`)
  }
  const total = Decimal.add(left, right)
  return typeof current === "number" ? Decimal.toNumber(total) : Decimal.format(total)
}

const tableOf = (self: Operation, current: unknown) => {
  if (isTable(current)) return current
  throw refuse(self, `it holds ${Field.nameOf(current)}, and this needs a table`)
}

const keyOf = (self: Operation, key: Expression.Expression, bindings: Expression.Bindings): string => {
  const value = Expression.evaluateUnsafe(key, bindings)
  if (typeof value === "string" && value !== "") return value
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value)
  throw refuse(self, `the key is ${Field.nameOf(value)}, expected text that is not empty`)
}

const changeRow = (
  self: Operation,
  at: RowField,
  current: unknown,
  bindings: Expression.Bindings,
  change: (value: unknown) => Json
): Field.Value => {
  const table = tableOf(self, current)
  const key = keyOf(self, at.key, bindings)
  const row = table.get(key)
  if (!isRecord(row)) throw refuse(self, `there is no row ${JSON.stringify(key)}`)
  return table.set(key, { ...row, [at.name]: enter(self, at.field, change(row[at.name])) } as Json)
}

const answer = (run: FunctionSource.Compiled, scope: Expression.Bindings): unknown => {
  try {
    return run(scope)
  } catch (error) {
    if (FunctionSource.isExhausted(error)) throw error
    const reason = `the function failed: ${error instanceof Error ? error.message : String(error)}`
    throw new OperationFailed({ operation: "change", target: "the state", reason })
  }
}

const merge = (
  sections: Sections,
  patch: unknown,
  fields: { readonly world: Field.Fields; readonly working: Field.Fields }
): Sections => {
  const failed = (target: string, reason: string) => new OperationFailed({ operation: "change", target, reason })
  if (patch === undefined || patch === null) return sections
  if (!isRecord(patch))
    throw failed("the state", `the function answered ${Field.nameOf(patch)}, expected { world, working }`)
  const next: Record<"world" | "working", Section> = { world: sections.world, working: sections.working }
  for (const section of Object.keys(patch)) {
    const changes = patch[section]
    if ((section !== "world" && section !== "working") || !isRecord(changes)) {
      throw failed(section, "the function may answer fields of world and working only")
    }
    const entered: Record<string, Field.Value> = {}
    for (const name of Object.keys(changes)) {
      const field = Object.hasOwn(fields[section], name) ? fields[section][name] : undefined
      if (field === undefined) throw failed(`${section}.${name}`, "the pack declares no such field")
      entered[name] = enterField(field, changes[name], sections[section][name], `${section}.${name}`)
    }
    next[section] = { ...sections[section], ...entered }
  }
  return next
}

/** Rounds and checks the changes by a function; in a table or list only the changed rows. */
const enterField = (field: Field.Field, value: unknown, before: unknown, target: string): Field.Value => {
  if (field.type === "table" && isTable(value)) return enterTable(field.row, value, before, target)
  if (field.type === "list" && isList(value)) return enterList(field.item, value, before, target)
  if (field.type === "table" || field.type === "list" || isTable(value) || isList(value)) {
    const reason = `the function answered ${Field.nameOf(value)}, expected ${Field.describe(field)}`
    throw new OperationFailed({ operation: "change", target, reason })
  }
  return enterValue(field, value, target)
}

const enterValue = (field: Field.Field, value: unknown, target: string): Json => {
  const rounded = Quantise.value(field, value as Json)
  const issue = Field.check(field, rounded)[0]
  if (issue === undefined) return rounded
  const reason = `${issue.path === "" ? "the value" : issue.path} is ${issue.found}, expected ${issue.expected}`
  throw new OperationFailed({ operation: "change", target, reason })
}

const enterTable = (row: Field.Field, after: Table.Table<Json>, before: unknown, target: string): Table.Table<Json> => {
  let entered = after
  for (const change of Table.changes(isTable(before) ? before : Table.empty, after)) {
    if (change.after === undefined) continue
    const rounded = enterValue(row, change.after, `${target}[${JSON.stringify(change.key)}]`)
    entered = entered.set(change.key, rounded)
  }
  return entered
}

const enterList = (item: Field.Field, after: List.List<Json>, before: unknown, target: string): List.List<Json> => {
  let entered = after
  for (const change of List.changes(isList(before) ? before : List.empty, after)) {
    if (change.after === undefined) continue
    entered = entered.set(change.index, enterValue(item, change.after, `${target}[${change.index}]`))
  }
  return entered
}
