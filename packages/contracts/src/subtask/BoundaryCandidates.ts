/**
 * Candidate boundaries of subtasks, drawn from the machine and the tools of a pack, and how the reviewed skeletons
 * differ from them.
 *
 * A candidate is no boundary: people decide what a subtask has handed over, and sign the conditions. Tools with moves
 * that no skeleton has are candidates of one of their own, together with those that lead back to their states.
 *
 * | of a skeleton | a candidate is |
 * | --- | --- |
 * | a state | one from which a call of its tools leads |
 * | an entry | one of these that another tool leads to, or in which the agent begins |
 * | a commit | a move by one of its tools to another state, or one that changes the world |
 * | an exit | a move by one of its tools to a state that is none of the subtask, or back to an entry |
 * | an input | data that one of its tools declares to read, and none of them to write |
 * | the effect policy | the strictest one under which each of its effects can be undone |
 *
 * @source DART, appendix G.3 (candidates, review load and drift)
 */
import * as Field from "@backstitch/expressions/Field"
import * as ToolContract from "../tool/ToolContract.ts"
import type * as Machine from "./Machine.ts"
import type * as Skeleton from "./Skeleton.ts"

/** The parts of a pack that candidates are drawn from. */
export interface CandidateParts {
  readonly machine?: Machine.Machine
  readonly fields: { readonly working: Field.Fields }
  readonly skeletons: Readonly<Record<string, Skeleton.Skeleton>>
  readonly tools: Readonly<Record<string, ToolContract.ToolContract>>
}

/** A difference between a reviewed skeleton and its candidate. */
export interface Drift {
  readonly field: "commit" | "entry" | "exit" | "states"
  /** Names that only the candidate has, and names that only the reviewed skeleton has. */
  readonly candidate: ReadonlyArray<string>
  readonly reviewed: ReadonlyArray<string>
}

/**
 * The candidate of one skeleton. A kind is pending where there are candidates and no reviewed condition. A skeleton
 * that nobody has reviewed is pending as a whole, and is named by its first tool.
 */
export interface BoundaryCandidate {
  readonly skeleton: string
  readonly tools: ReadonlyArray<string>
  readonly states: ReadonlyArray<string>
  readonly entry: ReadonlyArray<string>
  readonly commits: ReadonlyArray<Machine.Edge>
  readonly exits: ReadonlyArray<Machine.Edge>
  readonly inputs: ReadonlyArray<string>
  readonly effects: Skeleton.Effects
  readonly pending: ReadonlyArray<"commit" | "exit" | "skeleton">
  readonly drift: ReadonlyArray<Drift>
}

/** Counts of the objects that a reviewer looks at. */
export interface Load {
  readonly skeletons: number
  readonly commits: number
  readonly exits: number
  readonly pending: number
  readonly states: number
  readonly edges: number
}

/**
 * Draws the candidate of each skeleton, and of tools that no skeleton has; none where the pack declares no machine.
 */
export const of = (source: CandidateParts): ReadonlyArray<BoundaryCandidate> => {
  const { machine, skeletons } = source
  if (machine === undefined) return []
  const reviewed = Object.values(skeletons)
  const known = new Set(reviewed.flatMap(({ tools }) => tools))
  const free = machine.edges.filter(({ tool }) => !known.has(tool))
  return [
    ...reviewed.map((each) => candidate(machine, source, each)),
    ...groups(free).map((tools) => unreviewed(machine, source, tools))
  ]
}

/** Tells whether every candidate is as it was reviewed, with no condition left to sign. */
export const isReviewed = (candidates: ReadonlyArray<BoundaryCandidate>): boolean =>
  candidates.every(({ drift, pending }) => drift.length + pending.length === 0)

/** Groups the tools of moves that lead back to each other's states; any other tool is alone. */
const groups = (edges: ReadonlyArray<Machine.Edge>): ReadonlyArray<ReadonlyArray<string>> => {
  const leads = (from: string, to: string, seen = new Set<string>()): boolean =>
    from === to ||
    edges.some((edge) => edge.from === from && !seen.has(edge.to) && leads(edge.to, to, seen.add(edge.to)))
  const found: Array<Set<string>> = []
  for (const { from, to, tool } of edges) {
    const isOfGroup = (other: Machine.Edge) =>
      other.tool === tool || (leads(to, from) && leads(from, other.from) && leads(other.to, from))
    const own = new Set(edges.filter(isOfGroup).map((each) => each.tool))
    const same = found.find((each) => [...own].some((tool) => each.has(tool)))
    if (same === undefined) found.push(own)
    else for (const each of own) same.add(each)
  }
  return found.map((each) => [...each])
}

