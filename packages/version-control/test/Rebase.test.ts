import * as State from "@backstitch/reducer/State"
import type { Body, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CherryPick, Intent, Rebase, type Step } from "../src/index.ts"
import * as Lab from "./lab.ts"

const fold = Lab.fold()
const Words = Schema.Array(Schema.Literals(["set a", "set b", "note", "said"])).check(Schema.isMaxLength(12))

const bodyOf = (word: string, index: number): Body => {
  if (word === "note") return Lab.note(`note ${index}`)
  if (word === "said") return { author: "user", data: { text: "hm" }, type: "message.received" }
  return Lab.set({ [word.slice(4)]: index })
}

const walked = (bodies: ReadonlyArray<Body>) => Lab.steps(fold, bodies).map((step) => ({ ...step, link: "" }))
const planned = (steps: Iterable<Step.Step & { readonly link: string }>) =>
  Result.getOrThrow(Rebase.plan("branch", steps, () => undefined))

const action = (id: string, body: Partial<Body>): Body => ({ action: { id }, author: "kernel", ...body }) as Body
const request = (id: string, tool = "fax"): Body => ({
  action: { class: "medium_risk_write", id, params: {}, tool },
  author: "agent",
  type: "action.request"
})

describe("Rebase", () => {
  it.prop(
    "onto the own base leads to the state that the branch has already",
    [Words, Words],
    ([before, after]) => {
      const base = [Lab.started, ...before.map(bodyOf)]
      const steps = walked([...base, ...after.map(bodyOf)])
      const { items, left } = planned(steps.slice(base.length))
      let state = Lab.stateAt(steps, base.length)
      let tick = base.length + 1
      for (const item of items) {
        // Each fits where it stood: nothing of its context is another.
        const source = { run: "branch", ...item, state: item.before }
        assert.isTrue(CherryPick.validate(source, { run: "base", tick, state, pack: undefined }).accepted)
        state = Rebase.predict(fold, state, tick, item)
        tick += item.transitions.length
      }
      const end = Lab.stateAt(steps, steps.length)
      assert.strictEqual(State.sectionDigest(state.working), State.sectionDigest(end.working))
      assert.strictEqual(State.sectionDigest(state.world), State.sectionDigest(end.world))
      assert.strictEqual(items.length + left.length, after.length)
      assert.deepStrictEqual(
        items.map((item) => item.tick),
        [...items.map((item) => item.tick)].sort((one, other) => one - other)
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it("takes an outcome from the record as its own run settled it", () => {
    const of = (...bodies: ReadonlyArray<Body>) =>
      Rebase.outcomeOf(bodies.map((body, index) => ({ tick: index + 1, body }) as Transition))
    const answered = action("a2", { result: { output: { id: 7 }, status: "ok", trust: 1 }, type: "action.result" })
    const verified = action("a2", { result: { output: { id: 7, ok: true }, status: "ok" }, type: "action.verified" })
    const settled = action("a2", { result: { basis: "readback", status: "ok", trust: 3 }, type: "action.reconciled" })
    assert.isUndefined(of(request("a2"), answered))
    assert.deepStrictEqual(of(request("a2"), answered, verified, settled), {
      actual: { id: 7, ok: true },
      output: { id: 7 },
      status: "ok",
      trust: 3
    })
    const failed = action("a2", { result: { basis: "attested", status: "error" }, type: "action.reconciled" })
    assert.deepInclude(of(request("a2"), answered, failed), { status: "error" })
  })

  it("plans nothing for unstarted actions, leaves the words of others out, and refuses open actions", () => {
    const dropped = [request("a2"), action("a2", { type: "intent.dropped" })]
    const said: Body = { author: "user", data: { text: "stop" }, type: "message.received" }
    const plan = planned(walked([Lab.started, ...dropped, said, Lab.note("go on")]))
    assert.deepStrictEqual(
      plan.items.map(({ intent, tick, treatment }) => [tick, intent.type, treatment]),
      [[5, "plan.update", "propose"]]
    )
    assert.deepStrictEqual(plan.left, [{ tick: 4, type: "message.received", author: "user", why: "not an agent's" }])
    // Asked for, and the run ended before it began: nothing is known to have happened, and nothing is taken over.
    assert.deepStrictEqual(planned(walked([Lab.started, request("a2")])).items, [])
    const open = walked([Lab.started, request("a2"), action("a2", { type: "action.started" })])
    const error = Result.getOrThrow(Result.flip(Rebase.plan("branch", open, () => undefined)))
    assert.include(error.message, "has begun fax (a2)")
  })

  it("leaves to its parent an act that was under way where the branch was forked", () => {
    const fork: Body = { author: "kernel", data: { parent: "trunk" }, type: "run.fork" }
    const begun = [Lab.started, Lab.note("one"), request("a3"), action("a3", { type: "action.started" }), fork]
    const { items, left } = planned(walked([...begun, Lab.note("two")]))
    assert.deepStrictEqual(
      items.map(({ tick }) => tick),
      [2, 6]
    )
    assert.deepInclude(left, { tick: 3, type: "action.request", author: "agent", why: "of its parent" })
  })

  it("replays neither an undone act nor its undoing", () => {
    const settled = (id: string): ReadonlyArray<Body> => [
      action(id, { type: "action.started" }),
      action(id, { result: { output: {}, status: "ok" }, type: "action.result" }),
      action(id, { result: { basis: "readback", status: "ok", trust: 3 }, type: "action.reconciled" })
    ]
    const undoing: Body = { ...request("a6"), action: { ...request("a6").action!, undoes: "a2" }, author: "kernel" }
    const plan = planned(
      walked([
        Lab.started,
        request("a2"),
        ...settled("a2"),
        undoing,
        ...settled("a6"),
        request("a10"),
        ...settled("a10")
      ])
    )
    assert.deepStrictEqual(
      plan.items.map(({ tick }) => tick),
      [10]
    )
    assert.deepStrictEqual(plan.left, [{ tick: 2, type: "action.request", author: "agent", why: "undone" }])
  })

  it("never calls again a tool without a contract", () => {
    const intent = Result.getOrThrow(Intent.of("branch", { body: request("a2"), tick: 2 }))
    assert.strictEqual(Rebase.treatmentOf(intent, undefined), "record")
  })

  it("reads from the trace how far it has come, where it stopped, and that it was given up", () => {
    const begun = { run: "branch", from: 3, to: 9, link: "ab" }
    const why = { args: { reasons: ["context_mismatch"] }, code: "rebase.refused" }
    const at = (tick: number, body: Partial<Body>) => ({ tick, body: { author: "kernel", ...body } }) as Transition
    const trace = [
      at(5, { data: { rebase: begun }, type: "run.fork" }),
      at(6, { data: { rebase: "replayed", source: { tick: 3 } }, type: "run.cherrypick" }),
      at(7, { data: Rebase.halt("stopped", begun, { tick: 4, why }), type: "run.rebase" })
    ]
    assert.deepInclude(Rebase.progress(trace), {
      aborted: false,
      begun,
      conflict: { tick: 4, why },
      replayed: new Map([[3, 6]])
    })
    const on = [...trace, at(8, { data: Rebase.halt("skipped", begun, { tick: 4 }), type: "run.rebase" })]
    assert.deepInclude(Rebase.progress(on), { conflict: undefined, skipped: new Set([4]) })
    const off = [...on, at(9, { data: Rebase.halt("aborted", begun, { tick: 0 }), type: "run.rebase" })]
    assert.isTrue(Rebase.progress(off)?.aborted)
    assert.isUndefined(Rebase.progress([at(5, { data: {}, type: "run.fork" })]))
  })
})
