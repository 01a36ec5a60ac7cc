/**
 * Routes about branches: the graph of forks, and intents, whole branches and fields that are carried from one run to
 * another.
 */
import type * as CherryPicking from "@backstitch/runtime/CherryPicking"
import type * as ForkGraph from "@backstitch/runtime/ForkGraph"
import type * as Rebasing from "@backstitch/runtime/Rebasing"
import type * as Seeding from "@backstitch/runtime/Seeding"
import * as Run from "@backstitch/trace/Run"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Document from "../form/Document.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"
import * as Limits from "../Limits.ts"

/** The agent of the server whose tools carry calls out. Without one, no tool is called. */
const agent = { agent: Schema.optionalKey(Paths.Name) } as const

/** The run of that id, and another one. */
const pair = { ...Paths.run, other: Run.RunId } as const

/** The graph of forks, newest tick first, as `log --json` has it. */
export const Graph = Schema.Struct({
  ticks: Schema.Array(Document.part<ForkGraph.Tick>()),
  omitted: Schema.Finite
}).annotate({ identifier: "Graph" })

const log = HttpApiEndpoint.get("log", "/log", {
  query: { run: Schema.optionalKey(Run.RunId), limit: Schema.optionalKey(Paths.Limit) },
  success: Graph
})

/** An intent that was carried to another run, or the verdict over it, as `cherry-pick --json` has it. */
export const Picked = Document.of<CherryPicking.PickedShown>()("Picked", {
  dryRun: Schema.Boolean,
  conclusion: Schema.String
})

const rehearsePick = HttpApiEndpoint.get("rehearsePick", "/runs/:run/picks/:other/:tick", {
  params: { ...pair, tick: Paths.Tick },
  success: Picked
})

const pick = HttpApiEndpoint.post("pick", "/runs/:run/picks/:other/:tick", {
  params: { ...pair, tick: Paths.Tick },
  headers: WriteHeaders.headers,
  payload: Schema.Struct(agent),
  success: Picked
})

/** A branch that was replayed onto another run, or the prediction of it, as `rebase --json` has it. */
export const Rebased = Document.of<Rebasing.Rebased>()("Rebased", {
  run: Schema.String,
  status: Schema.Literals(["up to date", "done", "stopped", "aborted", "rehearsed"]),
  replayed: Schema.Array(Document.part<Rebasing.Replayed>()),
  conflict: Schema.optional(Document.part<Rebasing.Conflict>())
})

const rehearseRebase = HttpApiEndpoint.get("rehearseRebase", "/runs/:run/rebases/:other", {
  params: pair,
  query: { as: Schema.optionalKey(Run.RunId) },
  success: Rebased
})

const rebase = HttpApiEndpoint.post("rebase", "/runs/:run/rebases/:other", {
  params: pair,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({ as: Schema.optionalKey(Run.RunId), ...agent }),
  success: Rebased
})

const continueRebase = HttpApiEndpoint.post("continueRebase", "/runs/:run/rebase/continue", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    /** Leaves out the intent at which it stopped. */
    skip: Schema.optionalKey(Schema.Boolean),
    ...agent
  }),
  success: Rebased
})

const abortRebase = HttpApiEndpoint.post("abortRebase", "/runs/:run/rebase/abort", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  success: Rebased
})

/** A run that was begun from parts of others, as `seed --json` has it. */
export const Seeded = Document.of<Seeding.ShownSeed>()("Seeded", {
  run: Schema.String,
  pack: Schema.String,
  goal: Schema.String,
  dryRun: Schema.Boolean,
  imports: Schema.Array(Document.part<CherryPicking.Picked>())
})

const seed = HttpApiEndpoint.post("seed", "/seeds", {
  headers: WriteHeaders.named,
  payload: Schema.Struct({
    run: Run.RunId,
    /** A field as it was after a tick or, without a field, the intent at that tick. */
    from: Schema.Array(
      Schema.Struct({
        run: Run.RunId,
        tick: Paths.TickNumber,
        field: Schema.optionalKey(Paths.Name)
      })
    ).check(Schema.isMinLength(1), Schema.isMaxLength(Limits.refusing.seedPartsMax)),
    goal: Schema.optionalKey(Paths.Text),
    clauses: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    ...agent
  }),
  success: Seeded
})

/** The group of these routes. */
export const group = HttpApiGroup.make("branches")
  .add(Access.by("viewer", "Show runs as a graph of forks, newest tick first")(log))
  .add(Access.by("viewer", "Say whether an intent of another run fits a run")(rehearsePick.annotate(Access.Dear, true)))
  .add(Access.by("operator", "Carry an intent of another run to a run")(pick))
  .add(
    Access.by(
      "viewer",
      "Say how the intents of a branch would fit another run"
    )(rehearseRebase.annotate(Access.Dear, true))
  )
  .add(Access.by("operator", "Replay the intents of a branch onto another run")(rebase))
  .add(Access.by("operator", "Go on with a rebase that stopped")(continueRebase))
  .add(Access.by("operator", "Give a rebase up")(abortRebase))
  .add(Access.by("operator", "Begin a run from parts of others")(seed))
  .annotate(OpenApi.Title, "Branches")
