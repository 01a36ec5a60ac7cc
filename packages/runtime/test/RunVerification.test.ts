import * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as FlatEvent from "../src/history/FlatEvent.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as Steps from "../src/history/Steps.ts"
import * as ClaimList from "../src/projections/ClaimList.ts"
import * as ClaimIndex from "../src/proof/ClaimIndex.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const changing = (
  store: Layer.Layer<TraceStore.TraceStore>,
  change: (store: TraceStore.TraceStore["Service"]) => Partial<TraceStore.TraceStore["Service"]>
) =>
  Layer.effect(
    TraceStore.TraceStore,
    Effect.map(TraceStore.TraceStore, (each) => ({ ...each, ...change(each) }))
  ).pipe(Layer.provide(store))

type Rewrite = (all: ReadonlyArray<Transition.Transition>) => ReadonlyArray<Transition.Draft>

/** A store whose run was rewritten, and chained again, by somebody who can write to it. */
const rewriting = (store: Layer.Layer<TraceStore.TraceStore>, rewrite: Rewrite) =>
  changing(store, ({ info, read }) => {
    const history = Effect.map(read(lab.trip), (all) => {
      let head = HashChain.genesis(lab.trip)
      return rewrite(all.map(Transition.open)).map(({ body, envelope, stamp }) => {
        const next = HashChain.seal(head, { body, stamp, envelope })
        head = HashChain.headOf(next)
        return next
      })
    })
    return {
      read: (_, { from = 1, limit = 1000, to = 1000 } = {}) =>
        Effect.map(history, (all) => all.filter(({ tick }) => tick >= from && tick <= to).slice(0, limit)),
      info: (run) =>
        Effect.flatMap(info(run), (known) =>
          Effect.map(history, (all) => known && { ...known, head: HashChain.headOf(all[all.length - 1]!) })
        )
    }
  })

/** A run that begins in a state of its own: ten seats, of which the run reads one. */
const stocked = Effect.gen(function* () {
  const store = yield* lab.shared
  const keys = Array.from({ length: 10 }, (_, seat) => `seat-${seat}`)
  yield* lab.as(lab.process(store))(
    Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const library = yield* PackLibrary.PackLibrary
      const { working, world } = library.initial(lab.pack)
      const bookings = Table.from(keys.map((key) => [key, { price: 1 }] as const))
      const handle = yield* coordinator.open(lab.trip, {
        pack: lab.pack,
        goal: "goal",
        initial: { working, world: { ...world, bookings } }
      })
      yield* lab.elapsing(handle.propose(lab.book("seat-3")))
    })
  )
  return { keys, store }
})

