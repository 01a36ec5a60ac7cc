/**
 * The locked, versioned list of transition types: who may author each, and what happens to it in a conflict of two
 * writers.
 *
 * A type is a **fact** if it reports an event that has happened whatever else is in the trace: after a conflict it is
 * appended again unchanged. It is a **decision** if it was derived from state: after a conflict it is decided again.
 * Names never change meaning; a new meaning is a new name and a new ontology version.
 *
 * @source Dendrer, appendix A (V0), with what the other four sources need
 */
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

/** Version of the list. A trace names the version under which it was written. */
export const version = 3

/** The first version. A run that needs nothing of a later version is written under it, and every reader has it. */
export const first = 1

/** Parties that may author a transition. */
export const Author = Schema.Literals(["agent", "kernel", "user", "institution"]).annotate({ identifier: "author" })

/** Parties that may author a transition. */
export type Author = typeof Author.Type

/** Definition of one type: its authors, whether it is a fact or a decision, and what it means. */
export interface TypeDefinition {
  readonly authors: ReadonlyArray<Author>
  readonly kind: "fact" | "decision"
  readonly since: 0 | 1
}

/**
 * First segments of the types of the ontology, now and in every later version: a closed list, including those of
 * future types. A type that fits none of them begins with `backstitch`. All other names are for embedders.
 */
export const segments = [
  "act",
  "action",
  "adapter",
  "admission",
  "agent",
  "anomaly",
  "approval",
  "artifact",
  "backstitch",
  "belief",
  "bisect",
  "budget",
  "causal",
  "checkpoint",
  "claim",
  "commitment",
  "contract",
  "diff",
  "erasure",
  "evidence",
  "failure",
  "fold",
  "fork",
  "gate",
  "goal",
  "head",
  "incident",
  "instance",
  "institution",
  "intent",
  "kernel",
  "key",
  "lease",
  "ledger",
  "memory",
  "message",
  "obligation",
  "observation",
  "ontology",
  "pack",
  "plan",
  "planner",
  "policy",
  "predicate",
  "proof",
  "rebase",
  "receipt",
  "reconciliation",
  "recovery",
  "reversal",
  "review",
  "revision",
  "run",
  "saga",
  "sealed",
  "server",
  "session",
  "skeleton",
  "snapshot",
  "state",
  "store",
  "subject",
  "subtask",
  "target",
  "tenant",
  "tool",
  "topology",
  "trace",
  "transition",
  "undo",
  "user",
  "verification",
  "webhook",
  "witness",
  "working",
  "world"
] as const

const agent = ["agent"] as const
const kernel = ["kernel"] as const
const caller = ["agent", "kernel"] as const
const user = ["user"] as const
const reviewer = ["user", "institution"] as const
const institution = ["institution"] as const

const fact = <const A extends ReadonlyArray<Author>>(authors: A, since: 0 | 1) =>
  ({ authors, kind: "fact", since }) as const
const decision = <const A extends ReadonlyArray<Author>>(authors: A, since: 0 | 1) =>
  ({ authors, kind: "decision", since }) as const

/**
 * Every type, by name.
 *
 * **Gotchas**
 *
 * Dendrer lists `action.result` and `policy.decision` among agent transitions. Here only the kernel writes them;
 * otherwise a model could commit a tool's answer and its own permission.
 */
