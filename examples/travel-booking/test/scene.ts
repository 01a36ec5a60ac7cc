/** A run in a world of its own: the kernel's decisions, and the real effects. */

import type { Outcome } from "@backstitch/kernel/Outcome"
import * as ActionPage from "@backstitch/runtime/ActionPage"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import type * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Report from "@backstitch/runtime/Report"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Wording from "@backstitch/wording/Wording"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../Client.ts"
import * as Services from "../crash/Services.ts"
import * as TravelPack from "../crash/TravelPack.ts"
import * as Truth from "../crash/Truth.ts"
import * as World from "../world/World.ts"

export const times = { sendWithinMillis: 1200, settleAfterMillis: 200, readWithinMillis: 200 }
export const seat = { flight: "RH101-2026-12-18", traveller: "Anna Keller", price: 18_400 }
export const booking = { tool: "book_flight", params: seat }

/** A run in a world of its own, and the views of both. */
export interface Scene {
  readonly propose: RunHandle.RunHandle["propose"]
  readonly recover: Effect.Effect<Outcome | undefined, RunHandle.RunError>
  readonly arm: (tool: string, kind: string, times?: number) => Effect.Effect<void>
  readonly disarm: Effect.Effect<void>
  /** A person asks for another verification of a waiting action. */
  readonly reopen: Effect.Effect<void, History.HistoryError | RunHandle.RunError>
  /** Types of the transitions after the first, with the status of their results, without the reviewers. */
  readonly story: Effect.Effect<ReadonlyArray<string>, History.HistoryError>
  /** Everything that results hold, as text. */
  readonly evidence: Effect.Effect<string, History.HistoryError>
  readonly keys: Effect.Effect<ReadonlyArray<string | undefined>, History.HistoryError>
  readonly world: Effect.Effect<Json>
  readonly working: Effect.Effect<Json>
  /** Seats that the airline has sold to the agent. */
  readonly seats: Effect.Effect<number>
  /** The rows of the world's own database: the real effects. */
  readonly truth: Effect.Effect<Readonly<Record<string, ReadonlyArray<Truth.Row>>>>
  /** The states that the first action went through. */
  readonly states: Effect.Effect<ReadonlyArray<string>, History.HistoryError>
  /** The report that a user may be given. */
  readonly report: Effect.Effect<Report.Report, History.HistoryError>
}

/** Plays a scene. Whatever happens in it, the run goes on and its trace verifies. */
export const scene = (
  body: (scene: Scene) => Effect.Effect<void, History.HistoryError | RunHandle.RunError>,
  bind: (tools: ToolExecutor.Tools, url: string) => ToolExecutor.Tools = (tools) => tools
) =>
  Effect.acquireUseRelease(
    Effect.promise(() => World.start({ settleAfterMillis: times.settleAfterMillis })),
    ({ url }) => Effect.provide(play(url, body), services(bind(Client.tools(url), url)), { local: true }),
    (world) => Effect.promise(() => world.close())
  ).pipe(Effect.runPromise)

const services = (tools: ToolExecutor.Tools) => Services.layer(TraceStore.layerMemory, { tools })

const play = Effect.fnUntraced(function* (
  url: string,
  body: (scene: Scene) => Effect.Effect<void, History.HistoryError | RunHandle.RunError>
) {
  const coordinator = yield* Coordinator.Coordinator
  const history = yield* History.History
  const given = yield* Effect.context<History.History | PackLibrary.PackLibrary | TraceStore.TraceStore>()
  const run = Run.make("trip")
  const clauses = { traveller: seat.traveller, date: "2026-12-18" }
  const handle = yield* coordinator.open(run, { pack: TravelPack.under(times), goal: "lugano", clauses })
  const all = history.transitions(run, { from: 2 })
  yield* body({
    propose: handle.propose,
    recover: Effect.map(handle.resume, ([outcome]) => outcome),
    arm: (tool, kind, count = 1000) => Effect.promise(() => Truth.arm(url, { tool, kind, times: count })),
    disarm: Effect.promise(() => fetch(`${url}/faults`, { method: "DELETE" }).then(() => undefined)),
    reopen: Effect.gen(function* () {
      const { held } = yield* Report.of(run).pipe(Effect.provide(given))
      for (const { action } of held.filter(({ next }) => next.verb === "resolve" && next.as?.includes("reopened"))) {
        const data = { action, as: "reopened", by: "Ada", evidence: "the cause is gone" }
        assert.strictEqual((yield* handle.propose({ type: "review.decided", author: "user", data }))._tag, "Done")
      }
    }),
    story: Effect.map(all, (transitions) =>
      transitions
        .filter(({ body }) => body.data?.["subject"] !== "verification")
        .map(({ body }) => (body.result === undefined ? body.type : `${body.type} ${body.result.status}`))
    ),
    evidence: Effect.map(all, (transitions) =>
      JSON.stringify(transitions.map(({ body: { data, result } }) => [result, data]))
    ),
    keys: Effect.map(all, (transitions) =>
      transitions.flatMap(({ body, stamp }) => (body.type === "action.started" ? [stamp.key] : []))
    ),
    world: Effect.map(handle.position, ({ state }) => state.world["spent"] as Json),
    working: Effect.map(handle.position, ({ state }) => state.working["flights"] as Json),
    truth: Effect.promise(() => Truth.read(url)),
    states: Effect.gen(function* () {
      const first = (yield* all).find(({ body }) => body.type === "action.request")
      const about = { run, tenant: run.tenant }
      const page = yield* Effect.orDie(ActionPage.of(first?.body.action?.id ?? "", about))
      return page.states.map(({ state }) => state)
    }).pipe(Effect.provide(given)),
    report: Report.of(run).pipe(Effect.provide(given)),
    seats: Effect.promise(async () => {
      const { bookings = [] } = await Truth.read(url)
      return bookings.filter(({ tenant }) => tenant === "default").length
    })
  })
  const noted = yield* handle.propose({ type: "plan.update", data: { flight: "x", hotel: "y", total: 1, why: "on" } })
  assert.strictEqual(noted._tag, "Done")
  assert.deepInclude(yield* StrictReplay.of(run), { divergences: [], misfit: undefined })
}, Effect.scoped)

/** The tools with another way to answer for one of them. */
export const instead = (tool: string, change: (known: ToolExecutor.Tool) => Partial<ToolExecutor.Tool>) => {
  return (tools: ToolExecutor.Tools): ToolExecutor.Tools => ({
    ...tools,
    [tool]: { ...tools[tool]!, ...change(tools[tool]!) }
  })
}

export const held = (outcome: Outcome | undefined): string => {
  assert.strictEqual(outcome?._tag, "Held")
  return outcome?._tag === "Held" ? Wording.why(outcome) : ""
}

export const started = ["action.request", "action.started"]
export const settled = ["action.verified ok", "action.reconciled ok"]
