/**
 * A predicate that came into force over a state that violated it already was not evaluated until something that it
 * reads changed, so a fork or an extension could look innocent for ever.
 */
import * as Table from "@backstitch/trace/Table"
import type * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Fold from "../../src/fold/Fold.ts"
import type * as Rules from "../../src/pack/Rules.ts"
import * as Latch from "../../src/parts/Latch.ts"
import * as Lab from "../lab.ts"

const rich = Lab.predicate({
  id: "rich",
  reads: ["working.spent"],
  holds: ({ state }) => Number(state.working["spent"]) > 10
})
const dear = Lab.predicate({
  id: "dear",
  each: "world.rows",
  reads: ["world.rows"],
  holds: ({ row }) => Number(row) > 10
})

const strict = "cd".repeat(32)

const fold = Fold.make({
  parts: Fold.base,
  sources: {
    rules: (pack, extensions): Rules.Rules => Lab.rules(pack === strict || extensions.length > 0 ? [rich, dear] : [])
  }
})

const spent = [Lab.started, Lab.did({ set: { spent: 50 } }), Lab.did({ put: { a: 50 } })]

const latches = (more: ReadonlyArray<Transition.Body>) => Latch.of(Lab.head(fold, [...spent, ...more]))

describe("a predicate that comes into force over a state that violates it", () => {
  it("latches at the fork that changes the contract (L2)", () => {
    const fork: Transition.Body = { author: "kernel", data: { pack: strict }, type: "run.fork" }
    assert.deepStrictEqual(latches([fork, Lab.did({ append: 1 })]), { dear: 4, rich: 4 })
  })

  it("latches at the tick from which an extension binds, not at the next change (L2)", () => {
    const extension: Transition.Body = {
      author: "institution",
      data: { approved_by: "risk", effective_from_tick: 6, target_contract: "observation.add" },
      type: "policy.contract_extension"
    }
    const later = [1, 2, 3].map((append) => Lab.did({ append }))
    assert.deepStrictEqual(latches([extension, ...later]), { dear: 6, rich: 6 })
  })

  it("is not evaluated again by a fork under the same contract", () => {
    let calls = 0
    const counted = Lab.fold([{ ...rich, holds: () => ++calls < 0 }])
    const before = Lab.head(counted, spent)
    const known = calls
    counted.evolve(before, Lab.at(4, { author: "kernel", data: { reason: "again" }, type: "run.fork" }))
    assert.strictEqual(calls, known)
    assert.isTrue(Table.is(before.world["rows"]))
  })
})
