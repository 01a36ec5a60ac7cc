/** A whole pack as it is written. One reading finds every mistake in it. */

import * as Field from "@backstitch/expressions/Field"
import { defined } from "@backstitch/trace/Defined"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as ApprovalRule from "../../rules/ApprovalRule.ts"
import type * as Budget from "../../rules/Budget.ts"
import type * as Guard from "../../rules/Guard.ts"
import type * as MessagePolicy from "../../rules/MessagePolicy.ts"
import type * as Progress from "../../rules/Progress.ts"
import type * as RevisionPolicy from "../../rules/RevisionPolicy.ts"
import type * as Specification from "../../rules/Specification.ts"
import type * as Topology from "../../rules/Topology.ts"
import type * as ViolationPredicate from "../../rules/ViolationPredicate.ts"
import type * as ContextHash from "../../state/ContextHash.ts"
import type * as Operation from "../../state/Operation.ts"
import type * as Machine from "../../subtask/Machine.ts"
import type * as SelfRecovery from "../../subtask/SelfRecovery.ts"
import type * as Skeleton from "../../subtask/Skeleton.ts"
import type * as ToolContract from "../../tool/ToolContract.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { type DeclaredNames, stateNames } from "../scope.ts"
import { adviseOnAssumptions } from "../tool/assumptionGrammar.ts"
import { fields, readFields } from "../tool/fieldGrammar.ts"
import { readReduction, reduction, type WrittenReduction } from "../tool/operationGrammar.ts"
import { adviseOnUndoing, adviseOnUnused, refuseUndoCycles } from "../tool/toolCheck.ts"
import { readInput, readTool, tool } from "../tool/toolGrammar.ts"
import { budgets, readBudget } from "./budgetGrammar.ts"
import { machine, readMachine } from "./machineGrammar.ts"
import { type PackTest, readTests, test } from "./packTestGrammar.ts"
import { progress } from "./progressGrammar.ts"
import { readRecovery, recovery } from "./recoveryGrammar.ts"
import { readRevisions, revisions } from "./revisionGrammar.ts"
import * as RulesGrammar from "./rulesGrammar.ts"
import { readSkeletons, skeleton } from "./skeletonGrammar.ts"
import { refuseUnknownItems, topology } from "./topologyGrammar.ts"
import { declaredByTransitions, readTransition, transition } from "./transitionGrammar.ts"
import { adviseOnUnwritten } from "./unwrittenFields.ts"

const { emptied, key, list, number, object, record, text } = Grammar

const state = object("state", "Declared fields, by section.", {
  world: key("Beliefs about systems of record, changed only by what was reconciled or recorded.", emptied(fields)),
  working: key("Plans and notes of the agent, changed by transitions as `reducers` say.", emptied(fields))
})

const reducers = object("reducers", "The changes of the working section, by transition.", {
  on: key(
    "Changes by the type of a transition or the name of a tool.",
    Grammar.needed<Grammar.Described<Readonly<Record<string, WrittenReduction>>>>({
      schema: { type: "object", additionalProperties: reduction.schema },
      uses: reduction.uses
    })
  )
})

const version: Grammar.Grammar<string | number, unknown> = Grammar.leaf(
  { anyOf: [text.schema, number().schema] },
  (node) => node.value
)

