/** Reads a whole definition, and finds everything that is wrong with it at once. */

import * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Definition } from "../grammar/Definition.ts"
import type { Node } from "../grammar/reader.ts"
import { type Declared, stateNames } from "../grammar/scope.ts"
import type * as Approval from "../rules/Approval.ts"
import type * as Budget from "../rules/Budget.ts"
import type * as Guard from "../rules/Guard.ts"
import type * as MessagePolicy from "../rules/MessagePolicy.ts"
import type * as Progress from "../rules/Progress.ts"
import * as Skeleton from "../rules/Skeleton.ts"
import type * as Specification from "../rules/Specification.ts"
import * as Topology from "../rules/Topology.ts"
import type * as ViolationPredicate from "../rules/ViolationPredicate.ts"
import type * as ContextHash from "../state/ContextHash.ts"
import type * as Operation from "../state/Operation.ts"
import * as ToolContract from "../tool/ToolContract.ts"
import { readFields } from "./field.ts"
import { readReduction, resolveField } from "./operation.ts"
import { readProgress } from "./progress.ts"
import * as Rules from "./rules.ts"
import { readSkeletons } from "./skeleton.ts"
import { readInput, readTool } from "./tool.ts"
import { declaredByTransitions, readTransition } from "./transition.ts"

/** A proposal with what the contract is expected to answer, as the pack states it. */
export interface Test {
  readonly name?: string
  readonly given: Readonly<Record<string, Json>>
  readonly clauses: Readonly<Record<string, Json>>
  readonly subject: string
  readonly args: Readonly<Record<string, Json>>
  readonly expect: NonNullable<NonNullable<Definition["tests"]>[number]>["expect"]
}

/** Everything that a definition says. */
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
  readonly approvals: Readonly<Record<string, Approval.Approval>>
  readonly budget: Budget.Budget
  /** Absent where the pack says nothing of them; see {@link MessagePolicy.of}. */
  readonly messages?: Partial<MessagePolicy.MessagePolicy>
  readonly topology?: Topology.Topology
  /** Absent where the pack declares none; see {@link Progress.standard}. */
  readonly progress?: Progress.Progress
  readonly skeletons: Readonly<Record<string, Skeleton.Skeleton>>
  /** What transitions do to `working`, by type. */
  readonly reducers: Readonly<Record<string, Operation.Reduction>>
  readonly tests: ReadonlyArray<Test>
}

/** Reads a definition. What comes back is whole only if the reader found no error. */
export const readPack = (node: Node): Contents | undefined => {
  if (!node.shape("pack")) return undefined
  const { id, version } = readIdentity(node)
  const transitionNodes = readAlias(node, "transitions", "contracts").entries()
  const declared = readDeclared(node, transitionNodes)
  const toolNodes = node.at("tools").entries()
  const tools = toolNodes.map(([name]) => name)
  const inputs = new Map(toolNodes.map(([name, child]) => [name, readInput(child)]))
  const subjects = [...new Set([...tools, ...transitionNodes.map(([name]) => name), ...Object.keys(Ontology.types)])]
  const rules: Rules.Rules = { declared, inputs, tools, subjects }
  const budget = Rules.readBudget(node.at("budgets"), tools)
  const currencies = (budget.money ?? []).map(({ currency }) => currency)
  const contracts = readTools(toolNodes, { declared, inputs, names: tools, currencies })
  const skeletons = readSkeletons(node.at("skeletons"), { contracts, declared, inputs, names: tools, currencies })
  undoCycles(node.at("tools"), contracts)
  undecidable(node.at("tools"), contracts)
  unused(node.at("tools"), contracts, skeletons)
  const transitions: Record<string, ContextHash.Contract> = {}
  for (const [subject, child] of transitionNodes) {
    const contract = readTransition(subject, child, declared)
    if (contract !== undefined) transitions[subject] = contract
  }
  const guards = Rules.readGuards(node.at("guards"), rules)
  const violations = Rules.readViolations(node.at("violations"), rules)
  const description = node.at("description").text()
  const messages = Rules.readMessages(node.at("messages"))
  const topology = readTopology(node.at("topology"))
  const progress = readProgress(node.at("progress"))
  const contents: Contents = {
    id,
    version,
    ...(description === undefined ? {} : { description }),
    fields: { world: declared.world, working: declared.working },
    specification: Rules.readSpecification(node.at("specification"), declared),
    transitions,
    tools: contracts,
    guards,
    violations,
    approvals: Rules.readApprovals(node.at("approvals"), rules),
    budget,
    ...(messages === undefined ? {} : { messages }),
    ...(topology === undefined ? {} : { topology }),
    ...(progress === undefined ? {} : { progress }),
    skeletons,
    reducers: readReducers(node.at("reducers"), { declared, subjects, transitions }),
    tests: readTests(node.at("tests"), rules, {
      guards: idsOf(node.at("guards")),
      violations: idsOf(node.at("violations"))
    })
  }
  Rules.untypedClauses(node.at("specification"))
  return contents
}

