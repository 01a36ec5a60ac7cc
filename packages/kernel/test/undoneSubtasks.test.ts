import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Latch from "@backstitch/reducer/Latch"
import * as Scopes from "@backstitch/reducer/Scopes"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import { asks, Bench, bookOf, call, type Definition, definition, ends, ok, told, wish } from "./lab.ts"

const { tell, unbook } = definition.tools

/** The lab's contract with a trip that searches, books and pays, and is undone when the payment fails for good. */
const changes: Partial<Definition> = {
  state: {
    ...definition.state,
    working: { ...definition.state.working, seen: { table: { key: "q", row: "string" } } }
  },
  tools: {
    ...definition.tools,
    unbook: { ...unbook, readback: { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" } },
    pay: { ...tell, target: "'card'", status: "by_key" }
  },
  reducers: {
    on: {
      ...definition.reducers.on,
      look: [
        { append: { list: "working.notes", item: "observed.found" } },
        { put: { table: "working.seen", key: "args.q", row: "observed.found" } }
      ],
      book: [{ set: { field: "working.plan", value: "'booked ' + args.flight" } }]
    }
  },
  violations: [{ id: "noted", when: "size(working.notes) > 0" }],
  skeletons: { trip: { tools: ["look", "book", "pay"], aborts: ["pay"] } }
}

const benchOf = (more: Partial<Definition> = {}) => new Bench({ changes: { ...changes, ...more } })

const looks = (bench: Bench, q: string) => call(bench.proposes({ tool: "look", params: { q } })).action
const finds = (bench: Bench, action: string, found: string) => bench.answers(action, ok({ found }))
const declines = (bench: Bench) => {
  const { action } = call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } }))
  bench.answers(action, { _tag: "Error", error: "declined" })
  return action
}
const opened = (bench: Bench) =>
  bench.transitions.findLast(({ body }) => body.type === "recovery.decided")?.body.data?.["plan"] as
    | UndoPlan.UndoPlan
    | undefined

const working = (bench: Bench) => State.sectionToJson(bench.state.working)
const scope = Scopes.nameOf("trip", null)

describe("a subtask that is undone", () => {
  it("takes back its writes into working by the patch of the transition that opens the undoing (decision 0031)", () => {
    const bench = benchOf()
    bench.proposes({ type: "observation.add", data: { text: "before" } })
    const before = working(bench)
    const digest = State.sectionDigest(bench.state.working)
    const look = looks(bench, "LX")
    finds(bench, look, "LX1")
    bench.books("LX1")
    assert.deepInclude(working(bench), { notes: ["before", "LX1"], plan: "booked LX1", seen: { LX: "LX1" } })
    const { world } = bench.state
    const pay = declines(bench)
    assert.deepStrictEqual(working(bench), before)
    const plan = opened(bench)
    assert.strictEqual(plan?.restore?.digest, digest)
    assert.deepStrictEqual(plan?.scopes, [{ epoch: 1, scope }])
    assert.deepStrictEqual(
      plan?.masks.map((action) => bench.transitions.find(({ body }) => body.action?.id === action)?.body.action?.tool),
      ["look", "book"]
    )
    assert.notInclude(plan?.masks ?? [pay], pay)
    // What is believed of the world goes back by a reconciled reversal alone, and what was violated stays so.
    assert.strictEqual(bench.state.world, world)
    assert.isNumber(Latch.of(bench.state)["noted"])
  })

  it("is undone all the same if others wrote since, and leaves their values (L10)", () => {
    const bench = benchOf()
    finds(bench, looks(bench, "LX"), "LX1")
    bench.books("LX1")
    bench.proposes({ type: "plan.update", data: { plan: "the user's own" } })
    const before = working(bench)
    declines(bench)
    const plan = opened(bench)
    assert.deepStrictEqual(plan?.overwritten, [{ by: "run", path: "/working/plan" }])
    assert.isUndefined(plan?.restore)
    assert.deepStrictEqual([working(bench), plan?.steps.length], [before, 1])
  })

  it("is refused for a revision of the goal if others wrote since, with the fields that they wrote (L10)", () => {
    const bench = benchOf()
    bench.books("LX1")
    const wanted = { actions: ["a2"], because: wish("another day"), cause: "revision", scopes: [scope] } as const
    bench.proposes({ type: "plan.update", data: { plan: "the user's own" } })
    const refused = ends(bench.does({ _tag: "Undo", wanted }), "Refused")
    assert.include(told(refused), '{"by":"run","path":"/working/plan"},"code":"undo.overwritten"')
    const free = benchOf()
    free.books("LX1")
    assert.strictEqual(free.does({ _tag: "Undo", wanted }).next._tag, "Compensate")
    assert.deepInclude(working(free), { plan: null })
  })

  it("settles an answer for an older epoch, and lets it write nothing any more (decision 0031)", () => {
    const bench = benchOf()
    const late = looks(bench, "LX")
    bench.books("LX1")
    declines(bench)
    assert.include(opened(bench)?.masks ?? [], late)
    const before = working(bench)
    finds(bench, late, "too late")
    assert.deepStrictEqual(working(bench), before)
    assert.isUndefined(OpenActions.of(bench.state)[late])
    // A new look belongs to the new epoch.
    finds(bench, looks(bench, "LX"), "anew")
    assert.deepInclude(working(bench), { notes: ["anew"] })
  })

  it("puts back nothing that a subtask of another entity wrote", () => {
    const trip = { tools: ["look", "book", "pay"], aborts: ["pay"], entity: "'q' in args ? args.q : 'ada@x.org'" }
    const bench = benchOf({ skeletons: { trip } })
    finds(bench, looks(bench, "bob@x.org"), "of bob")
    finds(bench, looks(bench, "ada@x.org"), "of ada")
    bench.books("LX1")
    declines(bench)
    assert.deepStrictEqual(working(bench)["seen"], { "bob@x.org": "of bob" })
    assert.deepStrictEqual(opened(bench)?.scopes, [{ epoch: 1, scope: Scopes.nameOf("trip", "ada@x.org") }])
    asks(bench.compensates(), "ReadBefore")
    ends(bench.proposes(bookOf("LX2")), "Refused")
  })
})