/** A whole pack. */
export const pack = object("pack", "A task pack: everything that people decide in advance.", {
  pack: key("The name of the pack: words joined by dots, such as `acme.travel`.", text),
  namespace: key("The name of the pack without its last word, beside `id`, in place of `pack`.", text),
  id: key("The last word of the name, beside `namespace`.", text),
  version: key("The version of the pack. A run pins the digest of all of it.", version),
  description: key("A text for people.", text),
  state: key("The fields of the state.", emptied(state)),
  specification: key("The goal as named clauses.", emptied(RulesGrammar.specification)),
  transitions: key(
    "Contracts of transition types: what they carry, and the state that they need.",
    emptied(record(transition))
  ),
  contracts: key("Another word for `transitions`.", emptied(record(transition))),
  tools: key("Contracts of tools, by name.", emptied(record(tool))),
  guards: key("Conditions that refuse an intent before anything happens.", emptied(list(RulesGrammar.guard))),
  violations: key(
    "Conditions over the state that report a violation, and refuse nothing.",
    emptied(list(RulesGrammar.violation))
  ),
  approvals: key("Tools that need the yes of a person, by name.", emptied(record(RulesGrammar.approval))),
  budgets: key("Limits on what a run may use up.", emptied(budgets)),
  messages: key("Demands on the messages of agents to people.", emptied(RulesGrammar.messages)),
  revisions: key("Permits revisions of the goal. Without it a run cannot be revised.", revisions),
  recovery: key("Restores failed subtasks by itself. Without it a person does.", recovery),
  topology: key("The shape in which agents work together.", emptied(topology)),
  progress: key("The distance of a run to its goal, for watching.", emptied(progress)),
  machine: key("The states of the agent, from which recovery derives boundaries.", emptied(machine)),
  skeletons: key("The reviewed subtasks, by name.", emptied(record(skeleton))),
  reducers: key("The changes of `working`, by transition.", emptied(reducers)),
  tests: key("Proposals with the answer that the pack has to give, for `pack test`.", emptied(list(test)))
})

/** All contents of a definition. */
export interface Contents {
  readonly id: string
  readonly version: string
  readonly description?: string
  readonly fields: { readonly world: Field.Fields; readonly working: Field.Fields }
  readonly specification: Specification.Specification
  /** Contracts of governed transition types and tools, by subject. */
  readonly transitions: Readonly<Record<string, ContextHash.Contract>>
  readonly tools: Readonly<Record<string, ToolContract.ToolContract>>
  readonly guards: ReadonlyArray<Guard.Guard>
  readonly violations: ReadonlyArray<ViolationPredicate.ViolationPredicate>
  readonly approvals: Readonly<Record<string, ApprovalRule.ApprovalRule>>
  readonly budget: Budget.Budget
  /** Absent if the pack does not declare it; see {@link MessagePolicy.of}. */
  readonly messages?: Partial<MessagePolicy.MessagePolicy>
  /** Absent if the pack does not permit revisions of the goal. */
  readonly revisions?: RevisionPolicy.RevisionPolicy
  /** Absent if the loop of the agent restores nothing by itself. */
  readonly recovery?: SelfRecovery.SelfRecovery
  readonly topology?: Topology.Topology
  /** Absent if the pack does not declare it; see {@link Progress.standard}. */
  readonly progress?: Progress.Progress
  /** Absent if the pack declares no states of its agent. */
  readonly machine?: Machine.Machine
  readonly skeletons: Readonly<Record<string, Skeleton.Skeleton>>
  /** Changes of `working` by transitions, by their type. */
  readonly reducers: Readonly<Record<string, Operation.Reduction>>
  readonly tests: ReadonlyArray<PackTest>
}

