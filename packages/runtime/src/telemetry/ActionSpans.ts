/**
 * The spans of an action, through any installed tracer of Effect. Without a tracer there is no cost.
 *
 * One span, `backstitch.action`, covers the action. Below it is the chain of Action Verification, each span linked to
 * the one before: inference, validation, wrapper, execution, verification, reconciliation, and recovery if needed.
 * Steps that call the world are spans while they last, so that a tool's own spans are below them. The others are
 * written when the action rests, with the times of their transitions. All of them carry what the ledger knows by
 * then.
 *
 * The action's first transition names its span in the envelope, and the spans name the ledger entry, so each leads to
 * the other. A process that was killed has sent no spans; the spans of its successor are linked to the name in the
 * envelope.
 *
 * @source Action Verification, "Trace Linkage and Context Propagation"
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Decided } from "@backstitch/kernel/Decision"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as Form from "@backstitch/trace/Form"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import type { HistoryError } from "../history/History.ts"
import * as SpanAttributes from "./SpanAttributes.ts"

/** The spans of one action while it is carried out. `name` is the name in its transitions. */
export interface ActionSpans {
  readonly name: string
  readonly tracer: Tracer.Tracer
  readonly root: Tracer.Span
  readonly steps: Array<Step>
}

interface Step {
  readonly name: SpanAttributes.Span
  readonly span: Tracer.Span
  readonly from: bigint
  readonly to: bigint
  readonly exit: Exit.Exit<unknown, unknown>
}

/** The span in which a planner arrived at its next proposal. */
export const Inference = Context.Reference<Thought | undefined>("@backstitch/runtime/Inference", {
  defaultValue: () => undefined
})

/** When a planner began to think, and when it answered, in nanoseconds. */
export interface Thought {
  readonly from: bigint
  readonly to: bigint
}

/**
 * Measures how long a planner thinks, if a tracer is installed, so that the spans of its proposal begin with that
 * time.
 */
export const thinking = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  if ((yield* installed) === undefined) return { value: yield* effect, thought: undefined }
  const from = yield* nanos
  const value = yield* effect
  const thought: Thought = { from, to: yield* nanos }
  return { value, thought }
})

/** Adds to a proposal when the planner thought of it. */
export const thought = <A, E, R>(effect: Effect.Effect<A, E, R>, when: Thought | undefined): Effect.Effect<A, E, R> =>
  when === undefined ? effect : Effect.provideService(effect, Inference, when)

/** An action that is carried out: its present id, and its spans. */
export interface Traced {
  action: string
  tracing?: ActionSpans | undefined
}

/** The place of an action: the tick of its request or an earlier one, the pack in force, and its transitions. */
export interface ActionPlace {
  readonly run: Run
  readonly tool: string | undefined
  readonly tick: number
  readonly pack: Effect.Effect<TaskPack.TaskPack | undefined, HistoryError>
  readonly read: Effect.Effect<ReadonlyArray<Transition>, HistoryError>
}

/**
 * Carries an action out until it rests, inside its spans if a tracer is installed. The chain is added as its
 * transitions show it, unless nothing was carried out.
 */
