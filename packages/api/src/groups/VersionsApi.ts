/** Routes of version control over runs: where they part, where a failure began, what led to it, and forks. */
import type * as Bisecting from "@backstitch/runtime/Bisecting"
import type * as Blaming from "@backstitch/runtime/Blaming"
import type * as ContributorSearch from "@backstitch/runtime/ContributorSearch"
import type * as Forking from "@backstitch/runtime/Forking"
import type * as RunComparison from "@backstitch/runtime/RunComparison"
import * as Run from "@backstitch/trace/Run"
import type * as Effect from "effect/Effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Document from "../form/Document.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"
import * as Limits from "../Limits.ts"

/** An expression over the state, or the id of a predicate of the pack. */
const Predicate = Paths.Text

/** The place where two runs part, and their differences, as `diff A B --json` has it. */
export const Diff = Document.of<RunComparison.RunComparison>()("Diff", {})

const diff = HttpApiEndpoint.get("diff", "/runs/:run/diff/:other", {
  params: { ...Paths.run, other: Run.RunId },
  query: { from: Schema.optionalKey(Paths.Tick), to: Schema.optionalKey(Paths.Tick) },
  success: Diff
})

const recordDiff = HttpApiEndpoint.post("recordDiff", "/runs/:run/diff/:other", {
  params: { ...Paths.run, other: Run.RunId },
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    from: Schema.optionalKey(Paths.TickNumber),
    to: Schema.optionalKey(Paths.TickNumber),
    /** The kinds of differences to keep; all without any. */
    kinds: Schema.optionalKey(Schema.Array(Schema.Literals(["structural", "semantic", "confidence", "outcome"]))),
    /** The ticks at which the runs are taken to end, if not at their heads. */
    ends: Schema.optionalKey(
      Schema.Struct({ left: Schema.optionalKey(Paths.TickNumber), right: Schema.optionalKey(Paths.TickNumber) })
    )
  }),
  success: Diff
})

/** The first tick at which a predicate held, as `bisect RUN --predicate --json` has it. */
export const Onset = Document.of<Bisecting.WordedBisectResult>()("Onset", {
  run: Schema.String,
  onset: Schema.NullOr(Schema.Finite),
  evaluations: Schema.Finite,
  length: Schema.Finite
})

const bisect = HttpApiEndpoint.get("bisect", "/runs/:run/onset", {
  params: Paths.run,
  query: { predicate: Predicate },
  success: Onset
})

/** A question about a run: since which tick has something held? */
export const Asked = Schema.Union([
  Schema.Struct({ predicate: Predicate }),
  Schema.Struct({ _tag: Schema.Literal("Anomaly"), kind: Schema.optionalKey(Paths.Name) }),
  Schema.Struct({ _tag: Schema.Literal("PolicyFlip"), subject: Paths.Name }),
  Schema.Struct({ _tag: Schema.Literal("Divergence"), run: Run.RunId }),
  Schema.Struct({ _tag: Schema.Literal("Regression"), metric: Paths.Name })
])

const recordBisect = HttpApiEndpoint.post("recordBisect", "/runs/:run/onset", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    asked: Asked,
    /** The caller's verdict on what was wrong. */
    diagnosis: Schema.optionalKey(Schema.Literals(["state", "policy", "foundational"]))
  }),
  success: Onset
})

/** A minimal set of intents before an onset, as `contributors RUN --predicate --json` has it. */
export const Contributors = Document.of<Effect.Success<ReturnType<typeof ContributorSearch.contributors>>>()(
  "Contributors",
  {}
)

const contributors = HttpApiEndpoint.get("contributors", "/runs/:run/contributors", {
  params: Paths.run,
  query: { predicate: Predicate },
  success: Contributors
})

/** The transitions that set a field, as `blame RUN FIELD --json` has them. */
export const Blamed = Document.of<Blaming.Blamed>()("Blamed", {
  run: Schema.String,
  field: Schema.String,
  tick: Schema.Finite,
  settings: Schema.Array(Document.part<Blaming.Blamed["settings"][number]>())
})

const blame = HttpApiEndpoint.get("blame", "/runs/:run/blame", {
  params: Paths.run,
  query: {
    field: Paths.Text,
    tick: Schema.optionalKey(Paths.Tick),
    history: Schema.optionalKey(Schema.Literals(["true", "false"]))
  },
  success: Blamed
})

/** A fork that was made, as `fork --json` has it. */
export const Forked = Document.of<Forking.ShownFork>()("Forked", {
  run: Schema.String,
  parent: Schema.String,
  at: Schema.Finite,
  pack: Schema.NullOr(Schema.String),
  compared: Schema.Finite
})

const fork = HttpApiEndpoint.post("fork", "/runs/:run/forks", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    /** The last tick to share. */
    at: Paths.TickNumber,
    run: Schema.optionalKey(Run.RunId),
    reason: Schema.optionalKey(Paths.Text),
    /** Expressions that refuse a tool call from there on. */
    policy: Schema.optionalKey(Schema.Array(Paths.Text).check(Schema.isMaxLength(Limits.refusing.forkRulesMax))),
    /** `TOOL=deny` and `TOOL=approve`. */
    toolPolicy: Schema.optionalKey(Paths.names(Limits.refusing.forkRulesMax)),
    budget: Schema.optionalKey(Paths.names(Limits.refusing.forkRulesMax)),
    behindUndone: Schema.optionalKey(Schema.Boolean)
  }),
  success: Forked
})

/** The group of these routes. */
export const group = HttpApiGroup.make("versions")
  .add(Access.by("viewer", "Compare two runs")(diff.annotate(Access.Dear, true)))
  .add(
    Access.by(
      "operator",
      "Compare two runs, and commit the comparison to the first"
    )(recordDiff.annotate(Access.Dear, true))
  )
  .add(Access.by("viewer", "Find the first tick at which a predicate held")(bisect.annotate(Access.Dear, true)))
  .add(
    Access.by(
      "operator",
      "Find a first tick, and commit the answer to the run"
    )(recordBisect.annotate(Access.Dear, true))
  )
  .add(
    Access.by("viewer", "Find a minimal set of intents that led to an onset")(contributors.annotate(Access.Dear, true))
  )
  .add(Access.by("viewer", "Say which transitions set a field")(blame.annotate(Access.Dear, true)))
  .add(Access.by("operator", "Fork a run from one of its ticks")(fork))
  .annotate(OpenApi.Title, "Versions")
