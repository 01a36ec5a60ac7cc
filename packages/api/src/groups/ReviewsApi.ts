/** Routes for what waits for a person: approvals before an act, and reviews of held actions. */
import type * as HeldActions from "@backstitch/runtime/HeldActions"
import type * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import * as Digest from "@backstitch/trace/Digest"
import * as Run from "@backstitch/trace/Run"
import * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Document from "../form/Document.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"

const approvals = HttpApiEndpoint.get("approvals", "/approvals", {
  success: Schema.Struct({ approvals: Schema.Array(ApprovalCard.ApprovalCard) })
})

/** A decision and what came of it, as `approve --json` has it. */
export const Decided = Document.of<ReviewDecision.DecidedReview>()("Decided", {
  run: Schema.String,
  tool: Schema.String,
  review: Schema.String,
  verdict: Schema.Literals(["approved", "denied"]),
  by: Schema.String,
  ok: Schema.Boolean
})

const decide = HttpApiEndpoint.post("decide", "/runs/:run/approvals/:review", {
  params: { ...Paths.run, review: Paths.Name },
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    verdict: Schema.Literals(["approved", "denied"]),
    /** One of the caller's own roles of packs; needed if there are several that the review asks for. */
    role: Schema.optionalKey(Paths.Name),
    /** The digest of the card that the person saw: if another question waits by then, nothing is decided. */
    digest: Schema.optionalKey(Digest.Digest),
    reason: Paths.Text
  }),
  success: Decided
})

/** A held action with the reason, as `review --json` has it. */
export const HeldAction = Document.of<HeldActions.HeldAction>()("HeldAction", {
  run: Schema.String,
  action: Schema.String,
  tool: Schema.String,
  why: Schema.String,
  settled: Schema.Boolean
})

const reviews = HttpApiEndpoint.get("reviews", "/reviews", {
  query: { run: Schema.optionalKey(Run.RunId) },
  success: Schema.Struct({ held: Schema.Array(HeldAction) })
})

/** A settlement and what came of it, as `resolve --json` has it. */
export const Settled = Document.of<ReviewDecision.Settled>()("Settled", {
  run: Schema.String,
  action: Schema.String,
  as: Schema.String,
  by: Schema.String,
  evidence: Schema.String,
  ok: Schema.Boolean
})

const settle = HttpApiEndpoint.post("settle", "/runs/:run/reviews/:action", {
  params: { ...Paths.run, action: Paths.Name },
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    as: Schema.Literals(["success", "failure", "abandoned", "reopened", "resent", "noted"]),
    evidence: Paths.Text,
    record: Schema.optionalKey(Schema.Json)
  }),
  success: Settled
})

/** The group of these routes. */
export const group = HttpApiGroup.make("reviews")
  .add(Access.by("viewer", "List the approvals that wait for a person")(approvals))
  .add(Access.by("approver", "Approve or deny an intent that waits, in the caller's name")(decide))
  .add(Access.by("viewer", "List the held actions, with the reasons")(reviews))
  .add(Access.by("approver", "Settle a held action, in the caller's name")(settle))
  .annotate(OpenApi.Title, "Reviews")
