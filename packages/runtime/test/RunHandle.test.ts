import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as State from "@backstitch/reducer/State"
import * as Claims from "@backstitch/trace/Claims"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

/** Counts the appends, which are the flushes, of what is done with an open run. */
const flushes = Effect.fnUntraced(function* <A, E>(
  world: lab.World,
  use: (handle: RunHandle.RunHandle) => Effect.Effect<A, E>
) {
  let appends = 0
  const counting = lab.watched(() => {
    appends++
  })
  const result = yield* lab.as(lab.process(counting, { world }))(
    Effect.gen(function* () {
      const handle = yield* lab.open()
      appends = 0
      return yield* use(handle)
    })
  )
  return { appends, result }
})

/** A store on which the n-th append fails, before or after it was made. */
const failing = (store: Layer.Layer<TraceStore.TraceStore>, n: number, when: "before" | "after") => {
  let count = 0
  const lost = new TraceStore.TraceStoreError({ operation: "append", reason: "lost", store: "faulty", cause: "cut" })
  return Layer.effect(
    TraceStore.TraceStore,
    Effect.map(TraceStore.TraceStore, (each) => ({
      ...each,
      append: (commit: TraceStore.Append) =>
        Effect.suspend(() => {
          if (++count !== n) return each.append(commit)
          return when === "before" ? Effect.fail(lost) : Effect.andThen(each.append(commit), Effect.fail(lost))
        })
    }))
  ).pipe(Layer.provide(store))
}

