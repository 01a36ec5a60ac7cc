/** Without any one of three invariants an onset cannot be trusted. Each is taken away, and then put back. */
import * as FunctionSource from "@backstitch/functions/FunctionSource"
import * as Purity from "@backstitch/functions/Purity"
import * as Fold from "@backstitch/reducer/Fold"
import * as Latch from "@backstitch/reducer/Latch"
import * as Replay from "@backstitch/reducer/Replay"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Bisect, Step } from "../src/index.ts"
import * as Lab from "./lab.ts"

const length = 20
const risky = 0.75
const onset = 12

/** The risk passes the threshold at tick 12 and stays beyond it. */
const bodies: ReadonlyArray<Transition.Body> = [
  Lab.started,
  ...Array.from({ length: length - 1 }, (_, index) => Lab.set({ risk: index + 2 < onset ? 0.4 : 0.9 }))
]
const genesis = HashChain.genesis(Run.make("lab"))
const failure = <E>(result: Result.Result<unknown, E>): E => Result.getOrThrow(Result.flip(result))
const isRisky = (state: State.State): boolean => Number(state.working["risk"] ?? 0) > risky

/** Searches by halves, folding from the first tick for every probe, as somebody with nothing but the trace would. */
const search = (fold: Fold.Fold, trace: ReadonlyArray<Transition.Sealed>, violates = isRisky): number | undefined =>
  Bisect.onset({
    length: trace.length,
    stateAt: (tick) => Fold.run(fold, State.empty, trace.slice(0, tick).map(Transition.open)),
    violates
  })

describe("Causal underdetermination, (1) a mutable trace", () => {
  const fold = Lab.fold()
  const trace = Lab.seal(bodies, { digests: fold })
  const edited = trace.map((sealed) =>
    sealed.tick < 15 ? { ...sealed, body: sealed.body.replace("0.9", "0.4") } : sealed
  )

  it("gives a wrong onset when history may be rewritten, and nothing in the states shows it", () => {
    assert.strictEqual(search(fold, trace), onset)
    assert.strictEqual(search(fold, edited), 15)
  })

  it("is found by the chain, which names the first tick that was changed (L3)", () => {
    const broken = failure(Replay.strict(fold, { head: genesis, state: State.empty }, edited))
    assert.deepStrictEqual([broken._tag, broken.tick], ["ChainBroken", onset])
  })

  it("is found by a head that was kept elsewhere when the whole chain was computed again (L3)", () => {
    const kept = HashChain.headOf(trace[length - 1]!)
    const forged = Lab.seal(bodies.map((body, index) => (index === onset - 1 ? Lab.set({ risk: 0.4 }) : body)))
    const head = Result.getOrThrow(HashChain.verify(genesis, forged))
    assert.notStrictEqual(head.link, kept.link)
  })
})

describe("Causal underdetermination, (2) an impure reducer", () => {
  /** The first time that the onset is folded it is as committed; from then on it depends on how often it was folded. */
  const forgetful = (): Rules.Rules => {
    let folded = 0
    return {
      ...Lab.rules(),
      apply: (before, { body, tick }) => {
        const risk = (body.data?.["set"] as { readonly risk?: number } | undefined)?.risk
        if (risk === undefined) return before
        const shown = tick >= onset && tick < 16 && ++folded > 4 ? 0.4 : risk
        return { ...before, working: { ...before.working, risk: shown } }
      }
    }
  }
  const fold = () => Lab.foldOf(forgetful())

  it("gives a wrong onset when folding again gives another state", () => {
    const trace = Lab.seal(bodies, { digests: fold() })
    const found = search(fold(), trace)
    assert.notStrictEqual(found, onset)
    assert.strictEqual(search(Lab.fold(), trace), onset)
  })

  it("is found by strict replay: the state that comes out is not the one that was committed (L2)", () => {
    const committing = fold()
    const trace = Lab.seal(bodies, { digests: committing })
    const again = Result.getOrThrow(Replay.strict(committing, { head: genesis, state: State.empty }, trace))
    assert.deepStrictEqual(again.divergences[0]?.tick, onset)
    const pure = Result.getOrThrow(Replay.strict(Lab.fold(), { head: genesis, state: State.empty }, trace))
    assert.deepStrictEqual(pure.divergences, [])
  })

  it("is refused before it folds anything: a reducer of a contract may not reach out or remember", () => {
    let folded = 0
    const remembers = FunctionSource.of(() => ({ working: { risk: ++folded > 4 ? 0.4 : 0.9 } }))
    const draws = FunctionSource.of(() => ({ working: { risk: Math.random() } }))
    for (const { source } of [remembers, draws]) {
      const refused = failure(Purity.check({ id: "reducers.observe", source }, [[{}]]))
      assert.strictEqual(refused._tag, "Impure")
    }
  })
})

describe("Causal underdetermination, (3) a predicate that asks outside", () => {
  const trace = Lab.seal(bodies)

  it("gives a wrong onset when the answer changes between two probes", () => {
    let asked = 0
    // An external rating: strict in the first two probes, lenient afterwards.
    const rated = (state: State.State): boolean => {
      const threshold = ++asked <= 2 ? 0.95 : risky
      return Number(state.working["risk"] ?? 0) > threshold
    }
    const found = search(Lab.fold(), trace, rated)
    assert.notStrictEqual(found, onset)
  })

  it("is refused at registration: a predicate has no way to ask", () => {
    const rating = { threshold: risky }
    const asks = FunctionSource.of(
      ({ working }: { readonly working: { readonly risk: number } }) => working.risk > rating.threshold
    )
    const refused = failure(Purity.check({ id: "violations.risky", ...asks }, [[{ working: { risk: 0.9 } }]]))
    assert.strictEqual(refused._tag, "Impure")
    const pure = FunctionSource.of(
      ({ working }: { readonly working: { readonly risk: number } }) => working.risk > 0.75
    )
    assert.isTrue(Result.isSuccess(Purity.check({ id: "violations.risky", ...pure }, [[{ working: { risk: 0.9 } }]])))
  })

  it("is found as of the commit: the judgement of that time is latched, and bisect evaluates nothing again", () => {
    let threshold = risky
    const rated = Lab.predicate({ id: "rated", holds: ({ state }) => Number(state.working["risk"] ?? 0) > threshold })
    const steps = [...Step.walk(Lab.fold([rated]), State.empty, trace.map(Transition.open))]
    threshold = 0.95
    const found = Bisect.onset({
      length: steps.length,
      stateAt: (tick) => Lab.stateAt(steps, tick),
      violates: (state, tick) => (Latch.of(state)["rated"] ?? Number.POSITIVE_INFINITY) <= tick
    })
    assert.strictEqual(found, onset)
  })
})
