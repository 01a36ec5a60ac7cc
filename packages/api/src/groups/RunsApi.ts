/** Routes that read runs: their standings, their transitions and states, and their verification. */
import type * as ActionPage from "@backstitch/runtime/ActionPage"
import type * as ClaimList from "@backstitch/runtime/ClaimList"
import type * as ClauseVerdicts from "@backstitch/runtime/ClauseVerdicts"
import type * as Explanation from "@backstitch/runtime/Explanation"
import type * as Ledger from "@backstitch/runtime/Ledger"
import type * as Receipt from "@backstitch/runtime/Receipt"
import type * as Report from "@backstitch/runtime/Report"
import type * as RunDiagnosis from "@backstitch/runtime/RunDiagnosis"
import type * as RunList from "@backstitch/runtime/RunList"
import type * as RunMetrics from "@backstitch/runtime/RunMetrics"
import type * as RunVerification from "@backstitch/runtime/RunVerification"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Claims from "@backstitch/trace/Claims"
import * as Run from "@backstitch/trace/Run"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Document from "../form/Document.ts"
import * as Paths from "../form/Paths.ts"

/** A run at a glance, as `runs --json` has it. */
export const Listed = Document.of<RunList.Listed>()("Listed", {
  run: Schema.String,
  ticks: Schema.Finite,
  goal: Schema.String,
  last: Schema.String,
  started: Schema.String,
  ended: Schema.String,
  head: Schema.String,
  story: Schema.String,
  parent: Schema.NullOr(Schema.Struct({ run: Schema.String, tick: Schema.Finite }))
})

/** A page of runs in the order of their names. `next` is the `after` of the next page; `null` on the last one. */
export const Runs = Schema.Struct({ runs: Schema.Array(Listed), next: Schema.NullOr(Schema.String) })

const list = HttpApiEndpoint.get("list", "/runs", {
  query: {
    after: Schema.optionalKey(Run.RunId),
    limit: Schema.optionalKey(Paths.Limit),
    since: Schema.optionalKey(Paths.Moment)
  },
  success: Runs
})

/** The standing of a run, verified from its first tick, as `resume RUN --json` without an agent has it. */
export const Standing = Document.of<Receipt.Receipt>()("Receipt", {
  run: Schema.String,
  parent: Schema.NullOr(Schema.Struct({ run: Schema.String, tick: Schema.Finite })),
  goal: Schema.String,
  status: Schema.Literals(["done", "held", "parked", "refused", "failed", "stopped"]),
  why: Schema.optional(Schema.String),
  transitions: Schema.Finite,
  head: Schema.String,
  verified: Schema.Boolean,
  compared: Schema.Finite,
  open: Schema.Array(Document.part<Receipt.UnsettledAction>()),
  asks: Schema.Array(Document.part<Receipt.WaitingCall>()),
  unmet: Schema.Array(Document.part<ClauseVerdicts.UnmetClause>()),
  violations: Schema.Array(Schema.Struct({ predicate: Schema.String, tick: Schema.Finite })),
  anomalies: Schema.Finite,
  artifacts: Schema.Array(Schema.String)
})

const show = HttpApiEndpoint.get("show", "/runs/:run", {
  params: Paths.run,
  // The tick, for `If-Match` of a write.
  success: HttpApiSchema.WithHeaders(Standing, { etag: Schema.String })
})

/** A page of transitions as flat events. `next` is the `from` of the next page; `null` at the head. */
export const Transitions = Schema.Struct({
  run_id: Schema.String,
  head: Schema.Struct({ tick: Schema.Finite, link: Schema.String, story: Schema.String }),
  parent: Schema.NullOr(Schema.Struct({ run: Schema.String, tick: Schema.Finite })),
  transitions: Schema.Array(Document.part<JsonObject>()),
  next: Schema.NullOr(Schema.Finite)
})

/** Names that are separated by commas. */
const Names = Schema.String.check(Schema.isMaxLength(2000))

const transitions = HttpApiEndpoint.get("transitions", "/runs/:run/transitions", {
  params: Paths.run,
  query: {
    from: Schema.optionalKey(Paths.Tick),
    to: Schema.optionalKey(Paths.Tick),
    limit: Schema.optionalKey(Paths.Limit),
    types: Schema.optionalKey(Names),
    fields: Schema.optionalKey(Names)
  },
  success: Transitions
})

/** The state of a run after a tick. */
export const State = Schema.Struct({
  run: Schema.String,
  tick: Schema.Finite,
  head: Schema.String,
  state: Document.part<JsonObject>()
})

const state = HttpApiEndpoint.get("state", "/runs/:run/states/:tick", {
  params: { ...Paths.run, tick: Paths.Tick },
  success: State
})

/** The verdict over a run, as `verify RUN --json` has it. */
export const Verdict = Document.of<RunVerification.RunVerdict>()("Verdict", {
  run: Schema.String,
  consistent: Schema.Boolean,
  anchored: Schema.Boolean,
  verdict: Schema.Literals(["consistent, anchored", "consistent, unanchored", "broken"]),
  badTick: Schema.NullOr(Schema.Finite),
  problem: Schema.NullOr(Schema.String),
  ticks: Schema.Finite,
  head: Schema.String,
  compared: Schema.Finite,
  unknown: Schema.Array(Schema.String)
})

const verify = HttpApiEndpoint.get("verify", "/runs/:run/verification", {
  params: Paths.run,
  query: { head: Schema.optionalKey(Paths.Name) },
  success: Verdict
})

/** The ledger of a run, as `ledger RUN --json` has it. */
export const Audited = Document.of<Ledger.Audited>()("Ledger", {
  run: Schema.String,
  entries: Schema.Array(Document.part<Ledger.Ledger[number]>()),
  complete: Schema.Finite,
  required: Schema.Finite
})

