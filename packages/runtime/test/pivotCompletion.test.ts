import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as RecordedReplay from "../../release/src/RecordedReplay.ts"
import * as Agent from "../src/agent/Agent.ts"
import type * as PlannerView from "../src/planner/PlannerView.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as LastProposal from "../src/projections/lastProposal.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as HeldActions from "../src/reporting/HeldActions.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const
const keyed = { class: "high_risk_external", idempotency: "idempotent_write", status: "by_key", times } as const
const letter = {
  ...keyed,
  input: { to: "string" },
  identity: { scope: "goal", fields: [{ to: "exact" }] },
  readback: { source: "desk", expect: ["actual.status == 'done'"], within: "2s" },
  undo: "X"
} as const

const packOf = (
  forward: NonNullable<NonNullable<Parameters<typeof TaskPack.make>[0]["skeletons"]>[string]["forward"]>,
  guards: Parameters<typeof TaskPack.make>[0]["guards"] = []
) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.paying",
      version: "1.0.0",
      state: { world: { paid: "int" }, working: { friend: { type: "string", nullable: true } } },
      tools: {
        pay: { ...letter, target: "'card/' + args.to", on_reconciled: [{ add: { field: "world.paid", value: "1" } }] },
        tell: { ...letter, target: "'inbox/' + args.to" },
        thank: { ...letter, target: "'thanks/' + args.to" }
      },
      reducers: { on: { "plan.update": [{ set: { field: "working.friend", value: "args.friend" } }] } },
      skeletons: { trip: { tools: ["pay", "tell", "thank"], pivot: ["pay"], forward } },
      guards
    })
  )

const pack = packOf([
  { tool: "tell", with: { to: "steps.pay.actual.to" }, within: "1m", poll: { first: "1s", max: "8s" } },
  { tool: "thank", with: { to: "steps.tell.observed.to" }, within: "1m", poll: "2s" }
])

type Fault = "refused" | "lost" | "away"

/** A desk that honours keys, keeps refusals under theirs, and counts what it did. */
class Desk {
  readonly done = new Map<string, JsonObject>()
  readonly refusals = new Set<string>()
  readonly effects: Array<string> = []
  readonly keys: Array<string> = []
  readonly #faults: Record<string, Array<Fault>>

  constructor(faults: Readonly<Record<string, ReadonlyArray<Fault>>> = {}) {
    this.#faults = Object.fromEntries(Object.entries(faults).map(([verb, each]) => [verb, [...each]]))
  }

  get tools(): ToolExecutor.Tools {
    const does = (verb: string): ToolExecutor.Tool => ({
      execute: (params: JsonObject, { key = "" }) => {
        this.keys.push(key)
        if (this.refusals.has(key)) throw new ToolExecutor.ToolRefused("refused before")
        const fault = this.#faults[verb]?.shift()
        if (fault === "away") throw new Error("nobody is there")
        if (fault === "refused") {
          this.refusals.add(key)
          throw new ToolExecutor.ToolRefused("not now")
        }
        if (!this.done.has(key)) {
          this.effects.push(`${verb} ${params["to"]}`)
          this.done.set(key, { ...params, status: "done" })
        }
        if (fault === "lost") throw new Error("the answer was lost")
        return this.done.get(key) ?? null
      },
      status: async ({ key = "" }) => {
        if (this.refusals.has(key)) throw new ToolExecutor.ToolRefused("refused before")
        return this.done.get(key)
      },
      readback: async ({ key = "" }) => this.done.get(key)
    })
    return { pay: does("pay"), tell: does("tell"), thank: does("thank") }
  }
}

const to = { to: "ada" }
const done: Planner.ScriptStep = { id: "done", propose: { type: "goal.complete" } }
const pay: Planner.ScriptStep = { id: "pay", propose: { tool: "pay", params: to } }
const tell: Planner.ScriptStep = { id: "tell", propose: { tool: "tell", params: to } }

const work = (contract = pack) =>
  Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    return yield* Agent.run(yield* coordinator.open(lab.trip, { pack: contract, goal: "goal" }))
  })

const processOf = (
  store: Parameters<typeof lab.process>[0],
  desk: Desk,
  steps: ReadonlyArray<Planner.ScriptStep> = [pay, tell, done]
) => lab.process(store, { executor: ToolExecutor.fromTools(desk.tools), steps })

const looks = Effect.gen(function* () {
  const { divergences, state } = yield* StrictReplay.of(lab.trip)
  const { differs } = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
  const trace = yield* lab.transitions()
  const histories = [...ActionHistories.all(trace).values()]
  return {
    broken: [divergences, differs, histories.flatMap(({ refused }) => refused)].flat(),
    open: Object.keys(OpenActions.of(state)),
    owed: Obligations.all(state).map(({ state, steps }) => `${state}: ${steps.join(" ")}`),
    report: yield* Report.of(lab.trip),
    states: histories.map(({ state, tool }) => `${tool} ${state}`),
    trace
  }
})

