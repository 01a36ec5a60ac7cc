import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as Part from "@backstitch/reducer/Part"
import * as State from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as SecretFingerprint from "../src/sealing/SecretFingerprint.ts"
import * as lab from "./lab.ts"

/** A part of a builder's own, which counts notes: one by one at first, later by tens. */
const counter = (version: number) =>
  Part.make("count", {
    version,
    init: { of: 0 },
    on: { "observation.add": ({ of }) => ({ of: of + (version === 1 ? 1 : 10) }) }
  })

describe("Coordinator", () => {
  it.effect("begins a run once, and opens it as it was begun ever after", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const first = yield* coordinator.begin(lab.trip, { pack: lab.pack, goal: "first" })
          assert.strictEqual((yield* first.position).head.tick, 1)
          const error = yield* Effect.flip(coordinator.begin(lab.trip, { pack: lab.pack, goal: "second" }))
          assert.strictEqual(error._tag, "RunExists")
          const again = yield* coordinator.open(lab.trip, { pack: lab.pack, goal: "second" })
          const { head, state } = yield* again.position
          assert.strictEqual(head.tick, 1)
          assert.strictEqual(PackInForce.of(state).pack, lab.pack.digest)
        })
      )
    })
  )

  it.effect("gives clauses without a value the defaults of the contract", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const [started] = yield* lab.as(lab.process(store))(Effect.andThen(lab.open(), lab.transitions()))
      assert.deepStrictEqual(started?.body.data?.["clauses"], { max: 500 })
    })
  )

  it.effect("refuses clauses that the contract does not take before anything is committed", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const coordinator = Coordinator.Coordinator
      for (const clauses of [{ mx: 100 }, { max: "1OO" }]) {
        for (const verb of ["begin", "open"] as const) {
          const opening = { pack: lab.pack, goal: "goal", clauses }
          const refused = Effect.flatMap(coordinator, (service) => Effect.flip(service[verb](lab.trip, opening)))
          const error = yield* lab.as(lab.process(store))(refused)
          assert.strictEqual(error._tag, "ClausesUnfit")
          assert.include(error.message, "was not begun")
          const known = Effect.flatMap(TraceStore.TraceStore, (traces) => traces.info(lab.trip))
          assert.isUndefined(yield* lab.as(lab.process(store))(known))
        }
      }
    })
  )

  it.effect("opens no run with another secret than the one that came first, unless it is accepted (L6)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const { tenant } = lab.trip
      const other = Run.make("other")
      const opening = { pack: lab.pack, goal: "goal" }
      const under = (secret: string) => lab.process(store, { secret })
      const begin = (secret: string, run = lab.trip) =>
        lab.as(under(secret))(Effect.flatMap(Coordinator.Coordinator, (each) => each.begin(run, opening)))
      const reopen = (secret: string) =>
        lab.as(under(secret))(Effect.flatMap(Coordinator.Coordinator, (each) => each.reopen(lab.trip)))
      const standing = lab.as(under(""))(Effect.flatMap(TraceStore.TraceStore, (each) => each.fingerprint(tenant)))
      yield* begin("first")
      assert.strictEqual(yield* standing, SecretFingerprint.of("first", tenant))
      assert.notInclude(yield* standing, "first")
      for (const attempt of [begin("second", other), reopen("second")]) {
        const error = yield* Effect.flip(attempt)
        assert.strictEqual(error._tag, "SecretDiffers")
        assert.notInclude(error.message, "second")
      }
      // A run that was refused was not begun, and what derives no key needs no secret.
      assert.isUndefined(yield* lab.as(under(""))(Effect.flatMap(TraceStore.TraceStore, (each) => each.info(other))))
      yield* reopen("")
      yield* reopen("first")
      yield* lab.as(under(""))(SecretFingerprint.accept("second", tenant))
      yield* begin("second", other)
      assert.strictEqual((yield* Effect.flip(reopen("first")))._tag, "SecretDiffers")
    })
  )

  it.effect("takes the secret of a store that knew none, and keeps tenants apart (L15)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const [ours, theirs] = [Run.make("main", "ours"), Run.make("main", "theirs")]
      const open = (secret: string, run: Run.Run) =>
        lab.as(lab.process(store, { secret }))(
          Effect.flatMap(Coordinator.Coordinator, (each) => each.open(run, { pack: lab.pack, goal: "goal" }))
        )
      yield* open("", ours)
      yield* open("one", ours)
      yield* open("two", theirs)
      assert.strictEqual((yield* Effect.flip(open("two", ours)))._tag, "SecretDiffers")
    })
  )

  it.effect("does not change the contract under a run", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const other = Result.getOrThrow(TaskPack.make({ ...lab.definition, version: "2.0.0" }))
      yield* lab.as(lab.process(store))(lab.open())
      const error = yield* lab.as(lab.process(store))(
        Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
          Effect.flip(coordinator.open(lab.trip, { pack: other, goal: "goal" }))
        )
      )
      assert.strictEqual(error._tag, "PackChanged")
    })
  )

  it.effect(
    "goes on with the parts that a run pins: one that was added since is not there, in no process (L2, decision 0015)",
    () =>
      Effect.gen(function* () {
        const store = yield* lab.shared
        yield* lab.as(lab.process(store))(lab.open())
        const added = Kernel.withParts(Kernel.standard, counter(1))
        const { state } = yield* lab.as(lab.process(store, { kernel: added }))(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            yield* handle.propose(lab.note("with another kernel"))
            return yield* handle.position
          })
        )
        assert.isUndefined(state.kernel["count"])
        for (const kernel of [Kernel.standard, added]) {
          const verdict = yield* lab.as(lab.process(store, { kernel }))(RunVerification.verify(lab.trip))
          assert.deepStrictEqual([verdict.problem, verdict.ticks], [null, 2])
        }
      })
  )

  it.effect("reads a run whose parts have changed since, and does not go on with it", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const before = Kernel.withParts(Kernel.standard, counter(1))
      const now = { ...Kernel.withParts(Kernel.standard, counter(2)), earlier: [...before.earlier!, before.parts] }
      const noted = lab.as(lab.process(store, { kernel: before }))(
        Effect.flatMap(lab.open(), (handle) => handle.propose(lab.note("counted once")))
      )
      yield* noted
      const verdict = yield* lab.as(lab.process(store, { kernel: now }))(RunVerification.verify(lab.trip))
      assert.isNull(verdict.problem)
      const error = yield* Effect.flip(lab.as(lab.process(store, { kernel: now }))(lab.open()))
      assert.strictEqual(error._tag, "FoldChanged")
      assert.match(error.message, /Run trip is folded with count@1, and .* Its trace can be read here/)
      yield* noted
    })
  )

  it.effect("says which part of a run's fold it does not have", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store, { kernel: Kernel.withParts(Kernel.standard, counter(1)) }))(lab.open())
      const error = yield* Effect.flip(lab.as(lab.process(store, { lawless: true }))(lab.open()))
      assert.match(error.message, /part count@1 from tick 1 on, and it is not here/)
      const verdict = yield* lab.as(lab.process(store, { lawless: true }))(RunVerification.verify(lab.trip))
      assert.deepStrictEqual([verdict.badTick, verdict.problem], [1, error.message])
    })
  )

  it.effect("names similar runs when asked for one that does not exist", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const error = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          yield* lab.open()
          return yield* Effect.flip(Effect.flatMap(Coordinator.Coordinator, ({ reopen }) => reopen(Run.make("trap"))))
        })
      )
      assert.include(error.message, "trip")
    })
  )
})

