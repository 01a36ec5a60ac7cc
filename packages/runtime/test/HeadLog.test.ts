import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as HeadLog from "../src/proof/HeadLog.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as StoreVerification from "../src/proof/StoreVerification.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const { tenant } = lab.trip

const digest = (text: string) => TreeHead.leaf(text)

const [a, b] = [Run.make("a").id, Run.make("b").id]

const log = [
  { head: digest("a"), run: a, tenant, tick: 3 },
  { head: digest("b"), run: b, tenant, tick: 2 },
  { head: digest("c"), run: a, tenant, tick: 9 }
]

describe("HeadLog", () => {
  it("reads the entries that it hashes, and no others", () => {
    const text = log.map((entry) => `${TreeHead.entry(entry)}\n`).join("")
    assert.deepStrictEqual(Result.getOrThrow(HeadLog.parse(text)), log)
    assert.deepStrictEqual(Result.getOrThrow(HeadLog.parse("")), [])
    for (const [line, wrong] of [
      [1, "{}\n"],
      [4, `${text}not JSON\n`],
      [2, text.replace('\n{"head":', '\n{"head": ')],
      [3, text.replace('"tick":9', '"tick":-9')],
      [1, text.replace('"run"', '"more":1,"run"')]
    ] as const) {
      const read = HeadLog.parse(wrong)
      assert.strictEqual(Result.isFailure(read) && read.failure.line, line)
    }
  })

  it("is refused if any entry is of another tenant than the one that is acted for, which is named (L15)", () => {
    assert.deepStrictEqual(HeadLog.ofTenant(log, tenant), Result.succeed(log))
    assert.deepStrictEqual(HeadLog.ofTenant([], "umbrella"), Result.succeed([]))
    const mixed = log.with(1, { ...log[1]!, tenant: Run.make("b", "umbrella").tenant })
    const found = Result.getOrThrow(Result.flip(HeadLog.ofTenant(mixed, tenant)))
    assert.instanceOf(found, HeadLog.LogForeign)
    assert.deepInclude(found, { asked: tenant, tenant: "umbrella" })
    assert.include(found.message, `heads of tenant umbrella, and you act for tenant ${tenant}`)
    assert.include(found.message, "Nothing was compared or added")
  })

  it("takes the entries under a head that was kept, and refuses a log that does not begin with them (L3)", () => {
    const kept = HeadLog.headOf(log.slice(0, 2))
    assert.deepStrictEqual(Result.getOrThrow(HeadLog.under(log, kept)), log.slice(0, 2))
    for (const other of [log.slice(0, 1), log.toReversed(), log.map((entry) => ({ ...entry, tick: 1 })), []]) {
      const refused = HeadLog.under(other, kept)
      assert.strictEqual(Result.isFailure(refused) && refused.failure.size, 2)
    }
  })

  it.effect("logs each run once until it goes on, forks included", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const first = yield* HeadLog.grow(tenant, [])
          assert.deepStrictEqual(
            first.map(({ run }) => run),
            ["trip"]
          )
          assert.deepStrictEqual(yield* HeadLog.grow(tenant, first), [])
          yield* Forking.fork({ parent: lab.trip, at: 8, child: journey.other })
          const second = yield* HeadLog.grow(tenant, first)
          assert.deepStrictEqual(
            second.map(({ run, tick }) => [run, tick]),
            [[journey.other.id, 9]]
          )
          const verdict = yield* RunVerification.verify(journey.other, { anchors: second })
          assert.strictEqual(verdict.verdict, "consistent, anchored")
        })
      )
    })
  )

  it.effect("finds a history that was rewritten and computed again, after the last unchanged tick (L3)", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const store = yield* TraceStore.TraceStore
          const links = (yield* store.read(lab.trip)).map(({ link, tick }) => ({
            head: link,
            run: lab.trip.id,
            tenant,
            tick
          }))
          const anchored = [links[4]!, links[11]!, links[18]!]
          const other = { ...links[11]!, head: digest("what was there before") }
          const verdict = yield* RunVerification.verify(lab.trip, { anchors: [links[18]!, other, links[4]!] })
          assert.deepStrictEqual([verdict.consistent, verdict.badTick], [false, 6])
          assert.include(verdict.problem, "Ticks 1 to 5 are as they were anchored")
          const beyond = { ...links[4]!, tick: links.length + 5 }
          const cut = yield* RunVerification.verify(lab.trip, { anchors: [...anchored, beyond] })
          assert.deepStrictEqual([cut.consistent, cut.badTick], [false, 20])
          assert.include(cut.problem, "the run ends before it")
          const refused = yield* Effect.flip(HeadLog.grow(tenant, [...anchored, other]))
          assert.deepInclude(refused, { _tag: "LogContradicted", run: "trip", tick: 12 })
        })
      )
    })
  )

  it.effect("names anchored runs that are gone (L3)", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const verdict = yield* lab.as(process)(RunVerification.verify(lab.trip))
      const gone = { head: HashChain.genesis(journey.other).link, run: journey.other.id, tick: 4 }
      const present = { head: gone.head, run: "trip", tick: 1 }
      const missing = StoreVerification.missing([gone, present, { ...gone, tick: 7 }], [verdict])
      assert.deepStrictEqual(
        missing.map(({ badTick, consistent, run }) => [run, consistent, badTick]),
        [[journey.other.id, false, 1]]
      )
      assert.include(missing[0]?.problem, "anchored up to tick 7")
    })
  )
})