/** The state in which the agent begins: by the machine, or by the field that holds it. */
const beginning = ({ field, initial }: Machine.Machine, { working }: CandidateParts["fields"]): unknown =>
  field === undefined ? initial : working[field] && Field.initial(working[field])

/** Counts what is to be reviewed. */
export const load = (source: CandidateParts): Load => {
  const all = of(source)
  const sum = (count: (each: BoundaryCandidate) => number) => all.reduce((total, each) => total + count(each), 0)
  return {
    skeletons: Object.keys(source.skeletons).length,
    commits: sum(({ commits }) => commits.length),
    exits: sum(({ exits }) => exits.length),
    pending: sum(({ pending }) => pending.length),
    states: source.machine?.states.length ?? 0,
    edges: source.machine?.edges.length ?? 0
  }
}

/** The parts of a candidate that follow from the machine and the contracts of some tools. */
const drawn = (machine: Machine.Machine, { fields, tools }: CandidateParts, names: ReadonlyArray<string>) => {
  const begins = beginning(machine, fields)
  const own = machine.edges.filter(({ tool }) => names.includes(tool))
  const others = machine.edges.filter(({ tool }) => !names.includes(tool))
  const states = machine.states.filter((state) => own.some(({ from }) => from === state))
  const entry = states.filter((state) => state === begins || others.some(({ to }) => to === state))
  const contracts = names.flatMap((name) => tools[name] ?? [])
  const written = new Set(contracts.flatMap(({ writes }) => writes.map(({ name }) => name)))
  const read = new Set(contracts.flatMap(({ reads }) => reads.map(({ name }) => name)))
  return {
    tools: names,
    states,
    entry,
    commits: own.filter(({ from, to, tool }) => from !== to || isMutating(tools[tool])),
    exits: own.filter(({ from, to }) => !states.includes(to) || (from !== to && entry.includes(to))),
    inputs: [...read].filter((name) => !written.has(name)),
    effects: policyOf(contracts)
  }
}

const policyOf = (contracts: ReadonlyArray<ToolContract.ToolContract>): Skeleton.Effects => {
  const classes = contracts.filter(ToolContract.isMutating).map(({ undo }) => undo.class)
  if (classes.some((each) => each !== "I" && each !== "R" && each !== "K")) return "forbid"
  return classes.includes("K") ? "compensate" : "rollback"
}

const unreviewed = (
  machine: Machine.Machine,
  source: CandidateParts,
  tools: ReadonlyArray<string>
): BoundaryCandidate => ({
  skeleton: tools[0] ?? "",
  ...drawn(machine, source, tools),
  pending: ["skeleton"],
  drift: []
})

const candidate = (
  machine: Machine.Machine,
  source: CandidateParts,
  skeleton: Skeleton.Skeleton
): BoundaryCandidate => {
  const found = drawn(machine, source, skeleton.tools)
  const { commits, entry, exits, states } = found
  return {
    skeleton: skeleton.id,
    ...found,
    pending: [
      ...(commits.length > 0 && skeleton.commit === undefined ? ["commit" as const] : []),
      ...(exits.length > 0 && skeleton.exit === undefined ? ["exit" as const] : [])
    ],
    drift: [
      ...drift("states", states, skeleton.states),
      ...drift("entry", entry, skeleton.entry),
      ...(commits.length === 0 && skeleton.commit !== undefined ? drift("commit", [], ["a condition"]) : []),
      ...(exits.length === 0 && skeleton.exit !== undefined ? drift("exit", [], ["a condition"]) : [])
    ]
  }
}

const isMutating = (tool: ToolContract.ToolContract | undefined): boolean =>
  tool !== undefined && ToolContract.isMutating(tool)

const drift = (
  field: Drift["field"],
  drawn: ReadonlyArray<string>,
  signed: ReadonlyArray<string>
): ReadonlyArray<Drift> => {
  const candidate = drawn.filter((each) => !signed.includes(each))
  const reviewed = signed.filter((each) => !drawn.includes(each))
  return candidate.length + reviewed.length === 0 ? [] : [{ field, candidate, reviewed }]
}
