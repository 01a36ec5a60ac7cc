/**
 * Takes in what providers deliver: checks the signature, and lets the kernel decide what the body comes to.
 *
 * The contract of the tool names the environment variable of the secret. What
 * is not signed with it is an anomaly and changes nothing; what is, counts
 * once. The secret reaches no trace and no log.
 *
 * @since 0.1.0
 */

import * as Expression from "@backstitch/contracts/Expression"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Webhook from "@backstitch/contracts/Webhook"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Hmac from "@backstitch/trace/Hmac"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fitting } from "./internal/fitting.ts"
import { recordable } from "./internal/recordable.ts"
import * as Library from "./Library.ts"
import type * as RunHandle from "./RunHandle.ts"

/**
 * What arrived: the tool that it is about, the body as it came, and its signature, HMAC-SHA-256 in hex.
 *
 * @category models
 * @since 0.1.0
 */
export interface Arrived {
  readonly tool: string
  readonly body: string
  readonly signature: string
}

/**
 * Error for a delivery that cannot be checked, because nobody knows under which secret.
 *
 * @category errors
 * @since 0.1.0
 */
export class SecretMissing extends Schema.TaggedError<SecretMissing>("@backstitch/runtime/SecretMissing")(
  "SecretMissing",
  { tool: Schema.String, variable: Schema.NullOr(Schema.String) }
) {
  override get message(): string {
    return this.variable === null
      ? `The contract of ${this.tool} has no webhook. Declare one with the name of its secret`
      : `What is delivered about ${this.tool} cannot be checked: set ${this.variable} to the secret of its provider`
  }
}

/**
 * Takes a delivery in. A body that is no JSON is taken for one whose signature does not fit.
 *
 * **Details**
 *
 * A signature may have the prefix `sha256=`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const deliver = Effect.fn("Delivering.deliver")(function* (handle: RunHandle.RunHandle, arrived: Arrived) {
  const { body: text, signature, tool } = arrived
  const library = yield* Library.Library
  const { head, state } = yield* handle.position
  const pack = yield* library.folding(() => library.packAt(state, head.tick + 1))
  const webhook = TaskPack.tool(pack, tool).webhook
  if (webhook === undefined) return yield* new SecretMissing({ tool, variable: null })
  const variable = webhook.secret
  const secret = yield* Effect.mapError(Config.Redacted(variable), () => new SecretMissing({ tool, variable }))
  if (Redacted.value(secret) === "") return yield* new SecretMissing({ tool, variable })
  const isSigned = Hmac.isSigned(Redacted.value(secret), text, signature.replace(/^sha256=/, "").toLowerCase())
  const body = parsed(text)
  return yield* handle.deliver({
    tool,
    body: body ?? null,
    delivery: Digest.ofBytes(`backstitch.delivery.1\n${text}`),
    isGenuine: isSigned && body !== undefined
  })
})

/**
 * The run that holds the key which a body names, as a webhook finds it there; `undefined` where no run of the tenant
 * has begun such an action. A provider knows the key, and nothing of runs.
 *
 * **Gotchas**
 *
 * Nothing of the body is proven by this: {@link deliver} checks the signature.
 *
 * @category getters
 * @since 0.1.0
 */
export const runOf = Effect.fn("Delivering.runOf")(function* (
  tenant: Tenant,
  webhook: Webhook.Webhook,
  text: string
): Effect.fn.Return<Run | undefined, TraceStore.TraceStoreError, TraceStore.TraceStore> {
  const body = parsed(text)
  const key = body === undefined ? undefined : Expression.evaluate(webhook.key, { body })
  if (key === undefined || Result.isFailure(key) || typeof key.success !== "string" || key.success === "") {
    return undefined
  }
  const store = yield* TraceStore.TraceStore
  const [held] = yield* store.claims(tenant, { namespace: "key", name: key.success })
  return held?.run
})

const parsed = (text: string): Json | undefined => {
  try {
    return fitting(recordable(Canonical.parse(text)))
  } catch {
    return undefined
  }
}
