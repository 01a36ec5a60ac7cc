/** Runs that came from a store with another secret: nobody goes on with one unless that was accepted for it. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Sealed } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as RunSecret from "../src/run/RunSecret.ts"
import * as CherryPicking from "../src/versioning/CherryPicking.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as Seeding from "../src/versioning/Seeding.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"

const ours = "ours"
const { tenant } = lab.trip
const child = Run.make("child")
const reopen = (run: Run.Run = lab.trip) => Effect.flatMap(Coordinator.Coordinator, (each) => each.reopen(run))

/** A store with notes that several processes can be given. */
const place = Effect.gen(function* () {
  const store = yield* lab.shared
  const notes = yield* Notes.makeMemory
  return Layer.merge(store, Layer.succeed(Notes.Notes, notes))
})

const under = (stored: Effect.Success<typeof place>, secret: string, world = new lab.World()) =>
  lab.as(Layer.merge(lab.process(stored, { secret, world, lawless: true }), stored))

/** The same place, in which the bodies of rows read otherwise than they were committed. */
const damaging = (stored: Effect.Success<typeof place>, bodyOf: (run: Run.Run, row: Sealed) => string) => {
  const altered = Effect.map(TraceStore.TraceStore, (store) => ({
    ...store,
    read: (run: Run.Run, range?: Parameters<typeof store.read>[1]) =>
      Effect.map(store.read(run, range), (rows) => rows.map((row) => ({ ...row, body: bodyOf(run, row) })))
  }))
  return Layer.merge(stored, Layer.effect(TraceStore.TraceStore, altered).pipe(Layer.provide(stored)))
}

/** A run with a booking, which a process under another secret has made, and the world in which it did. */
const brought = Effect.gen(function* () {
  const world = new lab.World()
  const made = yield* under(
    yield* place,
    "theirs",
    world
  )(
    Effect.gen(function* () {
      const handle = yield* lab.open()
      assert.strictEqual((yield* lab.elapsing(handle.propose(lab.book("LX1"))))._tag, "Done")
      return yield* RunExport.exportRun(lab.trip)
    })
  )
  return { made, world }
})

/** A store that has made a run of its own, and takes the other one. */
const importing = Effect.gen(function* () {
  const { made, world } = yield* brought
  const stored = yield* place
  yield* under(
    stored,
    ours
  )(
    Effect.gen(function* () {
      const own = yield* lab.open(Run.make("own"))
      yield* lab.elapsing(own.propose(lab.tell("bob")))
      yield* RunExport.importRun(made)
    })
  )
  return { here: Object.assign(under(stored, ours, world), { stored }), world }
})

