/** The payloads for work with histories: forks, imports, and the committed answers of analyses. */
import * as VerificationCheck from "@backstitch/contracts/VerificationCheck"
import * as ReducerPayload from "@backstitch/reducer/Payload"
import * as FindingForm from "@backstitch/trace/FindingForm"
import * as Form from "@backstitch/trace/Form"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import * as HistoryCodes from "../codes/HistoryCodes.ts"
import * as OnsetQuestion from "../onset/OnsetQuestion.ts"
import * as Remediation from "../onset/Remediation.ts"

const { Json, JsonObject, Mark, Names, Written, closed, open, optional } = Payload
const { Natural, String: Text } = Schema

/** Checks of its class that were omitted. */
const Unchecked = Schema.Array(Payload.words("verification_check", VerificationCheck.names))

/** A warning of an import. */
const Warning = FindingForm.schema(HistoryCodes.warnings, "warning")

/** The first fall of a metric, and the first predicate of the pack that held. */
const Regression = closed({
  fall: optional(closed({ from: Schema.Finite, recovered: optional(Natural), tick: Natural, to: Schema.Finite })),
  heuristic: Mark,
  invariant: optional(closed({ id: Text, onset: Natural }))
})

/** A transition of another run, with the link that it had. */
const Origin = closed({ link: Form.Digest, run: Text, tick: Natural })

/** The origin of a rebase: ticks `from` to `to` of a run, and the link of the last. */
export const Begun = closed({ from: Natural, link: Form.Digest, run: Text, to: Natural })

/** A run that was compared, and its ticks. */
const Compared = closed({ length: Natural, run: Text })

/** A transition that differs, with its tool, or its author's words. */
const Place = closed({ about: optional(Written), tick: Natural, type: Text }).annotate({ identifier: "place" })

/** A difference between two runs: of transitions, of values in them, or of the states at their ends. */
const Different = closed({
  kind: Schema.Literals(["confidence", "outcome", "semantic", "structural"]),
  left: optional(Place),
  right: optional(Place),
  values: optional(Schema.Array(closed({ left: optional(Json), path: Text, right: optional(Json) })))
})

/** The proposal of an agent in another run, in the form in which it is proposed again. */
export const Proposed = closed({
  agent: optional(Text),
  author: optional(Ontology.Author),
  basis: optional(Natural),
  breakGlass: optional(closed({ by: Written, reason: Written })),
  command: optional(Written),
  confidence: optional(Form.Confidence),
  data: optional(JsonObject),
  dependsOn: optional(Names),
  description: optional(Written),
  occurrence: optional(Natural),
  occurrenceBy: optional(Schema.Literals(["instance", "plan", "user"])),
  params: optional(Json),
  spent: optional(Form.Amounts),
  tokens: optional(Natural),
  tool: optional(Text),
  type: optional(Text),
  uncertainty: optional(Written)
}).annotate({ identifier: "proposal" })

/** Payloads by type. */
export const payloads = {
  "bisect.result": closed({
    evidence: Schema.Array(
      closed({
        for: Remediation.OnsetDiagnosis,
        tick: Natural,
        why: FindingForm.schema(HistoryCodes.symptoms, "symptom")
      })
    ),
    inconclusive: optional(FindingForm.schema(HistoryCodes.doubts, "doubt")),
    length: Natural,
    linear: optional(closed({ evaluations: Natural, why: FindingForm.schema(HistoryCodes.passes, "pass") })),
    note: optional(FindingForm.schema(HistoryCodes.notes, "note")),
    onset: optional(Natural),
    probes: optional(Schema.Array(closed({ tick: Natural, verdict: Schema.Literals(["ok", "violation"]) }))),
    question: OnsetQuestion.Committed,
    regression: optional(Regression),
    suggestion: FindingForm.schema(HistoryCodes.remedies, "remedy"),
    verdict: optional(closed({ by: Written, diagnosis: Remediation.OnsetDiagnosis }))
  }),
  "budget.sliced": closed({ budget: Form.Amounts, child: Text }),
  "causal.chain": closed({
    heuristic: Mark,
    links: Schema.Array(
      closed({
        relation: Schema.Literals(["antecedent", "consequence", "onset"]),
        tick: Natural,
        why: optional(FindingForm.schema(HistoryCodes.ties, "tie"))
      })
    ),
    omitted: Natural,
    onset: Natural
  }),
  "diff.summary": closed({
    differences: Schema.Array(Different),
    left: Compared,
    omitted: Natural,
    right: Compared,
    same: Natural,
    shared: Natural
  }),
  "run.cherrypick": closed({
    adopted: optional(
      closed({
        action: Text,
        believed: optional(Mark),
        output: optional(Json),
        run: Text,
        startedAt: optional(Form.Moment),
        tick: Natural,
        turn: optional(Natural)
      })
    ),
    context: optional(closed({ source: optional(Form.Digest), target: optional(Form.Digest) })),
    contract: optional(Text),
    fields: optional(Schema.Record(Text, closed({ source: optional(Json), target: optional(Json) }))),
    proposal: Proposed,
    rebase: optional(Schema.Literals(["replayed", "skipped"])),
    recorded: optional(
      closed({
        actual: optional(Json),
        output: Json,
        status: Schema.Literals(["error", "ok"]),
        trust: Schema.Literals([0, 1, 2, 3, 4]),
        unchecked: optional(Unchecked)
      })
    ),
    source: Origin,
    warnings: optional(Schema.Array(Warning))
  }),
  "run.fork": closed({
    at: Natural,
    budget: optional(Form.Amounts),
    child: Text,
    enforcement: optional(ReducerPayload.Enforcement),
    link: Form.Digest,
    pack: optional(Form.Digest),
    parent: Text,
    policy: optional(Schema.Union([Written, Schema.Array(Written)])),
    reason: optional(Written),
    rebase: optional(Begun),
    seen: Natural,
    toolPolicy: optional(Schema.Record(Text, Text)),
    undone: optional(Schema.Record(Text, closed({ by: Text, undo: Text })))
  }),
  "run.rebase": closed({
    fields: optional(Names),
    outcome: Schema.Literals(["aborted", "skipped", "stopped"]),
    source: closed({ run: Text, tick: optional(Natural) }),
    why: optional(FindingForm.AnyFinding)
  })
} as const

/**
 * The fields that analyses read of payloads which others declare in full, beside those of the fold. The full
 * declarations agree with them.
 */
export const views = {
  ...ReducerPayload.views,
  ...payloads,
  "action.reconciled": open({ unchecked: optional(Unchecked) }),
  "action.request": open({ approval: optional(open({ id: Text })) }),
  "action.started": open({ review: optional(Text) }),
  "policy.decision": open({ review: optional(Text) }),
  "review.decided": open({ review: optional(Text), verdict: optional(Text) }),
  "review.requested": open({ review: Text })
} as const

/** Reads a body by these views; its type determines its view. */
export const read = Payload.reader(views)

/** The payload of a body, if the body is of the given type and has one. */
export const of = Payload.getter(views)
