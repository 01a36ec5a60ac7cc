import * as ActTurns from "@backstitch/kernel/ActTurns"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ClaimIndex from "../src/proof/ClaimIndex.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Bisecting from "../src/versioning/Bisecting.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { charge, pack, Shop, ship } from "./shop.ts"
import { first, looks, open, proposing, second, worldOf } from "./twins.ts"

const tagOf = ({ _tag }: { readonly _tag: string }) => _tag

const processOf = (store: Layer.Layer<TraceStore.TraceStore>, shop: Shop) =>
  lab.as(lab.process(store, { executor: shop.executor }))

/** A person decides about an action that is held. */
const decides = (run: typeof first, action: string, as: string) =>
  Effect.flatMap(open(run, pack), (handle) =>
    handle.propose({ author: "user", data: { action, as, by: "Ada", evidence: "looked" }, type: "review.decided" })
  )

const checksOf = (last: Transition.Transition | undefined) =>
  (last?.body.data?.["checks"] ?? []) as ReadonlyArray<JsonObject>

const undone = (run: typeof first) =>
  Effect.map(StrictReplay.of(run), ({ state }) => [...SettledActions.of(state).values()].map(({ undo }) => undo))

describe("an act that another run is undoing", () => {
  /** Pays in one run, which cannot be shipped, and proposes to pay in another as soon as a transition is there. */
  const meeting = (isThere: (type: string, data: object) => boolean) =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      const outcomes = yield* lab.elapsing(
        within(
          Effect.gen(function* () {
            const [one, two] = [yield* open(first, pack), yield* open(second, pack)]
            const waiting = Effect.gen(function* () {
              while (
                !(yield* lab.transitions(first)).some(({ body }) =>
                  isThere(body.type, { ...body.data, ...body.action })
                )
              ) {
                yield* Effect.sleep("1 millis")
              }
              return yield* two.propose(charge)
            })
            const doing = Effect.flatMap(one.propose(charge), () => one.propose(ship))
            return yield* Effect.all([doing, waiting], { concurrency: 2 })
          })
        )
      )
      return { outcomes, shop, within }
    })

  it.effect.each([
    ["planned", (type: string, data: object) => type === "recovery.decided" && "plan" in data],
    ["asked about", (_: string, data: object) => "undoing" in data],
    ["begun", (type: string, data: object) => type === "action.request" && "undoes" in data]
  ] as const)("is not taken over once that is %s: the run waits, and is told that it was reversed (L6, L10)", (row) =>
    Effect.gen(function* () {
      const { outcomes, shop, within } = yield* meeting(row[1])
      assert.deepStrictEqual(outcomes.map(tagOf), ["Failed", "Refused"])
      assert.deepStrictEqual(shop.effects, ["charge A1", "refund charge A1"])
      const { all, redecided, report, world } = yield* within(looks(second))
      assert.strictEqual(world["paid"], 0)
      assert.deepStrictEqual([report.actions, redecided.differs], [[], []])
      const [check] = checksOf(all.at(-1))
      assert.deepInclude(check?.["why"], { code: "act.reversed" })
      assert.deepStrictEqual(yield* within(ClaimIndex.differences(first.tenant)), [])
    })
  )

  it.effect("holds the run if that takes longer than its contract says, and the step that is named works", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      shop.isClosed = true
      const [held] = yield* lab.elapsing(within(proposing(first, pack, ship)))
      assert.strictEqual(held?._tag, "Held")
      shop.isClosed = false
      const [waits] = yield* lab.elapsing(within(proposing(second, pack, charge)))
      assert.deepInclude(waits, { _tag: "Held", action: "a2", run: "first" })
      const { all, report } = yield* within(looks(second))
      assert.deepInclude(checksOf(all.at(-1))[0]?.["why"], { code: "act.undoing" })
      assert.include(report.unfinished, "run first did it (a2) and has wanted it undone since tick")
      const explained = yield* within(Explanation.explain(second, all.length))
      assert.deepStrictEqual(explained.next, [
        { run: "first", verb: "resume" },
        { run: "second", verb: "resume" }
      ])
      yield* lab.elapsing(within(Effect.flatMap(open(first, pack), (handle) => handle.resume)))
      const [refused] = yield* lab.elapsing(within(proposing(second, pack, charge)))
      assert.strictEqual(refused?._tag, "Refused")
      assert.deepStrictEqual(shop.effects, ["charge A1", "refund charge A1"])
    })
  )
})

