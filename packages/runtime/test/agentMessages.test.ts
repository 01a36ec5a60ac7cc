import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as RunMetrics from "../src/projections/RunMetrics.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"

const message = (data: JsonObject): Proposal => ({ type: "message.sent", data })

const opened = (messages: JsonObject, run = lab.trip) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
    coordinator.open(run, {
      pack: Result.getOrThrow(TaskPack.fromJson({ ...lab.definition, messages } as never)),
      goal: "goal"
    })
  )

const escapes = (run = lab.trip) =>
  Effect.map(RunMetrics.ofRun(run), ({ measures }) => measures.false_success_escape.numerator)

const actions = Effect.map(lab.transitions(), (all) =>
  all.flatMap(({ body }) => (body.type === "action.request" ? [body.action!.id] : []))
)

describe("messages of an agent", () => {
  it.effect("tell a success only once it is reconciled, also in a process that began nothing of it (L8)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      yield* lab
        .as(lab.process(store, { world }))(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            yield* Effect.exit(handle.propose(lab.book("LX1")))
          }).pipe(lab.atPlace(6, () => Effect.die("killed")))
        )
        .pipe(Effect.exit)
      yield* lab.as(lab.process(store, { world }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const [action = ""] = yield* actions
          const claim = message({ content: "Booked!", reports: [action] })
          const early = yield* handle.propose(claim)
          assert.strictEqual(early._tag, "Refused")
          yield* lab.elapsing(handle.resume)
          assert.strictEqual((yield* handle.propose(claim))._tag, "Done")
          assert.strictEqual(yield* escapes(), 0)
          // Of a refusal nothing remains to be told but the refusal.
          world.faults.push("refused")
          yield* handle.propose(lab.book("LX2"))
          const [, failed = ""] = yield* actions
          assert.strictEqual((yield* handle.propose(message({ reports: [failed] })))._tag, "Refused")
          const told = yield* handle.propose(message({ reports: [{ action: failed, standing: "failure" }] }))
          assert.strictEqual(told._tag, "Done")
        })
      )
    })
  )

  it.effect("are counted as escaped if they are marked, and so is a claim about no action (V12)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      yield* lab.as(lab.process(store, { world }))(
        Effect.gen(function* () {
          const handle = yield* opened({ unreconciled: "mark" })
          yield* handle.propose(lab.book("LX1"))
          const [booked = ""] = yield* actions
          yield* handle.propose(message({ reports: [booked] }))
          assert.strictEqual(yield* escapes(), 0)
          yield* handle.propose(lab.tell("ada"))
          const [, attested = ""] = yield* actions
          yield* handle.propose(message({ reports: [booked, attested, "a99"] }))
          yield* handle.propose(message({ reports: [{ action: attested, standing: "unverified" }] }))
          assert.strictEqual(yield* escapes(), 2)
          const marked = (yield* lab.transitions()).flatMap(({ body }) => body.data?.["marked"] ?? [])
          assert.deepStrictEqual(marked.flat(), [
            { action: attested, claimed: "success", found: "unverified" },
            { action: "a99", claimed: "success", found: "not_attempted" }
          ])
        })
      )
    })
  )

  it.effect("report reads that are not yet durable", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.look("flights"))
          const told = yield* handle.propose(message({ content: "There are flights", reports: ["a2"] }))
          assert.strictEqual(told._tag, "Done", JSON.stringify(told))
          assert.strictEqual(yield* escapes(), 0)
        })
      )
    })
  )

  it.effect("of a fork report the acts of its parent before the fork, and none since", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          const { head } = yield* handle.position
          yield* handle.propose(lab.book("LX2"))
          const [first = "", second = ""] = yield* actions
          const fork = Run.make("fork")
          yield* Forking.fork({ parent: lab.trip, at: head.tick, child: fork })
          const child = yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(fork))
          assert.strictEqual((yield* child.propose(message({ reports: [first] })))._tag, "Done")
          assert.strictEqual((yield* child.propose(message({ reports: [second] })))._tag, "Refused")
        })
      )
    })
  )

  it.effect("are reported with the goal by the record of the run (L8)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          const [booked = ""] = yield* actions
          const done = (data: JsonObject) => handle.propose({ type: "goal.complete", data })
          assert.strictEqual((yield* done({ message: "All booked!" }))._tag, "Refused")
          assert.strictEqual((yield* done({ message: "Both booked!", reports: [booked, "a99"] }))._tag, "Refused")
          assert.strictEqual((yield* done({ message: "LX1 is booked", reports: [booked] }))._tag, "Done")
          assert.strictEqual((yield* done({ message: "LX1 is booked", reports: [booked] }))._tag, "Refused")
        })
      )
    })
  )

  it.effect("are proposed by a step of a script with the acts that it is shown", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const steps: ReadonlyArray<Planner.ScriptStep> = [
        { id: "look", propose: lab.look("flights") },
        { id: "book", propose: lab.book("LX1") },
        { id: "say", propose: ({ actions }) => Planner.message("LX1 is booked", actions) },
        { id: "done", propose: { type: "goal.complete" } }
      ]
      yield* lab.as(lab.process(store, { steps }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          assert.strictEqual((yield* Agent.run(handle))?._tag, "Done")
          const said = (yield* lab.transitions()).find(({ body }) => body.type === "message.sent")
          const [, booked] = yield* actions
          assert.deepStrictEqual(said?.body.data, {
            content: "LX1 is booked",
            reports: [{ action: booked, standing: "success" }]
          })
          assert.strictEqual((yield* Report.of(lab.trip)).standing, "success")
        })
      )
    })
  )
})
