import * as Commit from "@backstitch/kernel/Commit"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as State from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Body } from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import * as PseudoWords from "@backstitch/wording/PseudoWords"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as RepeatedActs from "../src/reporting/RepeatedActs.ts"

const layers = History.layer(Kernel.standard).pipe(
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

const calls = (id: string, params: JsonObject): Body => ({
  type: "action.request",
  author: "agent",
  action: { id, tool: "pay", params, class: "critical_mutation" }
})

const paid = (id: string): Body => ({
  type: "action.result",
  author: "kernel",
  action: { id },
  result: { basis: "recorded", output: "paid", status: "ok", trust: 1 }
})

/** Stores a run that was recorded elsewhere and began at a time. */
const recorded = Effect.fnUntraced(function* (name: string, at: number, bodies: ReadonlyArray<Body>) {
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const run = Run.make(name)
  const expected = HashChain.genesis(run)
  const drafts = bodies.map((body) => ({ body, stamp: { asOf: at }, envelope: { ts: at } }))
  const position = { head: expected, state: State.empty, asOf: at }
  const { claims, sealed } = Commit.assemble(library.fold(Kernel.standard), { run, at: position, drafts })
  yield* store.append({ run, expected, transitions: sealed, claims })
  return run
})

const says = (found: ReadonlyArray<RepeatedActs.RepeatedAct>) => found.map(({ say }) => say)

describe("RepeatedActs", () => {
  it.effect(
    "names the call of the later run that repeats what the earlier has left open, whichever is given first",
    () =>
      Effect.gen(function* () {
        const first = yield* recorded("first", 10, [calls("a", { order: 7 }), calls("b", { order: 8 }), paid("b")])
        const again = yield* recorded("again", 20, [calls("x", { order: 8 }), calls("y", { order: 7 }), paid("y")])
        const found = yield* RepeatedActs.among(first, again)
        assert.deepStrictEqual(says(found), [
          "pay: same tool, same arguments, after no answer: tick 1 of first and tick 2 of again"
        ])
        assert.deepStrictEqual(yield* RepeatedActs.among(again, first), found)
        assert.deepStrictEqual(yield* RepeatedActs.among(first, again, { right: 1 }), [])
      }).pipe(Effect.provide(layers))
  )

  it.effect("takes equal calls of an agent that was killed and of the one in its place for two calls", () =>
    Effect.gen(function* () {
      const killed = yield* recorded("killed", 10, [calls("a", { order: 7 })])
      const again = yield* recorded("again", 20, [calls("a", { order: 7 }), paid("a")])
      assert.deepStrictEqual(says(yield* RepeatedActs.among(killed, again)), [
        "pay: same tool, same arguments, after no answer: tick 1 of killed and tick 1 of again"
      ])
    }).pipe(Effect.provide(layers))
  )

  it.effect("tells once what a fork shares with its parent", () =>
    Effect.gen(function* () {
      const parent = yield* recorded("parent", 10, [calls("a", { order: 7 }), calls("b", { order: 7 })])
      const store = yield* TraceStore.TraceStore
      const library = yield* PackLibrary.PackLibrary
      const history = yield* History.History
      const run = Run.make("fork")
      const at = yield* history.at(parent, 2)
      const drafts = [{ body: calls("c", { order: 7 }), stamp: { asOf: 20 }, envelope: { ts: 20 } }]
      const { claims, sealed } = Commit.assemble(library.fold(Kernel.standard), { run, at, drafts })
      const origin = { id: parent.id, tick: 2 }
      yield* store.append({ run, expected: at.head, transitions: sealed, claims, parent: origin })
      const found = yield* RepeatedActs.among(parent, run)
      assert.deepStrictEqual(says(found), [
        "pay: same tool, same arguments, after no answer: tick 1 of parent and tick 2 of parent",
        "pay: same tool, same arguments, after no answer: tick 2 of fork and tick 3 of fork"
      ])
    }).pipe(Effect.provide(layers))
  )

  it("has each sentence from the lexicon", () => {
    const transitions = [calls("a", {}), calls("b", {})].map((body, index) => ({
      tick: index + 1,
      body,
      stamp: { asOf: 0 },
      envelope: { ts: 0 }
    }))
    const at = { run: Run.make("r"), pack: undefined, words: PseudoWords.of(English.words) }
    const [found] = RepeatedActs.within(at, transitions)
    assert.match(found?.say ?? "", /^⟦reports\.repeat\.of⟧\(/)
  })
})
