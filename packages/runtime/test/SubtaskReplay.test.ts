import * as Instance from "@backstitch/admissibility/Instance"
import type { Rollback } from "@backstitch/kernel/Command"
import * as RollbackPoint from "@backstitch/kernel/RollbackPoint"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import { SubtaskReplay } from "../src/replay/SubtaskReplay.ts"
import * as SubtaskRecovery from "../src/run/SubtaskRecovery.ts"
import * as lab from "./lab.ts"
import { Desk, entry, find, looks, opened, proposes, reserve } from "./slots.ts"

const lawless = (store: Parameters<typeof lab.process>[0], desk: Desk) =>
  lab.process(store, { executor: ToolExecutor.fromTools(desk.tools), lawless: true })

describe("a run that is lifted again", () => {
  it.effect("is found out where a checkpoint is recorded that it never reached", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = lawless(yield* lab.shared, desk)
      const data = { at: 3, entity: "9", ordinal: 0, skeleton: "slot", state: "found" }
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened
            yield* proposes(handle, find("0"))
            yield* handle.annotate("checkpoint.commit", data)
            yield* handle.flush
          })
        )
      )
      const { differs } = yield* lab.as(process)(looks)
      assert.deepStrictEqual(
        differs.map(({ decided }) => decided),
        ["nothing"]
      )
    })
  )

  it.effect("is found out where a rollback puts back what its subtask never wrote", () =>
    Effect.gen(function* () {
      const process = lawless(yield* lab.shared, new Desk())
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened
            yield* proposes(handle, find("0"), find("1"))
            const judged = SubtaskRecovery.judge((yield* handle.subtasks)!, { ...entry, instance: "slot::0::0" }, 0)
            assert.strictEqual(judged?.decided._tag, "Admitted")
            const { head } = yield* handle.position
            const checkpoint = {
              entity: "0",
              kind: "entry",
              ordinal: 0,
              skeleton: "slot",
              state: "open",
              tick: 1
            } as const
            const patch = [{ op: "remove", path: "/working/slots/1" }] as const
            yield* handle.rollBack({ actions: [], because: "a lie" }, { at: head.tick, checkpoint, patch })
          })
        )
      )
      const { differs } = yield* lab.as(process)(looks)
      assert.deepStrictEqual(
        differs.map(({ decided }) => decided),
        ["nothing"]
      )
    })
  )

  it.effect(
    "holds a rollback to the policy on its record: the latest checkpoint that the policy admits, and no other",
    () =>
      Effect.gen(function* () {
        const differing = Effect.fnUntraced(function* (policy: NonNullable<Rollback["policy"]>) {
          const process = lawless(yield* lab.shared, new Desk())
          yield* lab.elapsing(
            lab.as(process)(
              Effect.gen(function* () {
                const handle = yield* opened
                yield* proposes(handle, find("0"))
                const self = (yield* handle.subtasks)!
                const entry = SubtaskRecovery.named(self, "slot::0::0")!
                const [checkpoint] = entry.checkpoints
                const { state } = yield* handle.position
                const { masks, ...rollback } = RollbackPoint.rollback(self, entry, { checkpoint: checkpoint!, state })
                yield* handle.rollBack({ actions: [], because: "a test", masks }, { ...rollback, policy })
              })
            )
          )
          const { differs } = yield* lab.as(process)(looks)
          return differs.length
        })
        assert.strictEqual(yield* differing({ name: "entry" }), 0)
        assert.strictEqual(yield* differing({ name: "commit" }), 1)
      })
  )

  it.effect("is judged by the rule about consumers on record, and by values alone where a record names none", () =>
    Effect.gen(function* () {
      const differing = Effect.fnUntraced(function* (policy: NonNullable<Rollback["policy"]>) {
        const desk = new Desk()
        const process = lawless(yield* lab.shared, desk)
        yield* lab.elapsing(
          lab.as(process)(
            Effect.gen(function* () {
              const handle = yield* opened
              yield* proposes(handle, find("0"), reserve("0"), { tool: "draft", params: {} })
              const self = (yield* handle.subtasks)!
              const slot = SubtaskRecovery.named(self, "slot::0::0")!
              const checkpoint = slot.checkpoints.find(({ kind }) => kind === "commit")!
              const { state } = yield* handle.position
              const { masks, ...rollback } = RollbackPoint.rollback(self, slot, { checkpoint, state })
              const actions = slot.effects.map(({ effect }) => effect.action)
              yield* handle.rollBack({ actions, because: "a test", masks }, { ...rollback, policy })
            })
          )
        )
        assert.deepStrictEqual(desk.effects, ["reserve 0", "release 0"])
        const { differs } = yield* lab.as(process)(looks)
        return differs.length
      })
      assert.strictEqual(yield* differing({ name: "commit" }), 0)
      assert.strictEqual(yield* differing({ name: "commit", consumers: "checkpoint" }), 1)
    })
  )

  it.effect(
    "is found out where a restore leaves effects as they are, and an act taken over after it folds nothing",
    () =>
      Effect.gen(function* () {
        const desk = new Desk()
        const process = lawless(yield* lab.shared, desk)
        const [before, taken, after] = yield* lab.elapsing(
          lab.as(process)(
            Effect.gen(function* () {
              const handle = yield* opened
              yield* proposes(handle, find("0"), reserve("0"))
              const self = (yield* handle.subtasks)!
              const subtask = SubtaskRecovery.named(self, "slot::0::0")!
              const { state } = yield* handle.position
              const checkpoint = subtask.checkpoints[0]!
              const { masks, ...rollback } = RollbackPoint.rollback(self, subtask, { checkpoint, state })
              yield* handle.rollBack({ actions: [], because: "by force", masks }, rollback)
              const back = (yield* handle.position).state
              const taken = yield* handle.propose(reserve("0"))
              yield* handle.flush
              const { state: after } = yield* handle.position
              assert.strictEqual(
                (yield* handle.subtasks)?.registry.entries.get(Instance.idOf(subtask.instance))?.phase,
                "open"
              )
              return [back, taken, after] as const
            })
          )
        )
        assert.deepInclude(taken, { _tag: "Done", basis: "recorded" })
        assert.deepStrictEqual(desk.effects, ["reserve 0"])
        assert.deepStrictEqual(State.sectionToJson(after.working), { slots: {}, stage: "open" })
        assert.strictEqual(after.working, before.working)
        assert.strictEqual(after.world, before.world)
        const { differs } = yield* lab.as(process)(looks)
        assert.lengthOf(differs, 1)
      })
  )

  it("has nothing to say of other transitions", () => {
    const transition = {
      tick: 1,
      body: { author: "agent", type: "plan.update" },
      stamp: { asOf: 1 },
      envelope: { ts: 1 }
    } as const
    assert.isTrue(new SubtaskReplay().agrees(transition, { kernel: {}, working: {}, world: {} }))
  })
})
