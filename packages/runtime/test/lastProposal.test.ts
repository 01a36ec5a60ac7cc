import type { Body, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as LastProposal from "../src/projections/lastProposal.ts"

const outcomeOf = (bodies: ReadonlyArray<Body>) =>
  LastProposal.outcomeOf(bodies.map((body, place) => ({ body, stamp: { asOf: 1 }, tick: place + 1 }) as Transition))

const note: Body = { author: "agent", data: { note: "look" }, type: "plan.update" }

const parked = (data: NonNullable<Body["data"]>): Body => ({ author: "kernel", data, type: "policy.decision" })

describe("The last proposal of an agent", () => {
  it("waits if it was parked", () => {
    assert.isUndefined(outcomeOf([note, parked({ review: "v2", tool: "pay" })]))
  })

  it.each<readonly [string, Body]>([
    ["a step behind a pivot that is parked", parked({ completes: "a1", review: "v2", tool: "tell" })],
    ["a reversal that is parked", parked({ review: "v2", tool: "cancel", undoes: "a1" })],
    ["a step behind a pivot that is refused", { author: "kernel", data: { completes: "a1" }, type: "intent.refused" }]
  ])("is not %s: the kernel asks for that", (_, body) => {
    assert.deepInclude(outcomeOf([note, body]), { _tag: "Done", tick: 1 })
  })
})
