/**
 * A transition as one flat event, with the states before and after it, for other tools.
 *
 * The trace does not store the states; they are folded. The field names are those of Dendrer's canonical event
 * schema, followed by the fields that a trace adds. Every field of a body, a stamp and an envelope has a place in an
 * event: if a schema gets a new field, this module does not compile.
 *
 * @source Dendrer, appendix B
 */
import * as Goal from "@backstitch/kernel/Goal"
import * as Payload from "@backstitch/kernel/Payload"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import type { Body } from "@backstitch/trace/Transition"
import * as Step from "@backstitch/version-control/Step"
import * as Wording from "@backstitch/wording/Wording"

/** Names of the fields, in order. */
export const fields = [
  "tick",
  "ts",
  "agent_id",
  "goal_id",
  "run_id",
  "transition_type",
  "state_before",
  "state_after",
  "intent",
  "action",
  "result",
  "policy",
  "metrics",
  "anomalies",
  "author",
  "data",
  "effect",
  "as_of",
  "key",
  "spent",
  "reserved",
  "state_digest",
  "source",
  "trace",
  "writer",
  "link",
  "story"
] as const

/** Name of a field. */
export type EventField = (typeof fields)[number]

/** Fields of a page or a stream by default. States are as large as the run, so they have to be asked for by name. */
export const fieldsByDefault: ReadonlyArray<EventField> = fields.filter(
  (field) => field !== "state_before" && field !== "state_after"
)

/** Tells whether a name is that of a field. */
export const isField = (name: string): name is EventField => (fields as ReadonlyArray<string>).includes(name)

/**
 * Writes a step as an event. An absent value is `null`, so that every event has every field.
 *
 * **Details**
 *
 * `only` names the fields to write. States that are not among them are not turned into JSON.
 */
export const of = (
  run: Run,
  step: Step.Step,
  head: HashChain.Head,
  only: ReadonlyArray<EventField> = fields
): JsonObject => {
  const { body, envelope, stamp, tick, ...unread } = step.transition
  const { action, agent, author, confidence, data, goal, intent, policy, result, type, uncertainty, ...unsaid } = body
  const { asOf, key, reserved, spent, state, ...unstamped } = stamp
  const { latencyMillis, source, tokens, trace, ts, writer, ...unsealed } = envelope
  none(unread, unsaid, unstamped, unsealed)
  const write: { readonly [F in EventField]: () => Json } = {
    tick: () => tick,
    ts: () => new Date(ts).toISOString(),
    agent_id: () => agent ?? null,
    goal_id: () => goal ?? Goal.of(step.after).id,
    run_id: () => run.id,
    transition_type: () => type,
    state_before: () => State.toJson(step.before),
    state_after: () => State.toJson(step.after),
    intent: () => intentOf(intent, confidence, uncertainty),
    action: () => actionOf(action, step.tool),
    result: () => (result === undefined ? null : { ...(result as JsonObject), output: result.output ?? null }),
    policy: () => policyOf(policy),
    metrics: () => ({ latency_ms: latencyMillis ?? null, tokens_used: tokens ?? null }),
    anomalies: () => {
      const anomaly = Payload.of(body, "kernel.anomaly")
      return anomaly === undefined ? [] : [anomaly.kind]
    },
    author: () => author,
    data: () => data ?? null,
    effect: () => Wording.effect(Step.effects(step)),
    as_of: () => new Date(asOf).toISOString(),
    key: () => key ?? null,
    spent: () => spent ?? null,
    reserved: () => reserved ?? null,
    state_digest: () => state ?? null,
    source: () => source ?? null,
    trace: () => trace ?? null,
    writer: () => writer ?? null,
    link: () => head.link,
    story: () => head.story
  }
  return Object.fromEntries(only.map((field) => [field, write[field]()]))
}

/** Takes the remaining parts after every field was named. The types fit only if nothing remains. */
const none = (..._: ReadonlyArray<Readonly<Record<string, never>>>): void => undefined

const intentOf = (intent: Body["intent"], confidence: Body["confidence"], uncertainty: Body["uncertainty"]): Json => {
  if (intent === undefined && confidence === undefined && uncertainty === undefined) return null
  const { description = null, ...rest } = (intent ?? {}) as JsonObject
  return { description, confidence: confidence ?? null, uncertainty_notes: uncertainty ?? null, ...rest }
}

const actionOf = (action: Body["action"], tool: string | undefined): Json => {
  if (action === undefined) return null
  const { params = null, tool: named, ...rest } = action as JsonObject
  return { tool: named ?? tool ?? null, params, ...rest }
}

/** `notes` says in words what `observed` has as codes: the checks that failed and were let pass. */
const policyOf = (policy: Body["policy"]): Json => {
  if (policy === undefined) return null
  const { version, ...rest } = policy as JsonObject
  const notes = policy.observed?.map(({ id, step, why }) => `${step} ${id}: ${Wording.tell(why)}`).join("; ")
  return { notes: notes ?? null, observed: null, ...rest, policy_version: version ?? null }
}
