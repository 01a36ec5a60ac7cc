import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PackFile from "../src/files/PackFile.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const handleOf = Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(lab.trip))

/** Explains the first transition of a type. */
const explain = (type: string, options?: Parameters<typeof Explanation.explain>[2]) =>
  Effect.gen(function* () {
    const found = (yield* lab.transitions()).find(({ body }) => body.type === type)
    assert.isDefined(found)
    return yield* Explanation.explain(lab.trip, found!.tick, options)
  })

const journeying = <A, E, R>(then: Effect.Effect<A, E, R>) =>
  Effect.flatMap(journey.travelled(), ({ process }) => lab.as(process)(then))

describe("Explanation", () => {
  it.effect("names the guard that refused, its text, the values that it read, and a change that makes it pass", () =>
    journeying(
      Effect.gen(function* () {
        yield* (yield* handleOf).propose(lab.book("LX9", 400))
        const { checks, next, verdict } = yield* explain("intent.refused")
        assert.strictEqual(verdict, "refused")
        const failed = checks.filter(({ ok }) => !ok)
        assert.deepStrictEqual(
          failed.map(({ id, source, step, values }) => ({ id, source, step, values })),
          [{ id: "cheap", source: "args.price > 100", step: "guard", values: { "args.price": 400 } }]
        )
        assert.isAbove(checks.length, failed.length)
        assert.lengthOf(next, 1)
      })
    )
  )

  it.effect("says of a key that was used that it binds while the contract is only observed, too", () =>
    Effect.gen(function* () {
      for (const stage of [0, 3]) {
        const process = lab.process(yield* lab.shared, { world: new lab.World() })
        yield* lab.as(process)(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const enforcement = { stage, types: {} }
            const handle = yield* coordinator.open(lab.trip, { pack: lab.pack, goal: "goal", enforcement })
            yield* handle.propose(lab.book("LX1", 80))
            yield* handle.propose(lab.book("LX1", 81))
            const { verdict, why } = yield* explain("intent.refused")
            assert.strictEqual(verdict, "refused")
            assert.match(why, /^key /)
            assert.strictEqual(why.endsWith("keys and held targets bind at every stage"), stage === 0, why)
          })
        )
      }
    })
  )

  it.effect("names every argument that is wrong", () =>
    journeying(
      Effect.gen(function* () {
        yield* (yield* handleOf).propose({ tool: "book", params: { flight: 7, prize: 1 } })
        const { checks } = yield* explain("intent.refused")
        assert.includeMembers(
          checks.flatMap(({ id, ok }) => (ok ? [] : [id])),
          ["flight", "price", "prize"]
        )
      })
    )
  )

  it.effect("gives the line of a rule when the contract is given as a file", () =>
    Effect.gen(function* () {
      const text = `${JSON.stringify(journey.pack.definition, null, 1)}\n`
      const pack = Result.getOrThrow(PackFile.parse(text, { file: "pack.yaml", read: () => "" }))
      yield* journeying(
        Effect.gen(function* () {
          yield* (yield* handleOf).propose(lab.book("LX9", 400))
          const { checks, pack: named } = yield* explain("intent.refused", { pack })
          const line = checks.find(({ id }) => id === "cheap")?.line
          assert.include(
            text
              .split("\n")
              .slice((line ?? 0) - 1, (line ?? 0) + 4)
              .join(),
            "cheap"
          )
          assert.strictEqual(named?.digest, journey.pack.digest)
        })
      )
    })
  )

  it.effect("shows the values that a violated predicate read", () =>
    journeying(
      Effect.gen(function* () {
        const { checks, verdict } = yield* explain("predicate.violation")
        assert.strictEqual(verdict, "violated")
        assert.deepStrictEqual(checks[0]?.values, { "clause.max": 200, "world.spent": 240 })
      })
    )
  )

  it.effect("names the target that an open action holds and the way to settle it", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const store = yield* lab.shared
      yield* lab.as(lab.process(store, { world }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          world.faults.push("lost")
          yield* lab.elapsing(handle.propose({ tool: "fax", params: { to: "bob" } }))
          const { next, verdict, why } = yield* explain("action.started")
          assert.strictEqual(verdict, "held")
          assert.include(why, "fax/bob")
          assert.deepStrictEqual(next, [
            {
              action: "a2",
              as: ["abandoned"],
              later: { as: ["failure", "resent"], from: 30_000 },
              or: [{ action: "a2", run: "trip", verb: "attest" }],
              run: "trip",
              verb: "resolve"
            }
          ])
        })
      )
    })
  )

  it.effect("names the permitted act, and the guards that permitted it", () =>
    journeying(
      Effect.gen(function* () {
        const { checks, verdict } = yield* explain("action.request")
        assert.strictEqual(verdict, "allowed")
        assert.isTrue(checks.every(({ ok }) => ok))
        assert.deepStrictEqual(checks.find(({ step }) => step === "guard")?.values, { "args.price": 80 })
      })
    )
  )

  it.effect("says that a person has to decide about a tool without a contract", () =>
    journeying(
      Effect.gen(function* () {
        yield* (yield* handleOf).propose({ tool: "teleport", params: {} })
        const { checks, verdict } = yield* explain("policy.decision")
        assert.strictEqual(verdict, "parked")
        assert.strictEqual(checks[0]?.step, "approval")
      })
    )
  )

  it.effect("names the anomaly of an author that oversteps", () =>
    journeying(
      Effect.gen(function* () {
        yield* (yield* handleOf).propose({ type: "action.result", data: {} })
        const { verdict, why } = yield* explain("kernel.anomaly")
        assert.strictEqual(verdict, "anomaly")
        assert.include(why, "author")
      })
    )
  )

  it.effect("refuses a tick that is not there", () =>
    journeying(
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(Explanation.explain(lab.trip, 0)))._tag, "TickOutOfRange")
        assert.strictEqual((yield* Effect.flip(Explanation.explain(lab.trip, 999)))._tag, "TickOutOfRange")
      })
    )
  )
})
