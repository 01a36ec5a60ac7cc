import * as Payload from "@backstitch/trace/Payload"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { Bisect, BisectResult, CausalChain, OnsetQuestion } from "../src/index.ts"
import { payloads } from "../src/payload/Payload.ts"
import * as Lab from "./lab.ts"

const size = (max: number) => Schema.Natural.check(Schema.isLessThanOrEqualTo(max))

const every = (length: number, interval: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor(length / interval) }, (_, index) => (index + 1) * interval)

const linear = (verdicts: ReadonlyArray<boolean>): number | undefined => {
  const index = verdicts.indexOf(true)
  return index === -1 ? undefined : index + 1
}

/** Drives a search as a store would, and counts what it loads and folds. */
const drive = (search: Bisect.Search, onset: number) => {
  let [loads, folds] = [0, 0]
  let kept = { from: -1, to: -1 }
  let next = Bisect.next(search)
  while ("probe" in next) {
    assert.isAtMost(next.from, next.probe)
    assert.isAtLeast(next.to, next.probe)
    assert.isTrue(next.from === 0 || search.snapshots.includes(next.from), `no snapshot at ${next.from}`)
    if (next.from !== kept.from || next.to > kept.to) {
      loads++
      folds += next.to - next.from
      kept = { from: next.from, to: next.to }
    }
    search = Bisect.answer(search, next.probe >= onset)
    next = Bisect.next(search)
  }
  return { found: Bisect.found(search), evaluations: search.probes.length, loads, folds }
}

