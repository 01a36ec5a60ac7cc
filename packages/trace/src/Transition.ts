/**
 * One committed step of a run, in three parts.
 *
 * - The **body** says what happened. It is compared by `diff`, and names
 *   neither the run nor the time, so two independent runs that did the same
 *   have equal bodies.
 * - The **stamp** is what the kernel adds and the fold may read: time, usage,
 *   the idempotency key, and the state digest of the commit.
 * - The **envelope** is for people and dashboards. Nothing folds it, so
 *   retention may drop it without touching a digest.
 *
 * The chain covers all three. Each part is stored as canonical text, and that
 * text is what is hashed: reading verifies bytes and never writes them again.
 *
 * @source Dendrer, section 3.1 and appendix B; docs/decisions/0002
 */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Canonical from "./Canonical.ts"
import { Digest } from "./Digest.ts"
import * as Finding from "./Finding.ts"
import * as Form from "./Form.ts"
import * as JsonText from "./JsonText.ts"
import * as Ontology from "./Ontology.ts"
import * as Payload from "./Payload.ts"
import * as Vocabulary from "./Vocabulary.ts"

/** Position in a trace: 1 for the first transition, contiguous, 0 for "before the first". */
export const Tick = Schema.Natural

/** Position in a trace: 1 for the first transition, contiguous, 0 for "before the first". */
export type Tick = number

// Read as JSON, so what is inside needs no second look.
const { Json, JsonObject } = Payload

/** What was proposed, in the proposer's own words and confidence. */
export const Intent = Schema.Struct({
  description: Schema.optionalKey(Payload.Written),
  dependsOn: Schema.optionalKey(Schema.Array(Schema.String)),
  basis: Schema.optionalKey(Tick),
  contextHash: Schema.optionalKey(Digest),
  command: Schema.optionalKey(Payload.Written),
  occurrence: Schema.optionalKey(Tick),
  occurrenceBy: Schema.optionalKey(Schema.Literals(["instance", "plan", "user"]))
})

/**
 * A tool call. `id` names the action for the rest of the run; `target` is the resource that it holds while it is open.
 */
export const Action = Schema.Struct({
  id: Schema.String,
  tool: Schema.optionalKey(Schema.String),
  params: Schema.optionalKey(Json),
  class: Schema.optionalKey(Schema.String),
  target: Schema.optionalKey(Payload.Written),
  requestHash: Schema.optionalKey(Digest),
  undoes: Schema.optionalKey(Schema.String)
})

/** What came back. `basis` says where a belief comes from, `trust` (0–4) how far it may be believed. */
export const Outcome = Schema.Struct({
  status: Schema.Literals(["ok", "error", "unknown", "mismatch"]),
  output: Schema.optionalKey(Json),
  basis: Schema.optionalKey(Schema.Literals(["readback", "status", "attested", "recorded"])),
  trust: Schema.optionalKey(Schema.Literals([0, 1, 2, 3, 4]))
})

/** A check that failed and was only observed: the contract is not enforced there. */
const Observed = Schema.Struct({
  id: Payload.Written,
  step: Schema.String,
  why: Finding.Finding
})

/**
 * A verdict of policy. `checks` lists what was evaluated, in order; `observed` what failed and was let pass, where the
 * contract is only observed.
 */
export const Policy = Schema.Struct({
  decision: Schema.Literals(["allow", "deny", "escalate"]),
  checks: Schema.Array(Schema.String),
  version: Schema.String,
  observed: Schema.optionalKey(Schema.Array(Observed))
})

/** The compared part: what happened. */
export const Body = Schema.Struct({
  action: Schema.optionalKey(Action),
  agent: Schema.optionalKey(Schema.String),
  author: Ontology.Author,
  confidence: Schema.optionalKey(Form.Confidence),
  data: Schema.optionalKey(JsonObject),
  goal: Schema.optionalKey(Payload.Written),
  intent: Schema.optionalKey(Intent),
  policy: Schema.optionalKey(Policy),
  result: Schema.optionalKey(Outcome),
  type: Ontology.Name,
  uncertainty: Schema.optionalKey(Payload.Written)
})

/**
 * The folded but uncompared part. `asOf` is epoch milliseconds and never runs
 * backwards within a run; `state` is the state digest, on the last transition
 * of a commit alone; `spent` and `reserved` hold amounts by budget name.
 */
export const Stamp = Schema.Struct({
  asOf: Form.Moment,
  key: Schema.optionalKey(Form.Key),
  reserved: Schema.optionalKey(Form.Amounts),
  spent: Schema.optionalKey(Form.Amounts),
  state: Schema.optionalKey(Digest)
})

/**
 * The unfolded part. `ts` is epoch milliseconds, `latencyMillis` the time that an answer took; `trace` names the span
 * of the action in telemetry, as `TRACE_ID-SPAN_ID`; `writer` the process that begins an effect: no two commit the same
 * bytes.
 */
