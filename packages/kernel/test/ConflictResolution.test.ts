import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as ConflictResolution from "../src/claims/ConflictResolution.ts"
import type * as CommandFacts from "../src/decision/CommandFacts.ts"
import type { Decided } from "../src/decision/Decision.ts"
import * as ActTurns from "../src/identity/ActTurns.ts"
import { asks, Bench, bookOf, call, definition, ends, ok, wish } from "./lab.ts"

const command = { _tag: "Propose", proposal: bookOf("LX1") } as const
const asking = () => {
  const bench = new Bench()
  return { decision: bench.decides(command), run: { ...bench.run, id: "asking" as typeof bench.run.id } }
}

/** The refusal of a name that action a2 of the bench's run holds since its third tick. */
const refused = (
  bench: Bench,
  namespace: "key" | "target" | "turn",
  { decision, name = "name" }: { readonly decision: Decided; readonly name?: string },
  transitions: ReadonlyArray<Transition> = bench.transitions.slice(2)
): ConflictResolution.RefusedName => ({
  terms: { now: bench.now, pack: bench.pack, run: asking().run },
  names: decision.names ?? {},
  refusal: { claim: name, namespace, holder: { owner: "a2", run: bench.run.id, tick: 3 } },
  transitions
})

describe("ConflictResolution", () => {
  it("takes over an act that was done, once, and nothing that is under way (L6)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const about = asking()
    assert.isUndefined(ConflictResolution.of(ConflictResolution.nothing, refused(bench, "key", about)))
    bench.answers(action, ok({ id: "B1" }))
    bench.readsBack(action, ok({ id: "B1", price: 80 }))
    const more = ConflictResolution.of(ConflictResolution.nothing, refused(bench, "key", about))
    assert.deepInclude(more?.adopted, { action, run: bench.run.id, tick: 6, output: { id: "B1", price: 80 } })
    assert.isUndefined(ConflictResolution.of(more!, refused(bench, "key", about)))
    assert.isUndefined(ConflictResolution.of(ConflictResolution.nothing, refused(bench, "target", about)))
    assert.deepInclude(ConflictResolution.informed({ ...command, learnt: more }), {
      adopted: more?.adopted,
      generation: 0
    })
  })

  it("takes over no act whose reversal was given up, as long as the reversal may still arrive (decision 0023)", () => {
    const readback = { source: "airline", expect: ["actual == null"] }
    const tools = { ...definition.tools, unbook: { ...definition.tools.unbook, readback } }
    for (const isAnswered of [false, true]) {
      const bench = new Bench({ changes: { tools, skeletons: {} } })
      bench.books("LX1")
      const wanted = { actions: ["a2"], because: wish("it was not wanted"), cause: "revision" } as const
      bench.does({ _tag: "Undo", wanted })
      const { action } = asks(bench.compensates(), "ReadBefore")
      call(bench.does({ _tag: "ReadBefore", action, evidence: ok({ id: "LX1" }) }))
      if (isAnswered) bench.answers(action, ok({ id: "LX1" }))
      const data = { action, as: "abandoned", by: "Ada", evidence: "phoned" }
      ends(bench.proposes({ author: "user", data, type: "review.decided" }), "Done")
      const adopted = () =>
        ConflictResolution.of(ConflictResolution.nothing, refused(bench, "key", asking()))?.adopted?.action
      assert.strictEqual(adopted(), isAnswered ? "a2" : undefined)
      bench.now += 4000
      assert.strictEqual(adopted(), "a2")
    }
  })

  it("asks for the next generation of a key whose act failed for good", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, { _tag: "Error", error: "sold out" })
    const more = ConflictResolution.of({ generation: 1 }, refused(bench, "key", asking()))
    assert.strictEqual(more?.generation, 2)
  })

  it("learns of no generation that is over while its provider says that the act was done (L14)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.now += 60_000
    const resolves = (as: string) =>
      bench.proposes({ author: "user", data: { action, as, by: "Ada", evidence: "phoned" }, type: "review.decided" })
    ends(resolves("failure"), "Done")
    const generation = () =>
      ConflictResolution.of(ConflictResolution.nothing, refused(bench, "key", asking()))?.generation
    assert.strictEqual(generation(), 1)
    bench.does({ _tag: "LateEvidence", action, evidence: ok({ id: "LX1" }), via: "webhook" })
    assert.isUndefined(generation())
    ends(resolves("failure"), "Done")
    assert.strictEqual(generation(), 1)
  })

  it("asks for the next turn of the act that it takes over, and reads its outcome again (decision 0023)", () => {
    const bench = new Bench()
    const { decision } = asking()
    const turn = ActTurns.of("key", 2)
    const begins = { ...decision.names!.begins!, isTakenOver: true }
    const taking = { ...decision, names: { begins, turns: { a2: turn } } }
    const before: CommandFacts.Lessons = { generation: 0, adopted: { run: bench.run.id, action: "a2", tick: 6 } }
    const more = ConflictResolution.of(before, refused(bench, "turn", { decision: taking, name: turn.name }, []))
    assert.deepStrictEqual(more, { generation: 0, adopted: undefined, turn: 3 })
  })

  it("names the run that relies on the act to be undone, and skips a run that gave the act up (L10)", () => {
    const bench = new Bench()
    const { decision } = asking()
    const turn = ActTurns.of("key")
    const undoing = { decision: { ...decision, names: { turns: { a7: turn } } }, name: turn.name }
    bench.proposes(bookOf("LX1"))
    const [request, ...rest] = bench.transitions.slice(1)
    const taken = {
      ...request!,
      body: { ...request!.body, data: { adopted: { run: "asking", action: "a7", tick: 4 } } }
    }
    const relied = ConflictResolution.of(ConflictResolution.nothing, refused(bench, "turn", undoing, [taken, ...rest]))
    const by = { action: "a2", run: bench.run.id, tick: 3 }
    assert.deepStrictEqual(relied?.turns, { next: {}, relied: { a7: by } })
    const undone = ConflictResolution.of(
      ConflictResolution.nothing,
      refused(bench, "turn", undoing, [request!, ...rest])
    )
    assert.deepStrictEqual(undone?.turns, { next: { a7: 2 }, relied: {} })
  })

  it("names a fork that shares the act as long as one of its effects may stand, not only the first (L10)", () => {
    const bench = new Bench()
    const turn = ActTurns.of("key")
    const { decision } = asking()
    const asked = { ...decision, names: { turns: { a7: turn } } }
    const relied = () => {
      const [first, ...rest] = bench.transitions.slice(1)
      const request = { ...first!, body: { ...first!.body, data: { turns: { "asking/a7": turn } } } }
      const { refusal, ...other } = refused(bench, "turn", { decision: asked, name: turn.name }, [request, ...rest])
      const holder = { ...refusal.holder, owner: "asking/a7" }
      const more = ConflictResolution.of(ConflictResolution.nothing, { ...other, refusal: { ...refusal, holder } })
      return more?.turns?.relied["a7"]?.run
    }
    const { action } = call(bench.proposes(bookOf("LX1")))
    assert.strictEqual(relied(), bench.run.id, "its first effect is under way")
    bench.answers(action, { _tag: "Error", error: "sold out" })
    assert.isUndefined(relied(), "it failed")
    bench.does({ _tag: "LateEvidence", action, evidence: ok({ id: "LX1" }), via: "webhook" })
    assert.strictEqual(relied(), bench.run.id, "its provider contradicts the failure")
    bench.now += 60_000
    ends(
      bench.proposes({
        author: "user",
        data: { action, as: "failure", by: "Ada", evidence: "phoned" },
        type: "review.decided"
      }),
      "Done"
    )
    assert.isUndefined(relied(), "a person confirms the failure")
    bench.books("LX2")
    assert.strictEqual(relied(), bench.run.id, "its second effect stands, whose request has no payload")
  })
})
