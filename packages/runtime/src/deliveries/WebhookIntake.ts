/**
 * Takes in deliveries of providers: checks their signature and time, and lets the kernel decide on the body.
 *
 * The contract of the tool names the form of the signature, the environment variables of the secrets, and how old a
 * delivery may be. A delivery with a wrong signature or time may come from anybody: it is counted for operators by
 * {@link unauthenticated} and is not committed. A valid delivery counts once in the tenant, whichever process takes
 * it in. Secrets appear in no trace and no log.
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Webhook from "@backstitch/contracts/Webhook"
import * as WebhookForm from "@backstitch/contracts/WebhookForm"
import * as WebhookSignature from "@backstitch/contracts/WebhookSignature"
import * as Expression from "@backstitch/expressions/Expression"
import type { Delivery, DeliveryFault } from "@backstitch/kernel/Evidence"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import * as Digest from "@backstitch/trace/Digest"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as PackLibrary from "../history/PackLibrary.ts"
import { withinSize } from "../ports/evidenceSize.ts"
import { toTraceJson } from "../ports/traceJson.ts"
import type * as RunHandle from "../run/RunHandle.ts"

/** A delivery as it arrived: its tool, its headers by lower-case name, and its body. */
export interface ToolDelivery extends WebhookForm.RawDelivery {
  readonly tool: string
}

/** Error for a delivery that cannot be checked, because its secret is not known. */
export class SecretMissing extends Schema.TaggedError<SecretMissing>("@backstitch/runtime/SecretMissing")(
  "SecretMissing",
  { tool: Schema.String, variables: Schema.Array(Schema.String) }
) {
  override get message(): string {
    return this.variables.length === 0
      ? `The contract of ${this.tool} has no webhook. Declare one with the name of its secret`
      : `Deliveries about ${this.tool} cannot be checked: set ${this.variables.join(" or ")} to the secret of its provider`
  }
}

/** Error for a secret that does not have the form that the contract declares. */
export class SecretInvalid extends Schema.TaggedError<SecretInvalid>("@backstitch/runtime/SecretInvalid")(
  "SecretInvalid",
  { tool: Schema.String, variable: Schema.String, form: Schema.Literals(WebhookForm.names) }
) {
  override get message(): string {
    return (
      `Deliveries about ${this.tool} cannot be checked: ${this.variable} holds no secret of the form ${this.form}. ` +
      "Give it as the provider shows it, such as whsec_ and the key in base64"
    )
  }
}

/**
 * Error for a delivery about a tool without a webhook, or without a named tool if several have one. `known` lists the
 * tools with a webhook.
 */
export class WebhookUnknown extends Schema.TaggedError<WebhookUnknown>("@backstitch/runtime/WebhookUnknown")(
  "WebhookUnknown",
  { pack: Schema.String, tool: Schema.optionalKey(Schema.String), known: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const { known, pack, tool } = this
    const names = known.join(", ")
    const has = known.length === 0 ? "No tool has one: declare `webhook: { secret, key, done }`" : `${names} has one`
    if (tool !== undefined) return `The pack ${pack} has no webhook of a tool "${tool}". ${has}`
    return known.length === 0
      ? `The pack ${pack} takes no deliveries. ${has}`
      : `Name the tool that the delivery is about: ${names}`
  }
}

/** A tool with its webhook. */
export interface Hooked {
  readonly tool: string
  readonly webhook: Webhook.Webhook
}

/** Finds the tool of a delivery: the named one, or the only one of a pack that has a webhook. */
export const toolOf = (pack: TaskPack.TaskPack, named?: string | undefined): Result.Result<Hooked, WebhookUnknown> => {
  const all = Object.entries(pack.tools).flatMap(([tool, { webhook }]) =>
    webhook === undefined ? [] : [{ tool, webhook }]
  )
  const found = named === undefined && all.length === 1 ? all[0] : all.find(({ tool }) => tool === named)
  if (found !== undefined) return Result.succeed(found)
  const about = named === undefined ? {} : { tool: named }
  const known = all.map(({ tool }) => tool)
  return Result.fail(new WebhookUnknown({ pack: `${pack.id} ${pack.version}`, ...about, known }))
}

/**
 * Deliveries that were refused because of their signature or their time, by `tenant`, `tool` and `fault`. They leave
 * the trace unchanged, however many come.
 */
export const unauthenticated: Metric.Counter<number> = Metric.counter("backstitch.delivery.unauthenticated", {
  attributes: { unit: "1" },
  description: "deliveries that were refused because of their signature or their time",
  incremental: true
})

/**
 * Takes a delivery in. One with a fault is refused, and leaves the trace as it is.
 *
 * **Details**
 *
 * If the contract names several secrets, each one that is set is tried, and one match is enough.
 */
