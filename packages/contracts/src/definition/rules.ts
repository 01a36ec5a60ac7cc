/** Reads the rules of a pack: clauses, guards, violations, approvals, budgets. */

import * as Decimal from "@backstitch/expressions/Decimal"
import type * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import { formatPath, type Node } from "../grammar/reader.ts"
import { type Declared, isFunctionNode, readCondition, stateNames, windowNames } from "../grammar/scope.ts"
import type * as Approval from "../rules/Approval.ts"
import * as Budget from "../rules/Budget.ts"
import type * as Guard from "../rules/Guard.ts"
import * as MessagePolicy from "../rules/MessagePolicy.ts"
import type * as Specification from "../rules/Specification.ts"
import type * as ViolationPredicate from "../rules/ViolationPredicate.ts"
import * as Quantise from "../state/Quantise.ts"
import * as Sensitive from "../state/Sensitive.ts"
import { readField } from "./field.ts"
import { resolveField } from "./operation.ts"

/** What rules may refer to. */
export interface Rules {
  readonly declared: Declared
  readonly inputs: ReadonlyMap<string, Field.Fields>
  readonly tools: ReadonlyArray<string>
  /** Tools, governed transitions and the types of the ontology. */
  readonly subjects: ReadonlyArray<string>
}

/** Whether a clause is written in full: a condition alone stands for itself. */
const isFullClause = (node: Node): boolean => node.isRecord() && !isFunctionNode(node)

/** The types of the values of all clauses, which expressions refer to before any clause is read. */
export const readClauseValues = (node: Node): Field.Fields => {
  const fields: Record<string, Field.Field> = {}
  for (const [name, child] of node.entries()) {
    const value = isFullClause(child) ? child.at("value") : undefined
    const field = value === undefined || value.isAbsent ? undefined : readField(value)
    if (field !== undefined && Sensitive.isIn(field)) {
      value?.fail({
        found: "a clause that is sensitive",
        expected: "a clause in clear: it is what a goal is judged by"
      })
    }
    fields[name] = field ?? { type: "json" }
  }
  return fields
}

const isTyped = (node: Node): boolean => isFullClause(node) && !node.at("value").isAbsent

/**
 * Refuses a clause whose value is read somewhere and of which nothing says what it may be: any value would be taken,
 * and the run would end at it. A default that is one word or number shows its type.
 */
export const untypedClauses = (node: Node): void => {
  for (const [name, child] of node.entries()) {
    const given = isFullClause(child) ? child.at("default").value : undefined
    const at = child.reader.read.get(`clause.${name}`)
    if (
      isTyped(child) ||
      (at === undefined && given === undefined) ||
      ["string", "number", "boolean"].includes(typeof given)
    ) {
      continue
    }
    const found =
      given === undefined
        ? `a clause without value and default, which ${formatPath(at ?? [])} reads`
        : `${Field.nameOf(given)} as the default of a clause without value`
    const hint = "Write value: int, say, in the full form of a clause; value: json takes anything"
    child.unfit({ found, expected: "the type of its value", hint, key: true })
  }
}

/** Reads the named clauses of the goal. */
export const readSpecification = (node: Node, declared: Declared): Specification.Specification => {
  const clauses: Record<string, Specification.Clause> = {}
  for (const [name, child] of node.entries()) {
    const full = isFullClause(child)
    if (full && !child.shape("clause")) continue
    const holds = readCondition(full ? child.at("holds") : child, stateNames(declared))
    const value = declared.clauses[name]
    const description = full ? child.at("description").text() : undefined
    const given = full ? child.at("default").value : undefined
    const fallback = given === undefined ? undefined : readDefault(child.at("default"), value)
    if (holds === undefined) continue
    clauses[name] = {
      name,
      holds,
      ...(value === undefined || !isTyped(child) ? {} : { value }),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(description === undefined ? {} : { description })
    }
  }
  return clauses
}

const readDefault = (node: Node, field: Field.Field | undefined): Json => {
  const value = field === undefined ? (node.value as Json) : Quantise.value(field, node.value as Json)
  const issue = field === undefined ? undefined : Field.check(field, value)[0]
  if (issue !== undefined) node.fail({ found: issue.found, expected: issue.expected })
  return value
}

const argumentNames = (subjects: ReadonlyArray<string>, rules: Rules): Expression.Names => {
  const inputs = subjects.map((subject) => rules.inputs.get(subject))
  return { ...stateNames(rules.declared), args: sharedInput(inputs) }
}

/** What any of several tools may be asked. Of a transition type, nobody knows what its data holds. */
const sharedInput = (inputs: ReadonlyArray<Field.Fields | undefined>): Expression.Shape => {
  const known = inputs.filter((input) => input !== undefined)
  if (known.length === 0 || known.length < inputs.length) return "any"
  const [only] = known
  if (known.length === 1 && only !== undefined) return Field.object(only)
  const names = new Set(known.flatMap((input) => Object.keys(input)))
  return Field.object(Object.fromEntries([...names].map((name) => [name, { type: "json" } as const])))
}