/** Ids as they are written, whether or not the rest could be read. */
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

const readDeclared = (node: Node, transitions: ReadonlyArray<readonly [string, Node]>): Declared => {
  const state = node.at("state")
  const clauses = Rules.readClauseValues(node.at("specification"))
  if (state.isAbsent) return { world: {}, working: declaredByTransitions(transitions), clauses }
  if (!state.shape("state")) return { world: {}, working: {}, clauses }
  return { world: readSection(state.at("world")), working: readSection(state.at("working")), clauses }
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

/** Nothing is sealed before anything is committed, and what a table or a list holds is sealed row by row. */
const unsealed = (node: Node, field: Field.Field): void => {
  if (field.sensitive === undefined) return
  if (field.type === "table" || field.type === "list") {
    node.fail({ found: `a ${field.type} that is sensitive`, expected: "sensitive fields of what it holds" })
  } else if (field.nullable !== true) {
    const hint = "Write nullable: true"
    node.fail({ found: "a sensitive field that has a value from the start", expected: "one that may be null", hint })
  }
}

/** Tables and lists inside other values have no place of their own in the state's digest. */
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

/** Two tools may undo each other; a longer chain that comes back to its start never ends anywhere. */
const undoCycles = (node: Node, tools: Readonly<Record<string, ToolContract.ToolContract>>): void => {
  const edges = Object.fromEntries(
    Object.values(tools).map(({ name, undo }) => [name, undo.by === undefined || undo.by === name ? [] : [undo.by]])
  )
  for (const cycle of Skeleton.cycles(edges)) {
    if (cycle.length <= 2) continue
    const found = `a cycle of compensations: ${[...cycle, cycle[0]].join(" → ")}`
    const expected = "chains that end, or two tools that undo each other"
    node
      .at(cycle[0] as string)
      .at("undo")
      .at("by")
      .fail({ found, expected })
  }
  for (const { name, undo } of Object.values(tools)) {
    const by = undo.by === undefined ? undefined : tools[undo.by]
    if (by?.class !== "read_only") continue
    node
      .at(name)
      .at("undo")
      .at("by")
      .fail({ found: `${by.name}, which is read_only`, expected: "a tool that changes the world" })
  }
}

/** What is undone is asked about before, and its reversal verified afterwards: else no plan of it is admitted. */
const undecidable = (node: Node, tools: Readonly<Record<string, ToolContract.ToolContract>>): void => {
  for (const contract of Object.values(tools).filter(ToolContract.isReversible)) {
    const at = node.at(contract.name).at("undo")
    const hint = "Its undoing is never begun: a person is asked"
    if (ToolContract.absenceBy(contract) === undefined) {
      const found = `an undo of ${contract.name}, of which nobody can find out whether there is anything to undo`
      const expected = `a strong readback of ${contract.name}, or status: by_key with all three times`
      at.warn({ found, expected, hint, key: true })
    }
    const by = tools[contract.undo.by ?? ""]
    if (by !== undefined && by.readback === undefined) {
      at.warn({
        found: `an undo by ${by.name}, which has no readback`,
        expected: `a readback of ${by.name}`,
        hint,
        key: true
      })
    }
  }
}

const unused = (
  node: Node,
  tools: Readonly<Record<string, ToolContract.ToolContract>>,
  skeletons: Readonly<Record<string, Skeleton.Skeleton>>
): void => {
  if (Object.keys(skeletons).length === 0) return
  const used = new Set(Object.values(skeletons).flatMap((skeleton) => skeleton.tools))
  for (const { undo } of Object.values(tools)) if (undo.by !== undefined) used.add(undo.by)
  for (const name of Object.keys(tools)) {
    if (used.has(name)) continue
    node.at(name).warn({
      found: `tool ${name}, which no skeleton uses and nothing is undone by`,
      expected: "a use for it",
      key: true
    })
  }
}

const readTopology = (node: Node): Topology.Topology | undefined => {
  if (node.isAbsent) return undefined
  const whole = node.isRecord()
  if (whole && !node.shape("topology")) return undefined
  const kind = (whole ? node.at("kind") : node).oneOf(Topology.kinds)
  if (whole && node.at("kind").isAbsent)
    node.at("kind").fail({ found: "nothing", expected: `one of ${Topology.kinds.join(", ")}` })
  const agents: Record<string, string> = {}
  for (const [role, child] of node.isRecord() ? node.at("agents").entries() : [])
    agents[role] = child.required("an agent") ?? ""
  const limits = {
    stepsMax: node.at("steps").count(),
    roundsMax: node.at("rounds").count(),
    queueMax: node.at("queue").count(),
    silenceMillis: node.at("silence").duration(),
    planMillis: node.at("plan").duration()
  }
  const order = node.at("order").texts()
  const given = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))
  return kind === undefined ? undefined : { kind, agents, order, ...given }
}

