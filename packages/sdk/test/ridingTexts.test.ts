/** Texts that wait for the commit that names them. */
import * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { layerMemory, TraceStore } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import * as SampleCommits from "../../conformance/src/store/SampleCommits.ts"
import * as RidingTexts from "../src/session/ridingTexts.ts"

const [one, other] = [Run.make("one"), Run.make("other")]
const named = (text: string) => new Map([[Digest.ofBytes(text), text]])

/** Plays on a store whose appends take texts along, and tells which texts it has then. */
const played = (
  play: (at: {
    readonly riding: RidingTexts.RidingTexts
    readonly store: SampleCommits.Store
  }) => Effect.Effect<unknown, unknown, TraceStore>
) => {
  const riding = RidingTexts.make()
  return Effect.gen(function* () {
    const store = yield* TraceStore
    yield* play({ riding, store })
    const texts = ["a", "b"]
    return yield* Effect.filter(texts, (text) =>
      Effect.map(store.getBlobs([...named(text).keys()]), (found) => found.size > 0)
    )
  }).pipe(Effect.provide(riding.carriedBy(layerMemory)), Effect.runPromise)
}

describe("texts that ride with a commit", () => {
  it("are kept by the append of their run, and not by that of another one", async () => {
    const kept = await played(({ riding, store }) =>
      Effect.gen(function* () {
        const elsewhere = SampleCommits.write(store, other, SampleCommits.began)
        yield* Effect.flip(riding.during(one, named("a"), Effect.andThen(elsewhere, Effect.fail("refused"))))
        yield* riding.during(one, named("b"), SampleCommits.write(store, one, SampleCommits.began))
      })
    )
    assert.deepStrictEqual(kept, ["b"])
  })

  it("are kept by the append that succeeds, after one that did not", async () => {
    const kept = await played(({ riding, store }) =>
      Effect.gen(function* () {
        yield* SampleCommits.write(store, one, SampleCommits.began)
        const late = SampleCommits.commit({
          run: one,
          head: HashChain.genesis(one),
          drafts: [SampleCommits.noted("late")]
        })
        const again = Effect.andThen(
          Effect.flip(store.append(late)),
          SampleCommits.write(store, one, SampleCommits.noted("again"))
        )
        yield* riding.during(one, named("a"), again)
      })
    )
    assert.deepStrictEqual(kept, ["a"])
  })

  it("are kept all the same if nothing is appended, and of two at one moment each is", async () => {
    const kept = await played(({ riding, store }) => {
      const nothing = riding.during(one, named("a"), Effect.void)
      const appended = riding.during(one, named("b"), SampleCommits.write(store, one, SampleCommits.began))
      return Effect.all([nothing, appended], { concurrency: "unbounded" })
    })
    assert.deepStrictEqual(kept, ["a", "b"])
  })
})
