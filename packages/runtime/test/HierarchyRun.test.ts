import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Limits from "../src/Limits.ts"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as HierarchyRun from "../src/topology/HierarchyRun.ts"
import * as TopologyLab from "./topologyLab.ts"

const topology = { kind: "hierarchical", queue: 3, order: ["ann", "bob", "eve"] } as const

const tasks = Array.from({ length: 10 }, (_, index) => ({ task: `t${index + 1}`, brief: `Count chapter ${index + 1}` }))

const sum = (results: { readonly [task: string]: Json }): number =>
  Object.values(results).reduce<number>((all, each) => all + Number(each), 0)

const firm = () => {
  const worked: Array<string> = []
  const summarized: Array<string> = []
  return {
    worked,
    summarized,
    errand: (declared: HierarchyRun.HierarchyErrand["declared"]): HierarchyRun.HierarchyErrand => ({
      declared,
      tasks,
      work: ({ task }) =>
        Effect.as(
          Effect.sync(() => worked.push(task)),
          1
        ),
      summarize: ({ level, results, shard }) =>
        Effect.as(
          Effect.sync(() => summarized.push(`${level}.${shard}`)),
          sum(results)
        )
    })
  }
}

const total = (ended: { readonly _tag: string; readonly result?: Json }): number =>
  sum((ended.result ?? {}) as { readonly [task: string]: Json })