describe("RunVerification", () => {
  it.effect("says consistent, unanchored without a head, and anchored with any head of the run (L3)", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const verdict = yield* RunVerification.verify(lab.trip)
          assert.strictEqual(verdict.verdict, "consistent, unanchored")
          const store = yield* TraceStore.TraceStore
          for (const { link } of yield* store.read(lab.trip)) {
            assert.isTrue((yield* RunVerification.verify(lab.trip, { head: link })).anchored)
          }
          const other = yield* RunVerification.verify(lab.trip, { head: "0".repeat(64) })
          assert.deepStrictEqual([other.consistent, other.badTick], [false, verdict.ticks])
        })
      )
    })
  )

  it.effect("names the first tick at which any stored byte was changed (L3)", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      for (const part of ["body", "stamp", "envelope", "link", "story"] as const) {
        for (const tick of [1, 9, 20]) {
          const flipped = changing(store, ({ read }) => ({
            read: (run, range) =>
              Effect.map(read(run, range), (page) =>
                page.map((sealed) =>
                  sealed.tick === tick
                    ? { ...sealed, [part]: sealed[part].replace(/\d/, (digit) => String((Number(digit) + 1) % 10)) }
                    : sealed
                )
              )
          }))
          const verdict = yield* lab.as(lab.process(flipped, { lawless: true }))(RunVerification.verify(lab.trip))
          assert.deepStrictEqual([part, verdict.consistent, verdict.badTick], [part, false, tick])
        }
      }
    })
  )

  it.effect("finds a contract whose text was changed in the store", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      const changed = changing(store, ({ getBlobs }) => ({
        getBlobs: (digests) =>
          Effect.map(
            getBlobs(digests),
            (texts) =>
              new Map(Array.from(texts, ([digest, text]) => [digest, text.replace("200", "201").replace("100", "900")]))
          )
      }))
      const verdict = yield* lab.as(lab.process(changed, { lawless: true }))(RunVerification.verify(lab.trip))
      assert.deepStrictEqual([verdict.consistent, verdict.badTick], [false, 1])
      assert.include(verdict.problem, "and its text in this store was altered. Import it together with the trace")
    })
  )

  it.effect("says of a contract that is gone that the store does not have it, and exports evidence alone", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      const emptied = changing(store, () => ({ getBlobs: () => Effect.succeed(new Map()) }))
      yield* lab.as(lab.process(emptied, { lawless: true }))(
        Effect.gen(function* () {
          const verdict = yield* RunVerification.verify(lab.trip)
          assert.deepStrictEqual([verdict.consistent, verdict.badTick], [false, 1])
          assert.include(verdict.problem, "and that is not in this store")
          const refused = yield* Effect.flip(RunExport.exportRun(lab.trip))
          assert.match(
            refused.message,
            /relies on the text [0-9a-f]{64}, which is not in the file\. Export the run from/
          )
          const evidence = yield* RunExport.exportRun(lab.trip, { evidence: true })
          assert.deepStrictEqual(RunExport.problem(evidence), refused)
        })
      )
    })
  )

  it.effect(
    "names the tick that a node of its initial state stands for, touched or not, and says it is whole (L3)",
    () =>
      Effect.gen(function* () {
        // The row that the booking adds comes to lie beside this one, so the fold reads it.
        const beside = "seat-8"
        const { keys, store } = yield* stocked
        assert.isTrue((yield* lab.as(lab.process(store))(RunVerification.verify(lab.trip))).consistent)
        for (const key of keys) {
          const damaged = changing(store, (each) => ({
            blob: undefined,
            getBlobs: (digests) =>
              Effect.map(
                each.getBlobs(digests),
                (texts) => new Map(Array.from(texts, ([at, text]) => [at, text.replace(`["${key}"`, `["${key}!"`)]))
              )
          }))
          const verdict = yield* lab.as(lab.process(damaged, { lawless: true }))(RunVerification.verify(lab.trip))
          assert.isFalse(verdict.consistent)
          assert.isTrue(verdict.badTick === 1 || key === beside, `${key} at ${verdict.badTick}`)
          assert.match(verdict.problem ?? "", /Node [0-9a-f]{64} holds text whose digest is/)
        }
        const without = changing(store, (each) => ({
          blob: undefined,
          getBlobs: (digests) =>
            Effect.map(
              each.getBlobs(digests),
              (texts) => new Map([...texts].filter(([, text]) => !text.includes('["seat-7"')))
            )
        }))
        const verdict = yield* lab.as(lab.process(without, { lawless: true }))(RunVerification.verify(lab.trip))
        assert.match(verdict.problem ?? "", /Node [0-9a-f]{64} is not in the store/)
      })
  )

  it.effect("names the first tick whose state does not fold again, though every byte fits its chain (L2)", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      const forged = rewriting(store, (all) =>
        all.map((each) =>
          each.tick >= 6 && each.stamp.state !== undefined
            ? { ...each, stamp: { ...each.stamp, state: HashChain.genesis(lab.trip).link } }
            : each
        )
      )
      const verdict = yield* lab.as(lab.process(forged, { lawless: true }))(RunVerification.verify(lab.trip))
      const { transitions } = yield* lab.as(lab.process(store))(RunExport.exportRun(lab.trip))
      const first = transitions.map(Transition.open).find(({ stamp, tick }) => tick >= 6 && stamp.state !== undefined)
      assert.deepStrictEqual([verdict.consistent, verdict.badTick], [false, first?.tick])
      assert.include(verdict.problem, "folded differently here")
    })
  )

  it.effect("checks a run of the store against its own claims, as a file is checked (L3, L15)", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      const began = (data: object) => (all: ReadonlyArray<Transition.Transition>) =>
        all.with(0, { ...all[0]!, body: { ...all[0]!.body, data: { ...all[0]!.body.data, ...data } } })
      const erased: Transition.Draft = {
        body: {
          author: "user",
          data: { by: "Ada", reach: "tenant", reason: "asked", values: [Digest.zero] },
          type: "sealed.erased"
        },
        stamp: { asOf: 8e15, state: Digest.zero },
        envelope: { ts: 0 }
      }
      const last = (all: ReadonlyArray<Transition.Transition>) => all.at(-1)!
      const changes: ReadonlyArray<readonly [says: string, tick: number | undefined, change: Rewrite]> = [
        ["its tenant is not", 1, began({ tenant: "evil" })],
        ["its format is not", 1, began({ format: 2 })],
        ["its namespace", 1, began({ namespaces: { kernel: 1 } })],
        ["the first transition of a run alone", 2, (all) => [all[0]!, ...all]],
        ["goes back in time", 3, (all) => all.with(1, { ...all[1]!, stamp: { ...all[1]!.stamp, asOf: 8e15 } })],
        ["cut off inside a commit", undefined, (all) => [...all, { ...last(all), stamp: { asOf: 8e15 } }]],
        ["erases what the trace has not committed to", undefined, (all) => [...all, erased]]
      ]
      for (const [says, tick, change] of changes) {
        const changed = rewriting(store, change)
        yield* lab.as(lab.process(changed, { lawless: true }))(
          Effect.gen(function* () {
            const { badTick, problem, ticks, verdict } = yield* RunVerification.verify(lab.trip)
            assert.deepStrictEqual([says, verdict, badTick], [says, "broken", tick ?? ticks])
            assert.include(problem, says)
            const refused = yield* Effect.flip(RunExport.exportRun(lab.trip))
            assert.include(refused.message, says)
          })
        )
      }
    })
  )

  it.effect("names the tick and the field of a payload that is none of its type", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      yield* lab.as(lab.process(store, { lawless: true }))(
        Effect.gen(function* () {
          const { append, info } = yield* TraceStore.TraceStore
          const { head } = (yield* info(lab.trip))!
          const body = { author: "agent", data: { cites: 7 }, type: "observation.add" } as const
          const sealed = HashChain.seal(head, { body, stamp: { asOf: 8e15 }, envelope: { ts: 0 } })
          yield* append({ run: lab.trip, expected: head, transitions: [sealed], claims: [] })
          const { badTick, problem, verdict } = yield* RunVerification.verify(lab.trip)
          assert.deepStrictEqual([verdict, badTick], ["broken", sealed.tick])
          assert.include(problem, "data.cites does not fit observation.add")
        })
      )
    })
  )

  it.effect("lets nothing become of an action that was not requested, in a store and in a file", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      const orphan = yield* lab.as(lab.process(store, { lawless: true }))(
        Effect.gen(function* () {
          const { append, info } = yield* TraceStore.TraceStore
          const { head } = (yield* info(lab.trip))!
          const body = { action: { id: "a99" }, author: "kernel", type: "action.asked" } as const
          const stamp = { asOf: 8e15, state: Digest.zero }
          const sealed = HashChain.seal(head, { body, stamp, envelope: { ts: 0 } })
          yield* append({ run: lab.trip, expected: head, transitions: [sealed], claims: [] })
          const { badTick, problem, verdict } = yield* RunVerification.verify(lab.trip)
          assert.deepStrictEqual([verdict, badTick], ["broken", sealed.tick])
          assert.include(problem, "a99, which nothing before it requests")
          return yield* RunExport.exportRun(lab.trip)
        })
      )
      const { store: other } = yield* journey.travelled()
      const error = yield* lab.as(lab.process(other))(Effect.flip(RunExport.importRun(orphan)))
      assert.deepInclude(error, { _tag: "TransitionInvalid", tick: orphan.head.tick })
    })
  )

  it.effect("folds no payload that is none of its type: it is named even if the fold would fail on it", () =>
    Effect.gen(function* () {
      for (const [body, path] of [
        [{ type: "kernel.anomaly" }, "data.kind"],
        [{ data: { plan: { scopes: [null] } }, type: "recovery.decided" }, "data.plan.because"],
        [{ data: { act: 3 }, type: "action.started" }, "data.act"],
        [{ type: "action.asked" }, "action"]
      ] as const) {
        const { store } = yield* journey.travelled()
        yield* lab.as(lab.process(store, { lawless: true }))(
          Effect.gen(function* () {
            const { append, info } = yield* TraceStore.TraceStore
            const { head } = (yield* info(lab.trip))!
            const whole = { author: "kernel", ...body } as const
            const sealed = HashChain.seal(head, { body: whole, stamp: { asOf: 8e15 }, envelope: { ts: 0 } })
            yield* append({ run: lab.trip, expected: head, transitions: [sealed], claims: [] })
            const { badTick, problem, verdict } = yield* RunVerification.verify(lab.trip)
            assert.deepStrictEqual([verdict, badTick], ["broken", sealed.tick])
            assert.include(problem, `${path} does not fit ${body.type}`)
          })
        )
      }
    })
  )

  it.effect("names the end when a run's head is not that of its last transition (L3)", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      const changes: ReadonlyArray<(head: HashChain.Head) => HashChain.Head> = [
        (head) => ({ ...head, link: head.story }),
        (head) => ({ ...head, story: head.link }),
        (head) => ({ ...head, tick: head.tick - 1 }),
        (head) => ({ ...head, tick: head.tick + 1 })
      ]
      for (const change of changes) {
        const changed = changing(store, ({ info }) => ({
          info: (run) => Effect.map(info(run), (known) => known && { ...known, head: change(known.head) })
        }))
        const { verdict, badTick, ticks } = yield* lab.as(lab.process(changed, { lawless: true }))(
          RunVerification.verify(lab.trip)
        )
        assert.deepStrictEqual([verdict, badTick], ["broken", ticks])
      }
    })
  )

  it.effect("knows a fork by its own first transition, and not by the name of its row (L3)", () =>
    Effect.gen(function* () {
      const { process, store } = yield* journey.travelled()
      yield* lab.as(process)(Forking.fork({ parent: lab.trip, at: 8, child: journey.other }))
      assert.isTrue((yield* lab.as(process)(RunVerification.verify(journey.other))).consistent)
      const renamed = changing(store, ({ info, read }) => ({
        read: (run, range) => read(run.id === "alias" ? journey.other : run, range),
        info: (run) =>
          run.id === "alias" ? Effect.map(info(journey.other), (known) => known && { ...known, run }) : info(run)
      }))
      const verdict = yield* lab.as(lab.process(renamed, { lawless: true }))(RunVerification.verify(Run.make("alias")))
      assert.deepStrictEqual([verdict.consistent, verdict.badTick], [false, 9])
    })
  )

  it.effect("names the first tick that a damaged store cannot read (L3)", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      const corrupt = new TraceStore.TraceStoreError({
        operation: "read",
        reason: "corrupt",
        store: "trips.db",
        cause: "malformed"
      })
      const holed = changing(store, ({ read }) => ({
        read: (run, range) =>
          Effect.flatMap(read(run, range), (page) =>
            page.some(({ tick }) => tick === 7) ? Effect.fail(corrupt) : Effect.succeed(page)
          )
      }))
      const verdict = yield* lab.as(lab.process(holed, { lawless: true }))(RunVerification.verify(lab.trip))
      assert.deepStrictEqual([verdict.consistent, verdict.badTick], [false, 7])
      assert.include(verdict.problem, "trips.db is damaged there")
      const headless = changing(store, () => ({ info: () => Effect.fail(corrupt) }))
      const nowhere = yield* lab.as(lab.process(headless, { lawless: true }))(RunVerification.verify(lab.trip))
      assert.deepStrictEqual([nowhere.consistent, nowhere.badTick], [false, 1])
    })
  )
})

