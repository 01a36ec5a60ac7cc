/**
 * One committed step of a run, in three parts.
 *
 * - The **body** says what happened. `diff` compares it. It names neither the run nor the time, so two independent
 *   runs that did the same have equal bodies.
 * - The **stamp** is added by the kernel, and the fold may read it: time, usage, the idempotency key, and the state
 *   digest of the commit.
 * - The **envelope** is for people and dashboards. No fold reads it, so a retention policy may drop it without
 *   changing a state digest.
 *
 * The chain covers all three. Each part is stored as canonical text, and exactly that text is hashed: reading
 * verifies the bytes and never writes them again.
 *
 * @source Dendrer, section 3.1 and appendix B; docs/decisions/0002
 */

import * as Schema from "effect/Schema"
import { Digest } from "../bytes/Digest.ts"
import * as Form from "../bytes/Form.ts"
import * as JsonText from "../bytes/JsonText.ts"
import * as FindingForm from "./FindingForm.ts"
import * as Ontology from "./Ontology.ts"

/** Position in a trace: 1 for the first transition, contiguous, 0 for "before the first". */
export const Tick = Schema.Natural

/** Position in a trace: 1 for the first transition, contiguous, 0 for "before the first". */
export type Tick = number

/** The reasons of a proposal, in the words of its author, and the history on which it is based. */
export const Intent = Schema.Struct({
  description: Schema.optionalKey(Form.Written),
  dependsOn: Schema.optionalKey(Schema.Array(Schema.String)),
  basis: Schema.optionalKey(Tick),
  contextHash: Schema.optionalKey(Digest),
  command: Schema.optionalKey(Form.Written),
  occurrence: Schema.optionalKey(Tick),
  occurrenceBy: Schema.optionalKey(Schema.Literals(["instance", "plan", "user"]))
})

/**
 * A tool call. `id` names the action for the rest of the run; `target` is the resource that it holds while it is
 * open.
 */
export const Action = Schema.Struct({
  id: Schema.String,
  tool: Schema.optionalKey(Schema.String),
  params: Schema.optionalKey(Form.Json),
  class: Schema.optionalKey(Schema.String),
  target: Schema.optionalKey(Form.Written),
  requestHash: Schema.optionalKey(Digest),
  undoes: Schema.optionalKey(Schema.String)
})

/** The answer to a call. `basis` names the source of a belief; `trust` (0–4) tells how far it may be believed. */
export const Outcome = Schema.Struct({
  status: Schema.Literals(["ok", "error", "unknown", "mismatch"]),
  output: Schema.optionalKey(Form.Json),
  basis: Schema.optionalKey(Schema.Literals(["readback", "status", "attested", "recorded"])),
  trust: Schema.optionalKey(Schema.Literals([0, 1, 2, 3, 4]))
})

/** A check that failed and was only observed, because the contract is not enforced there. */
const Observed = Schema.Struct({
  id: Form.Written,
  step: Schema.String,
  why: FindingForm.AnyFinding
})

/**
 * A verdict of policy. `checks` lists the evaluated checks, in order; `observed` those that failed and were let pass,
 * because the pack is only observed.
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
  data: Schema.optionalKey(Form.JsonObject),
  goal: Schema.optionalKey(Form.Written),
  intent: Schema.optionalKey(Intent),
  policy: Schema.optionalKey(Policy),
  result: Schema.optionalKey(Outcome),
  type: Ontology.TypeName,
  uncertainty: Schema.optionalKey(Form.Written)
})

/**
 * The folded but uncompared part. `asOf` is in epoch milliseconds and never decreases within a run. `state` is the
 * state digest, only on the last transition of a commit. `spent` and `reserved` hold amounts by budget name.
 */
export const Stamp = Schema.Struct({
  asOf: Form.Moment,
  key: Schema.optionalKey(Form.Key),
  reserved: Schema.optionalKey(Form.Amounts),
  spent: Schema.optionalKey(Form.Amounts),
  state: Schema.optionalKey(Digest)
})

/**
 * The unfolded part. `ts` is in epoch milliseconds, `latencyMillis` the time that an answer took. `trace` names the
 * span of the action in telemetry, as `TRACE_ID-SPAN_ID`. `writer` names the process that begins an effect, so that
 * no two processes commit the same bytes.
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

/** The reasons of a proposal. */
export type Intent = typeof Intent.Type

/** A tool call. */
export type Action = typeof Action.Type

/** The answer to a call. */
export type Outcome = typeof Outcome.Type

/** A verdict of policy. */
export type Policy = typeof Policy.Type

/** A transition without a place in a trace. */
export interface Draft<B = Body> {
  readonly body: B
  readonly stamp: Stamp
  readonly envelope: Envelope
}

/** A transition at its place in a trace. */
export interface Transition<B = Body> extends Draft<B> {
  readonly tick: Tick
}

/** A transition as stored: three canonical texts, and both chained digests after it. */
export interface Sealed {
  readonly tick: Tick
  readonly link: Digest
  readonly story: Digest
  readonly body: string
  readonly stamp: string
  readonly envelope: string
}

/** Reads the parts of a stored transition whose bytes were verified by the chain; the schema is not checked again. */
export const open = (sealed: Sealed): Transition => ({
  tick: sealed.tick,
  body: JsonText.read(sealed.body) as Body,
  stamp: JsonText.read(sealed.stamp) as Stamp,
  envelope: JsonText.read(sealed.envelope) as Envelope
})