describe("a run with keys of another secret", () => {
  it.effect("is not gone on with, and neither is a fork of it, so that nothing is done twice (L6)", () =>
    Effect.gen(function* () {
      const { here, world } = yield* importing
      const refused = yield* here(Effect.flip(reopen()))
      assert.deepInclude(refused, { _tag: "KeysDiffer", run: "trip", tenant: "default", action: "a2", tick: 2 })
      assert.include(refused.message, "accept that expressly")
      // People who decide derive no key.
      yield* here(Forking.fork({ parent: lab.trip, at: 6, child }))
      const forked = yield* here(Effect.flip(reopen(child)))
      assert.deepInclude(forked, { _tag: "KeysDiffer", run: "child", tick: 2 })
      // Before its first keyed act there is nothing that could be done twice.
      const early = Run.make("early")
      yield* here(Forking.fork({ parent: lab.trip, at: 1, child: early }))
      yield* here(reopen(early))
      yield* here(reopen(Run.make("own")))
      assert.deepStrictEqual(world.doubled, [])
    })
  )

  it.effect("is gone on with once a person has accepted that, as far as it had come", () =>
    Effect.gen(function* () {
      const { here, world } = yield* importing
      assert.deepStrictEqual((yield* here(RunSecret.accept(ours, tenant))).runs, ["trip"])
      yield* here(Forking.fork({ parent: lab.trip, at: 6, child }))
      for (const run of [lab.trip, child]) {
        yield* here(
          Effect.gen(function* () {
            const handle = yield* reopen(run)
            assert.strictEqual((yield* lab.elapsing(handle.propose(lab.tell(run.id))))._tag, "Done")
          })
        )
        yield* here(reopen(run))
      }
      assert.deepStrictEqual(world.doubled, [])
    })
  )

  it.effect("is refused if it was imported after the secret was accepted, or has come further elsewhere", () =>
    Effect.gen(function* () {
      const { made, world } = yield* brought
      const stored = yield* place
      const here = under(stored, ours, world)
      yield* here(RunSecret.accept(ours, tenant))
      yield* here(RunExport.importRun(made))
      assert.strictEqual((yield* here(Effect.flip(reopen())))._tag, "KeysDiffer")
      yield* here(RunSecret.accept(ours, tenant))
      yield* here(reopen())
      const elsewhere = under(yield* place, "theirs", world)
      const further = yield* elsewhere(
        Effect.gen(function* () {
          yield* RunExport.importRun(made)
          yield* RunSecret.accept("theirs", tenant)
          const handle = yield* reopen()
          yield* lab.elapsing(handle.propose(lab.tell("ada")))
          return yield* RunExport.exportRun(lab.trip)
        })
      )
      yield* here(RunExport.importRun(further))
      assert.strictEqual((yield* here(Effect.flip(reopen())))._tag, "KeysDiffer")
    })
  )

  it.effect("is refused while its act is open, and where nobody could have accepted it", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("lost")
      const made = yield* under(
        yield* place,
        "theirs",
        world
      )(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* Effect.forkScoped(handle.propose(lab.book("LX1")))
          while ((yield* handle.position).head.tick < 3) yield* Effect.yieldNow
          return yield* RunExport.exportRun(lab.trip)
        })
      )
      const here = lab.as(lab.process(yield* lab.shared, { secret: ours, lawless: true }))
      yield* here(lab.open(Run.make("own")))
      yield* here(RunExport.importRun(made))
      assert.strictEqual((yield* here(Effect.flip(reopen())))._tag, "KeysDiffer")
    })
  )

  it.effect("gives no beliefs and no calls to a run of this store, unless that was accepted (L6)", () =>
    Effect.gen(function* () {
      const { here, world } = yield* importing
      const [merged, later] = [Run.make("merged"), Run.make("later")]
      const seeds = (run: Run.Run) =>
        Effect.flatMap(
          Seeding.prepare({ run, from: [{ run: lab.trip, tick: 6, field: "world.bookings" }] }),
          Seeding.begin
        )
      const refused = yield* here(Effect.flip(seeds(merged)))
      assert.deepInclude(refused, { _tag: "KeysDiffer", run: "merged", from: "trip", action: "a2" })
      // A person who seeds it derives no key, and it is not gone on with.
      const alone = lab.as(lab.process(here.stored, { secret: "", lawless: true }))
      yield* alone(seeds(later))
      assert.deepInclude(yield* here(Effect.flip(reopen(later))), { _tag: "KeysDiffer", run: "later", from: "trip" })
      const picks = CherryPicking.pick({ from: lab.trip, tick: 2, onto: Run.make("own") })
      assert.deepInclude(yield* here(Effect.flip(picks)), { _tag: "KeysDiffer", run: "trip", action: "a2" })
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
      yield* here(RunSecret.accept(ours, tenant))
      yield* here(reopen(later))
      yield* here(seeds(merged))
      yield* here(lab.elapsing(picks))
    })
  )

  it.effect("is told from one whose request was damaged, which is refused as such", () =>
    Effect.gen(function* () {
      const { here } = yield* importing
      yield* here(RunSecret.accept(ours, tenant))
      // Behind a snapshot nothing else reads the request.
      yield* here(
        Effect.gen(function* () {
          const handle = yield* reopen()
          for (let tick = 0; tick < 40; tick++) yield* handle.propose(lab.note(String(tick)))
        })
      )
      const damaged = damaging(here.stored, (_, { body, tick }) => (tick === 2 ? body.slice(0, 20) : body))
      assert.match((yield* under(damaged, ours)(Effect.flip(reopen()))).message, /is broken.*tick 2/s)
    })
  )

  it.effect("is accepted although other runs of the store cannot be read, and not by a note that cannot be", () =>
    Effect.gen(function* () {
      const { here } = yield* importing
      const damaged = damaging(here.stored, ({ id }, { body }) => (id === "own" ? `${body} ` : body))
      assert.deepStrictEqual((yield* under(damaged, ours)(RunSecret.accept(ours, tenant))).runs, ["trip"])
      yield* here(reopen())
      const notes = yield* here(Notes.Notes)
      yield* notes.put({ tenant, kind: "secret", name: "trip", text: "accepted" })
      assert.strictEqual((yield* here(Effect.flip(reopen())))._tag, "KeysDiffer")
    })
  )

  it.effect("is not looked for in what can name no run", () =>
    Effect.gen(function* () {
      const here = under(yield* place, ours)
      const seeds = [{ field: "world.spent", run: "../trip", tick: 6, link: "0".repeat(64) }]
      yield* here(RunSecret.checkSeeds(Run.make("merged"), seeds as never, ours))
    })
  )

  it.effect("is told from a fork that is under another pack with another identity", () =>
    Effect.gen(function* () {
      const { tools } = lab.definition
      const book = { ...tools.book, identity: { scope: "tenant", fields: [{ flight: "code" }] } as const }
      const other = Result.getOrThrow(TaskPack.make({ ...lab.definition, version: "2.0.0", tools: { ...tools, book } }))
      const here = under(yield* place, ours)
      yield* here(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* lab.elapsing(handle.propose(lab.book("LX1")))
          yield* Forking.fork({ parent: lab.trip, at: 6, child, pack: other })
          yield* reopen(child)
        })
      )
    })
  )
})

describe("the key that is compared", () => {
  it.effect("derives from the secret of every run that is kept, and from no other one", () =>
    Effect.gen(function* () {
      let foreign = 0
      for (const [group, names] of goldens.groups()) {
        const stored = yield* place
        const secret = goldens.secretOf(group)
        const here = under(stored, secret)
        for (const name of names) yield* here(RunExport.importRun(goldens.read(name)))
        const tenants = new Set(names.map((name) => goldens.read(name).run.tenant))
        for (const each of tenants) {
          assert.deepStrictEqual([group, (yield* here(RunSecret.accept(secret, each))).runs], [group, []])
          foreign += (yield* here(RunSecret.accept("another", each))).runs.length
        }
      }
      assert.isAbove(foreign, 60)
    })
  )
})