describe("HierarchyRun", () => {
  it.effect("hands the root no more than its queue, in as many levels as that takes, and each task is done once", () =>
    TopologyLab.within(topology, ({ declared, handle, memos, run }) =>
      Effect.gen(function* () {
        const { errand, summarized, worked } = firm()
        const ended = yield* (yield* HierarchyRun.make(handle, errand(declared))).run
        assert.strictEqual(total(ended), 10)
        assert.sameMembers(
          worked,
          tasks.map(({ task }) => task)
        )
        // Ten tasks are four shards of three, and four shards are two.
        assert.sameMembers(summarized, ["1.1", "1.2", "1.3", "1.4", "2.1", "2.2"])
        assert.deepStrictEqual(
          (yield* memos).filter((memo) => memo.startsWith("aggregate")),
          ["aggregate 1 4", "aggregate 2 2"]
        )
        assert.isTrue((yield* RunDiagnosis.of(run)).isHealthy)
      })
    )
  )

  it.effect("ends with a queue of one, which older packs may have, although its shards bring nothing together", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const errand = firm().errand({ ...declared, queueMax: 1 })
        assert.strictEqual(total(yield* (yield* HierarchyRun.make(handle, errand)).run), 10)
      })
    )
  )

  it.effect("orders the task of a killed leaf or boss once more, and no leaf works twice for it", () =>
    Effect.gen(function* () {
      for (const victim of ["t4", "level 1, shard 2", "level 2, shard 1"]) {
        yield* TopologyLab.within(topology, ({ declared, handle }) =>
          Effect.gen(function* () {
            const { errand, worked } = firm()
            const healthy = errand(declared)
            let isDead = false
            const dying = (task: string) =>
              Effect.suspend(() => {
                if (isDead || task !== victim) return Effect.void
                isDead = true
                return Effect.andThen(hierarchy.kill(task), Effect.never)
              })
            const hierarchy: HierarchyRun.HierarchyRun = yield* HierarchyRun.make(handle, {
              ...healthy,
              work: (task, agent) => Effect.andThen(dying(task.task), healthy.work(task, agent)),
              summarize: (shard, agent) =>
                Effect.andThen(dying(`level ${shard.level}, shard ${shard.shard}`), healthy.summarize(shard, agent))
            })
            assert.strictEqual(total(yield* hierarchy.run), 10, victim)
            assert.isTrue(isDead)
            assert.strictEqual(worked.length, 10)
          })
        )
      }
    })
  )

  it.effect("stops at a level that the kernel does not let a boss bring together", () =>
    TopologyLab.within(
      topology,
      ({ declared, handle }) =>
        Effect.gen(function* () {
          const ended = yield* (yield* HierarchyRun.make(handle, firm().errand(declared))).run
          assert.deepInclude(ended, { _tag: "Stopped" })
          assert.strictEqual(ended._tag === "Stopped" ? ended.outcome._tag : "", "Refused")
        }),
      [
        {
          id: "no_levels",
          on: "artifact.write",
          refuse_if: "args.topology.memo == 'aggregate' && args.topology.level == 1"
        }
      ]
    )
  )

  it.effect("asks a person about a task that was lost twice", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const healthy = firm().errand(declared)
        const broken = {
          ...healthy,
          work: (task: HierarchyRun.LeafOrder, agent: string) =>
            task.task === "t9" ? Effect.fail(new Error("no paper")) : healthy.work(task, agent)
        }
        const ended = yield* (yield* HierarchyRun.make(handle, broken)).run
        const question = { _tag: "Asked", crack: "lost_handoff", subjects: ["t9"], error: "no paper" }
        assert.deepStrictEqual<object>(ended, question)
      })
    )
  )

  it.effect("lets the time of a boss begin once its shard is complete, and calls each boss once", () =>
    TopologyLab.within({ ...topology, silence: "3s" }, ({ declared, handle, run }) =>
      Effect.gen(function* () {
        const { errand, summarized, worked } = firm()
        const healthy = errand(declared)
        let isHung = true
        const hierarchy = yield* HierarchyRun.make(handle, {
          ...healthy,
          work: (task, agent) => {
            if (task.task !== "t5") return Effect.delay(healthy.work(task, agent), "2 seconds")
            // The first leaf of this task hangs, and its boss is no less healthy for it.
            return Effect.suspend(() => {
              if (!isHung) return healthy.work(task, agent)
              isHung = false
              return Effect.never
            })
          },
          summarize: (shard, agent) => Effect.delay(healthy.summarize(shard, agent), "2 seconds")
        })
        const running = yield* Effect.forkChild(hierarchy.run)
        for (let second = 0; second < 20; second++) yield* TestClock.adjust("1 second")
        assert.strictEqual(total(yield* Fiber.join(running)), 10)
        assert.sameMembers(summarized, ["1.1", "1.2", "1.3", "1.4", "2.1", "2.2"])
        assert.strictEqual(worked.length, 10)
        const { cracks } = yield* RunDiagnosis.of(run)
        assert.deepStrictEqual(
          cracks.map(({ subject }) => subject),
          ["t5"]
        )
      })
    )
  )

  it.effect("gives a boss its shard once that is complete, while leaves of other shards are at work", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const { errand, summarized } = firm()
        const healthy = errand(declared)
        const hung = yield* Deferred.make<void>()
        const hierarchy = yield* HierarchyRun.make(handle, {
          ...healthy,
          work: (task, agent) =>
            task.task === "t10" ? Effect.andThen(Deferred.await(hung), healthy.work(task, agent)) : Effect.succeed(1)
        })
        const running = yield* Effect.forkChild(hierarchy.run)
        yield* TopologyLab.until(() => summarized.length === 4)
        assert.sameMembers(summarized, ["1.1", "1.2", "1.3", "2.1"])
        yield* Deferred.succeed(hung, undefined)
        assert.strictEqual(total(yield* Fiber.join(running)), 10)
        assert.lengthOf(summarized, 6)
      })
    )
  )

  it.effect("has no more workers at work than the limit, with however many leaves", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const [many, counting] = [Array.from({ length: 80 }, (_, index) => `t${index}`), TopologyLab.counting()]
        const ended = yield* (yield* HierarchyRun.make(handle, {
          declared,
          tasks: many.map((task) => ({ task, brief: `Count the pages of ${task}` })),
          work: () => counting.work,
          summarize: ({ results }) => Effect.as(counting.work, sum(results))
        })).run
        assert.strictEqual(total(ended), 80)
        assert.isAtMost(counting.most(), Limits.pacing.workersMax)
      })
    )
  )
})