export const types = {
  "action.asked": fact(kernel, 1),
  "action.reconciled": fact(kernel, 1),
  "action.request": decision(caller, 0),
  "action.result": fact(kernel, 0),
  "action.started": decision(kernel, 1),
  "action.verified": fact(kernel, 1),
  "anomaly.flag": fact(agent, 0),
  "artifact.write": decision(agent, 1),
  "bisect.result": fact(kernel, 0),
  "budget.exhausted": fact(kernel, 1),
  "budget.sliced": decision(kernel, 1),
  "causal.chain": fact(kernel, 0),
  "checkpoint.commit": fact(kernel, 1),
  "checkpoint.entry": fact(kernel, 1),
  "checkpoint.exit": fact(kernel, 1),
  "diff.summary": fact(kernel, 0),
  "failure.observed": fact(kernel, 1),
  "goal.complete": decision(agent, 0),
  "intent.adopted": decision(kernel, 1),
  "intent.dropped": decision(kernel, 1),
  "intent.refused": fact(kernel, 1),
  "kernel.anomaly": fact(kernel, 0),
  "memory.write": decision(agent, 0),
  "message.received": fact(user, 1),
  "message.sent": fact(agent, 1),
  "observation.add": fact(agent, 0),
  "plan.update": decision(agent, 0),
  "policy.contract_extension": decision(institution, 0),
  "policy.decision": decision(kernel, 0),
  "predicate.violation": fact(kernel, 0),
  "recovery.decided": decision(kernel, 1),
  "recovery.restored": decision(kernel, 1),
  "review.decided": decision(reviewer, 1),
  "review.requested": decision(kernel, 1),
  "revision.absorbed": decision(kernel, 1),
  "revision.injected": fact(user, 1),
  "run.cherrypick": decision(kernel, 0),
  "run.fork": decision(kernel, 0),
  "run.migrated": decision(kernel, 1),
  "run.rebase": fact(kernel, 1),
  "run.started": decision(kernel, 1),
  "sealed.erased": fact(reviewer, 1),
  "topology.crack": fact(kernel, 1)
} as const satisfies { readonly [Name in `${(typeof segments)[number]}.${string}`]: TypeDefinition }

/** Types whose payload came with a later version than the first, although their names are older. */
const introduced: ReadonlyMap<string, number> = new Map<keyof typeof types, number>([
  ["checkpoint.commit", 2],
  ["checkpoint.entry", 2],
  ["checkpoint.exit", 2],
  ["failure.observed", 2],
  ["revision.absorbed", 3],
  ["revision.injected", 3]
])

/** The first version that has the payload of a type. */
export const introducedIn = (type: string): number => introduced.get(type) ?? first

/** Name of a transition type. */
export const Type = Schema.Literals(Object.keys(types) as [Type, ...Array<Type>])

/** Name of a transition type. */
export type Type = keyof typeof types

/** The first segment of a name. */
export const segmentOf = (name: string): string => name.slice(0, name.indexOf("."))

/** Tells whether types with a first segment belong to the ontology, now or later. */
export const isReserved = (segment: string): boolean => (segments as ReadonlyArray<string>).includes(segment)

/**
 * Name of a type that an embedder declares, such as `acme.shipped`: its first segment is a namespace that is not in
 * {@link segments}.
 */
export const Foreign = Schema.String.check(
  Schema.makeFilter((name: string) => isFree(name), { title: "a type of an embedder" })
).pipe(Schema.brand("@backstitch/trace/Foreign"))

/** Name of a type that an embedder declares. */
export type Foreign = typeof Foreign.Type

/** Tells whether an embedder may give a name to a type. */
export const isForeign = (name: string): name is Foreign => isFree(name)

/** Tells whether a text has the form of an embedder's namespace, even if it is reserved. */
export const isNamespace = (text: string): boolean =>
  text.length <= namespaceCharactersMax && /^[a-z][a-z0-9_]*$/.test(text)

const { namespaceCharactersMax, typeNameCharactersMax } = Limits.refusing

const isFree = (name: string): boolean =>
  name.length <= typeNameCharactersMax &&
  /^[a-z0-9_]+(\.[a-z][a-z0-9_]*)+$/.test(name) &&
  isNamespace(segmentOf(name)) &&
  !isReserved(segmentOf(name))

/** Name of a type, of the ontology or of an embedder. */
export const TypeName = Schema.Union([Type, Foreign])

/** Name of a type, of the ontology or of an embedder. */
export type TypeName = typeof TypeName.Type

/** Tells whether a name is in the ontology. */
export const isType = (name: string): name is Type => Object.hasOwn(types, name)

/** Tells whether an author may write a type (L4). */
export const mayAuthor = (author: Author, type: Type): boolean =>
  (types[type].authors as ReadonlyArray<Author>).includes(author)
