/**
 * Advises on fields of the state that guards, violations and approvals read, and that nothing in the pack writes,
 * requires or gives a first value: a misspelt name, or a reducer that was forgotten.
 */
import type * as Field from "@backstitch/expressions/Field"
import type * as ApprovalRule from "../../rules/ApprovalRule.ts"
import type * as Guard from "../../rules/Guard.ts"
import * as ViolationPredicate from "../../rules/ViolationPredicate.ts"
import * as Condition from "../../state/Condition.ts"
import type * as ContextHash from "../../state/ContextHash.ts"
import * as Operation from "../../state/Operation.ts"
import type * as ToolContract from "../../tool/ToolContract.ts"
import type { Node } from "../definitionReader.ts"

/** The parts of a pack that read and write its state. */
interface Parts {
  readonly fields: Readonly<Record<"world" | "working", Field.Fields>>
  readonly guards: ReadonlyArray<Guard.Guard>
  readonly violations: ReadonlyArray<ViolationPredicate.ViolationPredicate>
  readonly approvals: Readonly<Record<string, ApprovalRule.ApprovalRule>>
  readonly tools: Readonly<Record<string, ToolContract.ToolContract>>
  readonly transitions: Readonly<Record<string, ContextHash.Contract>>
  readonly reducers: Readonly<Record<string, Operation.Reduction>>
}

/**
 * Warns of each field that only rules know. A function may write any field, and a field that a contract requires may be
 * given with the run, so these are taken to be written.
 */
export const adviseOnUnwritten = (node: Node, parts: Parts): void => {
  const written = writtenBy(parts)
  if (written === "any") return
  const readers = readersOf(parts)
  const required = Object.values(parts.transitions).flatMap((contract) => Object.keys(contract.required))
  for (const section of ["world", "working"] as const) {
    for (const [name, { initial }] of Object.entries(parts.fields[section])) {
      const path = `${section}.${name}`
      const isGiven = initial !== undefined || required.includes(path) || required.includes(name)
      if (isGiven || written.has(path) || written.has(`${section}.`)) continue
      const rules = readers.flatMap(({ reads, rule }) => (readsField(reads, section, name) ? [rule] : []))
      if (rules.length === 0) continue
      node
        .at(section)
        .at(name)
        .warn({
          found: `a field that ${rules.join(" and ")} reads, and nothing writes`,
          expected: section === "world" ? "a tool that writes it" : "a reducer that writes it",
          hint: "It keeps the value with which a run begins, so the rule does not depend on what happens",
          key: true
        })
    }
  }
}

/** The fields that a call or a transition writes; a name that ends with a dot stands for all fields of a section. */
const writtenBy = ({ reducers, tools }: Parts): ReadonlySet<string> | "any" => {
  const written = new Set<string>()
  for (const { onReconciled, onRecorded, writes } of Object.values(tools)) {
    if (onReconciled?._tag === "Function" || onRecorded?._tag === "Function") return "any"
    for (const { name } of writes) written.add(name)
  }
  for (const reduction of Object.values(reducers)) {
    const writes = Operation.writes(reduction)
    for (const name of writes === "any" ? ["working."] : writes) written.add(name)
  }
  return written
}

/** The rules that decide or report, each with the fields that it reads. */
const readersOf = ({ approvals, guards, violations }: Parts) => [
  ...guards.map(({ id, refuseIf }) => ({ rule: `the guard ${id}`, reads: Condition.reads(refuseIf) })),
  ...violations.map((each) => ({ rule: `the violation ${each.id}`, reads: ViolationPredicate.reads(each) })),
  ...Object.values(approvals).flatMap(({ tool, when }) =>
    when === undefined ? [] : [{ rule: `the approval of ${tool}`, reads: Condition.reads(when) }]
  )
]

/** Tells whether a field is among those that are read, by its section or as a field of `state`. */
const readsField = (reads: ReadonlyArray<string> | "any", section: string, name: string): boolean =>
  reads !== "any" &&
  reads.some((path) => [`${section}.${name}.`, `state.${name}.`].some((field) => `${path}.`.startsWith(field)))
