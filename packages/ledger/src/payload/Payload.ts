/** The payloads of transitions about actions: requests, answers, readings, settlements, recoveries and reviews. */
import * as Readback from "@backstitch/contracts/Readback"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as VerificationCheck from "@backstitch/contracts/VerificationCheck"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as ReducerPayload from "@backstitch/reducer/Payload"
import * as FindingForm from "@backstitch/trace/FindingForm"
import * as Form from "@backstitch/trace/Form"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import * as ActionState from "../machine/ActionState.ts"

const { Act, Json, JsonObject, Mark, Names, Turns, Written, closed, open, optional, words } = Payload
const { Boolean: Flag, Natural, String: Text } = Schema

/** The statuses of an effect, by how far it is undone. */
export const undos = [
  "standing",
  "undoing",
  "undone",
  "undo_failed",
  "undo_abandoned",
  "absent",
  "attested",
  "doubtful"
] as const

/** The status of an effect: it stands, is undone, or is between the two. */
export const Undo = words("undo", undos)

/** The side-effect class of a call. */
export const SideEffect = words("side_effect", ToolContract.sideEffects)

/** The kind of source from which a record was read. */
export const Origin = words("origin", Readback.origins)

/** The causes of an undoing. */
export const causes = ["saga", "recovery", "revision", "rebase"] as const

/** The cause of an undoing. */
export const Cause = words("cause", causes)

/** Checks of its class that were omitted. */
const Unchecked = Schema.Array(words("verification_check", VerificationCheck.names))

/** The kind of answer to a question: a record, no record, or the reason why there is no answer. */
const Read = words("read", ["accepted", "error", "not_found", "ok", "pending", "unknown"])

/** The way in which an answer came. */
const Via = words("via", ["call", "readback", "silence", "source", "status", "webhook"])

/** A verdict on an open local transaction. */
const Verdict = Schema.Literals(["commit", "freeze", "roll_back"])

/** An action of another run, or of this run if `run` is absent. */
export const ActionRef = closed({
  action: Text,
  run: optional(Text),
  tick: Natural
}).annotate({ identifier: "act" })

/** A fact that differs: its expected value, and its actual value. */
export const Difference = closed({
  expected: Json,
  fact: Written,
  found: Json,
  indicator: optional(Written),
  shown: optional(Json)
}).annotate({ identifier: "difference" })

/** An answer of another source about the same record. */
export const Source = closed({
  from: optional(Origin),
  output: optional(Json),
  read: Read,
  reason: optional(Json),
  source: Text
}).annotate({ identifier: "source" })

const Same = closed({ action: Text, run: Text, startedAt: Form.Moment, tick: Natural })

/** The request of another run that this one repeats without a key, with the scope in which it was met. */
export const Met = closed({
  failed: optional(closed({ goal: optional(Natural), lineage: optional(Natural) })),
  goal: optional(Same),
  lineage: optional(Same)
}).annotate({ identifier: "met" })

/** The kind of a checkpoint. */
const Kind = Schema.Literals(["entry", "commit", "exit"])

/** A checkpoint of a subtask instance: the part of the run after `tick` that the instance wrote. */
export const Checkpoint = closed({
  entity: Json,
  kind: Kind,
  ordinal: Natural,
  skeleton: Text,
  state: Text,
  tick: Natural
}).annotate({ identifier: "checkpoint" })

/**
 * The policy that admitted a rollback: the rule about consumers, the latest kind of checkpoint that it restores, and
 * the conditions left out.
 */
export const RollbackPolicy = closed({
  consumers: optional(Schema.Literals(["instance", "checkpoint"])),
  name: Kind,
  without: optional(
    Schema.Array(Schema.Literals(["identified", "stable", "in_scope", "no_committed_conflict", "effect_allowed"]))
  )
}).annotate({ identifier: "rollback_policy" })

/** A plan that undoes actions, the last one first. With a checkpoint it takes a subtask back to that checkpoint. */
export const Plan = closed({
  because: FindingForm.AnyFinding,
  cause: Cause,
  checkpoint: optional(Checkpoint),
  masks: Names,
  overwritten: optional(Schema.Array(closed({ by: Text, path: Text }))),
  policy: optional(RollbackPolicy),
  restore: optional(ReducerPayload.Restore),
  scopes: optional(ReducerPayload.Raised),
  steps: Schema.Array(closed({ params: Json, residue: Flag, tool: Text, undoes: Text })),
  subject: optional(Text)
}).annotate({ identifier: "plan" })

