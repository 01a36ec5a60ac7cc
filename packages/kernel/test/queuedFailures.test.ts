/** Failures that come while an undoing is open: each subtask that a failure aborts is undone, one after the other. */
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Drafted } from "../src/decision/Decision.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, ok, told } from "./lab.ts"

const { tell, unbook } = definition.tools

/** A trip and a stay, each undone if its payment fails for good. */
const changes: Partial<Definition> = {
  tools: {
    ...definition.tools,
    rent: { ...definition.tools.book, target: "'car/' + args.flight" },
    unbook: { ...unbook, readback: { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" } },
    pay: { ...tell, target: "'card'", status: "by_key" },
    settle: { ...tell, target: "'voucher'", status: "by_key" }
  },
  skeletons: {
    trip: { tools: ["book", "pay"], aborts: ["pay"] },
    stay: { tools: ["rent", "settle"], aborts: ["settle"] }
  }
}

const declined = { _tag: "Error", error: "declined" } as const
const to = { to: "ada@x.org" }

/** A car that is rented and being paid when the payment of a flight fails, so that the flight is being undone. */
const undoing = (rules?: number) => {
  const bench = new Bench({ changes })
  if (rules !== undefined) bench.does({ _tag: "Migrate", rules })
  const car = call(bench.proposes({ ...bookOf("VW1"), tool: "rent" })).action
  bench.answers(car, ok({ id: "VW1" }))
  bench.readsBack(car, ok({ id: "VW1", price: 80 }))
  const settling = call(bench.proposes({ tool: "settle", params: to })).action
  const flight = `a${bench.at.head.tick + 1}`
  bench.books("LX1")
  const paying = call(bench.proposes({ tool: "pay", params: to })).action
  bench.answers(paying, declined)
  assert.deepInclude(UndoPlan.open(bench.state), { subject: paying, status: "running" })
  return { bench, car, flight, paying, settling }
}

/** Carries a reversal out as far as it goes when everybody answers. */
const reverses = (bench: Bench, decision: Drafted): Drafted => {
  const { action, params } = asks(decision, "ReadBefore")
  const before = bench.does({
    _tag: "ReadBefore",
    action,
    evidence: ok({ status: "confirmed", price: 80, ...(params as JsonObject) })
  })
  bench.answers(call(before).action, ok({ id: "ok" }))
  return bench.readsBack(action, ok({ status: "cancelled", ...(params as JsonObject) }))
}

const resolves = (bench: Bench, action: string, as: string) => {
  const data = { action, as, by: "Ada", evidence: "I looked" }
  return ends(bench.proposes({ type: "review.decided", author: "user", data }), "Done")
}

const standingOf = ({ state }: Bench, action: string) => SettledActions.of(state).get(action)?.undo

describe("a failure beside an open undoing", () => {
  it("is undone once that is over, whichever of its steps is at hand (L12)", () => {
    for (const isBegun of [false, true]) {
      const { bench, car, flight, paying, settling } = undoing()
      const begun = isBegun ? bench.compensates() : undefined
      bench.answers(settling, declined)
      const plan = UndoPlan.open(bench.state)
      assert.strictEqual(bench.last.body.data?.["after"], plan?.id)
      assert.deepInclude(UndoPlan.wanted(bench.state), { subject: settling, actions: [car] })
      assert.strictEqual(plan?.subject, paying)
      reverses(bench, begun ?? bench.compensates())
      const over = bench.compensates()
      assert.strictEqual(over.next._tag, "Compensate")
      assert.deepStrictEqual([standingOf(bench, flight), standingOf(bench, car)], ["undone", "standing"])
      // The request is all that is left, and outlives its process.
      assert.isUndefined(UndoPlan.open(bench.state))
      assert.strictEqual(bench.compensates().next._tag, "Compensate")
      assert.deepInclude(UndoPlan.open(bench.state), { subject: settling })
      reverses(bench, bench.compensates())
      const failed = ends(bench.compensates(), "Failed")
      assert.deepInclude(failed.error, { undone: [car] })
      assert.strictEqual(standingOf(bench, car), "undone")
      assert.deepStrictEqual([UndoPlan.open(bench.state), UndoPlan.wanted(bench.state)], [undefined, undefined])
      assert.deepStrictEqual(OpenActions.of(bench.state), {})
    }
  })

  it("waits for a person with the plan that stops, and is undone after the person gave that up", () => {
    const { bench, car, flight, settling } = undoing()
    const { action } = asks(bench.compensates(), "ReadBefore")
    const before = bench.does({
      _tag: "ReadBefore",
      action,
      evidence: ok({ id: "LX1", price: 80, status: "confirmed" })
    })
    bench.answers(settling, declined)
    bench.answers(call(before).action, declined)
    ends(bench.compensates(), "Held")
    resolves(bench, flight, "abandoned")
    assert.isUndefined(UndoPlan.open(bench.state))
    assert.deepInclude(UndoPlan.wanted(bench.state), { subject: settling })
    bench.compensates()
    assert.strictEqual(standingOf(bench, car), "standing")
    reverses(bench, bench.compensates())
    assert.strictEqual(standingOf(bench, car), "undone")
  })

  it("may be called off by a person, and the open undoing goes on", () => {
    const { bench, flight, settling } = undoing()
    bench.answers(settling, declined)
    resolves(bench, settling, "failure")
    assert.isUndefined(UndoPlan.wanted(bench.state))
    reverses(bench, bench.compensates())
    ends(bench.compensates(), "Failed")
    assert.strictEqual(standingOf(bench, flight), "undone")
  })

  it("is left to a person by the first rules (decision 0021)", () => {
    const { bench, car, settling } = undoing(1)
    bench.answers(settling, declined)
    assert.isUndefined(bench.last.body.data?.["after"])
    assert.isUndefined(UndoPlan.wanted(bench.state))
    reverses(bench, bench.compensates())
    ends(bench.compensates(), "Failed")
    assert.strictEqual(standingOf(bench, car), "standing")
  })
})

describe("one undoing for two failures", () => {
  it("shows a planner both", () => {
    const bench = new Bench({ changes })
    bench.books("LX1")
    const car = call(bench.proposes({ ...bookOf("VW1"), tool: "rent" })).action
    bench.answers(car, ok({ id: "VW1" }))
    bench.readsBack(car, ok({ id: "VW1", price: 80 }))
    const flying = call(bench.proposes(bookOf("LX2"))).action
    const paying = call(bench.proposes({ tool: "pay", params: to })).action
    const settling = call(bench.proposes({ tool: "settle", params: to })).action
    bench.answers(paying, declined)
    assert.include(told(ends(bench.compensates(), "Held")), flying)
    bench.answers(settling, declined)
    assert.deepInclude(UndoPlan.wanted(bench.state), { subject: settling, failed: [paying] })
    bench.answers(flying, ok({ id: "LX2" }))
    bench.readsBack(flying, ok({ id: "LX2", price: 80 }))
    bench.compensates()
    const { masks = [] } = UndoPlan.open(bench.state) ?? {}
    assert.include(masks, car)
    assert.notIncludeMembers([...masks], [paying])
    assert.notIncludeMembers([...masks], [settling])
  })
})

/** The payments that fail, each after so many steps of whatever is being undone. */
const Failing = Schema.Array(
  Schema.Struct({ stay: Schema.Literals([0, 1, 2]), after: Schema.Literals([0, 1, 2, 3, 4]) })
)

describe("payments that fail in any order and at any time", () => {
  it.prop(
    "have all of their subtasks undone, each act once, and leave nothing behind (L12)",
    [Failing.check(Schema.isMaxLength(6))],
    ([failing]) => {
      const stays = [0, 1, 2].map((each) => ({
        [`rent${each}`]: { ...definition.tools.book, target: `'car ${each}/' + args.flight` },
        [`settle${each}`]: { ...tell, target: `'voucher ${each}'`, status: "by_key" as const }
      }))
      const bench = new Bench({
        changes: {
          tools: Object.assign({ ...changes.tools }, ...stays),
          skeletons: Object.fromEntries(
            stays.map((tools, each) => [`stay${each}`, { tools: Object.keys(tools), aborts: [`settle${each}`] }])
          ),
          guards: [],
          violations: []
        }
      })
      const cars = stays.map((_, each) => {
        const car = call(bench.proposes({ ...bookOf("VW1"), tool: `rent${each}` })).action
        bench.answers(car, ok({ id: `VW${each}` }))
        bench.readsBack(car, ok({ id: `VW${each}`, price: 80 }))
        return car
      })
      const settling = stays.map((_, each) => call(bench.proposes({ tool: `settle${each}`, params: to })).action)
      const isOpen = () => UndoPlan.open(bench.state) !== undefined || UndoPlan.wanted(bench.state) !== undefined
      let next: Drafted["next"] | undefined
      /** One decision of the process that undoes, on the answer to what it has asked. */
      const goesOn = () => {
        const asked = next !== undefined && "request" in next ? next.request : undefined
        const { action = "", params = {} } = asked ?? {}
        const shown = { price: 80, ...(params as JsonObject) }
        switch (next?._tag) {
          case "ReadBefore":
            next = bench.does({ _tag: "ReadBefore", action, evidence: ok({ status: "confirmed", ...shown }) }).next
            return
          case "Call":
            next = bench.answers(action, ok({ id: "ok" })).next
            return
          case "ReadBack":
            next = bench.readsBack(action, ok({ status: "cancelled", ...shown })).next
            return
          default:
            next = bench.compensates().next
        }
      }
      const failed = new Set<number>()
      const fails = (stay: number) => {
        if (failed.has(stay)) return
        failed.add(stay)
        bench.answers(settling[stay]!, declined)
      }
      for (const { after, stay } of failing) {
        for (let step = 0; step < after && isOpen(); step++) goesOn()
        fails(stay)
      }
      for (let step = 0; step < 60 && isOpen(); step++) goesOn()
      assert.isFalse(isOpen())
      const undone = bench.transitions.flatMap(({ body }) =>
        body.action?.undoes === undefined ? [] : [body.action.undoes]
      )
      assert.deepStrictEqual(
        cars.map((car) => standingOf(bench, car)),
        cars.map((_, each) => (failed.has(each) ? "undone" : "standing"))
      )
      assert.lengthOf(undone, failed.size)
    }
  )
})
