/** Calls that are held in a local transaction: read inside, committed or rolled back, and resumed after a crash. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as RecordedReplay from "../../release/src/RecordedReplay.ts"
import * as ReleaseCandidate from "../../release/src/ReleaseCandidate.ts"
import * as Agent from "../src/agent/Agent.ts"
import type * as AgentFile from "../src/files/AgentFile.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Ledger from "../src/projections/Ledger.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.seats",
    version: "1.0.0",
    state: { world: { seats: { table: { key: "seat", row: { holder: "string" } } } }, working: {} },
    tools: {
      assign: {
        class: "low_risk_internal",
        input: { seat: "string", holder: "string" },
        target: "'seat/' + args.seat",
        identity: { scope: "goal", fields: [{ seat: "code" }, { holder: "name" }] },
        times: { sendWithin: "3s", settleAfter: "1s" },
        transaction: "local",
        readback: { source: "seats", expect: ["actual.holder == args.holder"], within: "2s" },
        undo: "X",
        on_reconciled: [{ put: { table: "world.seats", key: "actual.seat", row: { holder: "actual.holder" } } }]
      }
    }
  })
)

type Trouble = "spoils" | "silent" | "commit lost" | "commit undone" | "no tool" | "refuses"

/** A table of seats with one writer at a time; what is open is seen by nobody else, and gone with its process. */
class Seats {
  readonly committed = new Map<string, JsonObject>([["4A", { seat: "4A", holder: "" }]])
  readonly log: Array<string> = []
  open = 0

  tools(trouble?: Trouble): ToolExecutor.Tools {
    const { committed, log } = this
    const readback = async (_: ToolExecutor.ToolContext, { seat }: { readonly seat: string }) => committed.get(seat)
    if (trouble === "no tool") return { assign: { execute: () => "never called", readback } }
    return {
      assign: ToolExecutor.transactional({
        open: async ({ holder, seat }: { readonly seat: string; readonly holder: string }) => {
          log.push("open")
          if (trouble === "refuses") throw new ToolExecutor.ToolRefused("the desk is closed")
          if (trouble === "silent") throw new Error("the connection was cut")
          const row = { seat, holder: trouble === "spoils" ? holder.toUpperCase() : holder }
          this.open++
          return {
            output: { rows: 1 },
            read: async () => row,
            commit: async () => {
              log.push("commit")
              this.open--
              if (trouble !== "commit undone") committed.set(seat, row)
              if (trouble !== undefined) throw new Error("the connection was cut")
            },
            rollback: () => {
              log.push("roll back")
              this.open--
            }
          }
        },
        readback
      })
    }
  }
}

const steps: ReadonlyArray<Planner.ScriptStep> = [
  { id: "assign", propose: { tool: "assign", params: { seat: "4A", holder: "Ada" } } }
]
const agent: AgentFile.AgentFile = {
  agent: { pack: "", goal: "goal", steps, tools: {} },
  pack,
  planner: Planner.layerScript(steps),
  executor: ToolExecutor.layerFrom({})
}

const open = Effect.flatMap(Coordinator.Coordinator, (each) => each.open(lab.trip, { pack, goal: "goal" }))
const work = Effect.flatMap(open, (handle) => Agent.run(handle))

/** Reads the one action of a run; its record decides and replays the same. */
const shown = Effect.gen(function* () {
  const all = yield* lab.transitions()
  const [history] = ActionHistories.all(all).values()
  const { differs } = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
  assert.deepStrictEqual(differs, [])
  const [entry] = yield* Ledger.of(lab.trip)
  const { actions } = yield* Report.of(lab.trip)
  return { entry: entry!, history: history!, standing: actions[0]?.standing, types: lab.types(all) }
})

const assigned = (trouble?: Trouble) =>
  Effect.gen(function* () {
    const seats = new Seats()
    const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(seats.tools(trouble)), steps })
    return yield* lab.as(process)(
      Effect.gen(function* () {
        const outcome = yield* lab.elapsing(work)
        const { partedAt } = yield* RecordedReplay.replay(lab.trip, agent, { secret: "other" })
        return { outcome, partedAt, seats, ...(yield* shown) }
      })
    )
  })

