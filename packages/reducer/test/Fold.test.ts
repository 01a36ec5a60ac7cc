import * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Body, Sealed } from "@backstitch/trace/Transition"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  Anomalies,
  Fold,
  Latch,
  PackInForce,
  Part,
  PolicyFlips,
  Replay,
  type Rules,
  Snapshot,
  State
} from "../src/index.ts"
import * as Lab from "./lab.ts"

const Small = Schema.Natural.check(Schema.isLessThanOrEqualTo(4))
const Data = Schema.Union([
  Schema.Struct({ set: Schema.Struct({ limit: Small }) }),
  Schema.Struct({ put: Schema.Record(Schema.Literals(["a", "b"]), Small) }),
  Schema.Struct({ append: Small })
])
const Moves = Schema.Array(Data).check(Schema.isMaxLength(20))
const bodiesOf = (moves: typeof Moves.Type): ReadonlyArray<Body> => [Lab.started, ...moves.map(Lab.did)]

const watched = Lab.predicate({
  id: "low",
  holds: ({ state }) => state.working["limit"] === 0,
  reads: ["working.limit"]
})
const fold = Lab.fold([watched])

const genesis = HashChain.genesis(Run.make("lab"))

describe("Fold", () => {
  it.prop(
    "gives the same digest twice, and from any snapshot (L2)",
    [Moves, Small],
    ([moves, cut]) => {
      const transitions = Lab.transitions(bodiesOf(moves))
      const whole = State.digest(Fold.run(fold, State.empty, transitions))
      assert.strictEqual(State.digest(Fold.run(Lab.fold([watched]), State.empty, transitions)), whole)
      const at = Math.min(transitions.length, cut * 5)
      const nodes = new Map<Digest.Digest, string>()
      const text = Snapshot.write(Fold.run(fold, State.empty, transitions.slice(0, at)), {
        has: (digest) => nodes.has(digest),
        put: (digest, node) => nodes.set(digest, node)
      })
      const resumed = Fold.run(
        fold,
        Snapshot.read(text, (digest) => nodes.get(digest)),
        transitions.slice(at)
      )
      assert.strictEqual(State.digest(resumed), whole)
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop("does not read the envelope (decision 0038)", [Moves, Schema.Natural], ([moves, ts]) => {
    const transitions = Lab.transitions(bodiesOf(moves))
    const later = transitions.map((transition) => ({ ...transition, envelope: { source: "else", ts } }))
    assert.strictEqual(
      State.digest(Fold.run(fold, State.empty, later)),
      State.digest(Fold.run(fold, State.empty, transitions))
    )
  })

  it("refuses two parts of one name, also among the parts that stored runs pin", () => {
    const part = Part.make("@acme/quota", { version: 1, init: {}, on: {} })
    const sources = { rules: () => undefined }
    const made = (parts: ReadonlyArray<Part.Any>, earlier: ReadonlyArray<ReadonlyArray<Part.Any>>) => () =>
      Fold.make({ parts, earlier, sources })
    assert.throws(made([...Fold.base, part, part], []), /two parts with the name "@acme\/quota"/)
    assert.throws(made(Fold.base, [[part, part]]), Fold.PartDoubled)
    assert.doesNotThrow(made([...Fold.base, part], [Fold.base]))
  })

  it("answers the same state, by identity, for a transition that changes nothing", () => {
    const state = Lab.head(fold, [Lab.started])
    assert.strictEqual(fold.evolve(state, Lab.at(2, { author: "agent", type: "plan.update" })), state)
  })

  it("begins in the contract's initial sections, or in those that the run names", () => {
    const initial = { world: { seats: 4 }, working: {} }
    const other = { world: { seats: 9 }, working: {} }
    const on = Fold.make({
      parts: Fold.base,
      sources: {
        initial: (digest) => (digest === Fold.initialDigest(other) ? other : undefined),
        rules: () => ({ ...Lab.rules(), initial })
      }
    })
    const begin = (named?: string): Body => ({
      ...Lab.started,
      data: { ...Lab.started.data, ...(named === undefined ? {} : { initial: named }) }
    })
    assert.deepStrictEqual(Lab.head(on, [begin()]).world, initial.world)
    assert.deepStrictEqual(Lab.head(on, [begin(Fold.initialDigest(initial))]).world, initial.world)
    assert.deepStrictEqual(Lab.head(on, [begin(Fold.initialDigest(other))]).world, other.world)
    assert.throws(() => Lab.head(on, [begin(Digest.zero)]), /^Tick 1 is bound by the initial state 000000000000…/)
  })

  it("names the pack that is not at hand, and the tick", () => {
    const on = Fold.make({ parts: Fold.base, sources: { rules: () => undefined } })
    assert.throws(() => Lab.head(on, [Lab.started]), /^Tick 1 is bound by the pack abababababab…/)
  })

  it("changes nothing but its parts in a run without a pack", () => {
    const anomaly: Body = { author: "kernel", data: { kind: "author" }, type: "kernel.anomaly" }
    const state = Lab.head(fold, [Lab.did({ set: { limit: 0 } }), anomaly])
    assert.deepStrictEqual([state.world, state.working], [{}, {}])
    assert.strictEqual(Anomalies.first(state), 2)
  })

  it("finds the tool of an action among the open actions if a transition only continues it", () => {
    const before = { ...State.empty, kernel: { actions: { a1: { tool: "pay" } } } }
    const result: Body = { action: { id: "a1" }, author: "kernel", type: "action.result" }
    assert.strictEqual(Fold.toolOf(before, Lab.at(2, result)), "pay")
    assert.strictEqual(Fold.toolOf(before, Lab.at(2, { ...result, action: { id: "a9" } })), undefined)
    assert.strictEqual(Fold.toolOf(before, Lab.at(2, Lab.did({}))), undefined)
  })

  it("pins the parts that it is made of", () => {
    assert.strictEqual(fold.version, "contract@1 anomalies@1 policy@1")
  })
})

describe("Part", () => {
  const quota = Part.make("@acme/quota", {
    version: 3,
    init: { calls: 0 },
    on: {
      "action.started": (self) => ({ calls: self.calls + 1 }),
      "*": (self, _, before) => (Part.get(other, before) > 2 ? { calls: 99 } : self)
    }
  })
  const other = Part.make<number>("@acme/ticks", { version: 1, init: 0, on: { "*": (self) => self + 1 } })
  const on = Fold.make({ parts: [other, quota], sources: { rules: () => undefined } })
  const start: Body = { action: { id: "a" }, author: "kernel", type: "action.started" }

  it("sees its own state and the state before, and never another part's half-finished change", () => {
    const states = Lab.states(on, [start, start, start, Lab.did({})])
    assert.deepStrictEqual(
      states.map((state) => Part.get(quota, state).calls),
      [0, 1, 2, 3, 99]
    )
    assert.deepStrictEqual(
      states.map((state) => Part.get(other, state)),
      [0, 1, 2, 3, 4]
    )
  })

  it("is pinned by name and version", () => {
    assert.strictEqual(Part.pin(quota), "@acme/quota@3")
    assert.strictEqual(on.version, "@acme/ticks@1 @acme/quota@3")
  })
})

describe("Contract", () => {
  const extension = (from: number): Body => ({
    author: "institution",
    data: { effective_from_tick: from },
    type: "policy.contract_extension"
  })
  const asked: Array<number> = []
  const on = Fold.make({
    parts: Fold.base,
    sources: {
      rules: (_, extensions) => {
        asked.push(extensions.length)
        const id = `extended-${extensions.length}`
        return Lab.rules(extensions.length === 0 ? [] : [Lab.predicate({ id, holds: () => true })])
      }
    }
  })

  it("binds an extension from its tick on, never before", () => {
    const quiet = Array.from({ length: 6 }, (_, append) => Lab.did({ append }))
    const state = Lab.head(on, [Lab.started, extension(5), extension(7), ...quiet])
    assert.deepStrictEqual(Latch.of(state), { "extended-1": 5, "extended-2": 7 })
    assert.strictEqual(PackInForce.bindingAt(PackInForce.of(state), 4).length, 0)
    assert.strictEqual(PackInForce.bindingAt(PackInForce.of(state), 6).length, 1)
  })

  it("asks for its rules once for each stretch of ticks in which they stay", () => {
    asked.length = 0
    Lab.head(on, [Lab.started, ...Array.from({ length: 50 }, (_, append) => Lab.did({ append }))])
    assert.strictEqual(asked.length, 1)
  })

  it("hands a pending extension down to a fork", () => {
    const forked: Body = { author: "kernel", data: { at: 2, parent: "main" }, type: "run.fork" }
    const state = Lab.head(on, [Lab.started, extension(4), forked, Lab.did({ append: 1 })])
    assert.deepStrictEqual(Latch.of(state), { "extended-1": 4 })
  })

  it("is replaced by the pack that a fork or a migration names", () => {
    const named = "cd".repeat(32)
    for (const type of ["run.fork", "run.migrated"] as const) {
      const state = Lab.head(on, [Lab.started, { author: "kernel", data: { pack: named }, type }])
      assert.strictEqual(PackInForce.of(state).pack, named)
    }
  })
})

describe("Anomalies", () => {
  const anomaly = (kind: string, count = 1): Body => ({
    author: "kernel",
    data: { count, kind },
    type: "kernel.anomaly"
  })

  it("keeps the first tick and the count of each kind", () => {
    const state = Lab.head(fold, [Lab.started, anomaly("author"), anomaly("digest"), anomaly("author", 4)])
    assert.deepStrictEqual(Part.get(Anomalies.part, state), {
      author: { count: 5, first: 2 },
      digest: { count: 1, first: 3 }
    })
    assert.deepStrictEqual(
      [Anomalies.first(state), Anomalies.first(state, "digest"), Anomalies.first(state, "toString")],
      [2, 3, undefined]
    )
  })

  it("takes kinds that every object inherits for kinds", () => {
    const state = Lab.head(fold, [Lab.started, anomaly("constructor"), anomaly("constructor")])
    assert.deepStrictEqual(Part.get(Anomalies.part, state)["constructor"], { count: 2, first: 2 })
  })
})

describe("PolicyFlips", () => {
  const decide = (decision: "allow" | "deny" | "escalate", tool = "pay"): Body => ({
    action: { id: "a", tool },
    author: "agent",
    policy: { checks: [], decision, version: "1" },
    type: "action.request"
  })
  const flip = (...decisions: ReadonlyArray<Body>) =>
    PolicyFlips.flippedAt(Lab.head(fold, [Lab.started, ...decisions]), "action.request:pay")

  it("latches if policy went from allow to deny", () => {
    assert.strictEqual(flip(decide("allow"), decide("allow"), decide("deny"), decide("deny")), 4)
    assert.strictEqual(flip(decide("allow"), decide("deny"), decide("allow"), decide("deny")), 3)
    assert.strictEqual(flip(decide("deny"), decide("allow"), decide("deny")), 4)
  })

  it("takes neither a first denial nor an escalation for a flip", () => {
    assert.strictEqual(flip(decide("deny"), decide("deny")), undefined)
    assert.strictEqual(flip(decide("allow"), decide("escalate")), undefined)
    assert.strictEqual(flip(decide("allow"), decide("escalate"), decide("deny")), 4)
  })

  it("counts a transition that names no tool by its type alone", () => {
    const { action: _, ...toolless } = decide("allow")
    const state = Lab.head(fold, [
      Lab.started,
      toolless,
      { ...toolless, policy: { ...toolless.policy!, decision: "deny" } }
    ])
    assert.strictEqual(PolicyFlips.flippedAt(state, "action.request"), 3)
    assert.strictEqual(PolicyFlips.flippedAt(state, "action.request:undefined"), undefined)
  })

  it("keeps tools apart, and the type over all of them", () => {
    const state = Lab.head(fold, [Lab.started, decide("allow", "pay"), decide("deny", "book")])
    assert.strictEqual(PolicyFlips.flippedAt(state, "action.request:pay"), undefined)
    assert.strictEqual(PolicyFlips.flippedAt(state, "action.request:book"), undefined)
    assert.strictEqual(PolicyFlips.flippedAt(state, "action.request"), 3)
    assert.strictEqual(PolicyFlips.flippedAt(state, "constructor"), undefined)
  })
})

describe("Replay", () => {
  const bodies = [Lab.started, Lab.did({ set: { limit: 2 } }), Lab.did({ append: 1 }), Lab.did({ set: { limit: 0 } })]
  const sealed = Lab.seal(fold, bodies)
  const strict = (on: Fold.Fold, transitions: Iterable<Sealed> = sealed) =>
    Replay.strict(on, { head: genesis, state: State.empty }, transitions)

  it("gives every committed digest again under the same fold (L2)", () => {
    const { compared, divergences, head, state } = Result.getOrThrow(strict(fold))
    assert.deepStrictEqual([compared, divergences], [4, []])
    assert.strictEqual(head.link, sealed[3]!.link)
    assert.strictEqual(State.digest(state), State.digest(Lab.head(fold, bodies)))
  })

  it("names every tick at which another contract makes another state of the same bytes", () => {
    const other: Rules.Rules = { ...Lab.rules([watched]), apply: (before) => before }
    const { divergences } = Result.getOrThrow(strict(Lab.foldOf(other)))
    assert.deepStrictEqual(
      divergences.map(({ tick }) => tick),
      [2, 3, 4]
    )
    assert.strictEqual(divergences[0]!.committed, Transition.open(sealed[1]!).stamp.state)
  })

  it("fails at the first bad tick of a broken chain (L3)", () => {
    for (const tick of [1, 2, 3, 4]) {
      const broken = sealed.map((each) => (each.tick === tick ? { ...each, envelope: '{"ts":2}' } : each))
      const answer = strict(fold, broken)
      assert.isTrue(Result.isFailure(answer))
      assert.strictEqual(Result.getOrThrow(Result.flip(answer)).tick, tick)
    }
  })

  it("goes on from a snapshot's state and head", () => {
    const first = Result.getOrThrow(strict(fold, sealed.slice(0, 2)))
    const rest = Result.getOrThrow(Replay.strict(fold, first, sealed.slice(2)))
    assert.deepStrictEqual(rest.divergences, [])
    assert.strictEqual(rest.head.link, sealed[3]!.link)
  })
})

describe("The parts that a run pins", () => {
  const counter = (version: number, by: number): Part.Any =>
    Part.make("count", {
      version,
      init: { of: 0 },
      on: { "observation.add": ({ of }: { readonly of: number }) => ({ of: of + by }) }
    })
  const on = (own: ReadonlyArray<Part.Any>, earlier: ReadonlyArray<ReadonlyArray<Part.Any>> = []) =>
    Fold.make({ parts: [...Fold.base, ...own], earlier, sources: { rules: () => Lab.rules() } })
  const first = on([])
  const before = on([counter(1, 1)], [Fold.base])
  const now = on([counter(2, 10)], [Fold.base, [...Fold.base, counter(1, 1)]])

  const pinning = (pins: string, type: "run.started" | "run.migrated" = "run.started"): Body => ({
    ...Lab.started,
    type,
    data: { ...Lab.started.data, fold: pins }
  })
  const three = [1, 2, 3].map((append) => Lab.did({ append }))
  const counted = (state: State.State) => state.kernel["count"]

  it.prop("fold it for ever as they did, whatever is added or takes over (L2, decision 0015)", [Moves], ([moves]) => {
    for (const then of [first, before]) {
      const transitions = Lab.transitions([pinning(then.version), ...moves.map(Lab.did)])
      const committed = State.digest(Fold.run(then, State.empty, transitions))
      assert.strictEqual(State.digest(Fold.run(now, State.empty, transitions)), committed)
    }
  })

  it("are the only ones that it has, and those at hand if it pins none", () => {
    assert.deepStrictEqual(counted(Lab.head(now, [pinning(now.version), ...three])), { of: 30 })
    assert.deepStrictEqual(counted(Lab.head(now, [pinning(before.version), ...three])), { of: 3 })
    assert.isUndefined(counted(Lab.head(now, [pinning(first.version), ...three])))
    assert.deepStrictEqual(counted(Lab.head(now, [Lab.started, ...three])), { of: 30 })
  })

  it("are others from the tick on at which it is migrated", () => {
    const bodies = [pinning(before.version), ...three, pinning(now.version, "run.migrated"), ...three]
    assert.deepStrictEqual(counted(Lab.head(now, bodies)), { of: 33 })
  })

  it("are named as missing if they are not at hand", () => {
    assert.throws(() => Lab.head(before, [pinning(now.version)]), /part count@2 from tick 1 on, and it is not here/)
  })

  it("let a run go on if each is as it was, and not if one has changed", () => {
    assert.isTrue(Fold.continues(now, first.version))
    assert.isTrue(Fold.continues(now, now.version))
    assert.isFalse(Fold.continues(now, before.version))
  })
})
