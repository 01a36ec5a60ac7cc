import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as RollbackPoint from "@backstitch/kernel/RollbackPoint"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as SubtaskRecovery from "../src/run/SubtaskRecovery.ts"
import * as lab from "./lab.ts"
import { because, Desk, definition, entry, facts, find, looks, opened, processOf, proposes, reserve } from "./slots.ts"

describe("a run with subtasks", () => {
  it.effect("records each checkpoint and each failure once, in whatever processes it goes on", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const desk = new Desk()
      desk.refused.add("1")
      const goes = (...proposals: ReadonlyArray<Proposal>) =>
        lab.elapsing(
          lab.as(processOf(store, desk))(
            Effect.flatMap(opened, (handle) => Effect.andThen(proposes(handle, ...proposals), handle.flush))
          )
        )
      yield* goes(find("0"), reserve("0"))
      yield* goes(find("1"), reserve("1"))
      yield* goes()
      const { differs, trace } = yield* lab.as(processOf(store, desk))(looks)
      assert.deepStrictEqual(differs, [])
      assert.deepStrictEqual(facts(trace), [
        "entry slot 0",
        "commit slot 0",
        "exit slot 0",
        "entry slot 1",
        "commit slot 1"
      ])
      assert.deepStrictEqual(
        trace.flatMap(({ body: { data, type } }) => (type === "failure.observed" ? [data?.["signal"]] : [])),
        ["tool_exception"]
      )
      assert.strictEqual(trace[0]?.body.data?.["ontology"], 2)
    })
  )

  it.effect(
    "goes back to a checkpoint: effects are undone through the ledger, then fields and state are put back",
    () =>
      Effect.gen(function* () {
        const desk = new Desk()
        const process = processOf(yield* lab.shared, desk)
        const restored = yield* lab.elapsing(
          lab.as(process)(
            Effect.gen(function* () {
              const handle = yield* opened
              yield* proposes(handle, find("0"), reserve("0"), find("1"))
              return yield* SubtaskRecovery.restore(handle, { ...entry, instance: "slot::0::0" })
            })
          )
        )
        assert.strictEqual(restored.outcome?._tag, "Done")
        assert.deepStrictEqual(desk.effects, ["reserve 0", "release 0"])
        const { differs, divergences, plan, trace, working } = yield* lab.as(process)(looks)
        assert.deepStrictEqual([differs, divergences, plan], [[], [], undefined])
        assert.deepStrictEqual(working, { slots: { 1: "monday 1" }, stage: "open" })
        assert.deepInclude(trace.findLast(({ body }) => body.type === "recovery.restored")?.body.data, {
          checkpoint: { entity: "0", kind: "entry", ordinal: 0, skeleton: "slot", state: "open", tick: 1 },
          policy: { consumers: "checkpoint", name: "entry" },
          undone: ["a4"]
        })
      })
  )

  it.effect("undoes no reservation under a committed form that was drafted of its slot, by the standard policy", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      const { judged, outcome } = yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened
            yield* proposes(handle, find("0"), reserve("0"), { tool: "draft", params: {} })
            return yield* SubtaskRecovery.restore(handle, { because, instance: "slot::0::0" })
          })
        )
      )
      assert.isUndefined(outcome)
      assert.deepStrictEqual(desk.effects, ["reserve 0"])
      const { decided, joint } = judged!
      assert.deepStrictEqual(decided._tag === "Blocked" && decided.reasons.map(({ code }) => code), [
        "committed_consumers_present"
      ])
      assert.deepStrictEqual(
        joint?.restores.map(({ checkpoint }) => `${checkpoint.instance.skeleton} ${checkpoint.kind}`),
        ["form entry", "slot commit"]
      )
    })
  )

  it.effect("judges consumers by the rule that the pack names", () =>
    Effect.gen(function* () {
      const decided = Effect.fnUntraced(function* (recovery: object) {
        const { machine, skeletons } = definition
        const drafting = { from: "found", tool: "draft", to: "drafted" } as const
        const lifted = {
          machine: { ...machine, edges: [...machine.edges, drafting] },
          skeletons: { ...skeletons, form: { ...skeletons.form, states: machine.states, entry: ["open", "found"] } }
        } as const
        const pack = Result.getOrThrow(TaskPack.make({ ...definition, ...lifted, recovery }))
        const judging = Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
          yield* proposes(handle, find("0"), { tool: "draft", params: {} })
          return SubtaskRecovery.judge((yield* handle.subtasks)!, { instance: "slot::0::0" }, 0)
        })
        const found = yield* lab.elapsing(lab.as(processOf(yield* lab.shared, new Desk()))(judging))
        return found?.decided._tag
      })
      assert.strictEqual(yield* decided({}), "Admitted")
      assert.strictEqual(yield* decided({ consumers: "instance" }), "Blocked")
    })
  )

  it.effect("commits nothing for a subtask that stands at its checkpoint", () =>
    Effect.gen(function* () {
      const process = processOf(yield* lab.shared, new Desk())
      const restore = (handle: RunHandle.RunHandle) =>
        SubtaskRecovery.restore(handle, { ...entry, instance: "slot::0::0" })
      const [ticks, again] = yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened
            yield* proposes(handle, find("0"), reserve("0"))
            yield* restore(handle)
            yield* handle.flush
            const { tick } = (yield* handle.position).head
            return [tick, yield* restore(handle)] as const
          })
        )
      )
      assert.deepInclude(again.outcome, { _tag: "Done", output: { undone: [] } })
      const { differs, trace } = yield* lab.as(process)(looks)
      assert.deepStrictEqual(differs, [])
      const later = trace.slice(ticks).map(({ body: { type } }) => type)
      assert.deepStrictEqual(
        later.filter((type) => type.startsWith("recovery.")),
        []
      )
    })
  )

  it.effect("is blocked where a committed subtask read what would go, names it, and commits nothing (L10)", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      desk.isBroken = true
      const process = processOf(yield* lab.shared, desk)
      const [judged, before, after, own] = yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened
            yield* proposes(handle, find("0"), reserve("0"), { tool: "draft" }, { tool: "render" })
            yield* handle.subtasks
            const { head } = yield* handle.position
            const { judged, outcome } = yield* SubtaskRecovery.restore(handle, { ...entry, instance: "slot::0::0" })
            assert.isUndefined(outcome)
            const after = (yield* handle.position).head.tick
            return [judged, head.tick, after, yield* SubtaskRecovery.restore(handle, { because })] as const
          })
        )
      )
      assert.strictEqual(before, after)
      const { decided, joint } = judged!
      assert.deepStrictEqual(decided._tag === "Blocked" && decided.reasons.map(({ code }) => code), [
        "committed_consumers_present"
      ])
      assert.deepStrictEqual(
        joint?.restores.map(({ checkpoint }) => checkpoint.instance.skeleton),
        ["form", "slot"]
      )
      // The subtask that failed itself goes back to what it had committed.
      assert.strictEqual(own.judged?.decided._tag === "Admitted" && own.judged.decided.checkpoint.kind, "commit")
      assert.strictEqual(own.outcome?._tag, "Done")
    })
  )

  it.effect("is restored once, wherever it is killed meanwhile (L14)", () =>
    Effect.gen(function* () {
      let isWhole = false
      for (let place = 1; !isWhole; place++) {
        const store = yield* lab.shared
        const desk = new Desk()
        const process = processOf(store, desk)
        yield* lab.elapsing(
          lab.as(process)(Effect.flatMap(opened, (handle) => proposes(handle, find("0"), reserve("0"))))
        )
        const restore = Effect.flatMap(opened, (handle) =>
          SubtaskRecovery.restore(handle, { ...entry, instance: "slot::0::0" })
        )
        const killed = lab.atPlace(place, () => Effect.die("killed"))
        const exit = yield* Effect.exit(lab.elapsing(lab.as(process)(killed(restore))))
        const goesOn = Effect.gen(function* () {
          const handle = yield* opened
          yield* handle.resume
          const { judged } = yield* SubtaskRecovery.restore(handle, { ...entry, instance: "slot::0::0" })
          yield* handle.flush
          return judged?.decided._tag
        })
        yield* lab.elapsing(lab.as(process)(goesOn))
        const { differs, plan, working } = yield* lab.as(process)(looks)
        assert.deepStrictEqual([place, differs, plan], [place, [], undefined])
        assert.deepStrictEqual([place, desk.effects], [place, ["reserve 0", "release 0"]])
        assert.deepStrictEqual([place, working], [place, { slots: {}, stage: "open" }])
        isWhole = exit._tag === "Success"
        if (isWhole) assert.isAbove(place, 20)
      }
    })
  )

  it.effect("is told as restored once its plan is over, though another process has done a step of it (L8)", () =>
    Effect.gen(function* () {
      let isWhole = false
      for (let place = 1; !isWhole; place++) {
        isWhole = true
        const process = processOf(yield* lab.shared, new Desk())
        yield* lab.elapsing(
          lab.as(process)(Effect.flatMap(opened, (handle) => proposes(handle, find("0"), reserve("0"))))
        )
        // The other process dies as soon as it has settled an action.
        const dies = Effect.provideService(FaultPoint.FaultPoint, (at: FaultPoint.PointName) =>
          at === "settle/committed" ? Effect.die("killed") : Effect.void
        )
        const other = lab.as(process)(dies(Effect.flatMap(opened, (handle) => handle.resume)))
        const meanwhile = lab.atPlace(place, () =>
          Effect.gen(function* () {
            isWhole = false
            yield* Effect.exit(other)
          })
        )
        const restore = Effect.flatMap(opened, (handle) =>
          SubtaskRecovery.restore(handle, { ...entry, instance: "slot::0::0" })
        )
        const { outcome } = yield* lab.elapsing(lab.as(process)(meanwhile(restore)))
        const { differs, plan } = yield* lab.as(process)(looks)
        assert.deepStrictEqual([place, differs], [place, []])
        if (outcome?._tag === "Done") assert.deepStrictEqual([place, plan], [place, undefined])
        if (isWhole) assert.isAbove(place, 20)
      }
    })
  )

  it.effect("does not go back over an effect whose time for an undo is over, whoever asks", () =>
    Effect.gen(function* () {
      const { reserve: own } = definition.tools
      const tools = { ...definition.tools, reserve: { ...own, undo: { ...own.undo, within: "1h" } } }
      const timed = Result.getOrThrow(TaskPack.make({ ...definition, tools }))
      const desk = new Desk()
      const goes = Effect.gen(function* () {
        const handle = yield* Effect.flatMap(Coordinator.Coordinator, (each) =>
          each.open(lab.trip, { pack: timed, goal: "goal" })
        )
        yield* proposes(handle, find("0"), reserve("0"))
        const self = (yield* handle.subtasks)!
        const now = yield* Clock.currentTimeMillis
        const judged = (at: number) => SubtaskRecovery.judge(self, { ...entry, instance: "slot::0::0" }, at)?.decided
        const inTime = judged(now)!
        yield* TestClock.adjust("2 hours")
        assert.strictEqual(inTime._tag, "Admitted")
        const late = judged(yield* Clock.currentTimeMillis)!
        const subtask = SubtaskRecovery.named(self, "slot::0::0")!
        const { state } = yield* handle.position
        const at = { checkpoint: subtask.checkpoints[0]!, state }
        const { masks, ...rollback } = RollbackPoint.rollback(self, subtask, at)
        return [late, yield* handle.rollBack({ actions: ["a4"], because, masks }, rollback)] as const
      })
      const [late, refused] = yield* lab.elapsing(lab.as(processOf(yield* lab.shared, desk))(goes))
      assert.deepStrictEqual(late._tag === "Blocked" && late.reasons.map(({ code }) => code), ["undo_window_closed"])
      assert.deepStrictEqual(refused._tag === "Refused" && refused.checks.map(({ why }) => why?.code), [
        "undo.too_late"
      ])
      assert.deepStrictEqual(desk.effects, ["reserve 0"])
    })
  )

  it.effect("pins the first ontology where its contract has no machine, and records nothing of subtasks", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const { machine: _, ...bare } = definition
      const { form: __, ...slot } = bare.skeletons
      const old = Result.getOrThrow(
        TaskPack.make({ ...bare, skeletons: { slot: { ...slot.slot, commit: true } as object } })
      )
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(desk.tools) })
      const trace = yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const handle = yield* coordinator.open(lab.trip, { pack: old, goal: "goal" })
            yield* proposes(handle, find("0"), reserve("0"))
            yield* handle.flush
            assert.isUndefined(yield* handle.subtasks)
            return yield* lab.transitions()
          })
        )
      )
      assert.strictEqual(trace[0]?.body.data?.["ontology"], 1)
      assert.deepStrictEqual(facts(trace), [])
    })
  )
})