describe("an act that one run takes over while another begins to undo it", () => {
  /** A store that lets something else happen before the first commit of a kind. */
  const interleaved = (
    isMeant: (commit: TraceStore.Append) => boolean,
    other: (store: Layer.Layer<TraceStore.TraceStore>) => Effect.Effect<unknown, unknown>
  ) =>
    Effect.gen(function* () {
      const shared = yield* lab.shared
      let isOver = false
      const store = Layer.effect(
        TraceStore.TraceStore,
        Effect.map(TraceStore.TraceStore, (each) => ({
          ...each,
          append: (commit: TraceStore.Append) =>
            Effect.gen(function* () {
              if (!isOver && isMeant(commit)) {
                isOver = true
                yield* Effect.orDie(other(shared))
              }
              return yield* each.append(commit)
            })
        }))
      ).pipe(Layer.provide(shared))
      return { shared, store }
    })

  const takes = (verb: "adopted" | "plan") => (commit: TraceStore.Append) =>
    commit.transitions.some((sealed) => {
      const { data = {} } = Transition.open(sealed).body
      return data["turns"] !== undefined && data[verb] !== undefined
    })

  it.effect("is taken over by no run if the undoing is durable first (L7, L10)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const { shared, store } = yield* interleaved(takes("adopted"), (store) =>
        processOf(store, shop)(proposing(first, pack, ship))
      )
      yield* processOf(shared, shop)(proposing(first, pack, charge))
      const [refused] = yield* lab.elapsing(processOf(store, shop)(proposing(second, pack, charge)))
      assert.strictEqual(refused?._tag, "Refused")
      assert.deepStrictEqual(shop.effects, ["charge A1", "refund charge A1"])
      assert.deepStrictEqual((yield* processOf(shared, shop)(looks(second))).report.actions, [])
    })
  )

  it.effect("is not undone if it is taken over first: nothing of the plan is begun (L7, L10)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const { shared, store } = yield* interleaved(takes("plan"), (store) =>
        processOf(store, shop)(proposing(second, pack, charge))
      )
      yield* processOf(shared, shop)(proposing(first, pack, charge))
      const [held] = yield* lab.elapsing(processOf(store, shop)(proposing(first, pack, ship)))
      assert.strictEqual(held?._tag, "Held")
      assert.deepStrictEqual(shop.effects, ["charge A1"])
      const { all, redecided } = yield* processOf(shared, shop)(looks(first))
      const decided = all.find(({ body }) => body.type === "recovery.decided")?.body.data
      assert.deepInclude(((decided?.["blocks"] ?? []) as ReadonlyArray<JsonObject>)[0], {
        action: "a2",
        by: { action: "a2", run: "second", tick: 2 }
      })
      assert.deepStrictEqual(redecided.differs, [])
    })
  )
})

