/** Routes for the endpoints of a tenant to which news of its runs are sent. */
import { NewsType } from "@backstitch/runtime/NewsType"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"
import * as Limits from "../Limits.ts"

/** An endpoint without its secret, which is shown once and kept by nobody but its holder. */
export const Webhook = Schema.Struct({
  endpoint: Schema.String,
  /** The reason why its note cannot be read: nothing is sent to it, and it can be removed. */
  unread: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  types: Schema.Array(NewsType),
  /** `true` if it is sent the arguments of the calls that wait for an approval. */
  shows: Schema.Boolean,
  since: Schema.NullOr(Schema.String),
  /** It has answered that it wants no more. */
  gone: Schema.Boolean,
  /** The last message that was given up. */
  failed: Schema.NullOr(Schema.Struct({ at: Schema.String, why: Schema.String })),
  /** The messages that it has not taken yet, with the attempts of the one that is tried next. */
  undelivered: Schema.NullOr(
    Schema.Struct({
      messages: Schema.Finite,
      attempts: Schema.Finite,
      dueAt: Schema.String,
      why: Schema.NullOr(Schema.String)
    })
  )
}).annotate({ identifier: "Webhook" })

/** An endpoint that was made, with its secret. */
export const MadeWebhook = Schema.Struct({ webhook: Webhook, secret: Schema.String }).annotate({
  identifier: "MadeWebhook"
})

/** The outcome of a test: the endpoint took it, wants no more, or did not take it, and why. */
export const TestedWebhook = Schema.Struct({
  endpoint: Schema.String,
  outcome: Schema.Literals(["taken", "gone", "refused"]),
  why: Schema.NullOr(Schema.String)
}).annotate({ identifier: "TestedWebhook" })

const list = HttpApiEndpoint.get("list", "/webhooks", { success: Schema.Struct({ webhooks: Schema.Array(Webhook) }) })

const create = HttpApiEndpoint.post("create", "/webhooks", {
  headers: WriteHeaders.named,
  payload: Schema.Struct({
    url: Schema.String.check(Schema.isMaxLength(Limits.refusing.addressCharactersMax)),
    types: Schema.optionalKey(Schema.NonEmptyArray(NewsType)),
    shows: Schema.optionalKey(Schema.Boolean)
  }),
  success: MadeWebhook.pipe(HttpApiSchema.status(201))
})

const remove = HttpApiEndpoint.delete("remove", "/webhooks/:endpoint", {
  headers: WriteHeaders.named,
  params: { endpoint: Paths.Name },
  success: Webhook
})

const test = HttpApiEndpoint.post("test", "/webhooks/:endpoint/test", {
  headers: WriteHeaders.named,
  params: { endpoint: Paths.Name },
  success: TestedWebhook
})

/** The group of these routes. */
export const group = HttpApiGroup.make("webhooks")
  .add(Access.by("admin", "List the endpoints to which news are sent, with what they have not taken yet")(list))
  .add(Access.by("admin", "Make an endpoint, whose secret is shown once")(create))
  .add(Access.by("admin", "Remove an endpoint, and drop its messages")(remove))
  .add(Access.by("admin", "Send an endpoint a test, once")(test))
  .annotate(OpenApi.Title, "Webhooks")