/** Actions for which an undoing is requested. */
export const Wanted = closed({
  actions: Names,
  because: FindingForm.AnyFinding,
  cause: Cause,
  failed: optional(Names),
  masks: optional(Names),
  scopes: optional(Names),
  subject: optional(Text)
}).annotate({ identifier: "wanted" })

/** The reason why a plan waits for a person although nothing has failed. */
export const Stop = Schema.Literals(["altered", "denied", "not_own", "too_late"])

/** The call that would undo an action. */
export const Compensation = closed({
  by: optional(Text),
  class: Schema.Literals(ToolContract.reversibilities),
  endsAt: optional(Form.Moment),
  with: optional(JsonObject),
  within: optional(JsonObject)
}).annotate({ identifier: "compensation" })

/** An obstacle to a plan: the action that causes it, and the action of another run that relies on it. */
export const Obstacle = closed({
  action: optional(Text),
  by: optional(closed({ action: Text, run: Text, tick: Natural })),
  why: FindingForm.AnyFinding
})

/** A difference between a record and an earlier read of it. */
const Altered = Schema.Union([
  closed({ code: Schema.Literal("expectation"), holds: Flag, source: Written }),
  closed({ code: Schema.Literals(["key", "reversal"]) })
])

/** An answer, or a read, that came after its action was settled and contradicts the settlement. */
export const LateAnswer = closed({
  output: Json,
  read: Read,
  unmet: optional(Schema.Array(FindingForm.AnyFinding)),
  via: Via
})

/** The fields of a read: its source, and its outcome. */
const reading = {
  concluded: optional(Schema.Literals(["committed", "rolled_back"])),
  discrepancy: optional(Text),
  evidence: optional(Schema.Array(Difference)),
  from: optional(Origin),
  read: optional(Read),
  reason: optional(Json),
  source: optional(Text),
  sources: optional(Schema.Array(Source)),
  via: optional(Via)
} as const