/** Reads a definition. The contents are whole only if the reader found no error. */
export const readPack = (node: Node): Contents | undefined => {
  if (!node.hasKeysOf(pack.keys)) return undefined
  const { id, version } = readIdentity(node)
  const transitionNodes = readAlias(node, "transitions", "contracts").entries()
  const declared = readDeclared(node, transitionNodes)
  const toolNodes = node.at("tools").entries()
  const tools = toolNodes.map(([name]) => name)
  const inputs = new Map(toolNodes.map(([name, child]) => [name, readInput(child)]))
  const subjects = [...new Set([...tools, ...transitionNodes.map(([name]) => name), ...Object.keys(Ontology.types)])]
  const rules: RulesGrammar.Rules = { declared, inputs, tools, subjects }
  const budget = readBudget(node.at("budgets"), tools)
  const currencies = (budget.money ?? []).map(({ currency }) => currency)
  const contracts = readTools(toolNodes, { declared, inputs, names: tools, currencies })
  const machine = readMachine(node.at("machine"), { declared, tools })
  const known = { contracts, declared, inputs, names: tools, currencies }
  const skeletons = readSkeletons(node.at("skeletons"), known, machine)
  refuseUndoCycles(node.at("tools"), contracts)
  adviseOnUndoing(node.at("tools"), contracts)
  adviseOnUnused(node.at("tools"), contracts, skeletons)
  const revisions = readRevisions(node.at("revisions"), declared)
  if (revisions !== undefined) adviseOnAssumptions(node.at("tools"), contracts)
  const isLifted = !node.at("machine").isAbsent && Object.keys(skeletons).length > 0
  const recovery = readRecovery(node.at("recovery"), isLifted)
  const transitions: Record<string, ContextHash.Contract> = {}
  for (const [subject, child] of transitionNodes) {
    const contract = readTransition(subject, child, declared)
    if (contract !== undefined) transitions[subject] = contract
  }
  const guards = RulesGrammar.readGuards(node.at("guards"), rules)
  const violations = RulesGrammar.readViolations(node.at("violations"), rules)
  const said = Grammar.pick(pack, node, {}, "description", "messages", "topology", "progress")
  refuseUnknownItems(node.at("topology"), tools)
  const contents: Contents = {
    id,
    version,
    ...said,
    fields: { world: declared.world, working: declared.working },
    specification: RulesGrammar.readSpecification(node.at("specification"), declared),
    transitions,
    tools: contracts,
    guards,
    violations,
    approvals: RulesGrammar.readApprovals(node.at("approvals"), rules),
    budget,
    ...defined({ revisions, recovery, machine }),
    skeletons,
    reducers: readReducers(node.at("reducers"), { declared, subjects, transitions }),
    tests: readTests(node.at("tests"), rules, {
      guards: idsOf(node.at("guards")),
      violations: idsOf(node.at("violations"))
    })
  }
  RulesGrammar.untypedClauses(node.at("specification"))
  if (!node.at("state").isAbsent) adviseOnUnwritten(node.at("state"), contents)
  return contents
}

/** Ids as they are written, even if the rest could not be read. */
const idsOf = (node: Node): ReadonlyArray<string> =>
  node.items().flatMap((item) => {
    const { value } = item.at("id")
    return typeof value === "string" ? [value] : []
  })

const readAlias = (node: Node, key: string, alias: string): Node => {
  if (node.at(alias).isAbsent) return node.at(key)
  if (!node.at(key).isAbsent)
    node.at(alias).fail({ found: `both ${key} and ${alias}`, expected: `${key} alone`, key: true })
  return node.at(alias)
}

/** `pack` and `version`, or the `namespace`, `id` and version suffix (`_v1`) that stand for them. */
const readIdentity = (node: Node): { readonly id: string; readonly version: string } => {
  const namespace = node.at("namespace").text()
  const name = node.at("id").text()
  const written =
    node.at("pack").text() ?? (namespace === undefined ? undefined : [namespace, name].filter(Boolean).join("."))
  if (written === undefined) {
    node.at("pack").fail({ found: "nothing", expected: "the id of the pack, such as acme.travel" })
  } else if (!/^[A-Za-z][\w-]*(?:\.[\w-]+)*$/.test(written)) {
    node.at(node.at("pack").isAbsent ? "namespace" : "pack").fail({ found: written, expected: "words joined by dots" })
  }
  const version = readVersion(node.at("version"), /_v(\d+)$/.exec(written ?? "")?.[1])
  return { id: written ?? "", version }
}

