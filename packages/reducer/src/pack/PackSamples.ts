/**
 * Samples of the values that a pack's types may hold, in the form in which its functions receive them.
 *
 * A function has to be tried on values that reach its branches. The state in which a run begins is mostly empty, so
 * other values are made from the types: empty and full ones, absent, null and negative ones, texts beyond ASCII. They
 * are the same each time.
 */

import * as Quantise from "@backstitch/contracts/Quantise"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Limits from "../Limits.ts"

const json: Field.Field = { type: "json" }

const { purityScopesMax } = Limits.refusing

/**
 * Scopes for one function: `on` are the tools and types at whose steps it runs, and `each` is the table that it
 * judges by row.
 */
export const of = (
  pack: TaskPack.TaskPack,
  { each, on }: { readonly on: ReadonlyArray<string>; readonly each?: string | undefined }
): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const subjects = on.length === 0 ? Object.keys(pack.tools).slice(0, purityScopesMax) : on
  return Array.from({ length: purityScopesMax }, (_, turn) => {
    const subject = subjects[turn % Math.max(1, subjects.length)] ?? ""
    const before = stateAt(pack, turn)
    // Sometimes nothing has changed, and both are the same object.
    const after = turn % 3 === 2 ? before : stateAt(pack, turn + 1)
    const { input, output } = TaskPack.tool(pack, subject)
    const args = valueOf({ type: "object", fields: input }, turn) ?? {}
    const observed = output === undefined ? anything(turn) : (valueOf(output, turn) ?? null)
    const [section, name] = each?.split(".") ?? []
    const table = section === "world" || section === "working" ? pack.fields[section][name ?? ""] : undefined
    const row = table?.type === "table" ? (valueOf(table.row, turn) ?? null) : undefined
    return {
      ...after,
      actual: observed,
      after,
      args,
      before,
      clause: Object.fromEntries(
        Object.entries(pack.specification).map(([clause, { value = json }]) => [clause, valueOf(value, turn) ?? null])
      ),
      key: `k${turn}`,
      observed,
      row,
      state: { ...after.working, ...after.world },
      transition: { body: { author: "agent", data: args, type: subject }, tick: turn + 1, type: subject }
    }
  })
}

const stateAt = (pack: TaskPack.TaskPack, turn: number) => ({
  kernel: {},
  working: section(pack.fields.working, turn),
  world: section(pack.fields.world, turn)
})

const section = (fields: Field.Fields, turn: number): { readonly [name: string]: Field.Value } =>
  Object.fromEntries(Object.entries(fields).map(([name, field], index) => [name, held(field, turn + index)]))

const held = (field: Field.Field, turn: number): Field.Value => {
  switch (field.type) {
    case "table":
      return Table.from(several(turn, (row) => [`k${row}`, valueOf(field.row, row) ?? null] as const))
    case "list":
      return List.from(several(turn, (item) => valueOf(field.item, item) ?? null))
    default:
      return valueOf(field, turn) ?? Field.initial(field)
  }
}

/** None, one, two or three of them. */
const several = <A>(turn: number, make: (turn: number) => A): ReadonlyArray<A> =>
  Array.from({ length: turn % 4 }, (_, index) => make(turn + index))

/** A value of a type; `undefined` if it may be absent, and is in this sample. */
const valueOf = (field: Field.Field, turn: number): Json | undefined => {
  if (field.optional === true && turn % 5 === 4) return undefined
  if (field.nullable === true && turn % 4 === 3) return null
  switch (field.type) {
    case "string":
      return ["", "a", "Zoë ſ 9", "2026-02-29", "-1"][turn % 5]!
    case "int":
      return [0, 1, -7, 40, 2 ** 31][turn % 5]!
    case "float":
      return Quantise.value(field, [0, 0.1, -2.5, 1e21, 1e-7][turn % 5]!)
    case "decimal":
      return Quantise.value(field, ["0", "0.1", "-12.345", "999.99"][turn % 4]!)
    case "bool":
      return turn % 2 === 1
    case "enum":
      return field.values[turn % field.values.length] ?? ""
    case "object":
      return Object.fromEntries(
        Object.entries(field.fields).flatMap(([name, inner], index) => {
          const value = valueOf(inner, turn + index)
          return value === undefined ? [] : [[name, value] as const]
        })
      )
    case "table":
      return Object.fromEntries(several(turn, (row) => [`k${row}`, valueOf(field.row, row) ?? null]))
    case "list":
      return several(turn, (item) => valueOf(field.item, item) ?? null)
    case "json":
      return anything(turn)
  }
}

const anything = (turn: number): Json => [null, { b: 1, a: [2, { d: "", c: null }] }, "text", 0, []][turn % 5]!
