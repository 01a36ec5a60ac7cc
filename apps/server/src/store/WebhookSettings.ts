/** The settings of what a server sends: the secrets that sign it, and the addresses that are permitted. */
import type * as EndpointAddress from "@backstitch/host/EndpointAddress"
import type * as WebhookOutbox from "@backstitch/host/WebhookOutbox"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Secrets from "./Secrets.ts"

/** Service that has the settings. */
export class WebhookSettings extends Context.Service<WebhookSettings, WebhookOutbox.Settings>()(
  "@backstitch/server/WebhookSettings"
) {}

/** Layer of the settings of a store. */
export const layer = (settings: {
  readonly store: string
  readonly secrets: Secrets.EnvironmentSecrets
  readonly webhooks: EndpointAddress.Options
}) => {
  const { secrets, store, webhooks } = settings
  return Layer.succeed(WebhookSettings, { ...webhooks, tenantSecretOf: Secrets.secretOf(store, secrets) })
}