describe("RunHandle", () => {
  it.effect("tells a caller that opens a run that its name is held, and begins nothing (L1)", () =>
    Effect.gen(function* () {
      const holder = { run: lab.trip.id, owner: "other", tick: 1 }
      const held = Layer.effect(
        TraceStore.TraceStore,
        Effect.map(TraceStore.TraceStore, (each) => ({
          ...each,
          append: () => Effect.fail(new Claims.ClaimRefused({ namespace: "run", claim: lab.trip.id, holder }))
        }))
      ).pipe(Layer.provide(yield* lab.shared))
      const refused = yield* Effect.flip(lab.as(lab.process(held, { lawless: true }))(lab.open()))
      assert.strictEqual((refused as { readonly _tag?: string })._tag, "ClaimRefused")
    })
  )

  it.effect("flushes once a read, twice a mutation that nothing follows, once a note (decision 0005)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const count = (proposal: Parameters<RunHandle.RunHandle["propose"]>[0]) =>
        Effect.map(
          flushes(world, (handle) => handle.propose(proposal)),
          ({ appends }) => appends
        )
      assert.strictEqual(yield* count(lab.look("x")), 1)
      assert.strictEqual(yield* count(lab.book("LX1")), 2)
      assert.strictEqual(yield* count(lab.tell("ada")), 2)
      assert.strictEqual(yield* count(lab.note("x")), 1)
    })
  )

  it.effect("carries out proposals that arrive together, each with its own answer", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const names = Array.from({ length: 20 }, (_, index) => `q${index}`)
      const { result } = yield* flushes(world, (handle) =>
        Effect.all(
          names.map((name, index) => handle.propose(index % 5 === 0 ? lab.book(name, 1) : lab.look(name))),
          { concurrency: "unbounded" }
        )
      )
      const outputs = result.map((outcome) => (outcome._tag === "Done" ? outcome.output : outcome))
      assert.deepStrictEqual(
        outputs,
        names.map((name, index) => (index % 5 === 0 ? { flight: name, id: `book ${name}`, price: 1 } : { found: name }))
      )
      assert.deepStrictEqual(world.doubled, [])
    })
  )

  it.effect("starts an act once when it is proposed twice at the same time (L6)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const { result } = yield* flushes(world, (handle) =>
        Effect.all([handle.propose(lab.book("LX1")), handle.propose(lab.book("lx 1"))], { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(result.map(({ _tag }) => _tag).sort(), ["Done", "Held"])
      assert.deepStrictEqual(world.log, ["send book LX1"])
    })
  )

  it.effect("answers a repeated command with its outcome", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const { result } = yield* flushes(world, (handle) =>
        Effect.forEach(
          [lab.note("n"), lab.look("x"), lab.book("LX1")].flatMap((proposal, index) => [
            { ...proposal, command: `c${index}` },
            { ...proposal, command: `c${index}` }
          ]),
          handle.propose
        )
      )
      const outputs = result.map((outcome) => (outcome._tag === "Done" ? outcome.output : outcome))
      for (const index of [0, 2, 4]) assert.deepStrictEqual(outputs[index + 1], outputs[index])
      assert.deepStrictEqual(world.log, ["look x", "send book LX1"])
    })
  )

  it.effect("counts an append whose acknowledgement was lost as made", () =>
    Effect.gen(function* () {
      for (const when of ["before", "after"] as const) {
        for (let n = 1; n <= 6; n++) {
          const store = yield* lab.shared
          const world = new lab.World()
          const broken = failing(store, n, when)
          yield* lab.elapsing(lab.as(lab.process(broken, { world, steps: lab.script }))(lab.work))
          const { head, state } = yield* lab.as(lab.process(store))(StrictReplay.of(lab.trip))
          assert.strictEqual(head.tick, 16, `append ${n} lost ${when}`)
          assert.strictEqual(state.world["spent"], 80)
          assert.deepStrictEqual(world.doubled, [])
        }
      }
    })
  )

  it.effect("asks if an answer is lost, and does not repeat a finished act (L14)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("lost")
      const { result } = yield* flushes(world, (handle) => lab.elapsing(handle.propose(lab.book("LX1"))))
      assert.strictEqual(result._tag, "Done")
      assert.deepStrictEqual(world.log, ["send book LX1", "ask"])
      assert.deepStrictEqual(world.doubled, [])
    })
  )

  it.effect("sends again under the same key when nothing was done, once that is proven (L14)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("never")
      const { result } = yield* flushes(world, (handle) => lab.elapsing(handle.propose(lab.book("LX1"))))
      assert.strictEqual(result._tag, "Done")
      assert.deepStrictEqual(world.log, ["send book LX1", "ask", "ask", "send book LX1"])
      assert.deepStrictEqual(world.doubled, [])
    })
  )

  it.effect("says Failed when the tool refuses, and lets the act be proposed anew under another key", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("refused")
      const { result } = yield* flushes(world, (handle) =>
        Effect.all([handle.propose(lab.book("LX1")), handle.propose(lab.book("LX1"))])
      )
      assert.deepStrictEqual(
        result.map(({ _tag }) => _tag),
        ["Failed", "Done"]
      )
      assert.strictEqual(world.answers.size, 1)
    })
  )

  it.effect("commits a refusal that repeats at powers of two, with its count: a flood is bounded (decision 0041)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          for (let index = 0; index < 100; index++) {
            const outcome = yield* handle.propose(lab.book("LX1", 500))
            assert.strictEqual(outcome._tag, "Refused")
          }
          for (let index = 0; index < 100; index++) yield* handle.propose({ type: "action.result", data: { index } })
          const all = yield* lab.transitions()
          const counts = (type: string) =>
            all.flatMap(({ body }) => (body.type === type ? [Number(body.data?.["count"] ?? 1)] : []))
          // A staged settlement comes with the next commit, whatever that is of.
          assert.deepStrictEqual(counts("intent.refused"), [1, 1, 2, 4, 8, 16, 32, 36])
          assert.deepStrictEqual(counts("kernel.anomaly"), [1, 1, 2, 4, 8, 16, 32])
        })
      )
    })
  )

  it.effect("learns of an approval by another process although its own call was parked again and again", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const approvals = { book: { by: ["manager"] } }
      const pack = Result.getOrThrow(TaskPack.make({ ...(lab.definition as Definition), approvals }))
      const opened = Effect.flatMap(Coordinator.Coordinator, (all) => all.open(lab.trip, { pack, goal: "goal" }))
      yield* lab.as(lab.process(store, { world }))(
        Effect.gen(function* () {
          const handle = yield* opened
          const parked = yield* handle.propose(lab.book("LX1"))
          for (let index = 0; index < 5; index++) yield* handle.propose(lab.book("LX1"))
          const review = parked._tag === "Parked" ? parked.review : ""
          const data = { by: "Grace", review, role: "manager", verdict: "approved" }
          const approval = { type: "review.decided", author: "user", data } as const
          yield* lab.as(lab.process(store))(Effect.flatMap(opened, (other) => other.propose(approval)))
          assert.strictEqual((yield* handle.propose(lab.book("LX1")))._tag, "Done")
        })
      )
    })
  )

  it.effect("records the JSON of values that user code hands over", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const executor = {
        look: { execute: () => ({ found: "\ud800", left: undefined, at: new Date(0) }) as never }
      }
      const { fromTools } = yield* Effect.promise(() => import("../src/ports/ToolExecutor.ts"))
      yield* lab.as(lab.process(store, { executor: fromTools(executor) }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose({ type: "observation.add", data: { text: "half \udc00" } })
          const outcome = yield* handle.propose(lab.look("x"))
          assert.deepInclude(outcome, { output: { found: "\ufffd", at: "1970-01-01T00:00:00.000Z" } })
          const { state } = yield* handle.position
          assert.deepStrictEqual(State.fieldToJson(state.working["notes"]!), ["half \ufffd"])
        })
      )
    })
  )

  it.effect("refuses a proposal that no trace can hold, and commits money in its one spelling (L13)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const note = { type: "observation.add", data: { text: "x" } } as const
          for (const bad of [{ confidence: 1.5 }, { confidence: -1 }, { tokens: 0.5 }, { spent: { money: "-1" } }]) {
            assert.strictEqual((yield* handle.propose({ ...note, ...bad }))._tag, "Refused", JSON.stringify(bad))
          }
          assert.strictEqual((yield* handle.propose({ ...note, spent: { money: "1.50" } }))._tag, "Done")
          const last = (yield* lab.transitions()).at(-1)
          assert.deepStrictEqual(last?.stamp.spent, { money: "1.5" })
        })
      )
    })
  )

  it.effect("recovers nothing if nothing is open", () =>
    Effect.gen(function* () {
      const { result } = yield* flushes(new lab.World(), (handle) =>
        Effect.all([handle.resume, Effect.map(handle.position, ({ state }) => OpenActions.of(state))])
      )
      assert.deepStrictEqual(result, [[], {}])
    })
  )
})
