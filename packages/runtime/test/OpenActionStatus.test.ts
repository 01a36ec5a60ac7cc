import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as OpenActionStatus from "../src/pending/OpenActionStatus.ts"
import * as lab from "./lab.ts"

/** Reads the status of the one open action after a fault, by tool. */
const standing = (tool: "book" | "fax", fault: "lost" | "refused", millis = 0) =>
  Effect.gen(function* () {
    const world = new lab.World()
    world.faults.push(fault)
    return yield* lab.as(lab.process(yield* lab.shared, { world }))(
      Effect.gen(function* () {
        const handle = yield* lab.open()
        yield* lab.elapsing(handle.propose(tool === "fax" ? { tool, params: { to: "bob" } } : lab.book("LX1")))
        const at = { ...(yield* OpenActionStatus.head(lab.trip)), now: millis }
        const known = OpenActionStatus.known(yield* lab.transitions())
        const library = yield* PackLibrary.PackLibrary
        return yield* library.folding(() => OpenActionStatus.of(at, "a2", known))
      })
    )
  })

describe("OpenActionStatus", () => {
  it.effect("offers no verdict that leads back to the same hold, and names the tick of the evidence", () =>
    Effect.gen(function* () {
      const settling = yield* standing("fax", "lost")
      assert.deepStrictEqual(settling, {
        stands: "was sent, and nobody knows what came of it",
        since: 4,
        isPersons: true,
        next: {
          action: "a2",
          as: ["abandoned"],
          later: { as: ["failure", "resent"], from: 30_000 },
          or: [{ action: "a2", run: "trip", verb: "attest" }],
          run: "trip",
          verb: "resolve"
        }
      })
    })
  )

  for (const [millis, as] of [
    [29_999, ["abandoned"]],
    [30_000, ["failure", "abandoned", "resent"]]
  ] as const) {
    it.effect(`offers that it did not happen once it cannot arrive any more: at ${millis} ms (decision 0036)`, () =>
      Effect.gen(function* () {
        const { next } = (yield* standing("fax", "lost", millis))!
        assert.deepInclude(next, { as, verb: "resolve" })
        assert.strictEqual("later" in next, millis < 30_000)
      })
    )
  }

  it.effect("says nothing of an action that is settled", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* standing("book", "refused"))
    })
  )

  it("names the roles of which one decides", () => {
    const needs = ["editor", "chief"]
    const denies = OpenActionStatus.decide(lab.trip, { review: "r1", needs }, "denied")
    assert.deepStrictEqual(denies, { as: "denied", needs, review: "r1", run: "trip", verb: "decide" })
  })
})
