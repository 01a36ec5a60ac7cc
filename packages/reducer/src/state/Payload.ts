/**
 * The payloads that every fold reads: the beginning of a run, extensions of its contract, notes of agents, and
 * anomalies.
 */

import * as Purity from "@backstitch/functions/Purity"
import { Digest } from "@backstitch/trace/Digest"
import * as Form from "@backstitch/trace/Form"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"

const { Json, JsonObject, Names, Written, closed, open, optional } = Payload

/** A stage of enforcement. */
const Stage = Schema.Literals([0, 1, 2, 3])

/** Enforcement of a pack in a run: a stage, 0 to 3, and those of single types or tools. */
export const Enforcement = closed({ stage: Stage, types: Schema.Record(Schema.String, Stage) })

/**
 * A field with which a run begins, and the run from which it comes. `open` names actions that may change the field
 * and were not settled by then.
 */
export const SeedOrigin = closed({
  digest: Form.FieldDigest,
  field: Schema.String,
  link: Form.Digest,
  open: optional(Names),
  run: Schema.String,
  tick: Schema.Natural
})

/** A restore of `working`: changes, and the digest of the section after them. */
export const Restore = closed({
  digest: Form.Digest,
  patch: Schema.Array(
    closed({ op: Schema.Literals(["add", "remove", "replace"]), path: Schema.String, value: optional(Json) })
  )
})

/** Scopes that are undone, each with the epoch that begins for it. */
export const Raised = Schema.Array(closed({ epoch: Schema.Natural, scope: Schema.String }))

/** A function of the pack that a fold should not run, and the reason. The engine's message is not committed. */
const Impure = closed({ id: Schema.String, reason: Purity.Reason })

/** A finished run that another one follows, because its goal was revised, and the tick of its head by then. */
export const Followed = closed({ run: Schema.String, tick: Schema.Natural })

/** A message to people, the actions that it reports, and those that it reports wrongly. */
const message = {
  content: optional(Json),
  marked: optional(Schema.Array(closed({ action: Schema.String, claimed: Schema.String, found: Schema.String }))),
  reports: optional(Schema.Array(Schema.Union([Schema.String, JsonObject])))
} as const

/** A message may name the actions that it reports, and is marked if their standings differ. */
export const Message = open(message)

/** A goal or subgoal that is declared reached, with the words for people. The kernel writes the subgoal. */
export const Completion = open({
  ...message,
  message: optional(Json),
  reachedSubgoal: optional(Schema.String)
})

/** A version of the ontology that this reader knows. */
const Known = Schema.Natural.check(
  Schema.isLessThanOrEqualTo(Ontology.version, { message: `this reader has the ontology up to ${Ontology.version}` })
)

/** Payloads by type. Those of agents and users are open: the contract declares their other fields. */
export const payloads = {
  "anomaly.flag": open({}),
  "artifact.write": open({ name: optional(Json), subgoal: optional(Schema.String) }),
  "goal.complete": Completion,
  "memory.write": open({}),
  "message.received": open({ content: optional(Json) }),
  "message.sent": Message,
  "observation.add": open({ cites: optional(Schema.String), trust: optional(Schema.Literals([0, 1, 2, 3, 4])) }),
  "plan.update": open({}),
  "policy.contract_extension": closed({
    adds_hash_seeds: optional(Names),
    adds_required: optional(Names),
    adds_violations: optional(Schema.Array(Schema.Union([Schema.String, JsonObject]))),
    approved_by: Schema.Union([Written, Schema.Array(Written)]),
    effective_from_tick: Schema.Natural,
    target_contract: Schema.String
  }),
  "predicate.violation": closed({ at: Schema.Natural, predicate: Schema.String }),
  "run.migrated": closed({
    fold: optional(Schema.String),
    pack: optional(Form.Digest),
    rules: optional(Schema.Natural)
  }),
  "run.started": closed({
    clauses: JsonObject,
    enforcement: optional(Enforcement),
    engine: Schema.String,
    fold: Schema.String,
    follows: optional(Schema.Array(Followed)),
    format: Schema.Natural,
    goal: Written,
    impure: optional(Schema.Array(Impure)),
    initial: Digest,
    namespaces: optional(Schema.Record(Schema.String, Schema.Natural)),
    ontology: Known,
    pack: optional(Digest),
    rules: optional(Schema.Natural),
    seeds: optional(Schema.Array(SeedOrigin)),
    source: optional(Schema.String),
    tenant: Schema.String
  })
} as const

/** The subject of a verdict of policy. */
const Judged = open({
  proposed: optional(Schema.String),
  tool: optional(Schema.String)
})

/**
 * The fields that a fold reads of payloads which other packages declare in full. The full declarations agree with
 * them.
 */
export const views = {
  ...payloads,
  "action.reconciled": open({ unbelieved: optional(Payload.Mark) }),
  "action.request": open({ within: optional(JsonObject) }),
  "action.result": open({ shown: optional(Json) }),
  "action.started": open({ undo: optional(open({ within: optional(JsonObject) })) }),
  "intent.refused": Judged,
  "kernel.anomaly": open({ count: optional(Schema.Natural), kind: Schema.String }),
  "policy.decision": Judged,
  "run.fork": open({ pack: optional(Schema.String) }),
  "recovery.decided": open({ plan: optional(open({ restore: optional(Restore), scopes: optional(Raised) })) })
} as const

/** Reads a body by these views; its type determines its view. */
export const read = Payload.reader(views)

/** The payload of a body, if the body is of the given type and has one. */
export const of = Payload.getter(views)
