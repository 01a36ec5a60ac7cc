/** The rules of a pack as they are written: clauses, guards, violations, approvals, demands on messages. */
import type * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import type * as ApprovalRule from "../../rules/ApprovalRule.ts"
import type * as Guard from "../../rules/Guard.ts"
import * as MessagePolicy from "../../rules/MessagePolicy.ts"
import type * as Specification from "../../rules/Specification.ts"
import type * as ViolationPredicate from "../../rules/ViolationPredicate.ts"
import * as Quantise from "../../state/Quantise.ts"
import * as Sensitive from "../../state/Sensitive.ts"
import { formatPath, type Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { condition, conditionOr, duration, isFull } from "../language.ts"
import { type DeclaredNames, readCondition, stateNames, windowNames } from "../scope.ts"
import { field } from "../tool/fieldGrammar.ts"
import { resolveField } from "../tool/operationGrammar.ts"

const { flag, key, needed, object, oneOf, text, textOrTexts, word } = Grammar

/** Declared names that rules may refer to. */
export interface Rules {
  readonly declared: DeclaredNames
  readonly inputs: ReadonlyMap<string, Field.Fields>
  readonly tools: ReadonlyArray<string>
  /** Tools, governed transitions and the types of the ontology. */
  readonly subjects: ReadonlyArray<string>
}

const clause = object("clause", "A named clause of the goal.", {
  holds: key("The condition that the goal demands, over the state and the values of clauses.", needed(condition)),
  value: key("The type of the value of the clause, which conditions read as `clause.NAME`.", field),
  default: key("The value for runs that give none.", Grammar.any<Json>()),
  description: key("A text for people.", text)
})

/** The named clauses of the goal. A bare condition is written without a mapping. */
export const specification = Grammar.record(conditionOr(clause))

/** The grammar of a guard. */
export const guard = object("guard", "Refuses an intent before anything happens.", {
  id: key("The name by which tests and explanations refer to it.", needed(text, "an id")),
  name: key("A title for people. Default: the id.", text),
  on: key("The tools or transition types whose intents it judges.", needed(textOrTexts)),
  refuse_if: key("The condition that refuses, over `args`, the state and the clauses.", needed(condition)),
  description: key("A text for people.", text)
})

const window = oneOf(["before", "after"])

/** A violation predicate, with the words of older packs. */
export const violation = object("violation", "Reports that the run has left its pack.", {
  id: key("The name by which bisect, tests and reports refer to it.", needed(text, "an id")),
  name: key("A title for people. Default: the id.", text),
  when: key("The condition of the violation, over the state and the clauses.", condition),
  condition: key("Another word for `when`.", condition),
  base_predicate: key("Another word for `when`.", condition),
  at: key("The state that is judged: after a transition (default), or before it.", window),
  state: key("Another word for `at`.", window),
  scope: key("Tools or transition types at whose ticks it is judged. Default: every tick.", textOrTexts),
  monotone: key("`true` if it never recovers by itself; `lift` (default) if the kernel latches it.", {
    ...(flag as Grammar.Grammar<boolean | "lift", boolean>),
    schema: { anyOf: [flag.schema, { const: "lift" }] }
  }),
  monotone_lift: key("Another way to write `monotone`: `true` for `lift`.", flag),
  bisect_predicate: key("Another way to write `monotone: lift`.", word("monotone_lift")),
  each: key("The table whose changed rows are judged, as `row` and `key`.", text),
  // biome-ignore lint/suspicious/noThenProperty: it is the word of the pack, and nothing awaits a schema
  then: key("Refuses every change of the world once the violation has held.", word("halt_mutations")),
  pure: key("Only `true` is accepted: predicates read committed state alone.", flag),
  description: key("A text for people.", text)
})

/** The grammar of a demand for approval. */
export const approval = object("approval", "When a person has to say yes.", {
  when: key("The condition for an approval, over `args` and the state. Default: every call.", condition),
  by: key("The roles of which one has to approve.", textOrTexts),
  expires: key("The time for which an approval is valid.", duration)
})

/** The demands on messages. */
export const messages = object("messages", "The demands on messages to people.", {
  reports: key(
    "`required`: a message lists the actions that it reports. That is the default if a tool changes the world.",
    oneOf(MessagePolicy.demands)
  ),
  unreconciled: key(
    "A message that reports an action otherwise than it stands: refused (default), or committed with a mark.",
    oneOf(MessagePolicy.treatments)
  )
})

/** The types of the values of all clauses, which are needed before any clause is read. */
export const readClauseValues = (node: Node): Field.Fields => {
  const fields: Record<string, Field.Field> = {}
  for (const [name, child] of node.entries()) {
    const value = isFull(child) ? child.at("value") : undefined
    const type = value === undefined || value.isAbsent ? undefined : field.read(value, {})
    if (type !== undefined && Sensitive.isIn(type)) {
      value?.fail({
        found: "a clause that is sensitive",
        expected: "a clause in clear: it is what a goal is judged by"
      })
    }
    fields[name] = type ?? { type: "json" }
  }
  return fields
}

const isTyped = (node: Node): boolean => isFull(node) && !node.at("value").isAbsent

/**
 * Refuses a clause whose value is read somewhere, but whose type is unknown: any value would be accepted, and the run
 * would fail on it. A default that is a single word or number shows its type.
 */
export const untypedClauses = (node: Node): void => {
  for (const [name, child] of node.entries()) {
    const given = isFull(child) ? child.at("default").value : undefined
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
export const readSpecification = (node: Node, declared: DeclaredNames): Specification.Specification => {
  const clauses: Record<string, Specification.Clause> = {}
  for (const [name, child] of node.entries()) {
    const full = isFull(child)
    if (full && !child.hasKeysOf(clause.keys)) continue
    const holds = readCondition(full ? child.at("holds") : child, stateNames(declared))
    const value = declared.clauses[name]
    const said = full ? Grammar.pick(clause, child, {}, "description") : {}
    const given = full ? child.at("default").value : undefined
    const fallback = given === undefined ? undefined : readDefault(child.at("default"), value)
    if (holds === undefined) continue
    clauses[name] = {
      name,
      holds,
      ...(value === undefined || !isTyped(child) ? {} : { value }),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...said
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

/** Arguments that any of several tools may accept. The data of a transition type may have any fields. */
const sharedInput = (inputs: ReadonlyArray<Field.Fields | undefined>): Expression.ScopeType => {
  const known = inputs.filter((input) => input !== undefined)
  if (known.length === 0 || known.length < inputs.length) return "any"
  const [only] = known
  if (known.length === 1 && only !== undefined) return Field.object(only)
  const names = new Set(known.flatMap((input) => Object.keys(input)))
  return Field.object(Object.fromEntries([...names].map((name) => [name, { type: "json" } as const])))
}

/** Reports identifiers that are used twice. */
const distinct = (nodes: ReadonlyArray<Node>): void => {
  const seen = new Set<unknown>()
  for (const node of nodes) {
    const id = node.at("id")
    // One that is missing is told where it is read.
    if (id.isAbsent) continue
    if (seen.has(id.value)) id.fail({ found: `${String(id.value)} for the second time`, expected: "an id of its own" })
    seen.add(id.value)
  }
}

/** Reads the guards. */
export const readGuards = (node: Node, rules: Rules): ReadonlyArray<Guard.Guard> => {
  const nodes = node.items()
  distinct(nodes)
  return nodes.flatMap((child) => {
    if (!child.hasKeysOf(guard.keys)) return []
    const on = child.at("on").references(rules.subjects, "tool or transition type")
    if (child.at("on").isAbsent)
      child.at("on").fail({ found: "nothing", expected: "the tools or types that it looks at" })
    const names = argumentNames(on, rules)
    const { id, name = id, refuse_if: refuseIf } = Grammar.pick(guard, child, names, "id", "name", "refuse_if")
    return id === undefined || name === undefined || refuseIf === undefined ? [] : [{ id, name, on, refuseIf }]
  })
}

/** Reads the violation predicates. */
export const readViolations = (node: Node, rules: Rules): ReadonlyArray<ViolationPredicate.ViolationPredicate> => {
  const nodes = node.items()
  distinct(nodes)
  if (nodes.length === 0) {
    const hint = "Without one, nothing can tell when a run has left its pack"
    node.warn({ found: "no violation predicate", expected: "at least one", hint })
  }
  return nodes.flatMap((child) => readViolation(child, rules) ?? [])
}

/** Beginnings of ids that no pack gives. */
const prefixes = { "kernel.": "built-in predicates", "topology.": "cracks of a topology" } as const

const conditionKeys = ["when", "condition", "base_predicate"] as const

/** Reads one violation predicate. */
export const readViolation = (node: Node, rules: Rules): ViolationPredicate.ViolationPredicate | undefined => {
  if (!node.hasKeysOf(violation.keys)) return undefined
  const read = Grammar.pick(violation, node, {}, "id", "name", "at", "state", "then", "pure")
  const { id, name = id } = read
  const taken = Object.entries(prefixes).find(([prefix]) => id?.startsWith(prefix))
  if (id !== undefined && taken !== undefined) {
    const hint = `${taken[0]} begins the names of ${taken[1]}`
    node.at("id").fail({ found: id, expected: "an id of its own", hint })
  }
  const given = conditionKeys.filter((key) => node.at(key).value !== undefined)
  const [key] = given
  const each = node.at("each").isAbsent ? undefined : readEach(node.at("each"), rules.declared)
  const scope = node.at("scope").isAbsent
    ? undefined
    : node.at("scope").references(rules.subjects, "tool or transition type")
  const monotone = readMonotone(node)
  if (read.pure === false) {
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
    at: (node.at("at").isAbsent ? read.state : read.at) ?? "after",
    ...(scope === undefined ? {} : { scope }),
    monotone,
    ...(each === undefined ? {} : { each: { section: each.section, table: each.table } }),
    halts: read.then !== undefined
  }
}

const readMonotone = (node: Node): "declared" | "lift" => {
  const { bisect_predicate: lifted, monotone_lift: isLift } = Grammar.pick(
    violation,
    node,
    {},
    "bisect_predicate",
    "monotone_lift"
  )
  const monotone = node.at("monotone")
  if (isLift !== undefined && !monotone.isAbsent && isLift === (monotone.value === true)) {
    const found = `monotone_lift ${isLift} beside monotone ${monotone.value}`
    node.at("monotone_lift").fail({ found, expected: "one of the two" })
  }
  if (!monotone.isAbsent && typeof monotone.value !== "boolean" && monotone.value !== "lift") {
    monotone.expected("true or lift")
  }
  return (monotone.value === true || isLift === false) && lifted === undefined ? "declared" : "lift"
}

const readEach = (node: Node, declared: DeclaredNames) => {
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
export const readApprovals = (node: Node, rules: Rules): Readonly<Record<string, ApprovalRule.ApprovalRule>> => {
  const approvals: Record<string, ApprovalRule.ApprovalRule> = {}
  for (const [tool, child] of node.entries()) {
    if (!rules.tools.includes(tool)) {
      const expected = `a tool that the pack declares (declared: ${rules.tools.join(", ") || "none"})`
      child.fail({ found: `tool ${tool}`, expected, key: true })
    }
    if (!child.hasKeysOf(approval.keys)) continue
    const { by = [], ...read } = Grammar.pick(approval, child, argumentNames([tool], rules), "when", "by", "expires")
    if (child.at("expires").isAbsent) {
      const hint = "A person who approved a call once approved it for ever"
      child.warn({ found: "an approval that never expires", expected: "expires, such as 1h", hint, key: true })
    }
    if (by.length === 0) child.at("by").fail({ found: "nobody", expected: "the roles of which one has to approve" })
    approvals[tool] = { tool, by, ...read }
  }
  return approvals
}