const ledger = HttpApiEndpoint.get("ledger", "/runs/:run/ledger", { params: Paths.run, success: Audited })

/** An action on one page, as `action ID --run RUN --json` has it. */
export const Page = Document.of<ActionPage.ActionPage>()("Action", {
  run: Schema.String,
  action: Schema.String,
  standing: Schema.String,
  say: Schema.String,
  unchecked: Schema.Array(Schema.String),
  trust: Schema.Finite,
  lacks: Schema.Array(Schema.String)
})

const action = HttpApiEndpoint.get("action", "/runs/:run/actions/:action", {
  params: { ...Paths.run, action: Paths.Name },
  success: Page
})

/** The report of a run, as `report RUN --json` has it. */
export const Told = Document.of<Report.Report>()("Report", {
  run: Schema.String,
  tick: Schema.Finite,
  standing: Schema.String,
  say: Schema.String,
  unfinished: Schema.NullOr(Schema.String),
  actions: Schema.Array(Document.part<Report.ActionReport>()),
  held: Schema.Array(Document.part<Report.HeldEntry>()),
  waits: Schema.Array(Document.part<Report.Report["waits"][number]>()),
  reviews: Schema.Array(Document.part<Report.HeldEntry>()),
  residue: Schema.Array(Schema.String)
})

const report = HttpApiEndpoint.get("report", "/runs/:run/report", { params: Paths.run, success: Told })

/** Measures with what they count, as `metrics --json` has them. */
export const Measures = Schema.Struct({
  runs: Schema.Finite,
  actions: Schema.Finite,
  anomalies: Schema.Record(Schema.String, Schema.Finite),
  alarms: Schema.Record(Schema.String, Schema.Finite),
  measures: Schema.Array(Document.part<RunMetrics.MeasureRow>())
})

const metrics = HttpApiEndpoint.get("metrics", "/runs/:run/metrics", { params: Paths.run, success: Measures })

const totals = HttpApiEndpoint.get("totals", "/metrics", {
  query: { since: Schema.optionalKey(Paths.Moment) },
  success: Measures
})

/** The measures of all runs in the text format of Prometheus, which sends the key as a bearer token. */
const prometheus = HttpApiEndpoint.get("prometheus", "/metrics/prometheus", {
  success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain; version=0.0.4" }))
})

/** An explanation of a tick, as `explain RUN@TICK --json` has it. */
export const Explained = Document.of<Explanation.Explanation>()("Explanation", {
  run: Schema.String,
  tick: Schema.Finite,
  type: Schema.String,
  verdict: Schema.String,
  about: Schema.String,
  why: Schema.String
})

const explain = HttpApiEndpoint.get("explain", "/runs/:run/explanations/:tick", {
  params: { ...Paths.run, tick: Paths.Tick },
  success: Explained
})

/** The diagnosis of a run, as `doctor --json` has it. `wrong` says that its result was wrong, which no trace shows. */
export const Diagnosed = Document.of<RunDiagnosis.RunDiagnosis>()("Diagnosis", {
  run: Schema.String,
  tick: Schema.Finite,
  looksLike: Document.part<RunDiagnosis.RunDiagnosis["looksLike"]>(),
  by: Document.part<RunDiagnosis.RunDiagnosis["by"]>(),
  say: Schema.String,
  agents: Schema.Array(Schema.String),
  isHealthy: Schema.Boolean,
  cracks: Schema.Array(Document.part<RunDiagnosis.CrackShown>()),
  repeats: Schema.Array(Document.part<RunDiagnosis.RepeatShown>()),
  violations: Schema.Array(Document.part<RunDiagnosis.ViolationShown>()),
  held: Schema.Array(Document.part<RunDiagnosis.HeldShown>())
})

const diagnose = HttpApiEndpoint.get("diagnose", "/runs/:run/diagnosis", {
  params: Paths.run,
  query: { wrong: Schema.optionalKey(Schema.Literals(["true", "false"])) },
  success: Diagnosed
})

/** Names that are held, with their holders and how each is released, as `claims --json` has them. */
export const HeldNames = Schema.Struct({ claims: Schema.Array(Document.part<ClaimList.ListedClaim>()) })

const claims = HttpApiEndpoint.get("claims", "/claims", {
  query: { namespace: Schema.optionalKey(Claims.Namespace), name: Schema.optionalKey(Paths.Text) },
  success: HeldNames
})

/** The group of these routes. */
export const group = HttpApiGroup.make("runs")
  .add(Access.by("viewer", "List runs")(list))
  .add(
    Access.by("viewer", "Show the standing of a run, verified from its first tick")(show.annotate(Access.Dear, true))
  )
  .add(Access.by("viewer", "List transitions of a run")(transitions))
  .add(Access.by("viewer", "Fold the state of a run after a tick")(state.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "Verify a run, and name the first bad tick")(verify.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "Project the ledger of a run")(ledger.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "Show an action on one page")(action.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "Say what a user may be told of a run")(report.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "Measure a run")(metrics.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "Measure all runs")(totals.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "Measure all runs, for Prometheus")(prometheus.annotate(Access.Dear, true)))
  .add(Access.by("viewer", "Explain the decision of a tick")(explain.annotate(Access.Dear, true)))
  .add(
    Access.by(
      "viewer",
      "Say which failure of its topology a run shows, and what to do first"
    )(diagnose.annotate(Access.Dear, true))
  )
  .add(Access.by("viewer", "List the names that actions and runs hold")(claims))
  .annotate(OpenApi.Title, "Runs")