describe("ClaimIndex", () => {
  it.effect("finds that index and traces agree, whatever was taken and released (decision 0003)", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          yield* Forking.fork({ parent: lab.trip, at: 8, child: journey.other })
          const store = yield* TraceStore.TraceStore
          const held = yield* store.claims(lab.trip.tenant)
          assert.isAbove(held.filter(({ namespace }) => namespace === "key").length, 0)
          assert.deepStrictEqual(yield* ClaimIndex.differences(lab.trip.tenant), [])
        })
      )
    })
  )

  it.effect("names each claim that is missing, foreign or another's (decision 0003)", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      const changed = changing(store, ({ claims }) => ({
        claims: (tenant, filter) =>
          Effect.map(claims(tenant, filter), (held) => {
            const key = held.find(({ namespace }) => namespace === "key")!
            const rest = held.filter((each) => each !== key)
            return [...rest.map((each) => (each.namespace === "run" ? { ...each, owner: "else" } : each)), key].map(
              (each) => (each === key ? { ...each, name: "bs_other" } : each)
            )
          })
      }))
      const found = yield* lab.as(lab.process(changed, { lawless: true }))(ClaimIndex.differences(lab.trip.tenant))
      assert.deepStrictEqual(
        found
          .map(({ index, namespace, traces }) => [namespace, traces.split(" of ")[0], index.split(" of ")[0]])
          .sort(),
        [
          ["key", "nobody", found.find(({ name }) => name === "bs_other")!.index.split(" of ")[0]],
          ["key", found.find(({ name }) => name !== "bs_other")!.traces.split(" of ")[0], "nobody"],
          ["run", "trip", "else"]
        ].sort()
      )
    })
  )
})