export const Envelope = Schema.Struct({
  latencyMillis: Schema.optionalKey(Form.Duration),
  source: Schema.optionalKey(Schema.String),
  tokens: Schema.optionalKey(Schema.Natural),
  trace: Schema.optionalKey(Form.Span),
  ts: Form.Moment,
  writer: Schema.optionalKey(Schema.String)
})

/** The compared part: what happened. */
export type Body = typeof Body.Type

/** The folded but uncompared part. */
export type Stamp = typeof Stamp.Type

/** The unfolded part. */
export type Envelope = typeof Envelope.Type

/** What was proposed. */
export type Intent = typeof Intent.Type

/** A tool call. */
export type Action = typeof Action.Type

/** What came back. */
export type Outcome = typeof Outcome.Type

/** A verdict of policy. */
export type Policy = typeof Policy.Type

/** A transition before it has a place in a trace. */
export interface Draft<B = Body> {
  readonly body: B
  readonly stamp: Stamp
  readonly envelope: Envelope
}

/** A transition at its place in a trace. */
export interface Transition<B = Body> extends Draft<B> {
  readonly tick: Tick
}

/** A transition as stored: three canonical texts and the two chained digests that end with it. */
export interface Sealed {
  readonly tick: Tick
  readonly link: Digest
  readonly story: Digest
  readonly body: string
  readonly stamp: string
  readonly envelope: string
}

/** Error for input that is not a transition. */
export class TransitionInvalid extends Schema.TaggedError<TransitionInvalid>("@backstitch/trace/TransitionInvalid")(
  "TransitionInvalid",
  { tick: Tick, problem: Schema.String }
) {
  override get message(): string {
    return `Transition ${this.tick} cannot be read: ${this.problem}. Mend the program that wrote it, and export the run again`
  }
}

const Parts = Schema.Struct({ body: Body, stamp: Stamp, envelope: Envelope })
const decodeParts = Schema.decodeUnknownResult(Parts)

/** Reads the parts of a stored transition whose bytes were verified by the chain; the schema is not checked again. */
export const open = (sealed: Sealed): Transition => ({
  tick: sealed.tick,
  body: JsonText.read(sealed.body) as Body,
  stamp: JsonText.read(sealed.stamp) as Stamp,
  envelope: JsonText.read(sealed.envelope) as Envelope
})

/**
 * What a body from outside is held against: its form by `malformed`, and the types of embedders that are known here.
 */
export interface Known {
  readonly malformed?: ((body: Body) => Payload.Problem | undefined) | undefined
  readonly vocabularies?: ReadonlyArray<Vocabulary.Vocabulary> | undefined
}

/**
 * Says why a body is none: there is no such type, its author may not write it, or it does not fit its type. Nothing
 * where it is one.
 */
export const refusal = (body: Body, { malformed, vocabularies = [] }: Known): string | undefined => {
  const { author, type } = body
  if (!Ontology.isType(type) && !Ontology.isForeign(type)) return unknown(type)
  const authors = Vocabulary.authorsOf(vocabularies, type)
  if (!authors.includes(author))
    return `${type} is written by the ${authors.join(" or the ")}, and not by the ${author}`
  const wrong = malformed?.(body) ?? Vocabulary.misfit(vocabularies, body)
  return wrong === undefined ? undefined : Payload.told(type, wrong)
}

const unknown = (type: string): string =>
  `there is no type ${JSON.stringify(type.slice(0, 80))} in version ${Ontology.version} of the ontology`

/**
 * Reads the parts of a transition from outside, checking that the text is canonical, that the schema holds, and that
 * nothing is to be refused of its body.
 */
export const openUntrusted = (sealed: Sealed, known: Known = {}): Transition => {
  for (const part of ["body", "stamp", "envelope"] as const) {
    const read = Canonical.decode(sealed[part])
    if (Result.isFailure(read)) {
      const problem = `its ${part} cannot be read: ${read.failure}`
      throw new TransitionInvalid({ tick: sealed.tick, problem })
    }
  }
  const parts = {
    body: JsonText.read(sealed.body),
    stamp: JsonText.read(sealed.stamp),
    envelope: JsonText.read(sealed.envelope)
  }
  const invalid = (problem: string) => new TransitionInvalid({ tick: sealed.tick, problem })
  const named = Canonical.objectOf(parts.body)["type"]
  // The schema would list all types that there are.
  if (typeof named === "string" && !Ontology.isType(named) && !Ontology.isForeign(named)) throw invalid(unknown(named))
  const read = decodeParts(parts, { onExcessProperty: "error" })
  if (Result.isFailure(read)) throw invalid(read.failure.message.replaceAll(/\s*\n\s*/g, " "))
  const wrong = refusal(read.success.body, known)
  if (wrong !== undefined) throw invalid(wrong)
  return { tick: sealed.tick, ...read.success }
}
