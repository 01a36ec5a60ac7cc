/** Answers about the endpoints to which news of the caller's tenant are sent. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as WebhooksApi from "@backstitch/api/WebhooksApi"
import * as WebhookDesk from "@backstitch/host/WebhookDesk"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { answer } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"
import * as Secrets from "../store/Secrets.ts"
import * as WebhookSettings from "../store/WebhookSettings.ts"

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "webhooks", (endpoints) =>
  endpoints.handleAll({
    list: () => answer(({ tenant }) => Effect.map(WebhookDesk.list(tenant), (webhooks) => ({ webhooks }))),
    create: (arrived) =>
      Writes.writeSecret(
        arrived,
        WebhooksApi.MadeWebhook,
        Effect.fnUntraced(function* ({ name, tenant }) {
          const settings = yield* WebhookSettings.WebhookSettings
          const tenantSecret = yield* (yield* Secrets.TenantSecrets)(tenant)
          return yield* WebhookDesk.create(tenant, { ...arrived.payload, by: name }, { ...settings, tenantSecret })
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
          return yield* WebhookDesk.test(tenant, arrived.params.endpoint, yield* WebhookSettings.WebhookSettings)
        })
      )
  })
)
