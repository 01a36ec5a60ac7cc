/** Routes on the subtasks of a run: their checkpoints, why one may not go back, and the restore of one. */
import type * as LiveRun from "@backstitch/runtime/LiveRun"
import type * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Document from "../form/Document.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"

/** The subtasks of a run, as `instances RUN --json` has them. */
export const Instances = Schema.Struct({
  run: Schema.String,
  instances: Schema.Array(Document.part<SubtaskReport.InstanceShown>())
})

const instances = HttpApiEndpoint.get("instances", "/runs/:run/instances", { params: Paths.run, success: Instances })

/** The points to which the subtasks of a run may go back, as `checkpoints RUN --json` has them. */
export const Checkpoints = Schema.Struct({
  run: Schema.String,
  checkpoints: Schema.Array(Document.part<SubtaskReport.CheckpointShown>())
})

const checkpoints = HttpApiEndpoint.get("checkpoints", "/runs/:run/checkpoints", {
  params: Paths.run,
  success: Checkpoints
})

/** The subtask that is asked about, and the kinds of checkpoints that may be restored. */
const question = {
  /** The name of a subtask, as `instances` has it: that of the last failure, unless one is given. */
  instance: Schema.optionalKey(Paths.Name),
  /** The latest kind of checkpoint that may be restored: `commit`, unless another is given. */
  policy: Schema.optionalKey(Schema.Literals(["entry", "commit", "exit"]))
} as const

/** A recovery as it is judged: the checkpoint, or the reasons against one, as `why-blocked RUN --json` has it. */
export const Judgment = Document.of<SubtaskReport.Judgment>()("Judgment", {
  run: Schema.String,
  admitted: Schema.Boolean
})

const judge = HttpApiEndpoint.get("judge", "/runs/:run/recovery", {
  params: Paths.run,
  query: question,
  success: Judgment
})

/** A recovery that was asked for, and its outcome, as `recover RUN --yes --json` has it. */
export const Restored = Document.of<LiveRun.Restored>()("Restored", {
  run: Schema.String,
  admitted: Schema.Boolean,
  done: Schema.Boolean,
  outcome: Schema.NullOr(Document.part<NonNullable<LiveRun.Restored["outcome"]>>())
})

const recover = HttpApiEndpoint.post("recover", "/runs/:run/recovery", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    ...question,
    reason: Paths.Text,
    /** The agent whose tools undo effects, by its name: the one that has the run, unless another is given. */
    agent: Schema.optionalKey(Paths.Name)
  }),
  success: Restored
})

/** The group of these routes. */
export const group = HttpApiGroup.make("recovery")
  .add(Access.by("viewer", "List the subtasks of a run")(instances.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "List the checkpoints of the subtasks of a run")(checkpoints.annotate(Access.Dear, true)))
  .add(
    Access.by(
      "viewer",
      "Say whether a subtask may go back, and what keeps it from that"
    )(judge.annotate(Access.Dear, true))
  )
  .add(Access.by("operator", "Take a subtask back to a checkpoint, with its effects undone")(recover))
  .annotate(OpenApi.Title, "Recovery")