describe("an act that another run relies on", () => {
  it.effect("is not undone: the run that did it is held, and the one that relies on it is named (L10)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      assert.deepStrictEqual((yield* within(proposing(first, pack, charge))).map(tagOf), ["Done"])
      assert.deepStrictEqual((yield* within(proposing(second, pack, charge))).map(tagOf), ["Done"])
      const [held] = yield* lab.elapsing(within(proposing(first, pack, ship)))
      assert.strictEqual(held?._tag, "Held")
      assert.include(JSON.stringify(held), '"action":"a2","run":"second","tick":2')
      assert.deepStrictEqual(shop.effects, ["charge A1"])
      // Whoever relies on it goes on.
      const [shipped] = yield* lab.elapsing(within(proposing(second, pack, ship)))
      assert.strictEqual(shipped?._tag, "Done")
      for (const run of [first, second]) {
        const { redecided } = yield* within(looks(run))
        assert.deepStrictEqual(redecided.differs, [])
        assert.deepStrictEqual((yield* within(worldOf(run)))["paid"], 1)
      }
      const [again] = [yield* lab.elapsing(within(Effect.flatMap(open(first, pack), (handle) => handle.resume)))]
      assert.include(JSON.stringify(again), '"run":"second"')
      assert.deepStrictEqual(yield* within(undone(first)), ["standing"])
      const { report } = yield* within(looks(first))
      assert.include(JSON.stringify(report.held), "run second relies on")
      // Every view names the same step, and it is none that comes back to the same hold.
      const [told] = report.held
      assert.deepInclude(told?.next, { as: ["failure", "abandoned"], run: "first", verb: "resolve" })
      assert.notProperty(told?.next, "or")
      assert.strictEqual(told?.target, null)
      assert.notInclude(told?.why ?? "", "{")
      const receipt = yield* within(Receipt.make(first, again?.[0]))
      assert.deepStrictEqual([receipt.status, receipt.next], ["held", [told?.next]])
      assert.deepStrictEqual(yield* within(ClaimIndex.differences(first.tenant)), [])
    })
  )

  it.effect("is undone once the run that took it over has failed", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      // The bank does not show it to the second run.
      const [hidden] = shop.effects.splice(0)
      const [held] = yield* lab.elapsing(within(proposing(second, pack, charge)))
      assert.strictEqual(held?._tag, "Held")
      shop.effects.push(hidden!)
      yield* within(decides(second, "a2", "failure"))
      const [failed] = yield* lab.elapsing(within(proposing(first, pack, ship)))
      assert.strictEqual(failed?._tag, "Failed")
      assert.deepStrictEqual(shop.effects, ["charge A1", "refund charge A1"])
      const { all, redecided } = yield* within(looks(first))
      const turns = all.find(({ body }) => body.type === "recovery.decided")?.body.data?.["turns"]
      assert.deepInclude(turns, {
        a2: ActTurns.of(all.find(({ stamp }) => stamp.key !== undefined)!.stamp.key!, 2)
      })
      assert.deepStrictEqual(redecided.differs, [])
    })
  )

  it.effect("is taken over once its undoing was called off, and not undone from then on", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 2
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      shop.isClosed = true
      const [held] = yield* lab.elapsing(within(proposing(first, pack, ship)))
      assert.strictEqual(held?._tag, "Held")
      yield* within(decides(first, "a2", "abandoned"))
      shop.isClosed = false
      const [taken] = yield* lab.elapsing(within(proposing(second, pack, charge)))
      assert.deepInclude(taken, { _tag: "Done", basis: "readback" })
      const once = { ...ship, occurrence: 2, occurrenceBy: "plan" } as const
      const [refused] = yield* lab.elapsing(within(proposing(first, pack, once)))
      assert.strictEqual(refused?._tag, "Failed")
      assert.deepStrictEqual(shop.effects, ["charge A1"])
      for (const run of [first, second]) assert.deepStrictEqual((yield* within(looks(run))).redecided.differs, [])
      assert.deepStrictEqual(yield* within(ClaimIndex.differences(first.tenant)), [])
    })
  )

  it.effect("is not undone by the run that took it over: the run that did it is named (L10)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = processOf(yield* lab.shared, shop)
      yield* within(proposing(first, pack, charge))
      yield* within(proposing(second, pack, charge))
      const wanted = { actions: ["a2"], because: "the user changed their mind", cause: "revision" } as const
      const refused = yield* within(Effect.flatMap(open(second, pack), (handle) => handle.undo(wanted)))
      assert.strictEqual(refused._tag, "Refused")
      assert.include(JSON.stringify(refused), '"action":"a2","run":"first","tick":6')
      assert.deepStrictEqual(shop.effects, ["charge A1"])
    })
  )
})