/** Payloads by type. */
export const payloads = {
  "action.asked": Payload.Nothing,
  "action.reconciled": closed({
    kept: optional(closed({ amount: Form.Decimal, currency: Text })),
    obliges: optional(Schema.Array(closed({ entity: Json, skeleton: Text, steps: Names }))),
    owes: optional(Text),
    state: optional(ActionState.State),
    unbelieved: optional(Mark),
    unchecked: optional(Unchecked),
    undo: optional(Compensation),
    word: optional(closed({ by: Written, why: Written }))
  }),
  "action.request": closed({
    adopted: optional(ActionRef),
    approval: optional(
      closed({
        approver: optional(Written),
        expiresAt: optional(Form.Moment),
        id: Text,
        requestHash: optional(Form.Digest),
        role: optional(Text)
      })
    ),
    breakGlass: optional(closed({ by: Written, reason: Written })),
    completes: optional(Text),
    met: optional(Met),
    reverses: optional(closed({ action: Text, whole: Flag })),
    startedAt: optional(Form.Moment),
    turns: optional(Turns),
    within: optional(JsonObject)
  }),
  "action.result": closed({
    adopted: optional(ActionRef),
    delivery: optional(Text),
    replayed: optional(Mark),
    shown: optional(Json),
    source: optional(Text),
    stage: optional(Schema.Literal("accepted")),
    state: optional(Schema.Literals(["forward_recovery", "reconciled_success"])),
    told: optional(closed({ outcome: Schema.Literals(["done", "failed", "pending"]), output: Json })),
    transaction: optional(Schema.Literal("open")),
    verdict: optional(Verdict),
    verify: optional(
      closed({
        by: Schema.Literals(["readback", "status", "webhook"]),
        firstMillis: optional(Natural),
        withinMillis: optional(Natural)
      })
    ),
    via: optional(Schema.Literals(["call", "status"]))
  }),
  "action.started": closed({
    act: optional(Act),
    actor: optional(Text),
    review: optional(Text),
    undo: optional(Compensation)
  }),
  "action.verified": closed({
    ...reading,
    absent: optional(Mark),
    altered: optional(Mark),
    attested: optional(Mark),
    before: optional(closed({ found: optional(Flag), met: Flag, record: optional(Text) })),
    difference: optional(Altered),
    mismatches: optional(Natural),
    output: optional(Json),
    remains: optional(Schema.Literals(["nothing", "unknown"])),
    undoing: optional(Text),
    unmet: optional(Schema.Array(FindingForm.AnyFinding)),
    verdict: optional(Verdict)
  }),
  "kernel.anomaly": closed({
    at: optional(Natural),
    author: optional(Ontology.Author),
    count: optional(Natural),
    evidence: optional(LateAnswer),
    from: optional(ActionState.State),
    kind: Schema.Literals(Anomalies.kinds),
    predicate: optional(Text),
    states: optional(Natural),
    to: optional(ActionState.State),
    tool: optional(Text),
    type: optional(Text)
  }),
  "recovery.decided": closed({
    ...reading,
    after: optional(Text),
    approval: optional(Text),
    awaits: optional(Mark),
    barred: optional(Mark),
    blocks: optional(Schema.Array(Obstacle)),
    decision: optional(Text),
    defers: optional(Mark),
    delivery: optional(Text),
    done: optional(Text),
    due: optional(Mark),
    exhausted: optional(Schema.Array(closed({ because: Text, fallback: Text }))),
    fallback: optional(Text),
    freezes: optional(Mark),
    incident: optional(Text),
    obligation: optional(Text),
    output: optional(Json),
    plan: optional(Plan),
    policyVersion: optional(Text),
    refused: optional(Mark),
    row: optional(Natural),
    section: optional(Text),
    state: optional(ActionState.State),
    stop: optional(Stop),
    stops: optional(Text),
    tool: optional(Text),
    tried: optional(Names),
    turns: optional(Turns),
    unsent: optional(Mark),
    unwanted: optional(Mark),
    wanted: optional(Wanted),
    why: optional(FindingForm.AnyFinding)
  }),
  "recovery.restored": closed({
    absent: optional(Names),
    attested: optional(Names),
    because: FindingForm.AnyFinding,
    cause: Cause,
    checkpoint: optional(Checkpoint),
    masks: Names,
    plan: Text,
    policy: optional(RollbackPolicy),
    residue: Names,
    undone: Names
  }),
  "review.decided": closed({
    action: optional(Text),
    as: optional(Text),
    by: optional(Text),
    evidence: optional(Written),
    obligation: optional(Text),
    plan: optional(Text),
    reason: optional(Written),
    record: optional(Json),
    reopens: optional(Text),
    review: optional(Text),
    role: optional(Text),
    state: optional(ActionState.State),
    undo: optional(Undo),
    unwanted: optional(Mark),
    verdict: optional(Schema.Literals(["approved", "denied"]))
  }),
  "review.requested": closed({
    after: optional(Text),
    binding: optional(Text),
    bound: optional(closed({ context: optional(Form.Digest), occurrence: Natural, pack: optional(Form.Digest) })),
    brokenBy: optional(Written),
    expiresMillis: optional(Natural),
    needs: optional(Names),
    obligation: optional(Text),
    params: optional(Json),
    requestHash: optional(Form.Digest),
    plan: optional(Text),
    remaining: optional(Names),
    replaces: optional(Text),
    review: Text,
    stop: optional(Stop),
    subject: optional(Schema.Literals(["forward", "undo", "verification"])),
    tool: optional(Text),
    triggers: optional(Names),
    why: optional(FindingForm.AnyFinding)
  })
} as const

/**
 * The fields that this package reads of payloads which other packages declare in full. The full declarations agree
 * with them.
 */
export const views = {
  ...ReducerPayload.views,
  ...payloads,
  "intent.adopted": open({ count: optional(Natural) }),
  "run.fork": open({
    pack: optional(Text),
    parent: Text,
    undone: optional(Schema.Record(Text, open({ by: Text, undo: Undo })))
  })
} as const

/** Reads a body by these views; its type determines its view. */
export const read = Payload.reader(views)

/** The payload of a body, if the body is of the given type and has one. */
export const of = Payload.getter(views)