export const around = <A extends { readonly _tag: string }, E, R>(
  self: Traced,
  about: ActionPlace,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(installed, (tracer) =>
    tracer === undefined || about.tool === undefined ? work : spanned(self, about, { tracer, work })
  )

const spanned = Effect.fnUntraced(function* <A extends { readonly _tag: string }, E, R>(
  self: Traced,
  about: ActionPlace,
  { tracer, work }: { readonly tracer: Tracer.Tracer; readonly work: Effect.Effect<A, E, R> }
) {
  const tracing = yield* begin(self, about, tracer)
  const { root, steps } = tracing
  self.tracing = tracing
  const exit = yield* Effect.exit(Effect.withParentSpan(work, root))
  const to = yield* nanos
  if (Exit.isSuccess(exit)) {
    root.attribute("backstitch.outcome", exit.value._tag.toLowerCase())
    // An action does not fail because its telemetry cannot be written.
    yield* Effect.ignore(Effect.map(known(self, about), (entry) => chain(tracing, entry, to)))
  }
  for (const step of steps) step.span.end(step.to, step.exit)
  root.end(to, Exit.isSuccess(exit) ? Exit.void : exit)
  return yield* exit
})

/** An action that another process has begun is linked to the span that its trace names. */
const begin = Effect.fnUntraced(function* (self: Traced, about: ActionPlace, tracer: Tracer.Tracer) {
  const thought = yield* Inference
  const found = self.action === "" ? undefined : yield* Effect.option(about.read)
  const origin =
    found === undefined || Option.isNone(found) ? undefined : ActionHistories.of(found.value, self.action)?.trace
  const span = yield* Effect.makeSpan("backstitch.action", {
    attributes: { "workflow.run_id": about.run.id, "tool.name": about.tool ?? "" },
    links: origin === undefined ? [] : [linkTo(external(origin))]
  })
  const root = thought === undefined ? span : startedAt(tracer, span, thought.from)
  const tracing: ActionSpans = { name: `${root.traceId}-${root.spanId}`, tracer, root, steps: [] }
  if (thought !== undefined) tracing.steps.push(recorded(tracing, "inference", thought.from, thought.to))
  return tracing
})

/** Runs a step that calls the world in a span of its own, below that of the action. */
export const step = <A, E, R>(
  self: ActionSpans | undefined,
  name: SpanAttributes.Span,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  self === undefined
    ? effect
    : Effect.gen(function* () {
        const span = yield* Effect.makeSpan(`backstitch.${name}`, { parent: self.root, kind: "client" })
        const from = yield* nanos
        const exit = yield* Effect.exit(Effect.withParentSpan(effect, span))
        self.steps.push({ name, span, from, to: yield* nanos, exit })
        return yield* exit
      })

const isSpan = Schema.is(Form.Span)

/** Names the span in the transitions of a decision, unless its tracer uses another form of ids. */
export const named = <D extends Decided>(self: ActionSpans | undefined, decision: D): D =>
  self === undefined || !isSpan(self.name)
    ? decision
    : {
        ...decision,
        drafts: decision.drafts.map((draft) => {
          const { ts, ...envelope } = draft.envelope
          return { ...draft, envelope: { ...envelope, trace: self.name, ts } }
        })
      }

/** The action as its transitions show it, and its entry in the ledger. */
const known = Effect.fnUntraced(function* ({ action }: Traced, { pack, read, run }: ActionPlace) {
  const history = ActionHistories.of(yield* read, action)
  if (history === undefined) return undefined
  const terms: ActionLedgerEntry.Terms = { pack: yield* pack }
  const entry = ActionLedgerEntry.fromHistory(history, {
    run: run.id,
    tenant: run.tenant,
    termsAt: () => terms
  })
  return { history, values: SpanAttributes.of(entry), genAi: SpanAttributes.genAi(entry) }
})

interface Known {
  readonly history: ActionHistory.ActionHistory
  readonly values: SpanAttributes.Values
  readonly genAi: ReturnType<typeof SpanAttributes.genAi>
}

const chain = (self: ActionSpans, entry: Known | undefined, to: bigint): void => {
  if (entry === undefined) return
  self.steps.push(...decided(self, entry.history, to))
  self.steps.sort((one, other) => Number(one.from - other.from) || order(one) - order(other))
  self.steps.forEach(({ span }, index) => {
    const before = self.steps[index - 1]
    if (before !== undefined) span.addLinks([linkTo(before.span)])
    describe(span, entry.values)
  })
  describe(self.root, { ...entry.values, ...entry.genAi })
}

const order = ({ name }: Step): number => SpanAttributes.spans.indexOf(name)

/** Spans of phases that called nothing. They have the times of their transitions, each up to the next known time. */
const decided = (self: ActionSpans, history: ActionHistory.ActionHistory, last: bigint): ReadonlyArray<Step> => {
  const lived = new Set(self.steps.map(({ name }) => name))
  const links = SpanAttributes.links(history).filter(({ at }) => nanosOf(at) >= floor(self))
  return links.flatMap(({ at, span }, index) => {
    if (lived.has(span)) return []
    const from = nanosOf(at)
    const next = links[index + 1]
    const to = next === undefined ? last : nanosOf(next.at)
    return [recorded(self, span, from, later(from, to))]
  })
}

// `Math.max` does not accept a bigint.
const later = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/**
 * The earliest time of a link: the start of the root span, in whole milliseconds as in a trace. Work of an earlier
 * process has its own spans, or none.
 */
const floor = ({ root }: ActionSpans): bigint => (root.status.startTime / million) * million

const recorded = (self: ActionSpans, name: SpanAttributes.Span, from: bigint, to: bigint): Step => {
  const { root, tracer } = self
  const span = tracer.span({
    name: `backstitch.${name}`,
    parent: Option.some(root),
    annotations: Context.empty(),
    links: [],
    startTime: from,
    kind: "internal",
    root: false,
    sampled: root.sampled
  })
  return { name, span, from, to, exit: Exit.void }
}

/** A span that began before it was known that it would exist. */
const startedAt = (tracer: Tracer.Tracer, span: Tracer.Span, startTime: bigint): Tracer.Span => {
  const { attributes, links, name, parent, sampled } = span
  const earlier = tracer.span({
    name,
    parent,
    annotations: Context.empty(),
    links: [...links],
    startTime,
    kind: "internal",
    root: false,
    sampled
  })
  for (const [key, value] of attributes) earlier.attribute(key, value)
  return earlier
}

const describe = (span: Tracer.Span, values: Readonly<Record<string, string>>): void => {
  for (const [key, value] of Object.entries(values)) span.attribute(key, value)
}

const external = (name: string): Tracer.ExternalSpan => {
  const [traceId = "", spanId = ""] = name.split("-")
  return Tracer.externalSpan({ traceId, spanId })
}

const linkTo = (span: Tracer.AnySpan): Tracer.SpanLink => ({ span, attributes: {} })

/** Uses only an installed tracer: the default one keeps its spans for nobody. */
const installed: Effect.Effect<Tracer.Tracer | undefined> = Effect.withFiber((fiber) =>
  Effect.succeed(Context.getOrUndefined(fiber.context, Tracer.Tracer))
)

const nanos = Effect.clockWith((clock) => Effect.sync(() => clock.currentTimeNanosUnsafe()))

const million = 1_000_000n

const nanosOf = (millis: number): bigint => BigInt(Math.round(millis)) * million
