/**
 * The locked, versioned list of transition types: who may author each, and how it behaves when two writers meet.
 *
 * A type is a **fact** when it reports something that has happened whatever
 * else is in the trace: after a conflict it is appended again as it is. It is
 * a **decision** when it was derived from state: after a conflict it is decided
 * again. Names never change meaning; a new meaning is a new name and a new
 * ontology version.
 *
 * @source Dendrer, appendix A (V0), with what the other four sources need
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Version of the list. A trace names the version that it was written under.
 *
 * @category constants
 * @since 0.1.0
 */
export const version = 1

/**
 * Parties that may author a transition.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Author = Schema.Literals(["agent", "kernel", "user", "institution"])

/**
 * Parties that may author a transition.
 *
 * @category models
 * @since 0.1.0
 */
export type Author = typeof Author.Type

/**
 * What the ontology fixes about one type.
 *
 * @category models
 * @since 0.1.0
 */
export interface Definition {
  readonly authors: ReadonlyArray<Author>
  readonly kind: "fact" | "decision"
  readonly since: 0 | 1
  readonly meaning: string
}

const agent = ["agent"] as const
const kernel = ["kernel"] as const
const caller = ["agent", "kernel"] as const
const user = ["user"] as const
const reviewer = ["user", "institution"] as const
const institution = ["institution"] as const

const fact = <const A extends ReadonlyArray<Author>>(authors: A, since: 0 | 1, meaning: string) =>
  ({ authors, kind: "fact", since, meaning }) as const
const decision = <const A extends ReadonlyArray<Author>>(authors: A, since: 0 | 1, meaning: string) =>
  ({ authors, kind: "decision", since, meaning }) as const

/**
 * Every type, by name.
 *
 * **Gotchas**
 *
 * Seed 5 lists `action.result` and `policy.decision` among agent transitions.
 * Here the kernel alone writes them, or a model could commit a tool's answer
 * and its own permission.
 *
 * @category constants
 * @since 0.1.0
 */
export const types = {
  "action.asked": fact(
    kernel,
    1,
    "the world is about to be asked what became of an action, against the budget of that"
  ),
  "action.reconciled": fact(kernel, 1, "what the action did to the world is settled, with the basis of that belief"),
  "action.request": decision(caller, 0, "an agent proposes a tool call, or the kernel one that undoes another"),
  "action.result": fact(kernel, 0, "a tool answered; evidence, not yet belief"),
  "action.started": decision(kernel, 1, "key and request are durable and the effect may begin"),
  "action.verified": fact(kernel, 1, "the system of record was read back and the predicates were evaluated"),
  "anomaly.flag": fact(agent, 0, "an agent flags its own doubt"),
  "artifact.write": decision(agent, 1, "an agent delivers an artifact"),
  "bisect.result": fact(kernel, 0, "a bisect was made and recorded"),
  "budget.exhausted": fact(kernel, 1, "a budget can no longer cover what was asked"),
  "budget.sliced": decision(kernel, 1, "a fork was given a share of what this run may use"),
  "causal.chain": fact(kernel, 0, "the propagation from an onset was computed and recorded"),
  "checkpoint.commit": fact(kernel, 1, "a subtask's output became visible to others"),
  "checkpoint.entry": fact(kernel, 1, "a subtask instance began"),
  "checkpoint.exit": fact(kernel, 1, "a subtask instance ended"),
  "diff.summary": fact(kernel, 0, "a comparison of two runs was made and recorded"),
  "failure.observed": fact(kernel, 1, "a subtask failed"),
  "goal.complete": decision(agent, 0, "an agent declares the goal reached"),
  "intent.adopted": decision(kernel, 1, "an intent was answered from the record: it was carried out before"),
  "intent.dropped": decision(kernel, 1, "an action that was requested and never started ended: nothing happened"),
  "intent.refused": fact(kernel, 1, "an intent was refused in the ordinary way: guard, contract, budget or policy"),
  "kernel.anomaly": fact(kernel, 0, "an invariant was broken or an author overstepped"),
  "memory.write": decision(agent, 0, "an agent writes to its long-term memory"),
  "message.received": fact(user, 1, "a person or the system addressed the agent"),
  "message.sent": fact(agent, 1, "the agent addressed a person"),
  "observation.add": fact(agent, 0, "an agent records an observation"),
  "plan.update": decision(agent, 0, "an agent changes its plan"),
  "policy.contract_extension": decision(institution, 0, "the contract in force gains fields, seeds or predicates"),
  "policy.decision": decision(kernel, 0, "policy allowed, denied or escalated an intent"),
  "predicate.violation": fact(kernel, 0, "a registered predicate holds for the first time"),
  "recovery.decided": decision(kernel, 1, "a recovery was chosen"),
  "recovery.restored": decision(kernel, 1, "working state went back to a checkpoint"),
  "review.decided": decision(reviewer, 1, "a person decided what was submitted for review"),
  "review.requested": decision(kernel, 1, "a person is asked to decide"),
  "revision.absorbed": decision(kernel, 1, "a revision took effect"),
  "revision.injected": fact(user, 1, "the user changed the goal"),
  "run.cherrypick": decision(kernel, 0, "an intent of another run was imported"),
  "run.fork": decision(kernel, 0, "this run shares its parent's history up to a tick"),
  "run.migrated": decision(kernel, 1, "a new pack or fold version takes over"),
  "run.rebase": fact(kernel, 1, "a rebase stopped at an intent, left it out, or was given up"),
  "run.started": decision(kernel, 1, "a run begins, with all that it pins"),
  "sealed.erased": fact(reviewer, 1, "sealed values are erased; what they were is not said"),
  "topology.crack": fact(kernel, 1, "a topology shows its characteristic failure")
} as const satisfies Readonly<Record<string, Definition>>

/**
 * Name of a transition type.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Type = Schema.Literals(Object.keys(types) as [Type, ...Array<Type>])

/**
 * Name of a transition type.
 *
 * @category models
 * @since 0.1.0
 */
export type Type = keyof typeof types

/**
 * Tells whether a name is in the ontology.
 *
 * @category guards
 * @since 0.1.0
 */
export const isType = (name: string): name is Type => Object.hasOwn(types, name)

/**
 * Tells whether an author may write a type (L4).
 *
 * @category guards
 * @since 0.1.0
 */
export const mayAuthor = (author: Author, type: Type): boolean =>
  (types[type].authors as ReadonlyArray<Author>).includes(author)

/**
 * Tells whether a type survives a conflict unchanged.
 *
 * @category guards
 * @since 0.1.0
 */
export const isFact = (type: Type): boolean => types[type].kind === "fact"
