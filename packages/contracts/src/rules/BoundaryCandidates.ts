/**
 * Candidate boundaries of subtasks, drawn from the machine and the tools of a contract, and how the reviewed skeletons
 * differ from them.
 *
 * A candidate is no boundary: people decide what a subtask has handed over, and sign the conditions.
 *
 * | of a skeleton | a candidate is |
 * | --- | --- |
 * | a state | one from which a call of its tools leads |
 * | an entry | one of these that another tool leads to, or in which the agent begins |
 * | a commit | a move by one of its tools to another state, or one that changes the world |
 * | an exit | a move by one of its tools to a state that is none of the subtask, or back to an entry |
 *
 * @source DART, appendix G.3 (candidates, review load and drift)
 */
import * as Field from "@backstitch/expressions/Field"
import * as ToolContract from "../tool/ToolContract.ts"
import type * as Machine from "./Machine.ts"
import type * as Skeleton from "./Skeleton.ts"

/** The parts of a contract that candidates are drawn from. */
export interface Source {
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

/** The candidate of one skeleton. A kind is pending where there are candidates and no reviewed condition. */
export interface Candidate {
  readonly skeleton: string
  readonly states: ReadonlyArray<string>
  readonly entry: ReadonlyArray<string>
  readonly commits: ReadonlyArray<Machine.Edge>
  readonly exits: ReadonlyArray<Machine.Edge>
  readonly pending: ReadonlyArray<"commit" | "exit">
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

/** Draws the candidate of each skeleton; none where the contract declares no machine. */
export const of = (source: Source): ReadonlyArray<Candidate> => {
  const { machine, skeletons } = source
  return machine === undefined ? [] : Object.values(skeletons).map((each) => candidate(machine, source, each))
}

/** The state in which the agent begins: by the machine, or by the field that holds it. */
const beginning = ({ field, initial }: Machine.Machine, { working }: Source["fields"]): unknown =>
  field === undefined ? initial : working[field] && Field.initial(working[field])

/** Counts what is to be reviewed. */
export const load = (source: Source): Load => {
  const all = of(source)
  const sum = (count: (each: Candidate) => number) => all.reduce((total, each) => total + count(each), 0)
  return {
    skeletons: all.length,
    commits: sum(({ commits }) => commits.length),
    exits: sum(({ exits }) => exits.length),
    pending: sum(({ pending }) => pending.length),
    states: source.machine?.states.length ?? 0,
    edges: source.machine?.edges.length ?? 0
  }
}

const candidate = (machine: Machine.Machine, { fields, tools }: Source, skeleton: Skeleton.Skeleton): Candidate => {
  const begins = beginning(machine, fields)
  const own = machine.edges.filter(({ tool }) => skeleton.tools.includes(tool))
  const others = machine.edges.filter(({ tool }) => !skeleton.tools.includes(tool))
  const states = machine.states.filter((state) => own.some(({ from }) => from === state))
  const entry = states.filter((state) => state === begins || others.some(({ to }) => to === state))
  const commits = own.filter(({ from, to, tool }) => from !== to || isMutating(tools[tool]))
  const exits = own.filter(({ from, to }) => !states.includes(to) || (from !== to && entry.includes(to)))
  return {
    skeleton: skeleton.id,
    states,
    entry,
    commits,
    exits,
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