describe("Receipt", () => {
  it.effect("reports the outcome of a run, checked from its first tick", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const receipt = yield* lab.as(process)(Receipt.make(lab.trip, undefined))
      assert.strictEqual(receipt.status, "done")
      assert.strictEqual(receipt.goal, "See the lakes")
      assert.isTrue(receipt.verified)
      assert.deepStrictEqual(
        receipt.violations.map(({ predicate }) => predicate),
        ["over"]
      )
      assert.deepStrictEqual(receipt.next, [{ predicate: "over", run: "trip", verb: "bisect" }])
    })
  )

  it.effect("names the held actions, and the next steps", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const store = yield* lab.shared
      yield* lab.as(lab.process(store, { world }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          world.faults.push("lost")
          const outcome = yield* lab.elapsing(handle.propose({ tool: "fax", params: { to: "bob" } }))
          const receipt = yield* Receipt.make(lab.trip, outcome)
          assert.strictEqual(receipt.status, "held")
          assert.deepStrictEqual(
            receipt.open.map(({ target, tool }) => [tool, target]),
            [["fax", "fax/bob"]]
          )
          const [hold] = yield* ClaimList.claims(lab.trip.tenant, { namespace: "target" })
          assert.deepStrictEqual([hold?.name, hold?.run, hold?.settle], ["fax/bob", "trip", receipt.next[0]])
        })
      )
    })
  )
})

