import { assert, describe, it } from "@effect/vitest"
import * as Effect from "../src/instance/Effect.ts"
import { effect } from "./lab.ts"

const policies = ["rollback", "compensate", "forbid"] as const

describe("Effect", () => {
  const table: ReadonlyArray<readonly [Partial<Effect.Effect>, ReadonlyArray<Effect.Barrier | undefined>]> = [
    [{ reversibility: "I" }, [undefined, undefined, undefined]],
    [{ reversibility: "X", standing: "undone" }, [undefined, undefined, undefined]],
    [{ standing: "open" }, ["effect_unsettled", "effect_unsettled", "effect_unsettled"]],
    [{ reversibility: "R" }, [undefined, undefined, "irreversible_effect_policy"]],
    [{ reversibility: "K" }, ["irreversible_effect_policy", undefined, "irreversible_effect_policy"]],
    [{ reversibility: "X" }, ["irreversible_effect_policy", "irreversible_effect_policy", "irreversible_effect_policy"]]
  ]

  it.each(table)("is crossed by the table of policies: %o", (more, barriers) => {
    assert.deepStrictEqual(
      policies.map((policy) => Effect.barrier(effect("e1", more), policy, 0)),
      barriers
    )
  })

  it("cannot be crossed once the time in which it can be undone is over", () => {
    const made = effect("e1", { undoEndsAt: 10 })
    assert.isUndefined(Effect.barrier(made, "compensate", 10))
    assert.strictEqual(Effect.barrier(made, "compensate", 11), "undo_window_closed")
  })

  it("needs a reversal if it stands and changed the world", () => {
    assert.isTrue(Effect.isOwed(effect("e1")))
    assert.isFalse(Effect.isOwed(effect("e1", { standing: "undone" })))
    assert.isFalse(Effect.isOwed(effect("e1", { reversibility: "I" })))
  })
})
