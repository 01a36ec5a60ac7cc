import type * as Definition from "@backstitch/contracts/Definition"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import { assert, describe, it } from "@effect/vitest"
import * as PivotGuard from "../src/intent/PivotGuard.ts"
import * as Check from "../src/payload/Check.ts"
import { Bench, call, definition, ends, failing, ok, wish } from "./lab.ts"

const { tell, unbook } = definition.tools
const asked = { status: "by_key", times: { ...tell.times, settleAfter: "1s" } } as const

interface Changes {
  readonly trip?: Definition.Subtask
  readonly unbook?: Partial<Definition.ToolDefinition>
  readonly pay?: Partial<Definition.ToolDefinition>
  readonly more?: Partial<Definition.Definition>
}

/** A trip that is paid for behind its booking, and of which a message remains then. */
const benchOf = ({ more, pay, trip, unbook: by }: Changes = {}) =>
  new Bench({
    changes: {
      tools: {
        ...definition.tools,
        pay: { ...tell, ...asked, target: "'card/' + args.to", ...pay },
        repay: { ...tell, ...asked, target: "'card/' + args.to" },
        tell: { ...tell, ...asked },
        unbook: { ...unbook, ...by }
      },
      skeletons: { trip: { tools: ["book", "pay", "tell"], pivot: ["pay"], forward: ["tell"], ...trip } },
      ...more
    }
  })

const to = { to: "ada@x.org" }

const pays = (bench: Bench): string => {
  const { action } = call(bench.proposes({ tool: "pay", params: to }))
  ends(bench.answers(action, ok({})), "Done")
  return action
}

const paid = (changes: Changes = {}): Bench => {
  const bench = benchOf(changes)
  bench.books("LX1")
  pays(bench)
  return bench
}

const unbooks = (bench: Bench, id = "LX1", more: object = {}) =>
  bench.proposes({ tool: "unbook", params: { id, ...more } })

describe("a reversal that a planner calls by itself", () => {
  it("is permitted as long as the point of no return lies ahead", () => {
    const bench = benchOf()
    bench.books("LX1")
    call(unbooks(bench))
  })

  it("is refused behind it, and names the finished steps and the permitted next ones (L10)", () => {
    const bench = paid()
    const decision = unbooks(bench)
    assert.deepStrictEqual(failing(decision), ["policy pivot.trip"])
    const { checks } = ends(decision, "Refused")
    const [booked, payment] = SettledActions.inOrder(bench.state).map(([id]) => id)
    const tools = { pivot: "pay", undone: "book" }
    const args = { action: booked, pivot: payment, skeleton: "trip", steps: ["tell"], tool: "unbook", tools }
    assert.deepStrictEqual<unknown>(Check.reason(checks), { args, code: "pivot.passed" })
    assert.deepInclude(bench.last.body, { type: "intent.refused" })
    assert.deepStrictEqual(PivotGuard.refusals(bench.terms, bench.state, { ...of(bench, "unbook"), params: {} }), [])
  })

  it("is refused also once everything behind the pivot is done, and then a person is named alone", () => {
    const bench = paid()
    bench.answers(call(bench.proposes({ tool: "tell", params: to })).action, ok({}))
    assert.deepStrictEqual(Obligations.all(bench.state), [])
    const { args } = Check.reason(ends(unbooks(bench), "Refused").checks)!
    assert.notProperty(args, "steps")
  })

  it("is recognised by its identity or by its target, however the call is worded", () => {
    const input = { id: "string", why: { type: "string", optional: true } } as const
    const worded = { input, identity: { scope: "run", fields: ["id", "why"] } } as const
    assert.deepStrictEqual(failing(unbooks(paid({ unbook: worded }), "LX1", { why: "dear" })), ["policy pivot.trip"])
    const other = { target: "none", identity: { scope: "run", fields: [{ id: "code" }] } } as const
    assert.deepStrictEqual(failing(unbooks(paid({ unbook: other }), " lx-1 ")), ["policy pivot.trip"])
    const bare = { target: "none", identity: "none", idempotency: "effectful", status: "none", times: {} } as const
    assert.deepStrictEqual(failing(unbooks(paid({ unbook: bare }))), ["policy pivot.trip"])
    call(unbooks(paid({ unbook: bare }), "LX2"))
  })

  it("is not refused for another act: of another subtask, of a later booking, or of no booking at all", () => {
    const bench = paid()
    call(unbooks(bench, "ZZ9"))
    bench.books("LX2")
    call(unbooks(bench, "LX2"))
    const alone = paid({ trip: { tools: ["pay", "tell"] } })
    call(unbooks(alone))
  })

  it("is refused of the pivot itself, if the contract names it and says how it would be undone", () => {
    const undo = { class: "K", by: "repay", with: { to: "args.to" } } as const
    const repays = (bench: Bench) => bench.proposes({ tool: "repay", params: to })
    assert.deepStrictEqual(failing(repays(paid({ pay: { undo } }))), ["policy pivot.trip"])
    call(repays(paid({ pay: { undo }, trip: { pivot: [], forward: [] } })))
  })

  it("goes through if the contract foresees it: named for it, a step behind the pivot, or asked of a person", () => {
    call(unbooks(paid({ trip: { undo_behind_pivot: ["unbook"] } })))
    const undo = { class: "K", by: "tell", with: { to: "args.to" } } as const
    call(paid({ pay: { undo } }).proposes({ tool: "tell", params: to }))
    const bench = paid({ more: { approvals: { unbook: { by: ["manager"] } } } })
    assert.deepStrictEqual(ends(unbooks(bench), "Parked").needs, ["manager"])
  })

  it("is weighed by the effect that stands: an effect that is already undone is not undone again", () => {
    const bench = benchOf({
      unbook: { readback: { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" } }
    })
    bench.books("LX1")
    const [booked = ""] = SettledActions.inOrder(bench.state).map(([id]) => id)
    bench.does({ _tag: "Undo", wanted: { actions: [booked], because: wish("revised"), cause: "revision", scopes: [] } })
    const { next } = bench.compensates()
    const reversal = next._tag === "ReadBefore" ? next.request.action : assert.fail(next._tag)
    const cancelled = ok({ id: "LX1", status: "cancelled" })
    bench.does({ _tag: "ReadBefore", action: reversal, evidence: cancelled })
    bench.compensates()
    assert.strictEqual(SettledActions.of(bench.state).get(booked)?.undo, "undone")
    pays(bench)
    call(unbooks(bench))
  })
})

const of = (bench: Bench, tool: string) => ({ contract: bench.pack.tools[tool]! })
