/**
 * Takes deliveries of providers in for hosted runs: by the tool, and without a key of this host.
 *
 * A provider is known by its signature alone, in the form and under the secret that the contract of the tool names. So
 * that is checked first, under the contracts of the agents: before it holds, nothing of any tenant is looked at, and
 * every answer is the same for a tenant that is there and for one that is not (L15). Then the run is found by the key
 * in the body, and its own contract decides.
 *
 * @source docs/decisions/0030, 0050
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Webhook from "@backstitch/contracts/Webhook"
import type { RawDelivery as Message } from "@backstitch/contracts/WebhookForm"
import * as DeliveryVerdict from "@backstitch/runtime/DeliveryVerdict"
import * as WebhookIntake from "@backstitch/runtime/WebhookIntake"
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Assignments from "../work/Assignments.ts"
import * as RunHost from "../work/RunHost.ts"

/** A delivery as it arrived: the tenant and the tool of its address, its headers by lower-case name, and its body. */
export interface AddressedDelivery extends Message {
  readonly tenant: Tenant
  readonly tool: string
}

/** Error for a tool of which no agent takes deliveries. */
export class DeliveryUnwanted extends Schema.TaggedError<DeliveryUnwanted>("@backstitch/host/DeliveryUnwanted")(
  "DeliveryUnwanted",
  { tool: Schema.String }
) {
  override get message(): string {
    return `No agent here takes deliveries about a tool "${this.tool}". Its contract has to declare a webhook`
  }
}

/** Error for a delivery that its provider has not signed, or signed for another time than now. */
export class DeliveryUnsigned extends Schema.TaggedError<DeliveryUnsigned>("@backstitch/host/DeliveryUnsigned")(
  "DeliveryUnsigned",
  { tool: Schema.String, fault: Schema.Literals(["signature", "time"]) }
) {
  override get message(): string {
    return this.fault === "time"
      ? `The delivery about ${this.tool} is of another time than now. The system of record is asked instead`
      : `The delivery about ${this.tool} is not signed in the form and under the secret that its contract names`
  }
}

/** Error for a delivery whose signature cannot be checked: the secret of its provider is not at hand. */
export class DeliveryUncheckable extends Schema.TaggedError<DeliveryUncheckable>(
  "@backstitch/host/DeliveryUncheckable"
)("DeliveryUncheckable", { tool: Schema.String }) {
  override get message(): string {
    return `Deliveries about ${this.tool} cannot be checked now. Deliver it again later`
  }
}

/** Error for a genuine delivery about no action here, or one that its contract cannot read. */
export class DeliveryRefused extends Schema.TaggedError<DeliveryRefused>("@backstitch/host/DeliveryRefused")(
  "DeliveryRefused",
  { tool: Schema.String, why: Schema.String }
) {
  override get message(): string {
    return `The delivery about ${this.tool} was not taken in: ${this.why}`
  }
}

/**
 * Finds the webhook, among those that packs declare of a tool, under which a delivery is genuine. Nothing is read from
 * a store, so that nobody without a signature makes a host look at anything.
 */
export const authenticate = Effect.fn("HostDeliveries.authenticate")(function* (
  packs: Iterable<TaskPack.TaskPack>,
  { tool, ...message }: Message & { readonly tool: string }
) {
  const webhooks = [...packs].flatMap((pack) => TaskPack.tool(pack, tool).webhook ?? [])
  if (webhooks.length === 0) return yield* new DeliveryUnwanted({ tool })
  let fault: "signature" | "time" | undefined
  for (const webhook of webhooks) {
    const checked = yield* Effect.result(WebhookIntake.authenticate(webhook, { tool, ...message }))
    if (Result.isFailure(checked)) yield* Effect.logError(checked.failure.message)
    else if (checked.success === undefined) return webhook
    else if (checked.success === "body") return yield* new DeliveryRefused({ tool, why: "its body is no JSON" })
    else if (fault !== "time") fault = checked.success
  }
  return yield* fault === undefined ? new DeliveryUncheckable({ tool }) : new DeliveryUnsigned({ tool, fault })
})

/** Takes a genuine delivery in, and answers the verdict on it. The run that waits for it goes on, wherever it is. */
export const take = Effect.fn("HostDeliveries.take")(function* (webhook: Webhook.Webhook, arrived: AddressedDelivery) {
  const { body, headers, tenant, tool } = arrived
  const run = yield* WebhookIntake.runOf(tenant, webhook, body)
  const assignment = run === undefined ? undefined : yield* Assignments.find(run)
  if (run === undefined || assignment === undefined) {
    return yield* new DeliveryRefused({ tool, why: "no action that was begun here has its key" })
  }
  const host = yield* RunHost.RunHost
  const taking = DeliveryVerdict.take({ tool, webhook, body, headers, run, tenant })
  const taken = yield* host.acting(run, assignment.agent)(taking)
  return taken.verdict === "refused" ? yield* new DeliveryRefused({ tool, why: taken.why ?? taken.verdict }) : taken
})