describe("two coordinators on one run", () => {
  it.effect("both commit all that they have to say, each thing once (L1, decision 0037)", () =>
    Effect.gen(function* () {
      const conflicts: Array<unknown> = []
      const store = lab.refusing(yield* lab.shared, (error) => conflicts.push(error))
      const world = new lab.World()
      yield* lab.as(lab.process(store))(lab.open())
      const writer = (name: string) =>
        lab.as(lab.process(store, { world }))(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            for (let index = 0; index < 12; index++) {
              yield* handle.propose(lab.note(`${name} ${index}`))
              if (index % 3 === 0) yield* handle.propose(lab.look(`${name} ${index}`))
              if (index % 4 === 0) yield* handle.propose(lab.book(`${name}${index}`, 10))
              yield* Effect.yieldNow
            }
          })
        )
      yield* lab.elapsing(Effect.all([writer("a"), writer("b"), writer("c")], { concurrency: "unbounded" }))
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const all = yield* lab.transitions()
          const notes = all.filter(({ body }) => body.type === "observation.add").map(({ body }) => body.data?.["text"])
          assert.strictEqual(notes.length, 36)
          assert.strictEqual(new Set(notes).size, 36)
          for (const name of ["a", "b", "c"]) {
            const own = notes.filter((text) => String(text).startsWith(name))
            assert.deepStrictEqual(
              own,
              Array.from({ length: 12 }, (_, index) => `${name} ${index}`)
            )
          }
          const answered = all.filter(({ body }) => body.type === "action.result" && body.result?.status === "ok")
          assert.strictEqual(answered.length, 12 + 9)
          const requests = all.filter(({ body }) => body.type === "action.request")
          assert.deepStrictEqual(
            requests.map(({ body, tick }) => body.action?.id === `a${tick}`),
            requests.map(() => true)
          )
          for (const { body } of answered) {
            const request = requests.find((each) => each.body.action?.id === body.action?.id)
            const params = request?.body.action?.params as { readonly q?: string; readonly flight?: string }
            const output = body.result?.output as { readonly found?: string; readonly flight?: string }
            assert.deepStrictEqual([output.found, output.flight], [params.q, params.flight])
          }
          const verified = yield* StrictReplay.of(lab.trip)
          assert.deepStrictEqual(verified.divergences, [])
          assert.strictEqual(verified.state.world["spent"], 90)
        })
      )
      assert.isAbove(conflicts.length, 10)
      assert.deepStrictEqual(world.doubled, [])
      assert.strictEqual(world.effects.size, 9)
    })
  )

  it.effect("carry out the same script once between them (L1, L6)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      yield* lab.as(lab.process(store))(lab.open())
      const worker = () => lab.as(lab.process(store, { world, steps: lab.script }))(lab.work)
      yield* lab.elapsing(Effect.all([worker(), worker()], { concurrency: "unbounded" }))
      yield* lab.elapsing(worker())
      const all = yield* lab.as(lab.process(store))(lab.transitions())
      // A command that is answered from the record is noted once more, and is carried out once.
      const isAnswer = (type: string) => type === "intent.refused" || type === "intent.adopted"
      const commands = all.flatMap(({ body }) => (isAnswer(body.type) ? [] : (body.intent?.command ?? [])))
      assert.deepStrictEqual([...commands].sort(), lab.script.map(({ id }) => id).sort())
      assert.deepStrictEqual(world.doubled, [])
      assert.deepStrictEqual([...world.effects.keys()].sort(), ["book LX1", "tell ada"])
    })
  )

  it.effect("refuse a target that another run holds, and name the run (L7)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      world.faults.push("never")
      const layer = lab.process(store, { world })
      const held = yield* lab.elapsing(
        lab.as(layer)(
          Effect.flatMap(lab.open(Run.make("first")), (handle) => handle.propose({ tool: "fax", params: { to: "1" } }))
        )
      )
      assert.strictEqual(held._tag, "Held")
      const refused = yield* lab.as(layer)(
        Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
          Effect.flatMap(coordinator.open(Run.make("second"), { pack: lab.pack, goal: "another" }), (handle) =>
            handle.propose({ tool: "fax", params: { to: "1" } })
          )
        )
      )
      assert.strictEqual(refused._tag, "Refused")
      assert.include(JSON.stringify(refused), '"namespace":"target","run":"first"')
    })
  )

  it.effect("adopt the act of another run with the same goal, instead of doing it again", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const layer = lab.process(store, { world })
      const propose = (id: string) =>
        lab.as(layer)(Effect.flatMap(lab.open(Run.make(id)), (handle) => handle.propose(lab.book("LX1"))))
      assert.strictEqual((yield* propose("first"))._tag, "Done")
      const second = yield* propose("second")
      assert.strictEqual(second._tag, "Done")
      assert.deepInclude(second, { basis: "readback", output: { flight: "LX1", id: "book LX1", price: 80 } })
      assert.deepStrictEqual(world.log, ["send book LX1", "ask"])
    })
  )
})

