import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import { assert, describe, it } from "@effect/vitest"
import * as Decision from "../src/decision/Decision.ts"
import * as Kernel from "../src/Kernel.ts"
import { Bench, bookOf, call, type Definition, definition, ends, ok, told, wish } from "./lab.ts"

const { tell, unbook } = definition.tools

/** A trip is looked up, booked and paid, and undone if the payment fails; a list is made of what was looked up. */
const changes = {
  state: {
    ...definition.state,
    working: { ...definition.state.working, seen: { table: { key: "q", row: "string" } } }
  },
  tools: {
    ...definition.tools,
    unbook: { ...unbook, readback: { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" } },
    pay: { ...tell, target: "'card'", status: "by_key" },
    list: { class: "read_only", input: {}, reads: ["working.seen"] }
  },
  reducers: { on: { look: [{ put: { table: "working.seen", key: "args.q", row: "observed.found" } }] } },
  machine: { initial: "open", states: ["open"], edges: [] },
  skeletons: { trip: { tools: ["look", "book", "pay"], aborts: ["pay"] }, listing: { tools: ["list"] } }
} satisfies Partial<Definition>

const looks = (bench: Bench) => {
  const { action } = call(bench.proposes({ tool: "look", params: { q: "LX" } }))
  bench.answers(action, ok({ found: "LX1" }))
}

const reads = (bench: Bench, tool: string) => {
  const { action } = call(bench.proposes({ tool, params: tool === "look" ? { q: "BA" } : {} }))
  bench.answers(action, ok({ found: "a list" }))
}

const declined = (bench: Bench) => {
  const { action } = call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } }))
  return { _tag: "Answered", action, via: "call", evidence: { _tag: "Error", error: "declined" } } as const
}

const plans = ({ drafts }: Decision.Decided) =>
  drafts.flatMap(({ body }) => (body.type === "recovery.decided" ? [body.data?.["plan"] !== undefined] : []))

describe("ConsumerCheck", () => {
  it("asks for the consumers of the subtasks that would be undone, and decides with the answer (L10)", () => {
    const bench = new Bench({ changes })
    looks(bench)
    bench.books("LX1")
    const command = declined(bench)
    const { next } = Kernel.decide(bench.terms, bench.state, command)
    assert.deepInclude(next._tag === "Look" && next.look, { _tag: "Consumers", scopes: ['["trip",null]'] })
    assert.deepStrictEqual(plans(bench.decides(command)), [true])
    const found = [{ by: "listing::null::0", keys: ["working.seen"], subtask: "trip::null::0" }]
    const blocked = Kernel.decide(
      bench.terms,
      bench.state,
      next._tag === "Look" ? Decision.withAnswer(next, found) : assert.fail("nothing is asked")
    )
    assert.deepStrictEqual(plans(blocked), [false])
    assert.include(JSON.stringify(blocked.drafts), '"code":"undo.consumed"')
    // What was found of other subtasks is asked for again.
    const other = { look: { _tag: "Consumers", scopes: ['["listing",null]'] }, answer: found } as const
    const again = Kernel.decide(bench.terms, bench.state, { ...command, found: [other] })
    assert.strictEqual(again.next._tag, "Look")
  })

  it("counts another subtask and steps of none, and not those that are undone as well", () => {
    const undoes = (skeletons: Definition["skeletons"], read: string, rules?: number) => {
      const bench = new Bench({ changes: { ...changes, skeletons: { ...changes.skeletons, ...skeletons } } })
      if (rules !== undefined) bench.does({ _tag: "Migrate", rules })
      looks(bench)
      bench.books("LX1")
      reads(bench, read)
      return plans(bench.does(declined(bench)))
    }
    assert.deepStrictEqual(undoes({}, "look"), [true])
    assert.deepStrictEqual(undoes({}, "list"), [false])
    // Runs of the first rules asked for no consumers (decision 0021).
    assert.deepStrictEqual(undoes({}, "list", 1), [true])
    assert.deepStrictEqual(undoes({ listing: { tools: ["look"] } }, "list"), [false])
    assert.deepStrictEqual(undoes({ listing: { tools: ["list", "pay"], aborts: ["pay"] } }, "list"), [true])
  })

  const rented = {
    tools: {
      ...changes.tools,
      rent: { ...definition.tools.book, target: "'car/' + args.flight" },
      settle: { ...tell, target: "'voucher'", status: "by_key" }
    },
    skeletons: { ...changes.skeletons, stay: { tools: ["rent", "settle"], aborts: ["settle"] } }
  } as const

  /** A trip whose undoing waits because of a list that was made of it, while another payment is under way. */
  const waits = () => {
    const bench = new Bench({ changes: { ...changes, ...rented } })
    looks(bench)
    bench.books("LX1")
    const car = call(bench.proposes({ ...bookOf("VW1"), tool: "rent" })).action
    bench.answers(car, ok({ id: "VW1" }))
    bench.readsBack(car, ok({ id: "VW1", price: 80 }))
    const { action: settling } = call(bench.proposes({ tool: "settle", params: { to: "ada@x.org" } }))
    const { action: paying } = call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } }))
    reads(bench, "list")
    bench.answers(paying, { _tag: "Error", error: "declined" })
    return { bench, settling }
  }

  it("keeps what waits for a person: another undoing comes after it", () => {
    const { bench } = waits()
    const wanted = UndoPlan.wanted(bench.state)
    assert.lengthOf(wanted?.actions ?? [], 1)
    const other = { actions: ["a2"], because: wish("changed my mind"), cause: "revision" } as const
    // In a run of the first rules another undoing took its place (decision 0021).
    const first = { ...bench.state.kernel, [PackInForce.part.name]: PackInForce.part.init }
    const { next } = Kernel.decide(bench.terms, { ...bench.state, kernel: first }, { _tag: "Undo", wanted: other })
    assert.notInclude(JSON.stringify(next), "undoing.open")
    assert.include(told(ends(bench.does({ _tag: "Undo", wanted: other }), "Refused")), "undoing.open")
    assert.deepStrictEqual(UndoPlan.wanted(bench.state), wanted)
  })

  it("keeps it when another subtask fails: one undoing covers both", () => {
    const { bench, settling } = waits()
    const [first = ""] = UndoPlan.wanted(bench.state)?.actions ?? []
    bench.answers(settling, { _tag: "Error", error: "declined" })
    const wanted = UndoPlan.wanted(bench.state)
    assert.deepInclude(wanted, { subject: settling, scopes: ['["trip",null]', '["stay",null]'] })
    assert.lengthOf(wanted?.actions ?? [], 2)
    assert.include(wanted?.actions ?? [], first)
    ends(bench.does({ _tag: "Compensate" }), "Held")
  })

  it("goes on with a person, whom it tells of the reader", () => {
    const bench = new Bench({ changes })
    looks(bench)
    bench.books("LX1")
    reads(bench, "list")
    bench.does(declined(bench))
    const held = bench.does({ _tag: "Compensate" })
    assert.include(told(held.next._tag === "End" ? held.next.outcome : assert.fail("it goes on")), "undo.consumed")
  })
})
