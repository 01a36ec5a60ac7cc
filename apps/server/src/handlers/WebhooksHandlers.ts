/** Answers about the endpoints to which news of the caller's tenant are sent. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as WebhooksApi from "@backstitch/api/WebhooksApi"
import type * as EndpointAddress from "@backstitch/host/EndpointAddress"
import * as WebhookDesk from "@backstitch/host/WebhookDesk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { answer } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"
import * as Secrets from "../store/Secrets.ts"

/** Addresses to which webhooks may be sent: those of the public internet, unless the operator permits more. */
export const Permitted = Context.Reference<EndpointAddress.Options>("@backstitch/server/PermittedAddresses", {
  defaultValue: () => ({})
})

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "webhooks", (group) =>
  group.handleAll({
    list: () => answer(({ tenant }) => Effect.map(WebhookDesk.list(tenant), (webhooks) => ({ webhooks }))),
    create: (arrived) =>
      Writes.writeSecret(
        arrived,
        WebhooksApi.MadeWebhook,
        Effect.fnUntraced(function* ({ name, tenant }) {
          const permitted = yield* Permitted
          const tenantSecret = yield* (yield* Secrets.TenantSecrets)(tenant)
          return yield* WebhookDesk.create(tenant, { ...arrived.payload, by: name }, { ...permitted, tenantSecret })
        })
      ),
    remove: (arrived) =>
      Writes.write(arrived, WebhooksApi.Webhook, ({ name, tenant }) =>
        WebhookDesk.remove(tenant, { by: name, endpoint: arrived.params.endpoint })
      ),
    test: (arrived) =>
      Writes.write(
        arrived,
        WebhooksApi.TestedWebhook,
        Effect.fnUntraced(function* ({ tenant }) {
          const settings = { ...(yield* Permitted), tenantSecretOf: yield* Secrets.TenantSecrets }
          return yield* WebhookDesk.test(tenant, arrived.params.endpoint, settings)
        })
      )
  })
)