const whole = ["pay ada", "tell ada", "thank ada"]
const succeeded = ["pay reconciled_success", "tell reconciled_success", "thank reconciled_success"]

describe("a subtask behind its pivot", () => {
  it.effect("is completed by the kernel when the planner is not asked any more", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      let asked = 0
      const refused = { tool: "pay", params: {} }
      const planner = Planner.layerFrom(async () => (asked++ === 0 ? { tool: "pay", params: to } : refused))
      const outcome = yield* lab.as(processOf(yield* lab.shared, desk))(
        work().pipe(Effect.provide(planner, { local: true }))
      )
      assert.strictEqual(outcome?._tag, "Refused")
      assert.deepStrictEqual(desk.effects, whole)
    })
  )

  it.effect("is completed by the kernel when the planner has ended, and the goal is reached then", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk, [pay, done])
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(work())))?._tag, "Done")
      const { broken, owed, report, states } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([desk.effects, broken, owed], [whole, [], []])
      assert.deepStrictEqual(states, succeeded)
      assert.strictEqual(report.standing, "success")
      assert.isTrue(Report.isDone(report))
    })
  )

  it.effect("is completed however often a step is refused, lost or unreachable, and done once", () =>
    Effect.gen(function* () {
      for (const faults of [
        { tell: ["refused", "refused", "refused"] },
        { tell: ["lost", "away"], thank: ["away", "refused", "lost"] },
        { tell: ["away", "away", "refused"], thank: ["lost"] }
      ] as const) {
        const desk = new Desk(faults)
        const process = processOf(yield* lab.shared, desk)
        assert.strictEqual((yield* lab.elapsing(lab.as(process)(work())))?._tag, "Done")
        const { broken, open, owed, report, states } = yield* lab.as(process)(looks)
        assert.deepStrictEqual([desk.effects, broken, open, owed], [whole, [], [], []], JSON.stringify(faults))
        assert.deepStrictEqual([states, report.standing], [succeeded, "success"])
      }
    })
  )

  it.effect("is held and told when a step never succeeds, and no success is reported (L8)", () =>
    Effect.gen(function* () {
      const desk = new Desk({ tell: Array.from({ length: 100 }, () => "refused" as const) })
      const process = processOf(yield* lab.shared, desk)
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(work())))?._tag, "Held")
      const { broken, owed, report, states } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([desk.effects, broken, owed], [["pay ada"], [], ["review_required: tell thank"]])
      assert.deepStrictEqual(states, ["pay reconciled_success", "tell review_required"])
      assert.isTrue(desk.keys.length > 5 && desk.keys.length < 30)
      assert.strictEqual(report.standing, "review_required")
      assert.include(report.remaining[0]?.say, "tell, thank remain of trip")
      const [held] = yield* lab.as(process)(HeldActions.list(lab.trip.tenant))
      assert.deepInclude(held?.next, { run: "trip", verb: "resolve" })
    })
  )

  it.effect("is told to wait for a person if a guard refuses it, and by no other word", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const forward = [{ tool: "tell", with: { to: "steps.pay.actual.to" }, within: "1m", poll: "1s" }]
      const guards = [{ id: "quiet", name: "Nobody is told", on: ["tell"], refuse_if: "world.paid > 0" }]
      const process = processOf(yield* lab.shared, desk, [pay])
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(work(packOf(forward, guards)))))?._tag, "Held")
      const { owed, report, states, trace } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([desk.effects, owed], [["pay ada"], ["review_required: tell"]])
      assert.deepInclude(LastProposal.outcomeOf(trace), { _tag: "Done" }, "that of the planner is the payment")
      assert.deepStrictEqual([report.standing, states], ["review_required", ["pay reconciled_success"]])
      assert.isFalse(Report.isDone(report))
      const again = yield* lab.elapsing(lab.as(process)(work(packOf(forward, guards))))
      assert.notInclude(JSON.stringify(again), "time was up")
    })
  )

  it.effect("is completed once, at whichever place of the commit path a process dies (L5, L14)", () =>
    Effect.gen(function* () {
      let places = 0
      for (let n = 1; ; n++) {
        const store = yield* lab.shared
        const desk = new Desk({ tell: ["refused", "lost"], thank: ["away"] })
        const process = processOf(store, desk)
        const dying = lab.atPlace(n, () => Effect.die("killed"))(lab.as(process)(work()))
        const first = yield* Effect.exit(lab.elapsing(dying))
        if (Exit.isSuccess(first)) break
        places = n
        yield* lab.elapsing(lab.as(process)(work()))
        const { broken, open, owed, report } = yield* lab.as(process)(looks)
        assert.deepStrictEqual([desk.effects, broken, open, owed], [whole, [], [], []], `place ${n}`)
        assert.isTrue(Report.isDone(report), `place ${n}`)
      }
      assert.isAbove(places, 40)
    })
  )

  it.effect("loses and doubles nothing when two processes go on with it at once (L1, L14)", () =>
    Effect.gen(function* () {
      for (let n = 14; n < 46; n += 4) {
        const store = yield* lab.shared
        const desk = new Desk({ tell: ["refused", "lost"], thank: ["away"] })
        const process = processOf(store, desk)
        yield* Effect.exit(lab.elapsing(lab.atPlace(n, () => Effect.die("killed"))(lab.as(process)(work()))))
        const both = Effect.all([lab.as(process)(work()), lab.as(process)(work())], { concurrency: "unbounded" })
        yield* lab.elapsing(both)
        yield* lab.elapsing(lab.as(process)(work()))
        const { broken, open, owed } = yield* lab.as(process)(looks)
        assert.deepStrictEqual([desk.effects, broken, open, owed], [whole, [], [], []], `place ${n}`)
        const claims = yield* lab.as(process)(
          Effect.flatMap(TraceStore.TraceStore, (each) => each.claims(lab.trip.tenant, { namespace: "target" }))
        )
        assert.deepStrictEqual(claims, [])
      }
    })
  )

  it.effect("is completed again from its record alone, without a call (mode recorded)", () =>
    Effect.gen(function* () {
      const process = processOf(yield* lab.shared, new Desk({ tell: ["refused", "lost"] }))
      yield* lab.elapsing(lab.as(process)(work()))
      const { trace } = yield* lab.as(process)(looks)
      const steps = [pay, tell, done]
      const again = lab.process(yield* lab.shared, {
        executor: RecordedReplay.executor(RecordedReplay.of(trace)),
        steps
      })
      yield* lab.elapsing(lab.as(again)(work()))
      assert.deepStrictEqual(
        (yield* lab.as(again)(looks)).trace.map(({ body }) => body),
        trace.map(({ body }) => body)
      )
    })
  )

  it.effect("is asked of the planner if nothing supplies its arguments, and its context names what remains", () =>
    Effect.gen(function* () {
      const asking = packOf(["tell", { tool: "thank", with: { to: "working.friend" } }])
      const seen: Array<PlannerView.PlannerView["remaining"]> = []
      const desk = new Desk()
      const proposals = [pay.propose, done.propose, tell.propose, { type: "plan.update", data: { friend: "eve" } }]
      const planner = Planner.layerFrom(async (view) => {
        seen.push(view.remaining)
        const next = proposals[seen.length - 1] ?? (seen.length === 5 ? done.propose : undefined)
        return typeof next === "function" ? next(view) : next
      })
      const store = yield* lab.shared
      const process = Layer.provideMerge(planner, processOf(store, desk, []))
      // Arguments that only the planner can give hold the run, which says so.
      const first = yield* lab.elapsing(lab.as(process)(work(asking)))
      assert.deepInclude(first, { _tag: "Held" })
      if (first?._tag === "Held") assert.include(Wording.why(first), "tell remains behind")
      const receipt = yield* lab.as(process)(Receipt.make(lab.trip, undefined))
      assert.deepInclude(receipt, { status: "stopped", next: [{ run: "trip", verb: "resume" }] })
      assert.include(receipt.why, "tell, thank remain of trip")
      yield* lab.elapsing(lab.as(process)(work(asking)))
      assert.deepStrictEqual(
        seen.map((each) => each.map(({ lacks, later, tool }) => [tool, ...later, lacks !== undefined])),
        [[], [["tell", "thank", true]], [["tell", "thank", true]], [["thank", true]], [["thank", false]], []]
      )
      assert.deepStrictEqual(desk.effects, ["pay ada", "tell ada", "thank eve"])
      const { owed, report } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([owed, report.remaining], [[], []])
    })
  )
})

describe("a run that stopped between its steps", () => {
  it.effect("is not done: it says that nothing waits, and that an agent goes on", () =>
    Effect.gen(function* () {
      const contract = packOf([])
      const process = processOf(yield* lab.shared, new Desk(), [pay])
      yield* lab.elapsing(lab.as(process)(work(contract)))
      const stopped = yield* lab.as(process)(Receipt.make(lab.trip, undefined))
      assert.deepInclude(stopped, { status: "stopped", next: [{ run: "trip", verb: "resume" }] })
      assert.include(stopped.why, "The goal was not declared reached")
      const coming = Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(lab.trip))
      yield* lab.as(process)(Effect.flatMap(coming, (handle) => handle.propose({ type: "goal.complete" })))
      assert.strictEqual((yield* lab.as(process)(Receipt.make(lab.trip, undefined))).status, "done")
    })
  )
})