describe("a crash", () => {
  /** The scenario without a fault, and what it comes to. */
  const undisturbed = Effect.gen(function* () {
    const store = yield* lab.shared
    let places: ReadonlyArray<FaultPoint.PointName> = []
    yield* lab
      .as(lab.process(store, { world: new lab.World(), steps: lab.script }))(lab.work)
      .pipe(
        Effect.provideService(FaultPoint.FaultPoint, (place) =>
          Effect.sync(() => {
            places = [...places, place]
          })
        )
      )
    const end = yield* lab.as(lab.process(store))(StrictReplay.of(lab.trip))
    return { places, world: State.sectionToJson(end.state.world) }
  })

  for (const how of ["interrupt", "die"] as const) {
    it.effect(`by ${how} at any place loses no committed transition and doubles no effect (L14)`, () =>
      Effect.gen(function* () {
        const expected = yield* undisturbed
        assert.isAbove(expected.places.length, 15)
        for (let n = 1; n <= expected.places.length; n++) {
          const name = `place ${n}: ${expected.places[n - 1]}`
          const store = yield* lab.shared
          const world = new lab.World()
          const crashed = yield* Effect.exit(
            lab
              .as(lab.process(store, { world, steps: lab.script }))(lab.work)
              .pipe(lab.atPlace(n, () => (how === "die" ? Effect.die("crash") : Effect.interrupt)))
          )
          assert.strictEqual(crashed._tag, "Failure", name)
          const before = yield* lab.as(lab.process(store))(Effect.orElseSucceed(lab.transitions(), () => []))
          yield* lab.elapsing(lab.as(lab.process(store, { world, steps: lab.script }))(lab.work))
          yield* lab.as(lab.process(store))(
            Effect.gen(function* () {
              const after = yield* lab.transitions()
              assert.deepStrictEqual(after.slice(0, before.length), before, name)
              const { divergences, state } = yield* StrictReplay.of(lab.trip)
              assert.deepStrictEqual(divergences, [], name)
              assert.deepStrictEqual(State.sectionToJson(state.world), expected.world, name)
              assert.deepStrictEqual(state.kernel["actions"], {}, name)
            })
          )
          assert.deepStrictEqual(world.doubled, [], name)
          assert.deepStrictEqual([...world.effects.keys()].sort(), ["book LX1", "tell ada"], name)
        }
      })
    )
  }

  it.effect("inside an effect that can be neither asked about nor repeated is held, and said so (L14)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const steps = [{ id: "fax", propose: { tool: "fax", params: { to: "1" } } }]
      yield* Effect.exit(
        lab
          .as(lab.process(store, { world, steps }))(lab.work)
          .pipe(
            Effect.provideService(FaultPoint.FaultPoint, (place) =>
              place === "effect/answered" ? Effect.die("crash") : Effect.void
            )
          )
      )
      // Whoever sent it could hear an answer for a while: that is waited for, and then a person decides.
      const outcome = yield* lab.elapsing(lab.as(lab.process(store, { world, steps }))(lab.work))
      assert.strictEqual(outcome?._tag, "Held")
      assert.deepStrictEqual(world.effects.get("fax 1"), 1)
      const held = yield* lab.as(store)(
        Effect.flatMap(TraceStore.TraceStore, ({ claims }) => claims(lab.trip.tenant, { namespace: "target" }))
      )
      assert.deepStrictEqual(
        held.map(({ name }) => name),
        ["fax/1"]
      )
    })
  )
})
