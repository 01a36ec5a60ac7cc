import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import type { Drafted } from "../src/decision/Decision.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Attribution from "../src/verification/Attribution.ts"
import { asks, Bench, call, type Definition, definition, ends, ok, told, wish } from "./lab.ts"

const external = {
  class: "high_risk_external",
  idempotency: "idempotent_write",
  times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
  status: "by_key"
} as const

const { status: _, ...unasked } = external

/** A transfer of which the record alone says which number it has, and what sends it back. */
const changes = (tool: typeof external | typeof unasked = external): Partial<Definition> => ({
  tools: {
    ...definition.tools,
    transfer: {
      ...tool,
      input: { to: "string", amount: "int" },
      target: "'account/' + args.to",
      identity: { scope: "run", fields: [{ to: "exact" }, { amount: "integer" }] },
      readback: { source: "bank", expect: ["actual.to == args.to", "actual.amount == args.amount"], within: "2s" },
      undo: { class: "R", by: "sendBack", with: { id: "actual.id" } }
    },
    sendBack: {
      ...external,
      input: { id: "string" },
      target: "'transfer/' + args.id",
      identity: { scope: "run", fields: [{ id: "exact" }] },
      readback: { source: "bank", expect: ["actual.status == 'back'"], within: "2s" },
      undo: "X"
    }
  }
})

const other = { id: "T1", to: "vic", amount: 500 }
const notFound: Evidence = { _tag: "NotFound" }

/** A transfer of 7 that its tool has answered with a record, which was read back when all its times were over. */
const answeredWith = (record: JsonObject, pack = changes()) => {
  const bench = new Bench({ changes: pack })
  const { action, key } = call(bench.proposes({ tool: "transfer", params: { to: "vic", amount: 7 } }))
  bench.answers(action, ok(record))
  bench.now += 20_000
  return { action, bench, key }
}

/** Answers the questions about an action that is to be undone: its record, and its key where that is asked about. */
const looks = (bench: Bench, action: string, record: JsonObject, key?: Evidence): Drafted => {
  const told = (via: "readback" | "status", evidence: Evidence) => {
    const own = RecordedRequest.of(bench.transitions, action)!
    return bench.does({ _tag: "Compensate", original: { ...own, via, evidence } })
  }
  const first = told("readback", ok(record))
  if (key === undefined) return first
  assert.deepInclude(first.next, { _tag: "ReadOriginal" })
  const second = told("status", key)
  if (second.next._tag !== "ReadOriginal") return second
  // Whose it is was asked: whether it stands is asked last.
  assert.deepInclude(second.next.original, { via: "readback" })
  return told("readback", ok(record))
}

const resolves = (bench: Bench, action: string, as: string): Drafted =>
  bench.proposes({
    author: "user",
    data: { action, as, by: "Ada", evidence: "the statement of the bank" },
    type: "review.decided"
  })

const isUnsent = (bench: Bench, action: string, held: Drafted): void => {
  assert.include(told(ends(held, "Held")), "reversal.not_own")
  assert.deepInclude(UndoPlan.open(bench.state), { failed: action, status: "stopped", stop: "not_own" })
  assert.isFalse(bench.transitions.some(({ body }) => body.action?.undoes !== undefined))
  assert.strictEqual(OpenActions.of(bench.state)[action]?.state ?? "settled", "review_required")
  // Nothing is tried again by resuming.
  assert.deepStrictEqual(bench.does({ _tag: "Compensate" }).drafts, [])
}

