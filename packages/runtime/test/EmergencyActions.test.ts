import * as Run from "@backstitch/trace/Run"
import type { Body, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as EmergencyActions from "../src/pending/EmergencyActions.ts"
import * as OpenActionStatus from "../src/pending/OpenActionStatus.ts"

const at = (tick: number, body: Partial<Body>): Transition =>
  ({ tick, body: { author: "kernel", ...body }, stamp: { asOf: 0 }, envelope: { ts: 0 } }) as Transition

const broken: ReadonlyArray<Transition> = [
  at(1, { type: "action.request", action: { id: "a1", tool: "look" } }),
  at(2, {
    type: "action.request",
    action: { id: "a2", tool: "pay" },
    data: { breakGlass: { by: "Ada", reason: "fire" } }
  }),
  at(3, { type: "review.requested", data: { after: "a2", review: "r2", needs: ["owner", "manager"] } }),
  at(4, { type: "review.requested", data: { review: "r3", needs: ["owner"] } })
]

const decided = (review: string, verdict: string): Transition =>
  at(5, { type: "review.decided", author: "user", data: { by: "Grace", review, verdict } })

describe("EmergencyActions", () => {
  it("finds the actions that were started without their approval, and no others", () => {
    const found = EmergencyActions.all(broken)
    assert.deepStrictEqual([...found.keys()], ["a2"])
    const glass = found.get("a2")!
    assert.deepInclude(glass, { by: "Ada", reason: "fire", review: "r2", verdict: null, decidedBy: null, tool: "pay" })
    assert.strictEqual(EmergencyActions.say(glass), "Ada broke the glass: fire. owner or manager reviews it (r2)")
    const decide = { as: "approved", needs: ["owner", "manager"], review: "r2", run: "trip", verb: "decide" } as const
    assert.deepStrictEqual(OpenActionStatus.decide(Run.make("trip"), glass), decide)
  })

  it("reports the result of the review, and takes no other decision for it", () => {
    const after = (step: Transition) => EmergencyActions.all([...broken, step]).get("a2")!
    assert.include(EmergencyActions.say(after(decided("r2", "approved"))), "Grace has accepted it")
    assert.include(EmergencyActions.say(after(decided("r2", "denied"))), "Grace did not accept it")
    for (const other of [decided("r3", "approved"), decided("r2", "maybe"), decided("", "approved")]) {
      assert.isNull(after(other).verdict)
    }
  })
})
