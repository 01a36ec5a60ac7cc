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
        const found = yield* RepeatedActs.among(first, again, { shared: 0 })
        assert.deepStrictEqual(says(found), [
          "pay: same tool, same arguments, after no answer: tick 1 of first and tick 2 of again"
        ])
        assert.deepStrictEqual(yield* RepeatedActs.among(again, first, { shared: 0 }), found)
        assert.deepStrictEqual(yield* RepeatedActs.among(first, again, { shared: 0, right: 1 }), [])
      }).pipe(Effect.provide(layers))
  )

  it.effect("tells once what both runs share", () =>
    Effect.gen(function* () {
      const shared = [calls("a", { order: 7 }), calls("b", { order: 7 })]
      const one = yield* recorded("one", 10, shared)
      const other = yield* recorded("other", 10, [...shared, calls("c", { order: 7 })])
      assert.deepStrictEqual(says(yield* RepeatedActs.among(one, other, { shared: 2 })), [
        "pay: same tool, same arguments, after no answer: tick 1 of one and tick 2 of one",
        "pay: same tool, same arguments, after no answer: tick 2 of other and tick 3 of other"
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