describe("Bisect", () => {
  it("answers every onset within ⌈log2(N+1)⌉ evaluations for every N up to 300", () => {
    for (let length = 0; length <= 300; length++) {
      const bound = Math.ceil(Math.log2(length + 1))
      assert.strictEqual(Bisect.bound(length), bound)
      for (let onset = 1; onset <= length + 1; onset++) {
        const search = Bisect.run(Bisect.start({ length }), (tick) => tick >= onset)
        assert.strictEqual(Bisect.found(search), onset > length ? undefined : onset)
        assert.isAtMost(search.probes.length, bound)
      }
    }
  })

  it("loads from every snapshot that a run has, its first and its last tick among them, and from no other", () => {
    const { snapshots } = Bisect.start({ length: 5, snapshots: [6, 5, 1, 0, 3, 1] })
    assert.deepStrictEqual(snapshots, [1, 3, 5])
  })

  it("needs 6 evaluations at N = 64 where the head is known to violate, and 7 with none among the answers", () => {
    const evaluations = (headViolates: boolean | undefined, onset: number) =>
      Bisect.run(Bisect.start({ length: 64, headViolates }), (tick) => tick >= onset).probes.length
    const onsets = Array.from({ length: 64 }, (_, index) => index + 1)
    assert.strictEqual(Math.max(...onsets.map((onset) => evaluations(true, onset))), 6)
    assert.strictEqual(Math.max(...[...onsets, 65].map((onset) => evaluations(undefined, onset))), 7)
    assert.strictEqual(evaluations(false, 65), 0)
  })

  it("probes in the order that the seed prints", () => {
    const order = (length: number, onset: number) =>
      Bisect.run(Bisect.start({ length, headViolates: true }), (tick) => tick >= onset).probes.map(({ tick }) => tick)
    assert.deepStrictEqual(order(64, 14), [32, 16, 8, 12, 14, 13])
    assert.deepStrictEqual(order(48, 1), [24, 12, 6, 3, 1])
    assert.deepStrictEqual(order(40, 13).slice(0, 4), [20, 10, 15, 12])
    assert.deepStrictEqual(order(8, 4), [4, 2, 3])
  })

  it.prop(
    "finds what a linear scan finds, for every snapshot interval, within the bound",
    [Schema.Array(Schema.Boolean).check(Schema.isMaxLength(80)), size(80)],
    ([noise, interval]) => {
      const verdicts = noise.map((_, index) => noise.slice(0, index + 1).filter(Boolean).length > noise.length / 4)
      const snapshots = every(verdicts.length, interval + 1)
      const search = Bisect.run(Bisect.start({ length: verdicts.length, snapshots }), (tick) => verdicts[tick - 1]!)
      assert.strictEqual(Bisect.found(search), linear(verdicts))
      assert.isAtMost(search.probes.length, Bisect.bound(verdicts.length))
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "stays within the bound wherever the snapshots are",
    {
      length: size(2000),
      onset: size(2001),
      snapshots: Arbitrary.array(Arbitrary.schema(size(2000)), { maxLength: 60 })
    },
    ({ length, onset, snapshots }) => {
      const answer = drive(Bisect.start({ length, snapshots }), onset)
      assert.strictEqual(answer.found, Math.max(1, onset) > length ? undefined : Math.max(1, onset))
      assert.isAtMost(answer.evaluations, Bisect.bound(length))
    },
    { arbitrary: { runs: 500 } }
  )

  it("stays within the bound for every N up to 70 and every regular interval", () => {
    for (let length = 1; length <= 70; length++) {
      for (let interval = 1; interval <= length; interval++) {
        const start = Bisect.start({ length, snapshots: every(length, interval) })
        for (let onset = 1; onset <= length + 1; onset++) {
          const search = Bisect.run(start, (tick) => tick >= onset)
          assert.isTrue(search.low === onset && search.probes.length <= Bisect.bound(length))
        }
      }
    }
  })

  it("loads snapshots and folds one segment of a million ticks", () => {
    for (const interval of [256, 1000, 1024, 4096]) {
      const search = Bisect.start({ length: 1_000_000, snapshots: every(1_000_000, interval) })
      for (let index = 0; index < 60; index++) {
        const { evaluations, folds, loads } = drive(search, 1 + ((index * 7_919_317) % 1_000_001))
        assert.isAtMost(evaluations, 20)
        assert.isAtMost(folds, interval)
        assert.isAtMost(loads, Math.ceil(Math.log2(1_000_000 / interval)) + 1)
      }
    }
  })

  it("folds no more than one segment a probe if the bound leaves no room to choose", () => {
    const [length, interval] = [2 ** 16 - 1, 1000]
    const search = Bisect.start({ length, snapshots: every(length, interval) })
    for (let onset = 1; onset <= length + 1; onset += 641) {
      const { evaluations, folds } = drive(search, onset)
      assert.isAtMost(evaluations, 16)
      assert.isAtMost(folds, interval * Math.ceil(Math.log2(length / interval) + 1))
    }
  })

  it("answers none for a trace without ticks", () => {
    assert.deepStrictEqual(Bisect.next(Bisect.start({ length: 0, headViolates: true })), { onset: undefined })
  })

  it("leaves a search that has its answer as it is", () => {
    const search = Bisect.run(Bisect.start({ length: 3 }), () => true)
    assert.strictEqual(Bisect.answer(search, false), search)
  })

  it("takes states that are at hand", () => {
    const scores = [0.61, 0.68, 0.71, 0.79, 0.83, 0.87, 0.91, 0.94]
    const options = { length: 8, stateAt: (tick: number) => scores[tick - 1]! }
    assert.strictEqual(Bisect.onset({ ...options, violates: (score) => score > 0.75 }), 4)
    assert.strictEqual(Bisect.onset({ ...options, violates: (score) => score > 1 }), undefined)
  })
})

const fits = {
  "bisect.result": Payload.checker(payloads["bisect.result"]),
  "causal.chain": Payload.checker(payloads["causal.chain"])
}

describe("Bisect of a trace of 64 ticks", () => {
  const overThreshold = Lab.predicate({
    id: "risk_over_threshold",
    reads: ["working.risk", "working.threshold"],
    holds: ({ state }) => Number(state.working["risk"] ?? 0) > Number(state.working["threshold"] ?? 1)
  })
  const fold = Lab.fold([overThreshold])
  const quiet = Array.from({ length: 44 }, (_, index) => Lab.note(`step ${index + 21}`))
  const bodies = [
    Lab.started,
    Lab.set({ risk: 0.2, threshold: 0.75, weather: "calm" }),
    ...Array.from({ length: 5 }, (_, index) => Lab.note(`step ${index + 3}`)),
    Lab.set({ risk: 0.4, weather: "storm" }, { intent: { dependsOn: ["weather"], description: "read the forecast" } }),
    ...Array.from({ length: 4 }, (_, index) => Lab.note(`step ${index + 9}`)),
    Lab.set({ source: "ferry blog" }, { confidence: 0.31, intent: { description: "add another source" } }),
    Lab.set(
      { risk: 0.82 },
      { author: "kernel", policy: { checks: ["risk"], decision: "deny", version: "1" }, type: "policy.decision" }
    ),
    Lab.note("step 15"),
    Lab.note("step 16"),
    {
      action: { id: "a17", tool: "book_ferry" },
      author: "agent" as const,
      intent: { dependsOn: ["risk"], description: "book it anyway" },
      type: "action.request" as const
    },
    Lab.note("step 18"),
    Lab.note("step 19"),
    { author: "kernel" as const, data: { kind: "workaround" }, type: "kernel.anomaly" as const },
    ...quiet
  ]
  const steps = Lab.steps(fold, bodies)
  const question = OnsetQuestion.predicate("risk_over_threshold", new Set(["risk_over_threshold"]))
  const ask = (asked: OnsetQuestion.OnsetQuestion, headViolates?: boolean) =>
    Bisect.run(Bisect.start({ length: 64, headViolates }), (tick) =>
      OnsetQuestion.violates(asked, Lab.stateAt(steps, tick), tick)
    )

  it("finds the transition at which the risk crossed the threshold, in six evaluations", () => {
    assert.strictEqual(steps.length, 64)
    const search = ask(question, true)
    assert.strictEqual(Bisect.found(search), 14)
    assert.deepStrictEqual(
      search.probes.map(({ tick, verdict }) => `${tick} ${verdict}`),
      ["32 violation", "16 violation", "8 ok", "12 ok", "14 violation", "13 ok"]
    )
  })

  it("tells the story from the onset to the anomaly, each link labelled a heuristic", () => {
    const chain = CausalChain.make(steps, { onset: 14, reads: overThreshold.reads })
    assert.deepStrictEqual(
      chain.links.map(({ relation, tick, type }) => [tick, type, relation]),
      [
        [2, "observation.add", "antecedent"],
        [14, "policy.decision", "onset"],
        [17, "action.request", "consequence"],
        [20, "kernel.anomaly", "consequence"]
      ]
    )
    assert.isTrue(chain.links.every(({ heuristic }) => heuristic))
    // The threshold that was crossed is one of the fields that the predicate reads.
    const [antecedent, onset, consequence] = chain.links
    assert.deepStrictEqual(antecedent!.why, { args: { fields: ["working.threshold"] }, code: "link.wrote" })
    assert.deepInclude(onset!.effects, { code: "changed", path: "working.risk", before: 0.4, after: 0.82 })
    assert.deepInclude(onset!.effects, { code: "violated", predicate: "risk_over_threshold" })
    assert.isUndefined(onset!.why)
    assert.deepStrictEqual(consequence!.why, { args: { field: "risk" }, code: "link.depends" })
  })

  it("answers with the keys that programs rely on, and suggests a fork from the tick before", () => {
    const chain = CausalChain.make(steps, { onset: 14, reads: overThreshold.reads })
    const result = BisectResult.make({
      answer: ask(question, true),
      chain,
      length: 64,
      onset: steps[13],
      question,
      run: "logistics-1"
    })
    const read = JSON.parse(JSON.stringify(result))
    assert.deepStrictEqual(read, result)
    assert.strictEqual(read.onset, 14)
    assert.strictEqual(read.evaluations, 6)
    assert.strictEqual(read.length, 64)
    assert.strictEqual(read.transition.type, "policy.decision")
    assert.strictEqual(read.causalChain.length, 4)
    assert.deepStrictEqual(read.suggestion, {
      args: {
        change: "rules_or_tools",
        from: 13,
        inherits: [{ field: "working.threshold", tick: 2 }],
        type: "policy.decision"
      },
      code: "remedy.fork"
    })
    assert.notProperty(read, "linear")
    const [found, caused] = BisectResult.toBodies(result)
    assert.strictEqual(found!.type, "bisect.result")
    assert.strictEqual(found!.data!["onset"], 14)
    assert.strictEqual(caused!.type, "causal.chain")
    assert.deepStrictEqual(caused!.data, {
      heuristic: true,
      links: chain.links.map(({ relation, tick, why }) => ({ relation, tick, ...(why === undefined ? {} : { why }) })),
      omitted: 0,
      onset: 14
    })
    for (const body of [found!, caused!]) assert.isUndefined(fits[body.type as keyof typeof fits](body.data))
  })

  it("finds anomalies by kind, and answers none for a kind that never came", () => {
    assert.strictEqual(Bisect.found(ask(OnsetQuestion.predicate(OnsetQuestion.anomalyFree, new Set()))), 20)
    assert.strictEqual(Bisect.found(ask({ _tag: "Anomaly", kind: "workaround" })), 20)
    const none = ask({ _tag: "Anomaly", kind: "other" })
    assert.strictEqual(Bisect.found(none), undefined)
    const result = BisectResult.make({
      answer: none,
      length: 64,
      question: { _tag: "Anomaly", kind: "other" },
      run: "r"
    })
    assert.strictEqual(result.onset, null)
    assert.strictEqual(result.transition, null)
    assert.deepStrictEqual(result.causalChain, [])
    assert.deepStrictEqual(result.suggestion, { args: {}, code: "remedy.none" })
    assert.isAtMost(result.evaluations, 7)
  })

  it("finds where policy flipped from allow to deny", () => {
    const decide = (decision: "allow" | "deny") => ({
      action: { id: "a1", tool: "pay" },
      author: "agent" as const,
      policy: { checks: [], decision, version: "1" },
      type: "action.request" as const
    })
    const flips = Lab.steps(fold, [
      Lab.started,
      ...Array.from({ length: 12 }, () => decide("allow")),
      ...Array.from({ length: 9 }, () => decide("deny"))
    ])
    for (const subject of ["action.request", "action.request:pay"]) {
      const search = Bisect.run(Bisect.start({ length: flips.length }), (tick) =>
        OnsetQuestion.violates({ _tag: "PolicyFlip", subject }, Lab.stateAt(flips, tick), tick)
      )
      assert.strictEqual(Bisect.found(search), 14)
    }
  })
})
