/**
 * The codes for work with histories: why a rebase stops at an intent, the warnings of an import, and further results
 * of a search.
 *
 * @source docs/decisions/0027
 */
import * as FindingForm from "@backstitch/trace/FindingForm"
import * as Form from "@backstitch/trace/Form"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"

const { Mark, Names, Nothing, closed, optional } = Payload
const { Natural, String: Text } = Schema

const Status = closed({ status: Schema.Literals(["error", "mismatch", "unknown"]) })
const Decision = closed({ decision: Schema.Literals(["deny", "escalate"]) })

/** Codes of the warnings of an import. */
export const warnings = {
  /** The contract binds no context to the intent, so nothing was compared. */
  "context.unbound": closed({ subject: Text }),
  /** The target lacks a field that the proposer added. */
  "context.missing": closed({ path: Text }),
  /** The target has another value for a field that the proposer added. */
  "context.differs": closed({ path: Text })
} as const satisfies FindingForm.Codes

/** Codes of the reasons that link a transition to the chain of an onset. */
export const ties = {
  /** It was the last to write these fields before the onset. */
  "link.wrote": closed({ fields: Names }),
  /** It requested the action that the onset continues. */
  "link.asked": closed({ action: Text }),
  /** Its type reports trouble. */
  "link.trouble": Nothing,
  /** Policy did not allow it. */
  "link.decided": Decision,
  /** The result is no success. */
  "link.result": Status,
  /** It continues an action that a linked step opened. */
  "link.continues": closed({ action: Text }),
  /** It was decided on a field that a linked step wrote. */
  "link.depends": closed({ field: Text }),
  /** It writes a field that a linked step wrote. */
  "link.writes": closed({ field: Text })
} as const satisfies FindingForm.Codes

/** Reasons for a linear pass. */
export const passes = {
  /** The predicate is built in and reads single transitions. */
  "search.built_in": Nothing,
  /** A metric rises and falls. */
  "search.metric": Nothing,
  /** The expression is not registered, so it may recover. */
  "search.unregistered": Nothing,
  /** The predicate was not registered when the run was made. */
  "search.unlatched": Nothing
} as const satisfies FindingForm.Codes

/** Reasons why an answer holds only for some ticks. */
export const doubts = {
  /** The predicate could not be evaluated from this tick on, and may have held there unnoticed. */
  "search.unevaluated": closed({ tick: Natural })
} as const satisfies FindingForm.Codes

/** Codes for names in a question that a run has not seen, with those that it has seen. */
export const notes = {
  /** Policy has decided nothing about the subject. */
  "search.subject_unseen": closed({ subject: Text, subjects: Names }),
  /** There is no anomaly of the kind. */
  "search.kind_unseen": closed({ kind: Text, kinds: Names })
} as const satisfies FindingForm.Codes

/** Codes of remedies for an onset. */
export const remedies = {
  /** There is no onset. */
  "remedy.none": Nothing,
  /** Two runs began differently, which is no fault of either. */
  "remedy.compare": closed({ run: Text }),
  /** No fork helps: nothing but the beginning of the run precedes the failure, or it was judged to be foundational. */
  "remedy.anew": closed({ judged: optional(Mark) }),
  /**
   * A fork from the last tick before the transition of this type, or before the request at tick `begun` that led to
   * it, or before an act that was `undone` since. Such a fork inherits fields on which the failure depends, as earlier
   * ticks wrote them; a field without a tick was written further back.
   */
  "remedy.fork": closed({
    begun: optional(Natural),
    change: Schema.Literals(["guard", "rules", "rules_or_tools", "tools"]),
    from: Natural,
    inherits: optional(Schema.Array(closed({ field: Text, tick: optional(Natural) }))),
    type: Text,
    undone: optional(closed({ action: Text, tool: Text }))
  })
} as const satisfies FindingForm.Codes

/** Codes of the evidence of a trace for a diagnosis. */
export const symptoms = {
  /** The failure was there with the first transition. */
  "symptom.first": Nothing,
  /** The failure came with the first plan, which was made from the goal alone. */
  "symptom.first_plan": Nothing,
  /** Nothing but the beginning of the run precedes the failure. */
  "symptom.first_step": Nothing,
  /** The author had low confidence. */
  "symptom.unsure": closed({ confidence: Form.Confidence }),
  /** The author noted a doubt. */
  "symptom.doubt": closed({ uncertainty: Payload.Written }),
  /** The result is no success. */
  "symptom.result": Status,
  /** The result was not verified. */
  "symptom.unverified": Nothing,
  /** It is an observation without verification. */
  "symptom.observed": Nothing,
  /** Policy evaluated it and let it pass. */
  "symptom.allowed": Nothing,
  /** Policy did not let it pass. */
  "symptom.decided": Decision,
  /** The world did what was requested, and no rule had refused the request. */
  "symptom.reconciled": Nothing
} as const satisfies FindingForm.Codes

/** Codes, with their arguments. */
export const codes = {
  ...warnings,
  ...ties,
  ...passes,
  ...doubts,
  ...notes,
  ...remedies,
  ...symptoms,
  /** The intent had succeeded in its own run, and failed here with this error. */
  "rebase.failed": closed({ error: Payload.Json }),
  /** The intent does not fit the contract or the context of the run in which it is replayed. */
  "rebase.refused": closed({ reasons: Names })
} as const satisfies FindingForm.Codes

/** Makes a finding. */
export const make = FindingForm.maker(codes)
