import * as ActTurns from "@backstitch/kernel/ActTurns"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as History from "../src/history/History.ts"
import * as ClaimIndex from "../src/proof/ClaimIndex.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as UndoOutlook from "../src/undo/UndoOutlook.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { charge, pack, refund, Shop, ship } from "./shop.ts"
import { first, looks, proposing, second } from "./twins.ts"

const processOf = (store: Layer.Layer<TraceStore.TraceStore>, shop: Shop) =>
  lab.as(lab.process(store, { executor: shop.executor }))

const charging = (order: string): Proposal => ({ ...charge, params: { order } })

const reopened = (run: Run) => Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(run))

const proposes = (run: Run, proposal: Proposal) => Effect.flatMap(reopened(run), (handle) => handle.propose(proposal))

const undoes = (run: Run, ...actions: ReadonlyArray<string>) =>
  Effect.flatMap(reopened(run), (handle) => handle.undo({ actions, because: "not wanted", cause: "revision" }))

/** Forks a run at its head, so that the fork shares all that the run has done. */
const forked = (parent: Run) =>
  Effect.gen(function* () {
    const history = yield* History.History
    const { head } = yield* history.info(parent)
    const { run } = yield* Forking.fork({ parent, at: head.tick, behindUndone: true })
    return run
  })

/** The actions of a run itself whose effect stands, in order. */
const standing = (run: Run) =>
  Effect.gen(function* () {
    const history = yield* History.History
    const { head } = yield* history.info(run)
    const { state } = yield* history.at(run, head.tick)
    return SettledActions.inOrder(state).flatMap(([action, { undo }]) => (undo === "standing" ? [action] : []))
  })

const turnsOf = (transitions: ReadonlyArray<Transition.Transition>) =>
  transitions.flatMap(({ body }) => Object.values(ActTurns.takenBy(body)).map(({ ordinal }) => ordinal))

const Moves = Schema.Array(
  Schema.Struct({
    verb: Schema.Literals(["act", "fork", "undo"]),
    who: Schema.Literals([0, 1, 2]),
    which: Schema.Literals([0, 1, 2])
  })
).check(Schema.isMaxLength(14))

/** Each decision of each run is made again from its trace, and the index of names follows from the traces. */
const holds = Effect.fnUntraced(function* (...runs: ReadonlyArray<Run>) {
  for (const run of runs) assert.deepStrictEqual((yield* looks(run)).redecided.differs, [])
  assert.deepStrictEqual(yield* ClaimIndex.differences(first.tenant), [])
})