describe("A machine undoes only what is established to be its own:", () => {
  const foreign: ReadonlyArray<readonly [string, Evidence]> = [
    ["its own key is not known", notFound],
    ["its own key was refused", { _tag: "Error", error: "no" }],
    ["its own key names another record", ok({ ...other, id: "T2", amount: 7 })]
  ]
  for (const [what, key] of foreign) {
    it(`leaves an effect that a tool merely named to a person where ${what} (L10)`, () => {
      const { action, bench } = answeredWith(other)
      assert.strictEqual(bench.readsBack(action, ok(other)).next._tag, "Compensate")
      assert.strictEqual(bench.does({ _tag: "Compensate" }).next._tag, "ReadOriginal")
      isUnsent(bench, action, looks(bench, action, other, key))
    })
  }

  it("is sent back if its key is known, and names the same record or none (L10)", () => {
    for (const key of [ok(other), ok({ accepted: true }), { _tag: "Pending" } as const]) {
      const { action, bench } = answeredWith(other)
      assert.strictEqual(bench.readsBack(action, ok(other)).next._tag, "Compensate")
      const { action: reversal } = asks(looks(bench, action, other, key), "ReadBefore")
      call(bench.does({ _tag: "ReadBefore", action: reversal, evidence: ok({ ...other, status: "done" }) }))
    }
  })

  it("is not asked for under its key if the record shows that (L10)", () => {
    const { action, bench, key = "" } = answeredWith(other)
    const record = { ...other, reference: key }
    assert.strictEqual(bench.readsBack(action, ok(record)).next._tag, "Compensate")
    asks(looks(bench, action, record), "ReadBefore")
  })

  it("waits if nothing answers about its key, and is asked about again (L10)", () => {
    const { action, bench } = answeredWith(other)
    assert.strictEqual(bench.readsBack(action, ok(other)).next._tag, "Compensate")
    ends(looks(bench, action, other, { _tag: "Unknown", reason: "cut" }), "Held")
    assert.strictEqual(UndoPlan.open(bench.state)?.status, "running")
    asks(looks(bench, action, other, ok(other)), "ReadBefore")
  })

  it("is asked about by the key of its call, and answered by that alone", () => {
    const { action, bench } = answeredWith(other)
    bench.readsBack(action, ok(other))
    const own = RecordedRequest.of(bench.transitions, action)!
    const isAsked = (via: "readback" | "status") =>
      Attribution.isAsked(bench.terms, bench.state, { ...own, via, evidence: notFound })
    assert.deepStrictEqual([isAsked("readback"), isAsked("status")], [false, true])
    assert.deepInclude(Attribution.question(bench.terms, bench.state, action), { action, via: "status" })
  })

  it("is asked about also if a success is undone: its record may equal that of another run (L10)", () => {
    const equal = { ...other, amount: 7 }
    const { action, bench } = answeredWith(equal)
    ends(bench.readsBack(action, ok(equal)), "Done")
    bench.does({ _tag: "Undo", wanted: { actions: [action], because: wish("returned"), cause: "revision" } })
    const held = looks(bench, action, equal, notFound)
    assert.include(told(ends(held, "Held")), "reversal.not_own")
    assert.isFalse(bench.transitions.some(({ body }) => body.action?.undoes !== undefined))
  })

  it("is left to a person if nothing tells whose it is, unless it meets the whole contract (L10)", () => {
    const { action, bench } = answeredWith(other, changes(unasked))
    assert.strictEqual(bench.readsBack(action, ok(other)).next._tag, "Compensate")
    isUnsent(bench, action, looks(bench, action, other))

    const equal = { ...other, amount: 7 }
    const good = answeredWith(equal, changes(unasked))
    ends(good.bench.readsBack(good.action, ok(equal)), "Done")
    const wanted = { actions: [good.action], because: wish("returned"), cause: "revision" } as const
    good.bench.does({ _tag: "Undo", wanted })
    asks(looks(good.bench, good.action, equal), "ReadBefore")
  })

  it("is left to a person if the same call undoes another act of the run (L10)", () => {
    const equal = { ...other, amount: 7 }
    const { action, bench } = answeredWith(equal, changes(unasked))
    ends(bench.readsBack(action, ok(equal)), "Done")
    const once = { tool: "transfer", params: { to: "vic", amount: 7 }, occurrence: 2, occurrenceBy: "user" } as const
    const second = call(bench.proposes(once)).action
    bench.answers(second, ok(equal))
    ends(bench.readsBack(second, ok(equal)), "Done")
    bench.does({ _tag: "Undo", wanted: { actions: [second], because: wish("twice"), cause: "revision" } })
    assert.include(told(ends(looks(bench, second, equal), "Held")), "reversal.not_own")
  })

  it("is called undone by a person, or asked about again if they reopen it", () => {
    const held = () => {
      const { action, bench } = answeredWith(other)
      assert.strictEqual(bench.readsBack(action, ok(other)).next._tag, "Compensate")
      looks(bench, action, other, notFound)
      return { action, bench }
    }
    const again = held()
    ends(resolves(again.bench, again.action, "reopened"), "Done")
    asks(looks(again.bench, again.action, other, ok(other)), "ReadBefore")
    const stands = held()
    ends(resolves(stands.bench, stands.action, "abandoned"), "Done")
    ends(stands.bench.does({ _tag: "Compensate" }), "Done")
    assert.isUndefined(UndoPlan.open(stands.bench.state))
  })
})
