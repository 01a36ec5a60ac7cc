/**
 * Serves the runs of a store as an MCP server: what was done, why, and what waits for a person.
 *
 * All its tools read. Only if the operator names a person, two more of them decide about reviews, in that person's
 * name. The server is that of effect, which speaks every version of MCP that has been published.
 *
 * @source docs/decisions/0061
 */
import type { Readable, Writable } from "node:stream"
import * as AddressLookup from "@backstitch/runtime/AddressLookup"
import * as Bisecting from "@backstitch/runtime/Bisecting"
import type * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Diffing from "@backstitch/runtime/Diffing"
import * as Explanation from "@backstitch/runtime/Explanation"
import type * as History from "@backstitch/runtime/History"
import * as Ledger from "@backstitch/runtime/Ledger"
import type * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import * as Report from "@backstitch/runtime/Report"
import * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import * as RunEvents from "@backstitch/runtime/RunEvents"
import * as RunList from "@backstitch/runtime/RunList"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import * as Digest from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Payload from "@backstitch/trace/Payload"
import type * as Run from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Limits from "./Limits.ts"

/** Settings of the server. With `decider`, reviews can be decided in that person's name and role. */
export interface Settings {
  readonly tenant: Run.Tenant
  readonly version: string
  readonly decider?: { readonly by: string; readonly role: string } | undefined
}

/** Services that the tools read. */
type Services = Coordinator.Coordinator | History.History | PackLibrary.PackLibrary | TraceStore.TraceStore

const Failure = Schema.Struct({ message: Schema.String })

/** A tool that answers one JSON object, or says what is wrong. */
const asking = <const Name extends string, const Fields extends Schema.Struct.Fields>(
  name: Name,
  description: string,
  fields: Fields
) =>
  Tool.make(name, {
    description,
    parameters: Schema.Struct(fields),
    success: Payload.JsonObject,
    failure: Failure
  })
    .annotate(Tool.Readonly, true)
    .annotate(Tool.Destructive, false)
    .annotate(Tool.OpenWorld, false)

const run = Schema.String.annotate({ description: "Name of the run, or the beginning of it" })
const tick = Schema.Natural.annotate({ description: "Position of a transition in the run, from 1" })

const reading = Toolkit.make(
  asking("list_runs", "Lists the latest runs of the store.", {
    limit: Schema.optionalKey(Schema.Natural.annotate({ description: "The most runs to list; 50 unless given" }))
  }),
  asking("show_run", "Shows the committed transitions of a run, from a tick on.", {
    run,
    from: Schema.optionalKey(tick)
  }),
  asking("explain", "Explains the result of a tick: each condition, the values that it read, and what would pass.", {
    run,
    tick
  }),
  asking("report", "Says what a user may be told about a run, and what is held.", { run }),
  asking("ledger", "Shows the ledger entry of each action of a run: what was done, and how it was proven.", { run }),
  asking("bisect", "Finds the first tick at which a predicate held, such as world.spent > 600.", {
    run,
    predicate: Schema.String
  }),
  asking("diff", "Says where two runs parted and how they differ.", { left: run, right: run }),
  asking("verify", "Checks the chain of a run and every state again, and names the first bad tick.", { run }),
  asking("list_approvals", "Lists the calls that wait for a person, with their exact arguments.", {
    tool: Schema.optionalKey(Schema.String.annotate({ description: "Only the calls of this tool" }))
  })
)

const deciding = Toolkit.make(
  asking("approve", "Approves the call of a review, for exactly its arguments.", {
    run,
    review: Schema.String,
    digest: Schema.optionalKey(Digest.Digest),
    reason: Schema.optionalKey(Schema.String)
  }).annotate(Tool.Readonly, false),
  asking("deny", "Denies the call of a review.", {
    run,
    review: Schema.String,
    digest: Schema.optionalKey(Digest.Digest),
    reason: Schema.optionalKey(Schema.String)
  }).annotate(Tool.Readonly, false)
)

/** Layer that serves over the standard streams that its `Stdio` gives, until they end. */
export const layer = (settings: Settings) =>
  McpServer.layerStdio({
    name: "backstitch",
    version: settings.version,
    instructions: "Runs of agents: what was done, how it was proven, and what waits for a person.",
    protocols: [
      McpProtocol.v2025_11_25,
      McpProtocol.v2025_06_18,
      McpProtocol.v2025_03_26,
      McpProtocol.v2024_11_05,
      McpProtocol.v2026_07_28
    ],
    registrations: Layer.mergeAll(
      McpServer.toolkit(reading).pipe(Layer.provide(readingLayer(settings))),
      settings.decider === undefined
        ? Layer.empty
        : McpServer.toolkit(deciding).pipe(Layer.provide(decidingLayer(settings, settings.decider))),
      resources(settings)
    )
  })

/** The standard streams of a process, as the server reads and writes them. */
export const streams = (input: Readable, output: Writable): Layer.Layer<Stdio.Stdio> =>
  Stdio.layerTest({
    stdin: Stream.fromAsyncIterable(input as AsyncIterable<Uint8Array>, unreadable).pipe(
      Stream.catch(() => Stream.empty)
    ),
    stdout: () => {
      const write = (chunk: string | Uint8Array) => Effect.promise(() => written(output, chunk))
      return Sink.forEach(write)
    }
  })