export const deliver = Effect.fn("WebhookIntake.deliver")(function* (
  handle: RunHandle.RunHandle,
  arrived: ToolDelivery
) {
  const { tool } = arrived
  const library = yield* PackLibrary.PackLibrary
  const store = yield* TraceStore.TraceStore
  const { head, state } = yield* handle.position
  const pack = yield* library.inForce(state, head.tick + 1)
  const webhook = TaskPack.tool(pack, tool).webhook
  if (webhook === undefined) return yield* new SecretMissing({ tool, variables: [] })
  const delivery = yield* checked(webhook, arrived)
  const { tenant } = handle.run
  if (delivery.fault !== undefined) {
    yield* count(delivery.fault, { tenant, tool })
    return yield* handle.deliver(delivery)
  }
  const [before] = yield* store.claims(tenant, { namespace: "delivery", name: delivery.delivery })
  const taken = before === undefined ? undefined : { action: before.owner, run: before.run.id, tick: before.tick }
  // Another process may take the delivery in at the same time. Its claim shows that.
  return yield* Effect.catchTag(handle.deliver({ ...delivery, taken }), "ClaimRefused", (refused) =>
    refused.namespace === "delivery" ? handle.deliver({ ...delivery, taken: takenBy(refused) }) : Effect.fail(refused)
  )
})

/**
 * Checks the signature and the time of a delivery by a contract alone, before anything of a run is looked at. Answers
 * what is wrong with it, and counts that for operators.
 */
export const authenticate = Effect.fn("WebhookIntake.authenticate")(function* (
  webhook: Webhook.Webhook,
  arrived: ToolDelivery
) {
  const { fault } = yield* checked(webhook, arrived)
  // The tenant is what a stranger says, and would be a name without end among the counters.
  if (fault !== undefined) yield* count(fault, { tenant: "", tool: arrived.tool })
  return fault
})

/** Counts what is not authenticated. A body that its provider signed is, whatever it holds. */
const count = (fault: DeliveryFault, about: { readonly tenant: string; readonly tool: string }) =>
  fault === "body" ? Effect.void : Metric.update(Metric.withAttributes(unauthenticated, { ...about, fault }), 1)

const takenBy = ({ holder }: Claims.ClaimRefused): NonNullable<Delivery["taken"]> => ({
  action: holder.owner,
  run: holder.run,
  tick: holder.tick
})

/** Checks a delivery: finds its name, its parsed body and its fault. */
const checked = Effect.fnUntraced(function* (
  webhook: Webhook.Webhook,
  arrived: ToolDelivery
): Effect.fn.Return<Delivery, SecretInvalid | SecretMissing> {
  const { tool } = arrived
  const secrets = yield* secretsOf(tool, webhook)
  const signed = WebhookSignature.check(webhook.form, arrived, secrets, webhook.header)
  const text = WebhookSignature.textOf(arrived.body) ?? ""
  const body = parsed(text)
  const now = yield* Clock.currentTimeMillis
  if (signed === undefined || body === undefined) {
    const fault = signed === undefined ? "signature" : "body"
    return { tool, body: null, delivery: nameOf(tool, { text }), fault }
  }
  const id = Webhook.idOf(webhook, { body, signed })
  const delivery = nameOf(tool, id === undefined ? { text } : { id })
  const fault = Webhook.isTimely(webhook, { body, now, signed }) ? undefined : "time"
  return { tool, body, delivery, fault }
})

/** Names are kept apart by tool, so that two providers cannot collide. */
const nameOf = (tool: string, by: { readonly id: string } | { readonly text: string }): Digest.Digest =>
  Digest.ofJson("backstitch.delivery.1", { ...by, tool })

const secretsOf = Effect.fnUntraced(function* (tool: string, { form, secrets: variables }: Webhook.Webhook) {
  const found = yield* Effect.forEach(variables, (variable) =>
    Config.option(Config.Redacted(variable)).pipe(
      Effect.mapError(() => new SecretMissing({ tool, variables })),
      Effect.map((secret) => ({ variable, value: Option.isNone(secret) ? "" : Redacted.value(secret.value) }))
    )
  )
  const given = found.filter(({ value }) => value !== "")
  if (given.length === 0) return yield* new SecretMissing({ tool, variables })
  const wrong = given.find(({ value }) => !WebhookSignature.isSecret(form, value))
  if (wrong !== undefined) return yield* new SecretInvalid({ tool, form, variable: wrong.variable })
  return given.map(({ value }) => value)
})

/**
 * The run that holds the key in a body, at the webhook's place for it; `undefined` if no run of the tenant has begun
 * such an action. A provider knows the key, but not the run.
 *
 * **Gotchas**
 *
 * This proves nothing about the body: {@link deliver} checks the signature.
 */
export const runOf = Effect.fn("WebhookIntake.runOf")(function* (
  tenant: Tenant,
  webhook: Webhook.Webhook,
  arrived: Uint8Array
): Effect.fn.Return<Run | undefined, TraceStore.TraceStoreError, TraceStore.TraceStore> {
  const key = keyOf(webhook, arrived)
  if (key === undefined) return undefined
  const store = yield* TraceStore.TraceStore
  const [held] = yield* store.claims(tenant, { namespace: "key", name: key })
  return held?.run
})

/** The key in a body, at the webhook's place for it; `undefined` without one. Nothing proves the key. */
export const keyOf = (webhook: Webhook.Webhook, arrived: Uint8Array): string | undefined => {
  const body = parsed(WebhookSignature.textOf(arrived) ?? "")
  const key = body === undefined ? undefined : Expression.evaluate(webhook.key, { body })
  return key === undefined || Result.isFailure(key) || typeof key.success !== "string" || key.success === ""
    ? undefined
    : key.success
}

const parsed = (text: string): Json | undefined => {
  try {
    return withinSize(toTraceJson(Canonical.parse(text)))
  } catch {
    return undefined
  }
}