const readVersion = (node: Node, suffix: string | undefined): string => {
  if (node.isAbsent && suffix !== undefined) return suffix
  if (typeof node.value === "number") {
    if (!Number.isSafeInteger(node.value))
      node.fail({
        found: String(node.value),
        expected: "a version in quotes",
        hint: "1.10 without quotes is the number 1.1"
      })
    return String(node.value)
  }
  return node.required('the version, such as "1.0.0"') ?? ""
}

const readDeclared = (node: Node, transitions: ReadonlyArray<readonly [string, Node]>): DeclaredNames => {
  const at = node.at("state")
  const clauses = RulesGrammar.readClauseValues(node.at("specification"))
  if (at.isAbsent) return { world: {}, working: declaredByTransitions(transitions), clauses }
  if (!at.hasKeysOf(state.keys)) return { world: {}, working: {}, clauses }
  return { world: readSection(at.at("world")), working: readSection(at.at("working")), clauses }
}

const readSection = (node: Node): Field.Fields => {
  const fields = readFields(node)
  for (const [name, field] of Object.entries(fields)) {
    if (field.optional === true) {
      node
        .at(name)
        .fail({ found: "optional", expected: "a field of the state to be there", hint: "Write nullable: true" })
    }
    unsealed(node.at(name), field)
    containers(node.at(name), field)
  }
  return fields
}

/** The initial state has no sealed values, and tables and lists seal their values row by row. */
const unsealed = (node: Node, field: Field.Field): void => {
  if (field.sensitive === undefined) return
  if (field.type === "table" || field.type === "list") {
    node.fail({ found: `a ${field.type} that is sensitive`, expected: "sensitive fields of what it holds" })
  } else if (field.nullable !== true) {
    const hint = "Write nullable: true"
    node.fail({ found: "a sensitive field that has a value from the start", expected: "one that may be null", hint })
  }
}

/** Tables and lists inside other values have no own place in the state's digest. */
const containers = (node: Node, field: Field.Field): void => {
  const inner =
    field.type === "object"
      ? Object.values(field.fields)
      : field.type === "table"
        ? [field.row]
        : field.type === "list"
          ? [field.item]
          : []
  if (inner.some(holdsTable)) {
    node.fail({ found: "a table inside another field", expected: "tables as fields of their section" })
  }
}

const holdsTable = (field: Field.Field): boolean =>
  field.type === "table" ||
  (field.type === "object" && Object.values(field.fields).some(holdsTable)) ||
  (field.type === "list" && holdsTable(field.item))

const readTools = (
  nodes: ReadonlyArray<readonly [string, Node]>,
  tools: Parameters<typeof readTool>[2]
): Readonly<Record<string, ToolContract.ToolContract>> => {
  const contracts: Record<string, ToolContract.ToolContract> = {}
  for (const [name, node] of nodes) {
    const contract = readTool(name, node, tools)
    if (contract !== undefined) contracts[name] = contract
  }
  return contracts
}

const readReducers = (
  node: Node,
  pack: {
    readonly declared: DeclaredNames
    readonly subjects: ReadonlyArray<string>
    readonly transitions: Contents["transitions"]
  }
): Readonly<Record<string, Operation.Reduction>> => {
  const read: Record<string, Operation.Reduction> = {}
  if (node.isAbsent || !node.hasKeysOf(reducers.keys)) return read
  const { declared, subjects, transitions } = pack
  const names = { ...stateNames(declared), args: "any", observed: "any", transition: "any" } as const
  for (const [type, child] of node.at("on").entries()) {
    if (!subjects.includes(type)) {
      child.fail({
        found: `the transition type ${type}`,
        expected: "a type of the ontology, a tool or a governed transition",
        key: true
      })
    }
    const data = Object.hasOwn(transitions, type) ? transitions[type]?.data : undefined
    const bound = data === undefined ? names : { ...names, args: Field.object(data) }
    const reduction = readReduction(child, { declared, names: bound, sections: ["working"] })
    if (reduction !== undefined) read[type] = reduction
  }
  return read
}
