/**
 * A transition as one flat event, with the states on both sides of it: what other tools read.
 *
 * The trace stores neither state: they are folded. Field names are those of
 * Dendrer's canonical event schema; what a trace adds to it comes after.
 *
 * @source Dendrer, appendix B
 * @since 0.1.0
 */
import * as Goal from "@backstitch/kernel/Goal"
import * as Payload from "@backstitch/kernel/Payload"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import * as Step from "@backstitch/version-control/Step"

/**
 * Names of the fields, in order.
 *
 * @category constants
 * @since 0.1.0
 */
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
  "state_digest",
  "link",
  "story"
] as const

/**
 * Name of a field.
 *
 * @category models
 * @since 0.1.0
 */
export type Field = (typeof fields)[number]

/**
 * Tells whether a name is that of a field.
 *
 * @category guards
 * @since 0.1.0
 */
export const isField = (name: string): name is Field => (fields as ReadonlyArray<string>).includes(name)

/**
 * Writes a step as an event. What is absent is `null`, so that every event has every field.
 *
 * **Details**
 *
 * `only` names the fields to write; states that are not asked for are not made into JSON.
 *
 * @category conversions
 * @since 0.1.0
 */
export const of = (
  run: Run,
  step: Step.Step,
  head: HashChain.Head,
  only: ReadonlyArray<Field> = fields
): JsonObject => {
  const { body, envelope, stamp, tick } = step.transition
  const write: { readonly [F in Field]: () => Json } = {
    tick: () => tick,
    ts: () => new Date(envelope.ts).toISOString(),
    agent_id: () => body.agent ?? null,
    goal_id: () => body.goal ?? Goal.of(step.after).id,
    run_id: () => run.id,
    transition_type: () => body.type,
    state_before: () => State.toJson(step.before),
    state_after: () => State.toJson(step.after),
    intent: () => intentOf(step),
    action: () => actionOf(step),
    result: () =>
      body.result === undefined ? null : { ...(body.result as JsonObject), output: body.result.output ?? null },
    policy: () => policyOf(step),
    metrics: () => ({ latency_ms: envelope.latencyMillis ?? null, tokens_used: envelope.tokens ?? null }),
    anomalies: () => {
      const anomaly = Payload.of(body, "kernel.anomaly")
      return anomaly === undefined ? [] : [anomaly.kind]
    },
    author: () => body.author,
    data: () => body.data ?? null,
    effect: () => Step.effect(step),
    as_of: () => new Date(stamp.asOf).toISOString(),
    key: () => stamp.key ?? null,
    spent: () => stamp.spent ?? null,
    state_digest: () => stamp.state ?? null,
    link: () => head.link,
    story: () => head.story
  }
  return Object.fromEntries(only.map((field) => [field, write[field]()]))
}

const intentOf = ({ transition: { body } }: Step.Step): Json => {
  const { confidence, intent, uncertainty } = body
  if (intent === undefined && confidence === undefined && uncertainty === undefined) return null
  const { description = null, ...rest } = (intent ?? {}) as JsonObject
  return { description, confidence: confidence ?? null, uncertainty_notes: uncertainty ?? null, ...rest }
}

const actionOf = ({ tool, transition: { body } }: Step.Step): Json => {
  if (body.action === undefined) return null
  const { params = null, tool: named, ...rest } = body.action as JsonObject
  return { tool: named ?? tool ?? null, params, ...rest }
}

const policyOf = ({ transition: { body } }: Step.Step): Json =>
  body.policy === undefined
    ? null
    : {
        decision: body.policy.decision,
        checks: body.policy.checks,
        policy_version: body.policy.version,
        observed: body.policy.observed ?? null
      }
