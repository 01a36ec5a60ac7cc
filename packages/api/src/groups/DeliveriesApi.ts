/**
 * The route for deliveries of providers, such as the webhook of a payment, routed by the tool that they are about.
 *
 * It asks for no key, since providers have none: a delivery is known by its signature, in the form that the contract of
 * the tool declares. The body is read as bytes, since its signature covers them.
 */
import * as Run from "@backstitch/trace/Run"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Paths from "../form/Paths.ts"
import * as Problem from "../form/Problem.ts"

/** A delivery that was taken in: 200 if its action does not wait any more, and 202 if it does. */
export const Delivered = Schema.Struct({
  tool: Schema.String,
  verdict: Schema.Literals(["settled", "known", "disputed", "replayed", "nothing_new", "failed", "held", "parked"]),
  action: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Delivered" })

const deliver = HttpApiEndpoint.post("deliver", "/deliveries/:tenant/:tool", {
  params: { tenant: Run.Tenant, tool: Paths.Name },
  success: [Delivered, Delivered.pipe(HttpApiSchema.status(202))],
  error: Problem.schemas
})

/** The group of this route. */
export const group = HttpApiGroup.make("deliveries")
  .add(
    deliver.annotateMerge(
      Access.bySignature("Take in a provider's signed delivery, as the contract of the tool declares it")
    )
  )
  .annotate(OpenApi.Title, "Deliveries")