/** Records identifiers that are used twice. */
const distinct = (nodes: ReadonlyArray<Node>): void => {
  const seen = new Set<unknown>()
  for (const node of nodes) {
    const id = node.at("id")
    if (seen.has(id.value)) id.fail({ found: `${String(id.value)} for the second time`, expected: "an id of its own" })
    seen.add(id.value)
  }
}

/** Reads the guards. */
export const readGuards = (node: Node, rules: Rules): ReadonlyArray<Guard.Guard> => {
  const nodes = node.items()
  distinct(nodes)
  return nodes.flatMap((child) => {
    if (!child.shape("guard")) return []
    const id = child.at("id").required("an id")
    const on = child.at("on").references(rules.subjects, "tool or transition type")
    if (child.at("on").isAbsent)
      child.at("on").fail({ found: "nothing", expected: "the tools or types that it looks at" })
    const refuseIf = readCondition(child.at("refuse_if"), argumentNames(on, rules))
    const name = child.at("name").text() ?? id
    if (id === undefined || name === undefined || refuseIf === undefined) return []
    return [{ id, name, on, refuseIf }]
  })
}

/** Reads the violation predicates. */
export const readViolations = (node: Node, rules: Rules): ReadonlyArray<ViolationPredicate.ViolationPredicate> => {
  const nodes = node.items()
  distinct(nodes)
  if (nodes.length === 0) {
    const hint = "Without one, nothing can tell when a run has left its contract"
    node.warn({ found: "no violation predicate", expected: "at least one", hint })
  }
  return nodes.flatMap((child) => readViolation(child, rules) ?? [])
}

const conditionKeys = ["when", "condition", "base_predicate"] as const

/** Reads one violation predicate. */
export const readViolation = (node: Node, rules: Rules): ViolationPredicate.ViolationPredicate | undefined => {
  if (!node.shape("violation")) return undefined
  const id = node.at("id").required("an id")
  if (id?.startsWith("kernel.")) {
    node
      .at("id")
      .fail({ found: id, expected: "an id of its own", hint: "kernel. begins the names of built-in predicates" })
  }
  const given = conditionKeys.filter((key) => node.at(key).value !== undefined)
  const [key] = given
  const each = node.at("each").isAbsent ? undefined : readEach(node.at("each"), rules.declared)
  const window = node.at(node.at("at").isAbsent ? "state" : "at").oneOf(["before", "after"] as const) ?? "after"
  const scope = node.at("scope").isAbsent
    ? undefined
    : node.at("scope").references(rules.subjects, "tool or transition type")
  const halts = node.at("then").oneOf(["halt_mutations"] as const) !== undefined
  const monotone = readMonotone(node)
  const name = node.at("name").text() ?? id
  if (node.at("pure").flag() === false) {
    node.at("pure").fail({ found: "a predicate that is not pure", expected: "a pure function over committed state" })
  }
  if (key === undefined || given.length > 1) {
    return node.fail({
      found: given.length === 0 ? "no condition" : given.join(" and "),
      expected: "exactly one condition, as when"
    })
  }
  const names = windowNames(rules.declared)
  const row = each === undefined ? names : { ...names, row: each.row, key: { type: "string" } as const }
  const when = readCondition(node.at(key), row)
  if (id === undefined || name === undefined || when === undefined) return undefined
  return {
    id,
    name,
    when,
    at: window,
    ...(scope === undefined ? {} : { scope }),
    monotone,
    ...(each === undefined ? {} : { each: { section: each.section, table: each.table } }),
    halts
  }
}

const readMonotone = (node: Node): "declared" | "lift" => {
  const isSearchedLifted = node.at("bisect_predicate").oneOf(["monotone_lift"] as const) !== undefined
  const monotone = node.at("monotone")
  const lift = node.at("monotone_lift")
  const isLift = lift.flag()
  if (isLift !== undefined && !monotone.isAbsent && isLift === (monotone.value === true)) {
    lift.fail({ found: `monotone_lift ${isLift} beside monotone ${monotone.value}`, expected: "one of the two" })
  }
  if (!monotone.isAbsent && typeof monotone.value !== "boolean" && monotone.value !== "lift") {
    monotone.expected("true or lift")
  }
  return (monotone.value === true || isLift === false) && !isSearchedLifted ? "declared" : "lift"
}

const readEach = (node: Node, declared: Declared) => {
  const path = node.text()
  const found = path === undefined ? undefined : resolveField(path, declared)
  if (found !== undefined && found !== "ambiguous" && found.field.type === "table") {
    return { section: found.section, table: found.name, row: found.field.row }
  }
  const tables = (["world", "working"] as const).flatMap((section) =>
    Object.entries(declared[section]).flatMap(([name, field]) => (field.type === "table" ? [`${section}.${name}`] : []))
  )
  node.reference(tables, "table")
  return undefined
}