describe("an act that a fork shares", () => {
  it.effect("is not undone by its parent once the fork has an effect of its own, and the fork is named (L10)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      const fork = yield* within(forked(first))
      assert.strictEqual((yield* within(proposes(fork, charging("B2"))))._tag, "Done")
      const refused = yield* within(undoes(first, "a2"))
      assert.strictEqual(refused._tag, "Refused")
      assert.include(JSON.stringify(refused), fork.id)
      const [held] = yield* lab.elapsing(within(proposing(first, pack, ship)))
      assert.strictEqual(held?._tag, "Held")
      const [action] = yield* within(standing(fork))
      const decided = (yield* within(looks(first))).all.find(({ body }) => body.type === "recovery.decided")
      const [block] = (decided?.body.data?.["blocks"] ?? []) as ReadonlyArray<JsonObject>
      assert.deepInclude(block, { action: "a2" })
      assert.deepInclude(block?.["by"], { action, run: fork.id })
      const { relied } = yield* within(UndoOutlook.known(first, ["a2"]))
      assert.deepStrictEqual([...relied], [["a2", fork.id]], "a preview tells so, too")
      assert.include(JSON.stringify((yield* within(looks(first))).report.held), `run ${fork.id} relies on`)
      // The undoing waits for a person, and another one comes after it.
      assert.include(JSON.stringify(yield* within(undoes(first, "a2"))), "undoing.open")
      assert.deepStrictEqual(shop.effects, ["charge A1", "charge B2"])
      yield* within(holds(first, fork))
    })
  )

  it.effect("is given back by no planner of its parent then (L10)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      const fork = yield* within(forked(first))
      yield* within(proposes(fork, charging("B2")))
      const refused = yield* within(proposes(first, refund))
      assert.strictEqual(refused._tag, "Refused")
      assert.include(JSON.stringify(refused), `"run":"${fork.id}"`)
      assert.deepStrictEqual(shop.effects, ["charge A1", "charge B2"])
      yield* within(holds(first, fork))
    })
  )

  it.effect("is relied on by a fork that takes over an act of another run", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      const fork = yield* within(forked(first))
      yield* within(proposing(second, pack, charging("B2")))
      assert.deepInclude(yield* within(proposes(fork, charging("B2"))), { _tag: "Done", basis: "readback" })
      for (const [run, action] of [
        [first, "a2"],
        [second, "a2"]
      ] as const) {
        assert.include(JSON.stringify(yield* within(undoes(run, action))), `"run":"${fork.id}"`)
      }
      assert.deepStrictEqual(shop.effects, ["charge A1", "charge B2"])
      yield* within(holds(first, second, fork))
    })
  )

  it.effect("is undone by its parent while the fork only looks on", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      const fork = yield* within(forked(first))
      yield* within(proposes(fork, { type: "observation.add", data: { text: "looks" } }))
      assert.strictEqual((yield* within(undoes(first, "a2")))._tag, "Done")
      assert.deepStrictEqual(shop.effects, ["charge A1", "refund charge A1"])
      // What the parent has undone by then, the fork does not rely on: its effect takes no turn.
      yield* within(proposes(fork, charging("B2")))
      assert.deepStrictEqual(turnsOf((yield* within(looks(fork))).all), [])
      yield* within(holds(first, fork))
    })
  )

  it.effect("is undone by its parent once no effect of the fork is left", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      const fork = yield* within(forked(first))
      yield* within(proposes(fork, charging("B2")))
      assert.strictEqual((yield* within(undoes(first, "a2")))._tag, "Refused")
      assert.strictEqual((yield* within(undoes(fork, ...(yield* within(standing(fork))))))._tag, "Done")
      assert.strictEqual((yield* within(undoes(first, "a2")))._tag, "Done")
      assert.deepStrictEqual(yield* within(standing(first)), [])
      yield* within(holds(first, fork))
    })
  )

  it.effect("is relied on by each fork that acts, and by a fork that acts again", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge, charging("A2")))
      const [one, two] = [yield* within(forked(first)), yield* within(forked(first))]
      yield* within(proposes(one, charging("B1")))
      yield* within(proposes(one, charging("B2")))
      assert.deepStrictEqual(turnsOf((yield* within(looks(one))).all), [1, 1], "the first effect takes them, once")
      yield* within(proposes(two, charging("C1")))
      yield* within(undoes(one, ...(yield* within(standing(one)))))
      const [act = ""] = yield* within(standing(first))
      const refused = yield* within(undoes(first, act))
      assert.include(JSON.stringify(refused), `"run":"${two.id}"`)
      yield* within(undoes(two, ...(yield* within(standing(two)))))
      yield* within(proposes(one, charging("B3")))
      assert.include(JSON.stringify(yield* within(undoes(first, act))), `"run":"${one.id}"`)
      yield* within(holds(first, one, two))
    })
  )

  it.effect("is not undone later if an undoing was given up that was under way when the fork acted (L10)", () =>
    Effect.gen(function* () {
      for (const begins of ["before the undoing", "during the undoing"]) {
        const shop = new Shop()
        const within = processOf(yield* lab.shared, shop)
        yield* within(proposing(first, pack, charge))
        const early = begins === "before the undoing" ? yield* within(forked(first)) : undefined
        shop.isFinal = true
        assert.strictEqual((yield* within(undoes(first, "a2")))._tag, "Held")
        const fork = early ?? (yield* within(forked(first)))
        assert.strictEqual((yield* within(proposes(fork, charging("B2"))))._tag, "Done")
        yield* TestClock.adjust("1 hour")
        const data = { action: "a2", as: "failure", by: "Ada", evidence: "the bank gives nothing back" }
        const said = yield* within(proposes(first, { author: "user", data, type: "review.decided" }))
        assert.strictEqual(said._tag, "Done")
        shop.isFinal = false
        const later = yield* within(undoes(first, "a2"))
        assert.strictEqual(later._tag, "Refused", begins)
        assert.include(JSON.stringify(later), `"run":"${fork.id}"`)
        assert.deepStrictEqual(shop.effects, ["charge A1", "charge B2"])
        yield* within(holds(first, fork))
      }
    })
  )

  it.effect("is relied on while the second effect of a fork stands, although the first is undone (L10)", () =>
    played([
      { verb: "fork", who: 0, which: 0 },
      { verb: "act", who: 1, which: 0 },
      { verb: "act", who: 1, which: 0 },
      { verb: "undo", who: 1, which: 0 },
      { verb: "undo", who: 0, which: 0 }
    ])
  )

  it.effect("is undone or relied on by the commit that comes first, whichever it is (L7, L10)", () =>
    Effect.gen(function* () {
      for (const isParentFirst of [true, false]) {
        const shop = new Shop()
        const shared = yield* lab.shared
        const within = processOf(shared, shop)
        yield* within(proposing(first, pack, charge))
        const fork = yield* within(forked(first))
        let isOver = false
        const other = isParentFirst ? undoes(first, "a2") : proposes(fork, charging("B2"))
        const overtaken = Layer.effect(
          TraceStore.TraceStore,
          Effect.map(TraceStore.TraceStore, (each) => ({
            ...each,
            append: (commit: TraceStore.Append) =>
              Effect.gen(function* () {
                const takes = turnsOf(commit.transitions.map(Transition.open)).length > 0
                if (takes && !isOver) {
                  isOver = true
                  yield* Effect.orDie(within(other))
                }
                return yield* each.append(commit)
              })
          }))
        ).pipe(Layer.provide(shared))
        const asked = isParentFirst ? proposes(fork, charging("B2")) : undoes(first, "a2")
        const outcome = yield* lab.elapsing(processOf(overtaken, shop)(asked))
        assert.isTrue(isOver)
        assert.strictEqual(outcome._tag, isParentFirst ? "Done" : "Refused")
        assert.strictEqual(shop.effects.includes("refund charge A1"), isParentFirst)
        yield* within(holds(first, fork))
      }
    })
  )

  it.effect.prop(
    "stands as long as an effect of a fork does, in any order of acts, undoings and forks (L10)",
    [Moves],
    ([moves]) => played(moves),
    { arbitrary: { runs: 60 } }
  )
})

