/** Routes about predicates: those that bind a run, and those that somebody tries before a pack relies on them. */
import type * as BoundPredicates from "@backstitch/runtime/BoundPredicates"
import type * as Predicates from "@backstitch/runtime/Predicates"
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

/** The predicates that bind a run, as `predicate list RUN --json` has them. */
export const Bound = Document.of<BoundPredicates.BoundPredicates>()("Predicates", {
  run: Schema.String,
  predicates: Schema.Array(Document.part<Predicates.Binding>())
})

const list = HttpApiEndpoint.get("list", "/runs/:run/predicates", { params: Paths.run, success: Bound })

/** The verdicts of a predicate along a run, as `predicate test RUN --json` has them. */
export const Course = Document.of<Predicates.Course>()("Course", {
  id: Schema.String,
  run: Schema.String,
  ticks: Schema.Finite,
  course: Schema.Literals(["never", "kept", "recovered"])
})

const course = HttpApiEndpoint.get("course", "/runs/:run/predicates/course", {
  params: Paths.run,
  query: { predicate: Paths.Text },
  success: Course
})

/** A predicate as a pack has it. Code does not come over HTTP, so its condition is an expression. */
export const Violation = Schema.Struct({
  id: Paths.Name,
  when: Paths.Text,
  /** Types of transitions, and tools. */
  scope: Schema.optionalKey(Paths.names(Limits.refusing.scopeNamesMax)),
  each: Schema.optionalKey(Paths.Name),
  at: Schema.optionalKey(Schema.Literals(["before", "after"])),
  /** `true`: it never recovers; `lift`: it may. */
  monotone: Schema.Union([Schema.Literal(true), Schema.Literal("lift")])
})

const Samples = Schema.Array(Run.RunId).check(Schema.isMaxLength(Limits.refusing.sampledRunsMax))

/** A predicate that was tried and accepted, as `predicate register --json` has it. */
export const Tried = Document.of<BoundPredicates.Tried>()("Tried", { accepted: Schema.Boolean })

/** A predicate that was added to the pack of a run, as `predicate register --into RUN --json` has it. */
export const Added = Document.of<BoundPredicates.Added>()("Added", {
  accepted: Schema.Boolean,
  into: Schema.String,
  outcome: Document.part<BoundPredicates.Added["outcome"]>()
})

const attempt = HttpApiEndpoint.post("try", "/predicates/trials", {
  payload: Schema.Struct({ violation: Violation, samples: Samples.check(Schema.isMinLength(1)) }),
  success: Tried
})

const extend = HttpApiEndpoint.post("extend", "/runs/:run/predicates", {
  params: Paths.run,
  headers: WriteHeaders.headers,
  payload: Schema.Struct({
    violation: Violation,
    /** The runs on which it is tried before; the run itself without any. */
    samples: Schema.optionalKey(Samples)
  }),
  success: Added
})

/** The group of these routes. */
export const group = HttpApiGroup.make("predicates")
  .add(Access.by("viewer", "List the predicates that bind a run")(list))
  .add(
    Access.by("viewer", "Say where the verdict of a predicate changes along a run")(course.annotate(Access.Dear, true))
  )
  .add(Access.by("viewer", "Try a predicate on runs")(attempt.annotate(Access.Dear, true)))
  .add(Access.by("approver", "Add a predicate to the pack of a run, in the caller's name")(extend))
  .annotate(OpenApi.Title, "Predicates")
