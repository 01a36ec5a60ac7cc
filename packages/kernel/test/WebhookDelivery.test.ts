import type * as Definition from "@backstitch/contracts/Definition"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { Json } from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Delivery } from "../src/decision/Evidence.ts"
import { asks, Bench, bookOf, call, definition, ends, ok, told } from "./lab.ts"

const webhook = {
  secret: "AIRLINE_SECRET",
  tolerance: "none",
  key: "body.key",
  done: "body.status == 'booked'",
  failed: "body.status == 'sold_out'",
  output: "body.booking"
}

/** A booking whose answer was lost, and whose provider will tell. */
const waiting = (more: Partial<Definition.ToolDefinition> = {}) => {
  const tools = { ...definition.tools, book: { ...definition.tools.book, webhook, ...more } }
  const bench = new Bench({ changes: { tools } })
  const { action, key = "" } = call(bench.proposes(bookOf("LX1")))
  bench.answers(action, { _tag: "Unknown", reason: "cut" })
  return { action, bench, key, told: (body: Json, isGenuine = true) => bench.does(delivered(body, isGenuine)) }
}

const delivered = (body: Json, isGenuine = true): { readonly _tag: "Deliver" } & Delivery => ({
  _tag: "Deliver",
  tool: "book",
  body,
  delivery: Digest.ofBytes(JSON.stringify(body)),
  ...(isGenuine ? {} : { fault: "signature" })
})

const booked = (key: string) => ({ key, status: "booked", booking: { id: "B1" } })
const record = ok({ id: "B1", price: 80 })

