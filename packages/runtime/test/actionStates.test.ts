/** The nineteen states of an action, each entered by what tools really did, as the fold says. */
import * as ActionMoves from "@backstitch/ledger/ActionMoves"
import * as ActionState from "@backstitch/ledger/ActionState"
import * as FoldedActions from "@backstitch/ledger/FoldedActions"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as History from "../src/history/History.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"
import { act, Desk } from "./rows.ts"
import { cases, packOf } from "./states.ts"

/** The states that the fold entered for each action, and the anomalies that it has met. */
const folded = Effect.gen(function* () {
  const history = yield* History.History
  const { head } = yield* history.info(lab.trip)
  const entered = new Map<string, Array<ActionState.State>>()
  const { state } = yield* history.walk(lab.trip, {
    from: yield* history.at(lab.trip, 0),
    to: head.tick,
    visit: (after, transition, before) => {
      for (const { action, refused, states } of ActionMoves.next(FoldedActions.of(before), transition)) {
        assert.isUndefined(refused)
        entered.set(action, [...(entered.get(action) ?? []), ...states])
        const now = FoldedActions.of(after).get(action)
        if (now !== undefined) assert.strictEqual(now.state, states.at(-1), `${action} at tick ${transition.tick}`)
      }
      return undefined
    }
  })
  return { anomaly: Anomalies.first(state, "action.move"), entered }
})

describe("an action enters", () => {
  for (const state of ActionState.states) {
    const played = cases[state]
    it.effect(`${state} ${played.says}`, () =>
      Effect.gen(function* () {
        const executor = ToolExecutor.fromTools(played.code(new Desk()))
        const process = lab.as(lab.process(yield* lab.shared, { executor }))
        const runs = Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: packOf(played), goal: "goal" })
          yield* handle.propose(act())
          yield* played.after?.(handle, "a2") ?? Effect.void
        })
        yield* lab.elapsing(process(runs))
        const { anomaly, entered } = yield* process(folded)
        assert.deepStrictEqual([entered.get("a2"), anomaly], [[...played.way], undefined])
        assert.isTrue(entered.get("a2")?.includes(state))
      })
    )
  }
})
