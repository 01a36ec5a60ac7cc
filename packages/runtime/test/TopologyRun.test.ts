import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Agent from "../src/agent/Agent.ts"
import * as Report from "../src/reporting/Report.ts"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as Roles from "../src/topology/Roles.ts"
import * as TopologyLab from "./topologyLab.ts"

const { idle, resultOf, works } = TopologyLab

const text = (value: unknown): string => String(value)

describe("TopologyRun", () => {
  it.effect("runs a boss and its workers, each order by the role that it names", () =>
    Effect.gen(function* () {
      const { outcome } = yield* works(
        { kind: "orchestrator", silence: "30s" },
        {
          boss: () => [
            { task: "one", brief: "Count to one" },
            { task: "two", brief: "Sing to two", worker: "singer" },
            { task: "__proto__", brief: "Be odd", worker: "constructor" }
          ],
          worker: ({ task }: { readonly task: string }) => `counted ${task}`,
          singer: ({ task }: { readonly task: string }) => `sung ${task}`,
          constructor: () => "odd"
        }
      )
      assert.sameDeepMembers(Object.entries(resultOf(outcome) as object), [
        ["__proto__", "odd"],
        ["one", "counted one"],
        ["two", "sung two"]
      ])
    })
  )

  it.effect("runs a pipeline, a debate, a hierarchy and a plan by their roles, and declares the goal reached", () =>
    Effect.gen(function* () {
      const stages = yield* works(
        { kind: "pipeline", order: ["draft", "check"] },
        {
          draft: () => "a draft",
          check: ({ input }: { readonly input: string }) => `${input}, checked`,
          judge: () => true
        }
      )
      assert.strictEqual(resultOf(stages.outcome), "a draft, checked")
      assert.deepInclude(stages.diagnosis, { isHealthy: true, question: null })
      const debate = yield* works(
        { kind: "debate", rounds: 2, agents: { judge: "referee" } },
        {
          drafter: ({ round }: { readonly round: number }) =>
            round === 1 ? "long and winding" : "a wholly other text",
          critic: () => "too long",
          judge: (tied: ReadonlyArray<{ readonly round: number }>) => tied[0]?.round
        }
      )
      assert.deepInclude(resultOf(debate.outcome), { by: "judged", round: 1 })
      const firm = yield* works(
        { kind: "hierarchical", queue: 2 },
        {
          root: () => ["a", "b", "c"].map((task) => ({ task, brief: `Count ${task}` })),
          leaf: () => 1,
          boss: ({ results }: { readonly results: object }) => Object.keys(results).length
        }
      )
      assert.deepStrictEqual(resultOf(firm.outcome), { "level 1, shard 1": 2, "level 1, shard 2": 1 })
      const plan = yield* works(
        { kind: "plan_execute", plan: "60s" },
        {
          world: () => ({ door: "open" }),
          planner: ({ world }: { readonly world: object }) => ({ steps: ["enter", "sit"], assumes: world }),
          executor: ({ step }: { readonly step: string }) => `did ${step}`
        }
      )
      assert.deepStrictEqual(resultOf(plan.outcome), [
        { step: "enter", output: "did enter" },
        { step: "sit", output: "did sit" }
      ])
    })
  )

  it.effect("takes a step that throws for a failed one, and holds the run with a question once no plan helps", () =>
    Effect.gen(function* () {
      const { diagnosis, memos, open, outcome, questions } = yield* works(
        { kind: "plan_execute", plan: "60s" },
        {
          world: () => ({}),
          planner: () => ({ steps: ["jump"] }),
          executor: () => {
            throw new Error("too high")
          }
        }
      )
      assert.strictEqual(memos.filter((memo) => memo === "step failed 1").length, 5)
      assert.deepInclude(outcome, { _tag: "Held" })
      const why = outcome?._tag === "Held" ? outcome.why : undefined
      const args = { crack: "partial_execution", subjects: ["jump"], error: "too high" }
      assert.deepStrictEqual(why, { code: "topology.asked", args })
      assert.lengthOf(questions, 1)
      assert.strictEqual(open?.tick, questions[0]?.tick)
      assert.deepInclude(diagnosis, { cracks: [], isHealthy: false })
      assert.deepInclude(diagnosis.question, { crack: "partial_execution", tick: questions[0]?.tick ?? 0 })
      assert.include(diagnosis.question?.say, "partial execution (jump): too high")
      assert.deepInclude(diagnosis.suspect, { name: "partial execution", since: questions[0]?.tick ?? 0 })
    })
  )

  it.effect("goes on behind each question once somebody resumes the run: the answer is a new try", () =>
    Effect.gen(function* () {
      const planned = (executor: () => unknown) => ({
        world: () => ({}),
        planner: () => ({ steps: ["jump"] }),
        executor
      })
      const staged = (isGood: boolean) => ({ write: () => "a text", judge: () => isGood })
      const bossed = (worker: () => unknown) => ({ boss: () => [{ task: "one", brief: "Count" }], worker })
      const fails = () => {
        throw new Error("too high")
      }
      for (const [topology, broken, mended] of [
        [{ kind: "plan_execute", plan: "60s" }, planned(fails), planned(() => "done")],
        [{ kind: "plan_execute", plan: "60s", on_failure: "stop" }, planned(fails), planned(() => "done")],
        [
          { kind: "pipeline", order: ["write", "check"] },
          { ...staged(false), check: () => "text" },
          { ...staged(true), check: () => "text" }
        ],
        [{ kind: "orchestrator", silence: "30s" }, bossed(fails), bossed(() => 1)]
      ] as const) {
        yield* TopologyLab.within(topology, ({ handle, reopen }) =>
          Effect.gen(function* () {
            const act = (roles: Roles.Roles["Service"], opened: typeof handle) =>
              Effect.provide(Agent.run(opened), Layer.merge(idle, Roles.layerFrom(roles)))
            assert.strictEqual((yield* act(broken, handle))?._tag, "Held", topology.kind)
            yield* TestClock.adjust("2 minutes")
            assert.strictEqual((yield* act(broken, yield* reopen))?._tag, "Held", topology.kind)
            yield* TestClock.adjust("2 minutes")
            assert.strictEqual((yield* act(mended, yield* reopen))?._tag, "Done", topology.kind)
          })
        )
      }
    })
  )

  it.effect("asks a person about tasks that share a name, and about a role that throws twice", () =>
    Effect.gen(function* () {
      const twins = { task: "one", brief: "Count" }
      const taken = { task: "orders of boss", brief: "Count" }
      for (const boss of [() => [twins, twins], () => [taken], () => Promise.reject(new Error("no idea"))]) {
        const { outcome } = yield* works({ kind: "orchestrator", silence: "30s" }, { boss, worker: text })
        assert.deepInclude(outcome?._tag === "Held" ? outcome.why.args : {}, { subjects: ["orders of boss"] })
      }
    })
  )

  it.effect("puts an answer that is no report on record, with an alarm, and tells a person why it is none", () =>
    Effect.gen(function* () {
      const one = { task: "one", brief: "Count the pages of the book" }
      const boss = () => [one]
      for (const [roles, subject, reason, signal] of [
        [{ boss: () => "one, two" }, "orders of boss", "it answered text, and not a list of tasks", "malformed_report"],
        [{ boss: () => [one, one] }, "orders of boss", "it named two tasks one", "malformed_report"],
        [{ boss: () => [] }, "orders of boss", "it answered an empty list", "malformed_report"],
        [{ boss, worker: () => one.brief }, "one", "it answered its brief", "echoed_brief"],
        [{ boss, worker: () => undefined }, "one", "it answered nothing that can be recorded", "malformed_report"]
      ] as const) {
        yield* TopologyLab.within({ kind: "orchestrator", silence: "30s" }, ({ handle, run }) =>
          Effect.gen(function* () {
            const held = yield* Effect.provide(
              Agent.run(handle),
              Layer.merge(idle, Roles.layerFrom({ worker: text, ...roles }))
            )
            const args: JsonObject = held?._tag === "Held" ? held.why.args : {}
            assert.deepInclude(args, { crack: "lost_handoff", subjects: [subject] })
            assert.include(args["error"], reason)
            const { cracks } = yield* RunDiagnosis.of(run)
            assert.deepInclude(cracks[0], { crack: "lost_handoff", signal, subject })
            const bodies = (yield* handle.transitions(1)).map(({ body }) => body)
            const alarms = bodies.filter(({ type }) => type === "predicate.violation").map(({ data }) => data)
            assert.deepEqual(alarms, [{ at: cracks[0]?.tick ?? 0, predicate: "topology.lost_handoff" }])
            const question = bodies.find(({ type }) => type === "anomaly.flag")?.data
            assert.include(question?.["error"], reason)
            const { unfinished } = yield* Report.of(run)
            assert.match(unfinished ?? "", /A person is asked since tick \d+: lost handoff \(/)
            assert.include(unfinished, reason)
          })
        )
      }
    })
  )

  it.effect("takes no output that is the input of its stage, none that is null, and no world without facts", () =>
    Effect.gen(function* () {
      const pipeline = { kind: "pipeline", order: ["draft", "check"] } as const
      const draft = () => "a draft"
      const plan = { kind: "plan_execute", plan: "60s" } as const
      const planned = { planner: () => ({ steps: ["sit"] }), executor: text }
      for (const [topology, roles, reason] of [
        [pipeline, { draft, check: ({ input }: { readonly input: string }) => input }, "it handed its input on"],
        [pipeline, { draft, check: () => null }, "it answered null, and not an output for the next stage"],
        [pipeline, { draft, check: () => "text", judge: () => "good" }, "it answered text, and not `true` or `false`"],
        [plan, { ...planned, world: () => "sunny" }, "it answered text, and not an object of facts"],
        [plan, { ...planned, world: () => undefined }, "it answered null, and not an object of facts"],
        [plan, { ...planned, world: () => ({}), planner: () => ({ steps: [] }) }, "and not a plan"],
        [{ kind: "debate", rounds: 2 }, { drafter: () => 99, critic: text }, "it answered 99, and not the text"]
      ] as const) {
        const { outcome } = yield* works(topology, { judge: () => true, ...roles })
        const args: JsonObject = outcome?._tag === "Held" ? outcome.why.args : {}
        assert.include(args["error"], reason)
      }
      const same = { draft: () => [1, 2], check: ({ input }: { readonly input: unknown }) => input, judge: () => true }
      assert.deepStrictEqual(resultOf((yield* works(pipeline, same)).outcome), [1, 2])
    })
  )

  it.effect("takes a step for failed that its executor says has, and for none one without an answer", () =>
    Effect.gen(function* () {
      const planned = { planner: () => ({ steps: ["sit"] }), world: () => ({}) }
      const plan = { kind: "plan_execute", plan: "60s" } as const
      for (const [answer, crack, reason] of [
        [{ failed: true }, "partial_execution", "it failed, with true for a reason"],
        [{ failed: { x: 1 }, missing: 5 }, "partial_execution", "it failed, with an object with x for a reason"],
        [undefined, "lost_handoff", "it answered nothing that can be recorded"]
      ] as const) {
        const { outcome } = yield* works(plan, { ...planned, executor: () => answer })
        const args: JsonObject = outcome?._tag === "Held" ? outcome.why.args : {}
        assert.deepInclude(args, { crack, error: reason })
      }
      for (const answer of [{ failed: 0, passed: 12 }, null, "sat"]) {
        const { outcome } = yield* works(plan, { ...planned, executor: () => answer })
        assert.deepStrictEqual(resultOf(outcome), [{ step: "sit", output: answer }])
      }
      const { outcome } = yield* works({ kind: "debate", rounds: 2 }, { drafter: text, critic: () => undefined })
      assert.include(outcome?._tag === "Held" ? String(outcome.why.args["error"]) : "", "of the critic of round 1")
    })
  )

  it.effect("ends with the last call of a role that was killed, and its answer is on record", () =>
    TopologyLab.within({ kind: "orchestrator", silence: "1s" }, ({ handle }) =>
      Effect.gen(function* () {
        const boss = () => [{ task: "one", brief: "Count to one" }]
        const worker = (_: unknown, { call }: Roles.Desk) => call("wait")
        const running = yield* Effect.forkChild(
          Effect.provide(Agent.run(handle), Layer.merge(idle, Roles.layerFrom({ boss, worker })))
        )
        const typesOf = Effect.map(handle.transitions(1), (found) => found.map(({ body }) => body.type))
        const turn = Effect.promise(() => new Promise<void>((later) => setImmediate(later)))
        for (let times = 0; times < 1000 && !(yield* typesOf).includes("action.request"); times++) yield* turn
        for (let second = 0; second < 5; second++) yield* Effect.andThen(TestClock.adjust("1 second"), turn)
        assert.isUndefined(running.pollUnsafe())
        TopologyLab.waits.answer()
        assert.strictEqual((yield* Fiber.join(running))?._tag, "Held")
        // The question is the last word, or nobody would see it as open.
        assert.strictEqual((yield* typesOf).at(-1), "anomaly.flag")
        assert.include(yield* typesOf, "action.result")
      })
    )
  )

  it.effect("answers the refusal of the kernel where a question cannot be put on record, and claims no hold", () =>
    TopologyLab.within(
      { kind: "orchestrator", silence: "30s" },
      ({ handle }) =>
        Effect.gen(function* () {
          const outcome = yield* Agent.run(handle)
          assert.strictEqual(outcome?._tag, "Refused")
        }).pipe(Effect.provide(Layer.merge(idle, Roles.layerFrom({ boss: () => "none", worker: text })))),
      [{ id: "no_doubts", on: "anomaly.flag", refuse_if: "true" }]
    )
  )

  it.effect("tells of whatever a role throws, and of no more of it than a person reads", () =>
    Effect.gen(function* () {
      const boss = () => [{ task: "one", brief: "Count the pages" }]
      for (const [thrown, told] of [
        [null, "it threw null"],
        [Object.create(null), "it threw an empty object"],
        [{ code: 5 }, "it threw an object with code"],
        ["no ink", "no ink"],
        [new Error("x".repeat(1_000_000)), `${"x".repeat(2000)}…`]
      ] as const) {
        const worker = () => Promise.reject(thrown)
        const { questions } = yield* works({ kind: "orchestrator", silence: "30s" }, { boss, worker })
        assert.strictEqual(questions[0]?.body.data?.["error"], told)
      }
    })
  )

  it.effect("stops for a call that waits, whatever its role answers, in each topology", () =>
    Effect.gen(function* () {
      const quiet = async (_: unknown, desk: Roles.Desk) => {
        try {
          return await desk.call("wipe")
        } catch {
          return [{ task: "one", brief: "Went on without" }]
        }
      }
      const forgetful = (_: unknown, desk: Roles.Desk) => {
        void desk.call("wipe")
        return [{ task: "one", brief: "Sing" }]
      }
      const list = () => [{ task: "one", brief: "Count to one" }]
      const planned = { planner: () => ({ steps: ["sit"] }), world: () => ({}) }
      const plan = { kind: "plan_execute", plan: "60s" } as const
      const pipeline = { kind: "pipeline", order: ["draft"] } as const
      const boss = { kind: "orchestrator", silence: "30s" } as const
      const firm = { kind: "hierarchical", queue: 2 } as const
      for (const role of [quiet, forgetful]) {
        for (const [topology, roles] of [
          [boss, { boss: role }],
          [boss, { boss: list, worker: role }],
          [pipeline, { draft: role, judge: () => true }],
          [pipeline, { draft: () => "a draft", judge: role }],
          [plan, { ...planned, world: role }],
          [plan, { ...planned, planner: role }],
          [plan, { ...planned, executor: role }],
          [
            { kind: "debate", rounds: 2 },
            { drafter: role, critic: text }
          ],
          [
            { kind: "debate", rounds: 2 },
            { drafter: text, critic: role }
          ],
          [firm, { root: role }],
          [firm, { root: list, leaf: role }],
          [firm, { root: list, leaf: () => 1, boss: role }]
        ] as const) {
          const { outcome, questions } = yield* works(topology, roles)
          assert.strictEqual(outcome?._tag, "Parked", `${topology.kind}: ${Object.keys(roles)}`)
          assert.deepStrictEqual(questions, [])
        }
      }
    })
  )

  it.effect("stops once the steps of the topology are used up, and says so, whatever its roles answer", () =>
    Effect.gen(function* () {
      const boss = () => [{ task: "one", brief: "Count to one" }]
      for (const worker of [
        async (_: unknown, { call }: Roles.Desk) => [await call("count"), await call("turn", { page: 1 })],
        async (_: unknown, { call }: Roles.Desk) => {
          for (const page of [1, 2, 3]) await call("turn", { page }).catch(() => "never mind")
          return "counted"
        }
      ]) {
        const { outcome, questions } = yield* works(
          { kind: "orchestrator", silence: "30s", steps: 1 },
          { boss, worker }
        )
        assert.strictEqual(outcome?._tag, "Refused")
        const checks = outcome?._tag === "Refused" ? outcome.checks.filter(({ why }) => why !== undefined) : []
        assert.include(
          checks.map(({ id }) => id),
          "topology.steps"
        )
        assert.deepStrictEqual(questions, [])
      }
    })
  )

  it.effect("calls in the name of the agent that has the order", () =>
    Effect.gen(function* () {
      const calling = async (_: never, desk: Roles.Desk) => {
        return await desk.call("count")
      }
      const task = (name: string) => ({ task: name, brief: "Count the pages" })
      const crews = [
        [
          { kind: "orchestrator", silence: "30s", agents: { worker: "ann", singer: "eve" } },
          { boss: () => [task("one"), { ...task("two"), worker: "singer" }], worker: calling, singer: calling },
          ["ann", "eve"]
        ],
        [
          { kind: "hierarchical", queue: 2, order: ["ann", "bob"], agents: { boss: "chief" } },
          { root: () => ["one", "two", "three"].map(task), leaf: calling, boss: calling },
          ["ann", "bob", "chief-1.1", "chief-1.2"]
        ]
      ] as const
      for (const [topology, roles, agents] of crews) {
        yield* TopologyLab.within(topology, ({ handle }) =>
          Effect.gen(function* () {
            yield* Effect.provide(Agent.run(handle), Layer.merge(idle, Roles.layerFrom(roles)))
            const bodies = (yield* handle.transitions(1)).map(({ body }) => body)
            const callers = bodies.flatMap(({ agent, type }) => (type === "action.request" ? [agent] : []))
            const ordered = bodies.flatMap(({ data }) => {
              const { memo, worker } = (data?.["topology"] ?? {}) as {
                readonly memo?: string
                readonly worker?: string
              }
              return memo === "dispatch" ? [worker] : []
            })
            assert.sameMembers([...new Set(callers)], [...agents])
            assert.includeMembers(ordered, [...agents])
          })
        )
      }
    })
  )
})