describe("EventRecord", () => {
  it.effect("writes every field of a step, with the states on both sides of it", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const records: Array<Record<string, unknown>> = []
          const last = (yield* lab.transitions()).length
          yield* Steps.walk(lab.trip, { from: 1, to: last }, (step, head) => {
            records.push(FlatEvent.of(lab.trip, step, head))
          })
          assert.lengthOf(records, last)
          for (const [index, record] of records.entries()) {
            assert.deepStrictEqual(Object.keys(record), [...FlatEvent.fields])
            if (index > 0) assert.deepStrictEqual(record["state_before"], records[index - 1]!["state_after"])
          }
          const settled = records.find((record) => record["transition_type"] === "action.reconciled")
          assert.deepInclude(settled?.["action"], { tool: "book" })
          const { envelope, stamp, tick } = (yield* lab.transitions()).find((each) => each.stamp.key !== undefined)!
          const { source = null, trace = null, writer = null } = envelope
          const { key = null, reserved = null, spent = null } = stamp
          assert.isNotNull(writer)
          assert.deepInclude(records[tick - 1], { key, reserved, source, spent, trace, writer })
          assert.isTrue(FlatEvent.isField("state_after"))
          assert.isFalse(FlatEvent.isField("state"))
        })
      )
    })
  )

  it.effect("walks a range of ticks, and stops when it is told to", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const seen: Array<number> = []
      yield* lab.as(process)(
        Steps.walk(lab.trip, { from: 3, to: 9 }, ({ transition }) => {
          seen.push(transition.tick)
          return transition.tick < 6
        })
      )
      assert.deepStrictEqual(seen, [3, 4, 5, 6])
    })
  )
})