const unreadable = (cause: unknown): unknown => cause

const written = (output: Writable, chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    output.write(chunk, () => resolve())
  })

/** Answers with an object as JSON carries it, and says in words what is wrong. */
const told = <A extends object, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.map((answer) => JsonText.carried(answer) as typeof Payload.JsonObject.Type),
    Effect.mapError(({ message }) => ({ message }))
  )

const readingLayer = ({ tenant }: Settings) => {
  const found = (name: string) => AddressLookup.whole(name, tenant)
  return reading.toLayer(
    Effect.map(Effect.context<Services>(), (services) => {
      const answer = <A extends object, E extends { readonly message: string }>(
        effect: Effect.Effect<A, E, Services>
      ) => Effect.provideContext(told(effect), services)
      const of = <A extends object, E extends { readonly message: string }>(
        name: string,
        ask: (run: Run.Run) => Effect.Effect<A, E, Services>
      ) => answer(Effect.flatMap(found(name), ask))
      return reading.of({
        list_runs: ({ limit = Limits.showing.runsShownMax }) =>
          answer(Effect.map(RunList.runs(tenant, { limit }), (runs) => ({ runs }))),
        show_run: ({ from = 1, run }) => of(run, (each) => shown(each, from)),
        explain: ({ run, tick }) => of(run, (each) => Explanation.explain(each, tick)),
        report: ({ run }) => of(run, (each) => Report.of(each)),
        ledger: ({ run }) => of(run, (each) => Ledger.audit(each)),
        bisect: ({ predicate, run }) => of(run, (each) => Bisecting.bisect(each, { predicate })),
        diff: ({ left, right }) => of(left, (one) => Effect.flatMap(found(right), (other) => Diffing.diff(one, other))),
        verify: ({ run }) => of(run, (each) => RunVerification.verify(each)),
        list_approvals: ({ tool }) =>
          answer(
            Effect.map(PendingApprovals.ofTenant(tenant), (all) => ({
              approvals: all.filter((each) => tool === undefined || each.tool === tool)
            }))
          )
      })
    })
  )
}

/** A page of transitions. `next` is the tick from which the rest is shown. */
const shown = Effect.fnUntraced(function* (run: Run.Run, from: number) {
  const { head } = yield* RunEvents.select(run, { from })
  const to = Math.min(head.tick, from + Limits.showing.transitionsMax - 1)
  const selected = yield* RunEvents.select(run, { from, to })
  const transitions: Array<object> = []
  yield* RunEvents.walk(selected, (step, head) => void transitions.push(RunEvents.event(selected, step, head)))
  return { run: run.id, head: head.tick, transitions, ...(head.tick > to ? { next: to + 1 } : {}) }
})

/** A decision as a client asks for it. With a digest, it is about the approval that its person saw, and no other. */
interface Asked {
  readonly run: string
  readonly review: string
  readonly digest?: Digest.Digest
  readonly reason?: string
}

const decidingLayer = ({ tenant }: Settings, decider: NonNullable<Settings["decider"]>) =>
  deciding.toLayer(
    Effect.map(Effect.context<Services>(), (services) => {
      const decide =
        (verdict: ReviewDecision.DecisionRequest["verdict"]) =>
        ({ run, ...said }: Asked) =>
          Effect.flatMap(AddressLookup.whole(run, tenant), (each) =>
            ReviewDecision.decide(each, { ...decider, ...said, verdict })
          ).pipe(told, Effect.provideContext(services))
      return deciding.of({ approve: decide("approved"), deny: decide("denied") })
    })
  )

/** The same as resources: all runs, and of each run its report and its ledger. */
const resources = ({ tenant }: Settings) =>
  Layer.unwrap(
    Effect.map(Effect.context<Services>(), (services) => {
      const text = <A extends object, E extends { readonly message: string }>(effect: Effect.Effect<A, E, Services>) =>
        effect.pipe(
          Effect.map((answer) => JSON.stringify(answer)),
          Effect.orDie,
          Effect.provideContext(services)
        )
      const of = <A extends object, E extends { readonly message: string }>(
        name: string,
        ask: (run: Run.Run) => Effect.Effect<A, E, Services>
      ) => text(Effect.flatMap(AddressLookup.whole(name, tenant), ask))
      const mimeType = "application/json"
      return Layer.mergeAll(
        McpServer.resource({
          uri: "backstitch://runs",
          name: "runs",
          description: "The runs of the store",
          mimeType,
          content: text(Effect.map(RunList.runs(tenant), (runs) => ({ runs })))
        }),
        McpServer.resource`backstitch://runs/${Schema.String}/report`({
          name: "report",
          description: "The claims that may be made to a user about a run",
          mimeType,
          content: (_, name) => of(name, (each) => Report.of(each))
        }),
        McpServer.resource`backstitch://runs/${Schema.String}/ledger`({
          name: "ledger",
          description: "The ledger entry of each action of a run",
          mimeType,
          content: (_, name) => of(name, (each) => Ledger.audit(each))
        })
      )
    })
  )
