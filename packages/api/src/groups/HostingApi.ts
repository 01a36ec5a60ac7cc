/** Routes with which runs are begun, continued and stopped, by the agents that the operator of the server has. */
import * as Run from "@backstitch/trace/Run"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"

/**
 * An agent of the server, with the pack under which it works. `agents` names the agents that work together in its runs;
 * none if it works alone.
 */
export const Agent = Schema.Struct({
  agent: Schema.String,
  agents: Schema.Array(Schema.String),
  pack: Schema.String,
  version: Schema.String,
  digest: Schema.String,
  goal: Schema.String
}).annotate({ identifier: "Agent" })

/** A run that waits for an agent which the server does not have, or has under another pack than the run. */
export const Lacking = Schema.Struct({
  run: Schema.String,
  agent: Schema.String,
  why: Schema.String
}).annotate({ identifier: "Lacking" })

const agents = HttpApiEndpoint.get("agents", "/agents", {
  success: Schema.Struct({ agents: Schema.Array(Agent), lacking: Schema.Array(Lacking) })
})

/** The standing of a run with the agent that works on it. */
export const Hosted = Schema.Struct({
  run: Schema.String,
  agent: Schema.String,
  /** `elsewhere`: another process works on it, or none that this one knows. */
  doing: Schema.Literals(["queued", "working", "waiting", "elsewhere", "ended", "cancelled", "failed"]),
  tick: Schema.Finite,
  waits: Schema.Array(Schema.Json),
  /** The time at which it looks by itself; `null` if it waits for somebody. */
  wakesAt: Schema.NullOr(Schema.String),
  /**
   * The reason of its end, or of its wait for an agent that the server does not have; `null` if nothing was left to do,
   * and for any other run that has not ended.
   */
  why: Schema.NullOr(Schema.String),
  /** The run that goes on with its task: after a revised goal, or a blocked subtask; `null` if there is none. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Hosted" })

/** A hosted run, once the write is durable. The work goes on after the answer. */
export const Accepted = Hosted.pipe(HttpApiSchema.status(202))

const start = HttpApiEndpoint.post("start", "/runs", {
  headers: { "idempotency-key": WriteHeaders.headers["idempotency-key"] },
  payload: Schema.Struct({
    run: Run.RunId,
    agent: Paths.Name,
    /** The id of the pack that the caller expects. */
    pack: Schema.optionalKey(Paths.Name),
    goal: Schema.optionalKey(Paths.Text),
    clauses: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
  }),
  success: Accepted
})

const hosting = HttpApiEndpoint.get("show", "/runs/:run/hosting", { params: Paths.run, success: Hosted })

const resume = HttpApiEndpoint.post("resume", "/runs/:run/resume", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({ agent: Schema.optionalKey(Paths.Name) }),
  success: Accepted
})

const cancel = HttpApiEndpoint.post("cancel", "/runs/:run/cancel", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({ reason: Paths.Text }),
  success: Accepted
})

/** The group of these routes. */
export const group = HttpApiGroup.make("hosting")
  .add(Access.by("viewer", "List the agents of the server")(agents))
  .add(Access.by("operator", "Begin a run, and give it to an agent")(start))
  .add(Access.by("viewer", "Say where a run stands with its agent")(hosting))
  .add(Access.by("operator", "Let an agent go on with a run")(resume))
  .add(Access.by("operator", "Stop the work on a run, on the record")(cancel))
  .annotate(OpenApi.Title, "Hosting")
