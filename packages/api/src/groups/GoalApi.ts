/** Routes on the goal of a run: its clauses, the plan of a revision, and a revision in the name of the caller. */
import type * as RunGoal from "@backstitch/runtime/RunGoal"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Document from "../form/Document.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"
import * as Limits from "../Limits.ts"

/** The clauses of the goal of a run, and its revisions, as `spec --json` has them. */
export const Specification = Document.of<RunGoal.Specification>()("Specification", {
  run: Schema.String,
  goal: Schema.String,
  permitted: Schema.Boolean,
  follows: Schema.Array(Schema.String),
  clauses: Schema.Array(Document.part<RunGoal.Specification["clauses"][number]>()),
  withdrawn: Schema.Array(Schema.String),
  revisions: Schema.Array(Document.part<RunGoal.Specification["revisions"][number]>())
})

const specification = HttpApiEndpoint.get("specification", "/runs/:run/goal", {
  params: Paths.run,
  success: Specification
})

/** One change of the clauses of a goal. The condition of an added clause is an expression over the state. */
export const RevisionChange = Schema.Union([
  Schema.Struct({
    change: Schema.Literal("add"),
    clause: Paths.Name,
    holds: Paths.Text,
    value: Schema.optionalKey(Schema.Json),
    description: Schema.optionalKey(Paths.Text)
  }),
  Schema.Struct({ change: Schema.Literal("prioritise"), clauses: Paths.names(Limits.refusing.revisionChangesMax) }),
  Schema.Struct({ change: Schema.Literal("set"), clause: Paths.Name, value: Schema.Json }),
  Schema.Struct({ change: Schema.Literal("withdraw"), clause: Paths.Name })
]).annotate({ identifier: "RevisionChange" })

/** One change, as a client sends it. */
export type RevisionChange = typeof RevisionChange.Type

/** The parts of a revision that decide what a plan keeps and undoes. */
const planned = {
  changes: Schema.optionalKey(
    Schema.Array(RevisionChange).check(Schema.isMaxLength(Limits.refusing.revisionChangesMax))
  ),
  /** Acts about which no contract decides, and which fit. */
  keeps: Schema.optionalKey(Paths.names(Limits.refusing.keptActsMax)),
  /** Gives up as lost what would block the absorption. */
  widens: Schema.optionalKey(Schema.Boolean)
} as const

/** The plan of a revision: what it keeps, undoes and loses, and its price, as `plan --json` has it. */
export const Plan = Document.of<RunGoal.RunRevisionPlan>()("Plan", {
  run: Schema.String,
  possible: Schema.Boolean,
  waits: Schema.Boolean,
  revisions: Schema.Array(Schema.Finite),
  rule: Schema.String,
  conflicts: Schema.Array(Document.part<RunGoal.RunRevisionPlan["conflicts"][number]>()),
  undo: Schema.Array(Document.part<RunGoal.RunRevisionPlan["undo"][number]>()),
  lost: Schema.Array(Document.part<RunGoal.RunRevisionPlan["lost"][number]>()),
  obstacles: Schema.Array(Document.part<RunGoal.RunRevisionPlan["obstacles"][number]>()),
  price: Document.part<RunGoal.RunRevisionPlan["price"]>()
})

const plan = HttpApiEndpoint.post("plan", "/runs/:run/goal/plan", {
  params: Paths.run,
  payload: Schema.Struct(planned),
  success: Plan
})

/** A revision that was recorded or rehearsed, and its plan, as `inject --json` has it. */
export const Revised = Document.of<RunGoal.RequestedRevision>()("Revised", {
  run: Schema.String,
  changes: Schema.Array(Document.part<RunGoal.RequestedRevision["changes"][number]>()),
  plan: Schema.NullOr(Document.part<NonNullable<RunGoal.RequestedRevision["plan"]>>()),
  done: Schema.Boolean,
  followUp: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(Document.part<NonNullable<RunGoal.RequestedRevision["outcome"]>>())
})

/** Words that the agent of the run turns into changes. They come before the other changes. */
const words = Schema.optionalKey(Paths.Text)

const rehearse = HttpApiEndpoint.post("rehearse", "/runs/:run/revisions/rehearsal", {
  params: Paths.run,
  payload: Schema.Struct({ ...planned, words }),
  success: Revised
})

const inject = HttpApiEndpoint.post("inject", "/runs/:run/revisions", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    ...planned,
    kind: Schema.optionalKey(
      Schema.Literals(["additive", "restrictive", "substitutive", "cancellation", "priority_shift"])
    ),
    words,
    /** Words of which the changes are made already, for the record. */
    said: Schema.optionalKey(Paths.Text)
  }),
  success: Revised
})

/** The group of these routes. */
export const group = HttpApiGroup.make("goal")
  .add(
    Access.by(
      "viewer",
      "List the clauses of a run's goal, and its revisions"
    )(specification.annotate(Access.Dear, true))
  )
  .add(
    Access.by(
      "viewer",
      "Plan a revision, or those that are pending, and record nothing"
    )(plan.annotate(Access.Dear, true))
  )
  .add(
    Access.by(
      "operator",
      "Have the agent of a run read what a user says, plan the revision, and record nothing"
    )(rehearse)
  )
  .add(Access.by("operator", "Revise the goal of a run, in the caller's name")(inject))
  .annotate(OpenApi.Title, "Goal")