const readReducers = (
  node: Node,
  pack: {
    readonly declared: Declared
    readonly subjects: ReadonlyArray<string>
    readonly transitions: Contents["transitions"]
  }
): Readonly<Record<string, Operation.Reduction>> => {
  const reducers: Record<string, Operation.Reduction> = {}
  if (node.isAbsent || !node.shape("reducers")) return reducers
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
    if (reduction !== undefined) reducers[type] = reduction
  }
  return reducers
}

/** Reasons for a refusal that are not guards. */
const reasons = ["schema", "required_state", "policy", "budget", "context", "approval", "halted", "author"]

const readTests = (
  node: Node,
  rules: Rules.Rules,
  known: { readonly guards: ReadonlyArray<string>; readonly violations: ReadonlyArray<string> }
): ReadonlyArray<Test> =>
  node.items().flatMap((child) => {
    if (!child.shape("test")) return []
    const given: Record<string, Json> = {}
    for (const [path, value] of child.at("given").entries()) {
      const found = resolveField(path, rules.declared)
      if (found !== undefined && found !== "ambiguous") given[`${found.section}.${found.name}`] = value.value as Json
      else value.fail({ found: `the field ${path}`, expected: "a field that the pack declares", key: true })
    }
    for (const [name, value] of child.at("clauses").entries()) {
      if (!Object.hasOwn(rules.declared.clauses, name))
        value.fail({ found: `clause ${name}`, expected: "a clause of the specification", key: true })
    }
    const [proposal, ...others] = child.at("propose").entries()
    if (proposal === undefined || others.length > 0) {
      child
        .at("propose")
        .fail({ found: `${others.length + (proposal === undefined ? 0 : 1)} proposals`, expected: "exactly one" })
      return []
    }
    const [subject, args] = proposal
    if (!rules.subjects.includes(subject)) {
      args.fail({ found: `${subject}`, expected: "a tool or transition type that the pack knows", key: true })
    }
    const expect = child.at("expect")
    if (!expect.shape("expect")) return []
    if (!expect.at("refused").isAbsent) expect.at("refused").reference([...known.guards, ...reasons], "guard")
    if (!expect.at("violated").isAbsent) expect.at("violated").references(known.violations, "violation")
    if (!expect.at("holds").isAbsent) expect.at("holds").references(Object.keys(rules.declared.clauses), "clause")
    const name = child.at("name").text()
    return [
      {
        ...(name === undefined ? {} : { name }),
        given,
        clauses: (child.at("clauses").value ?? {}) as Test["clauses"],
        subject,
        args: (args.value ?? {}) as Test["args"],
        expect: expect.value as Test["expect"]
      }
    ]
  })