describe("WebhookDelivery", () => {
  it("is told by the kernel, also if a failure is asked about before it is believed (L4)", () => {
    const { bench, key, told } = waiting()
    asks(told({ key, status: "sold_out", booking: null }), "Ask")
    const results = bench.transitions.filter(({ body }) => body.type === "action.result")
    assert.isAbove(results.length, 1)
    assert.deepStrictEqual([...new Set(results.map(({ body }) => body.author))], ["kernel"])
  })

  it("ends a wait, and is read back before it is believed", () => {
    const { action, bench, key, told } = waiting()
    assert.deepStrictEqual(asks(told(booked(key)), "ReadBack").observed, { id: "B1" })
    const { data, result } = bench.last.body
    assert.property(data, "delivery")
    assert.deepInclude(result, { basis: "status", status: "ok", trust: 2 })
    assert.strictEqual(bench.state.world["spent"], 0)
    ends(bench.readsBack(action, record), "Done")
  })

  it("is no success if the record does not show it (HS-03)", () => {
    const { action, bench, key, told } = waiting()
    told(booked(key))
    bench.now += 60_000
    ends(bench.readsBack(action, ok({ id: "B1", price: 1 })), "Held")
    assert.notInclude(bench.types(), "action.reconciled")
  })

  it("counts once, however often it arrives, while the action is open and after", () => {
    const { action, bench, key, told } = waiting()
    told(booked(key))
    const { tick } = bench.at.head
    ends(told(booked(key)), "Held")
    assert.strictEqual(bench.at.head.tick, tick)
    bench.readsBack(action, record)
    assert.strictEqual(ends(told(booked(key)), "Done").adopted?.action, action)
    assert.strictEqual(bench.types().filter((type) => type === "action.reconciled").length, 1)
  })

  it.each([
    ["signature", "delivery.not_genuine"],
    ["time", "delivery.not_timely"]
  ] as const)("of a wrong %s is refused, and commits nothing, however often it comes", (fault, code) => {
    const { action, bench, key } = waiting()
    const before = bench.transitions.length
    for (let nth = 0; nth < 9; nth++) {
      const forged = { ...delivered({ ...booked(key), nth }), fault }
      assert.deepInclude(ends(bench.does(forged), "Refused").checks[0]?.why, { code })
    }
    assert.strictEqual(bench.transitions.length, before)
    asks(bench.does({ _tag: "Recover", action }), "Ask")
  })

  it("is asked about if it tells of a failure: a provider may be wrong, too", () => {
    const { action, bench, key, told } = waiting()
    asks(told({ key, status: "sold_out", booking: null }), "Ask")
    assert.strictEqual(bench.last.body.result?.status, "unknown")
    asks(bench.answers(action, record, "status"), "ReadBack")
  })

  /** A booking that the record shows at another price, which a person decides about. */
  const disputed = (more: Partial<Definition.ToolDefinition> = {}) => {
    const scene = waiting({ undo: "X", ...more })
    const { action, bench, key, told } = scene
    told(booked(key))
    bench.now += 60_000
    ends(bench.readsBack(action, ok({ id: "B1", price: 1 })), "Held")
    assert.strictEqual(OpenActions.of(bench.state)[action]?.state, "review_required")
    return scene
  }

  it("moves no action that waits for a person, whatever it reports, and is kept once, as evidence", () => {
    const { action, bench, key, told } = disputed()
    const { answer, heard } = OpenActions.of(bench.state)[action]!
    const { tick } = bench.at.head
    const before = ActionHistories.of(bench.transitions, action)!
    for (const status of ["sold_out", "booked", "booked", "queued"]) {
      const held = ends(told({ key, status, booking: { id: "B2" } }), "Held")
      assert.deepStrictEqual(held.why, { args: { tool: "book" }, code: "delivery.kept" })
    }
    assert.deepStrictEqual(bench.types(tick), ["action.result", "action.result"])
    assert.deepInclude(bench.last.body.data, { told: { outcome: "done", output: { id: "B2" } } })
    const open = OpenActions.of(bench.state)[action]!
    assert.deepInclude(open, { answer, heard, state: "review_required" })
    assert.deepInclude(open.told, { outcome: "done", output: { id: "B2" } })
    assert.deepStrictEqual(ActionHistories.of(bench.transitions, action), before, "nothing moves")
    assert.strictEqual(bench.state.world["spent"], 0)
  })

  it("counts once a person reopens the action, also if the tool cannot be asked, and is read back", () => {
    for (const status of ["none", "by_key"] as const) {
      const { action, bench, key, told } = disputed({ status })
      told({ key, status: "booked", booking: { id: "B2" } })
      ends(bench.reopens(action), "Done")
      assert.deepStrictEqual(asks(bench.does({ _tag: "Recover", action }), "ReadBack").observed, { id: "B2" })
      assert.deepInclude(bench.last.body.result, { basis: "status", output: { id: "B2" }, status: "ok" })
      assert.isUndefined(OpenActions.of(bench.state)[action]?.told, "it counts once")
      ends(told({ key, status: "booked", booking: { id: "B2" } }), "Held")
      ends(bench.readsBack(action, record), "Done")
      assert.deepStrictEqual(ActionHistories.of(bench.transitions, action)?.refused, [])
    }
  })

  it("is asked about once reopened if it tells of a failure, or the contradicting record is read again", () => {
    const asked = disputed()
    asked.told({ key: asked.key, status: "sold_out", booking: null })
    asked.bench.reopens(asked.action)
    asks(asked.bench.does({ _tag: "Recover", action: asked.action }), "Ask")
    const { action, bench, key, told } = disputed({ status: "none" })
    told({ key, status: "sold_out", booking: null })
    bench.reopens(action)
    asks(bench.does({ _tag: "Recover", action }), "ReadBack")
    ends(bench.readsBack(action, record), "Done")
  })

  it("of a failure that no record contradicts settles it once a person has reopened it", () => {
    const readback = { ...definition.tools.book.readback, scope: { tenant: "actual.tenant" } }
    const { action, bench, key, told } = waiting({ readback, status: "none", undo: "X" })
    ends(told({ ...booked(key), booking: { id: "B1", tenant: "umbrella" } }), "Held")
    assert.strictEqual(OpenActions.of(bench.state)[action]?.state, "review_required")
    ends(told({ key, status: "sold_out", booking: null }), "Held")
    ends(bench.does({ _tag: "Recover", action }), "Held")
    bench.reopens(action)
    ends(bench.does({ _tag: "Recover", action }), "Failed")
    assert.deepInclude(ActionHistories.of(bench.transitions, action), { state: "failed", refused: [] })
  })

  it("settles an action that cannot be asked about if it tells of a failure", () => {
    const { bench, key, told } = waiting({ status: "none" })
    ends(told({ key, status: "sold_out", booking: null }), "Failed")
    assert.strictEqual(bench.last.body.result?.status, "error")
  })

  it.each<readonly [string, (key: string) => Json]>([
    ["somebody else's key", () => booked("k")],
    ["no key", () => ({ status: "booked", booking: {} })],
    ["a key that is no text", () => ({ key: 7, status: "booked", booking: {} })],
    ["a list", (key) => [key]]
  ])("is refused, and writes nothing, if it has %s", (_, body) => {
    const { bench, key, told } = waiting()
    const { tick } = bench.at.head
    ends(told(body(key)), "Refused")
    assert.strictEqual(bench.at.head.tick, tick)
  })

  it("is refused if its key is empty or no text, and if it tells of both: done and failed", () => {
    const both = { failed: "body.status == 'booked'" }
    const cases: ReadonlyArray<readonly [ReturnType<typeof waiting>, (key: string) => Json]> = [
      [waiting(), () => booked("")],
      [waiting(), () => ({ ...booked(""), key: 7 })],
      [waiting({ webhook: { ...webhook, ...both } }), booked]
    ]
    for (const [{ bench, key, told }, body] of cases) {
      const { tick } = bench.at.head
      const refused = ends(told(body(key)), "Refused")
      assert.strictEqual(refused.tick, bench.at.head.tick === tick ? undefined : bench.at.head.tick)
      assert.notInclude(bench.types(tick), "action.result")
    }
  })

  it("is refused for a tool without a webhook, and says so", () => {
    const bench = new Bench()
    assert.include(told(ends(bench.does(delivered({})), "Refused")), "delivery.not_declared")
  })

  it("leaves the action as it is if it says under way", () => {
    const { bench, key, told } = waiting()
    const { tick } = bench.at.head
    ends(told({ key, status: "queued", booking: null }), "Held")
    assert.strictEqual(bench.at.head.tick, tick)
  })

  it("about another tenant's record is an incident (L15)", () => {
    const readback = { ...definition.tools.book.readback, scope: { tenant: "actual.tenant" } }
    const { bench, key, told } = waiting({ readback })
    ends(told({ ...booked(key), booking: { id: "B1", tenant: "umbrella" } }), "Held")
    assert.deepInclude(bench.last.body.data, { decision: "freeze_and_alarm", via: "webhook" })
    assert.notInclude(bench.types(), "action.reconciled")
  })

  it("moves nothing that is being undone: that goes on by its plan (L12)", () => {
    const { unbook } = definition.tools
    const readback = { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" } as const
    const book = { ...definition.tools.book, webhook }
    const bench = new Bench({ changes: { tools: { ...definition.tools, book, unbook: { ...unbook, readback } } } })
    const { action, key = "" } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    bench.now += 5000
    assert.strictEqual(bench.readsBack(action, ok({ id: "LX1", price: 90 })).next._tag, "Compensate")
    bench.compensates()
    const before = bench.transitions.length
    for (const status of ["booked", "sold_out"]) {
      ends(bench.does(delivered({ key, status, booking: { id: "LX1" } })), "Held")
    }
    assert.strictEqual(bench.transitions.length, before)
    assert.deepInclude(ActionHistories.of(bench.transitions, action), { state: "compensating", refused: [] })
  })

  const Body = Schema.Struct({
    key: Schema.Literals(["", "own", "other"]),
    status: Schema.Literals(["booked", "sold_out", "queued", "?"])
  })

  it.prop(
    "never makes a success by itself, in whatever order deliveries come",
    [Schema.Array(Schema.Struct({ body: Body, isGenuine: Schema.Boolean })).check(Schema.isMaxLength(12))],
    ([deliveries]) => {
      const { bench, key, told } = waiting()
      for (const { body, isGenuine } of deliveries) {
        told({ ...body, key: body.key === "own" ? key : body.key, booking: { id: "B1" } }, isGenuine)
      }
      assert.strictEqual(bench.state.world["spent"], 0)
      assert.notInclude(bench.types(), "action.reconciled")
    },
    { arbitrary: { runs: 200 } }
  )
})