/** Plays acts, undoings and forks of three runs, and judges each undoing by who stands on its act. */
const played = Effect.fnUntraced(function* (moves: typeof Moves.Type) {
  const shop = new Shop()
  const within = processOf(yield* lab.shared, shop)
  yield* within(proposing(first, pack, charging("A0")))
  const runs: Array<{ readonly run: Run; readonly shares: ReadonlySet<string> }> = [{ run: first, shares: new Set() }]
  for (const [index, { verb, which, who }] of moves.entries()) {
    const { run, shares } = runs[who % runs.length]!
    const own = yield* within(standing(run))
    if (verb === "act") yield* within(proposes(run, charging(`${run.id}${index}`)))
    if (verb === "fork" && runs.length < 3) {
      const shared = [...shares, ...own.map((action) => `${run.id}/${action}`)]
      runs.push({ run: yield* within(forked(run)), shares: new Set(shared) })
    }
    const action = own[which % Math.max(1, own.length)]
    if (verb !== "undo" || action === undefined) continue
    const forks = runs.filter((each) => each.shares.has(`${run.id}/${action}`))
    const acting = yield* Effect.filter(forks, (each) =>
      Effect.map(within(standing(each.run)), (left) => left.length > 0)
    )
    const outcome = yield* within(undoes(run, action))
    assert.strictEqual(outcome._tag, acting.length > 0 ? "Refused" : "Done")
  }
  yield* within(holds(...runs.map(({ run }) => run)))
})