describe("a call in a local transaction", () => {
  it.effect("is committed once it was verified inside, and its record decides and replays the same", () =>
    Effect.gen(function* () {
      const { outcome, partedAt, seats, standing, types } = yield* assigned()
      assert.deepInclude(outcome, { _tag: "Done", basis: "readback" })
      assert.isNull(partedAt)
      assert.deepStrictEqual(seats.log, ["open", "commit"])
      assert.strictEqual(standing, "success")
      assert.deepStrictEqual(types.slice(1), [
        ...["action.request", "action.started", "action.verified", "action.result", "action.verified"],
        ...["action.verified", "action.reconciled"]
      ])
    })
  )

  it.effect("costs four flushes: the intent, the record as it was before, the verdict, and the outcome", () =>
    Effect.gen(function* () {
      const commits: Array<ReadonlyArray<string>> = []
      const counting = lab.watched(({ transitions }) => {
        commits.push(transitions.map((sealed) => Transition.open(sealed).body.type))
      })
      const executor = ToolExecutor.fromTools(new Seats().tools())
      yield* lab.as(lab.process(counting, { executor, steps }))(lab.elapsing(work))
      assert.deepStrictEqual(commits, [
        ["run.started"],
        ["action.request", "action.started"],
        ["action.verified"],
        ["action.result", "action.verified"],
        ["action.verified", "action.reconciled"]
      ])
    })
  )

  it.effect("is rolled back if it differs from the intended change: nothing of it is ever seen", () =>
    Effect.gen(function* () {
      const { entry, history, outcome, partedAt, seats, standing } = yield* assigned("spoils")
      assert.strictEqual(outcome?._tag, "Failed")
      assert.isNull(partedAt)
      assert.deepStrictEqual(seats.log, ["open", "roll back"])
      assert.deepStrictEqual(seats.committed.get("4A"), { seat: "4A", holder: "" })
      assert.strictEqual(standing, "rolled_back")
      assert.strictEqual(history.state, "rolled_back")
      assert.deepInclude(entry.reconciliation, { status: "ROLLED_BACK" })
      assert.strictEqual(entry.recovery.rollback_action_id, `${lab.trip.id}#${history.reconciled?.tick}`)
      assert.isNotNull(entry.recovery.recovery_action_id)
      assert.deepStrictEqual(ActionLedgerEntry.missing(entry), [])
    })
  )

  it.effect("ends in a named state, whatever fails, with nothing left open", () =>
    Effect.gen(function* () {
      const ends = {
        refuses: ["failed", ""],
        silent: ["rolled_back", ""],
        "no tool": ["failed", ""],
        "commit lost": ["reconciled_success", "Ada"],
        "commit undone": ["rolled_back", ""]
      } as const
      for (const [trouble, [state, holder]] of Object.entries(ends)) {
        const { history, seats } = yield* assigned(trouble as Trouble)
        assert.deepStrictEqual([history.state, history.refused], [state, []], trouble)
        assert.deepStrictEqual([seats.open, seats.committed.get("4A")?.["holder"]], [0, holder], trouble)
      }
    })
  )

  // The record is read first before anything is opened.
  const places = [
    ...["readback/answered", "effect/before", "effect/answered", "inside/before", "inside/answered"],
    ...["conclude/before", "conclude/answered", "settle/committed"]
  ] as ReadonlyArray<FaultPoint.PointName>

  for (const place of places) {
    it.effect(`is settled by the record after its process died at ${place} (L14)`, () =>
      Effect.gen(function* () {
        const seats = new Seats()
        const store = yield* lab.shared
        const process = lab.process(store, { executor: ToolExecutor.fromTools(seats.tools()), steps })
        const dies = (reached: FaultPoint.PointName) => (reached === place ? Effect.die("killed") : Effect.void)
        const death = lab.as(process)(Effect.provideService(work, FaultPoint.FaultPoint, dies))
        assert.strictEqual((yield* Effect.exit(lab.elapsing(death)))._tag, "Failure")
        // A process that is really dead leaves its store to abort; this one aborts as it falls.
        assert.strictEqual(seats.open, 0)
        const outcome = yield* lab.as(process)(
          Effect.gen(function* () {
            yield* lab.elapsing(work)
            return yield* shown
          })
        )
        const isDone = seats.committed.get("4A")?.["holder"] === "Ada"
        assert.strictEqual(outcome.history.state, isDone ? "reconciled_success" : "rolled_back")
        assert.strictEqual(isDone, ["conclude/answered", "settle/committed"].includes(place))
      })
    )
  }

  it.effect("is drilled by the gates: its recovery is a rollback, and no failure of the world gets through", () =>
    Effect.gen(function* () {
      const seats = new Seats()
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(seats.tools()), steps })
      const gated = yield* lab.as(process)(
        Effect.gen(function* () {
          yield* lab.elapsing(work)
          const store = yield* TraceStore.TraceStore
          const runs = yield* store.runs(lab.trip.tenant)
          return yield* ReleaseCandidate.judge({ validate: () => undefined }, { secret: "secret", runs })
        })
      )
      const of = (name: string) => gated.find(({ gate }) => gate === name)
      const drill = of("recovery_drill")
      assert.deepInclude(drill, { against: [], examined: 1, passed: true })
      assert.include(drill?.ran, "rollback")
      assert.deepStrictEqual(of("failure_injection")?.against, [])
      assert.deepStrictEqual(of("false_success")?.against, [])
      assert.deepStrictEqual(of("unknown_state")?.against, [])
    })
  )

  it.effect("commits at once if no contract holds it open", () =>
    Effect.gen(function* () {
      const seats = new Seats()
      const { assign } = seats.tools()
      const request = { tool: "assign", action: "a1", params: { seat: "4A", holder: "Ada" }, key: undefined }
      const answer = yield* ToolExecutor.fromTools({ assign: assign! }).call({ ...request, deadlineMillis: 1000 })
      assert.deepStrictEqual([answer, seats.log], [{ _tag: "Ok", output: { rows: 1 } }, ["open", "commit"]])
    })
  )

  it.effect("commits nothing that is open only when its time is over, if no contract holds it open", () =>
    Effect.gen(function* () {
      const seats = new Seats()
      const { assign } = seats.tools()
      const clock = yield* Clock.Clock
      const slow: ToolExecutor.Tool = ToolExecutor.transactional({
        open: async (params, context) => {
          await Effect.runPromise(clock.sleep(Duration.millis(200)))
          return assign!.open!(params, context)
        }
      })
      const request = { tool: "slow", action: "a1", params: { seat: "4A", holder: "Ada" }, key: undefined }
      const sendBefore = clock.currentTimeMillisUnsafe() + 100
      const call = ToolExecutor.fromTools({ slow }).call({ ...request, deadlineMillis: 1000, sendBefore })
      assert.strictEqual((yield* lab.elapsing(call))._tag, "Unknown")
      assert.deepStrictEqual([seats.log, seats.committed.get("4A")?.["holder"]], [["open", "roll back"], ""])
    })
  )

  it.live("rolls back a transaction that opens after its caller has stopped waiting", () =>
    Effect.gen(function* () {
      const concluded: Array<string> = []
      let opens: () => void = () => undefined
      const executor = ToolExecutor.fromTools({
        slow: ToolExecutor.transactional({
          open: async () => {
            await new Promise<void>((resolve) => {
              opens = resolve
            })
            const end = (how: string) => () => concluded.push(how)
            return { output: 1, read: () => 1, commit: end("commit"), rollback: end("roll back") }
          }
        })
      })
      const request = { tool: "slow", action: "a1", params: {}, key: undefined, deadlineMillis: 5 }
      const { answer, transaction } = yield* executor.open!(request)
      assert.deepStrictEqual([answer._tag, transaction], ["Unknown", undefined])
      opens()
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(concluded, ["roll back"])
    })
  )
})
