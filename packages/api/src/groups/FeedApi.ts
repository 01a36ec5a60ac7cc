/** Routes that stream commits as they happen. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Paths from "../form/Paths.ts"
import * as Problem from "../form/Problem.ts"
import * as Limits from "../Limits.ts"

/** A transition as a flat event, as `watch --json` has it, without the states. Its other fields pass. */
export const Told = Schema.StructWithRest(
  Schema.Struct({
    run_id: Schema.String,
    tick: Schema.Finite,
    ts: Schema.String,
    author: Schema.String,
    transition_type: Schema.String,
    data: Schema.Json,
    link: Schema.String,
    story: Schema.String
  }),
  [Schema.Record(Schema.String, Schema.Json)]
).annotate({ identifier: "Told" })

/**
 * A commit of a run. With the id as `Last-Event-ID` the stream goes on behind it: a tick of the run, or a cursor over
 * all runs. A stream that cannot go on ends with the event `problem`, whose data is a problem.
 */
export const Event = Schema.Struct({
  id: Schema.optional(Schema.String),
  event: Schema.Literals(["transition", "problem"]),
  data: Schema.fromJsonString(Schema.Union([Told, ...Problem.schemas]))
})

const follow = HttpApiEndpoint.get("follow", "/runs/:run/events", {
  params: Paths.run,
  query: { from: Schema.optionalKey(Paths.Tick) },
  headers: { "last-event-id": Schema.optionalKey(Paths.Tick) },
  success: HttpApiSchema.StreamSse({ events: Event })
})

/** A place among the commits of all runs, as the ids of {@link followTenant} have it. */
const Cursor = Schema.String.check(Schema.isMaxLength(Limits.refusing.cursorCharactersMax))

const followTenant = HttpApiEndpoint.get("followTenant", "/events", {
  query: { from: Schema.optionalKey(Schema.Literals(["first", "now"])) },
  headers: { "last-event-id": Schema.optionalKey(Cursor) },
  success: HttpApiSchema.StreamSse({ events: Event })
})

/** The group of these routes. */
export const group = HttpApiGroup.make("feed")
  .add(Access.by("viewer", "Stream the transitions of all runs, from the first one or from now on")(followTenant))
  .add(Access.by("viewer", "Stream the transitions of a run, from a tick on or from now on")(follow))
  .annotate(OpenApi.Title, "Feed")