/** Reads the approval rules. */
export const readApprovals = (node: Node, rules: Rules): Readonly<Record<string, Approval.Approval>> => {
  const approvals: Record<string, Approval.Approval> = {}
  for (const [tool, child] of node.entries()) {
    if (!rules.tools.includes(tool)) {
      const expected = `a tool that the pack declares (declared: ${rules.tools.join(", ") || "none"})`
      child.fail({ found: `tool ${tool}`, expected, key: true })
    }
    if (!child.shape("approval")) continue
    const when = child.at("when").isAbsent ? undefined : readCondition(child.at("when"), argumentNames([tool], rules))
    const expiresMillis = child.at("expires").duration()
    if (child.at("expires").isAbsent) {
      const hint = "Whoever said yes to a call said it for ever"
      child.warn({ found: "an approval that never expires", expected: "expires, such as 1h", hint, key: true })
    }
    const by = child.at("by").texts()
    if (by.length === 0) child.at("by").fail({ found: "nobody", expected: "the roles of which one has to approve" })
    approvals[tool] = {
      tool,
      ...(when === undefined ? {} : { when }),
      by,
      ...(expiresMillis === undefined ? {} : { expiresMillis })
    }
  }
  return approvals
}

/** Reads what is demanded of messages. */
export const readMessages = (node: Node): Partial<MessagePolicy.MessagePolicy> | undefined => {
  if (node.isAbsent || !node.shape("messages")) return undefined
  const [demand, treatment] = [node.at("reports"), node.at("unreconciled")]
  const reports = demand.isAbsent ? undefined : demand.oneOf(MessagePolicy.demands)
  const unreconciled = treatment.isAbsent ? undefined : treatment.oneOf(MessagePolicy.treatments)
  return { ...(reports === undefined ? {} : { reports }), ...(unreconciled === undefined ? {} : { unreconciled }) }
}

/** Reads the budgets. */
export const readBudget = (node: Node, tools: ReadonlyArray<string>): Budget.Budget => {
  if (node.isAbsent || !node.shape("budgets")) return {}
  const counts = Budget.counts.flatMap((name) => {
    const count = node.at(name).count()
    return count === undefined ? [] : [[name, count] as const]
  })
  const elapsedMillis = node.at("elapsed").duration()
  const money = readMoney(node.at("money"))
  const shared = node.at("shared").flag()
  const calls: Record<string, number> = {}
  for (const [tool, child] of node.at("calls").entries()) {
    if (!tools.includes(tool)) child.fail({ found: `tool ${tool}`, expected: `one of ${tools.join(", ")}`, key: true })
    const count = child.count()
    if (count !== undefined) calls[tool] = count
  }
  const verification = readVerification(node.at("verification"))
  return {
    ...Object.fromEntries(counts),
    ...(verification === undefined ? {} : { verification }),
    ...(elapsedMillis === undefined ? {} : { elapsedMillis }),
    ...(money.length === 0 ? {} : { money }),
    ...(Object.keys(calls).length === 0 ? {} : { calls }),
    ...(shared === undefined ? {} : { shared })
  }
}

const readVerification = (node: Node): Budget.Verification | undefined => {
  if (node.isAbsent || !node.shape("verification")) return undefined
  const [run, action] = [node.at("run").count(), node.at("action").count()]
  return { ...(run === undefined ? {} : { run }), ...(action === undefined ? {} : { action }) }
}

/** One limit, or several in currencies that differ. */
const readMoney = (node: Node): ReadonlyArray<Budget.Money> => {
  const nodes = Array.isArray(node.value) ? node.items() : node.isAbsent ? [] : [node]
  const known = new Set<string>()
  return nodes.flatMap((each) => {
    const money = readLimit(each)
    if (money === undefined) return []
    const name = Budget.moneyName(money.currency)
    if (known.has(name)) each.fail({ found: `${name} twice`, expected: "one limit for each currency" })
    known.add(name)
    return [money]
  })
}

const readLimit = (node: Node): Budget.Money | undefined => {
  if (!node.shape("money")) return undefined
  const currency = readCurrency(node.at("currency"))
  const precision = node.at("decimal").count(18) ?? 2
  const max = Decimal.from(node.at("max").value)
  if (max === undefined || max.units < 0n) return node.at("max").expected("an amount of zero or more")
  if (max.scale > precision) return node.at("max").expected(`an amount with ${precision} digits`)
  return {
    ...(currency === undefined ? {} : { currency }),
    precision,
    max: Decimal.format(Decimal.round(max, precision))
  }
}

/** Reads the name of a currency. */
export const readCurrency = (node: Node): string | undefined => {
  const name = node.text()
  return name === undefined || /^[A-Za-z0-9]{1,12}$/.test(name)
    ? name
    : node.expected("a currency such as CHF: letters and digits")
}