describe("a fork of a run that has undone an act", () => {
  it.effect("knows of it: the act is told as reversed, and is done again under another key (L8)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      const command = "pay"
      yield* within(proposing(first, pack, { ...charge, command }))
      const { all } = yield* within(looks(first))
      const [failed] = yield* lab.elapsing(within(proposing(first, pack, ship)))
      assert.strictEqual(failed?._tag, "Failed")
      const { run } = yield* within(Forking.fork({ parent: first, at: all.length, behindUndone: true }))
      const begun = yield* within(looks(run))
      assert.deepStrictEqual(begun.all.at(-1)?.body.data?.["undone"], { a2: { by: "a16", undo: "undone" } })
      assert.deepStrictEqual(
        begun.report.actions.map(({ standing }) => standing),
        ["compensated"]
      )
      const propose = (proposal: Proposal) =>
        within(
          Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
            Effect.flatMap(coordinator.reopen(run), (handle) => handle.propose(proposal))
          )
        )
      assert.deepInclude(yield* propose({ ...charge, command }), { _tag: "Failed", error: "undone by a16" })
      shop.effects.length = 0
      assert.deepInclude(yield* propose(charge), { _tag: "Done", basis: "readback" })
      assert.deepStrictEqual(shop.effects, ["charge A1"])
      const { redecided, verified } = yield* within(looks(run))
      assert.deepStrictEqual([redecided.differs, verified.consistent], [[], true])
    })
  )

  it.effect(
    "is refused behind an act that was undone since, unless that is asked for, and names the tick before it",
    () =>
      Effect.gen(function* () {
        const shop = new Shop()
        shop.refusals = 1
        const within = processOf(yield* lab.shared, shop)
        yield* lab.elapsing(within(proposing(first, pack, charge, ship)))
        const { all } = yield* within(looks(first))
        const settled = all.find(({ body }) => body.type === "action.reconciled" && body.action?.id === "a16")
        const refused = yield* Effect.flip(within(Forking.fork({ parent: first, at: 6, budget: ["50%"] })))
        const acts = [{ action: "a2", tool: "charge", isGone: true }]
        assert.deepInclude(refused, { _tag: "ForkBehindUndone", at: 6, from: 1, acts })
        assert.lengthOf((yield* within(looks(first))).all, all.length, "nothing was cut from its budgets")
        const { behind } = yield* within(Forking.fork({ parent: first, at: 6, behindUndone: true }))
        const undone = { undo: "undone", by: "a16", before: 1, tick: settled?.tick } as const
        assert.deepStrictEqual(behind, [{ action: "a2", tool: "charge", ...undone }])
        assert.deepStrictEqual((yield* within(Forking.fork({ parent: first, at: 1 }))).behind, [])
      })
  )

  it.effect("is recommended by a search from before that act", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      const note = { type: "observation.add", data: { text: "shipped tomorrow" } } as const
      yield* lab.elapsing(within(proposing(first, pack, charge, note, ship)))
      const { onset, suggestion } = yield* within(Bisecting.bisect(first, { predicate: "size(working.notes) > 0" }))
      assert.isNotNull(onset)
      assert.deepInclude(suggestion, { code: "remedy.fork" })
      assert.deepInclude(suggestion.args, { from: 1, undone: { action: "a2", tool: "charge" } })
    })
  )

  it.effect("is recommended from before that act", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      const [, failed] = yield* lab.elapsing(within(proposing(first, pack, charge, ship)))
      const { next } = yield* within(Receipt.make(first, failed))
      assert.deepInclude(next, { from: 1, run: "first", verb: "fork" })
    })
  )

  it.effect("is recommended from before an act whose undoing a person settled, unless they found it standing", () =>
    Effect.gen(function* () {
      for (const [as, from] of [
        ["success", 1],
        ["failure", 6],
        ["abandoned", 1]
      ] as const) {
        const shop = new Shop()
        shop.refusals = 1
        shop.isFinal = true
        const within = processOf(yield* lab.shared, shop)
        yield* lab.elapsing(within(proposing(first, pack, charge, ship)))
        const done = yield* lab.elapsing(within(decides(first, "a2", as)))
        assert.strictEqual(done._tag, "Done")
        const { next } = yield* within(Receipt.make(first, { _tag: "Failed", tick: 11, error: "no such address" }))
        assert.deepInclude(next, { from, run: "first", verb: "fork" })
        // It is a fork that is not refused.
        assert.deepInclude(yield* within(Forking.fork({ parent: first, at: from })), { at: from, behind: [] })
      }
    })
  )

  it.effect("says nothing about acts that still stand, or were undone before", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.refusals = 1
      const within = processOf(yield* lab.shared, shop)
      yield* lab.elapsing(within(proposing(first, pack, charge, ship)))
      const { all } = yield* within(looks(first))
      const { run } = yield* within(Forking.fork({ parent: first, at: all.length, behindUndone: true }))
      assert.isUndefined((yield* within(looks(run))).all.at(-1)?.body.data?.["undone"])
    })
  )
})
