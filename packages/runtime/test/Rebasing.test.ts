import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as State from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as Rebasing from "../src/versioning/Rebasing.ts"
import * as lab from "./lab.ts"

const { fax, ...tools } = lab.definition.tools

/** A readback that finds a sent message by its receiver. */
const readBack = { readback: { source: "exchange", expect: ["actual.to == args.to"], within: "2s" } }

const pack = Result.getOrThrow(
  TaskPack.make({
    ...(lab.definition as Definition),
    state: {
      world: { ...lab.definition.state.world, faxed: { list: "string" } },
      working: { notes: { list: "string" }, mood: { type: "string", nullable: true }, seen: { list: "string" } }
    },
    transitions: {
      fax: { required_state: { "working.mood": { type: "string" } }, hash_seeds: ["working.mood"] }
    },
    tools: {
      ...tools,
      fax: { ...fax, ...readBack, on_reconciled: [{ append: { list: "world.faxed", item: "observed.to" } }] }
    },
    reducers: {
      on: {
        "observation.add": [{ set: { field: "working.mood", value: "args.text" } }],
        "plan.update": [{ append: { list: "working.notes", item: "args.text" } }],
        look: [{ append: { list: "working.seen", item: "observed.found" } }]
      }
    }
  } as Definition)
)

const main = Run.make("main")
const branch = Run.make("branch")
const result = Run.make("branch-onto-main")

const think = (text: string): Proposal => ({ type: "plan.update", data: { text } })
const faxTo = (to: string): Proposal => ({ tool: "fax", params: { to } })

const go = (run: Run.Run, proposals: ReadonlyArray<Proposal>) =>
  Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(run, { pack, goal: "goal" })
    for (const proposal of proposals) {
      const outcome = yield* handle.propose(proposal)
      assert.strictEqual(outcome._tag, "Done", JSON.stringify(outcome))
    }
    return handle
  })

const work = [think("one"), lab.look("hotels"), lab.book("LX1"), faxTo("ada"), think("two")]

/** `branch` leaves `main` after the mood was set, works, and `main` goes on. */
const parted = (options: { readonly later?: ReadonlyArray<Proposal> } = {}) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const world = new lab.World()
    const { fax, ...rest } = world.tools
    const looked: ToolExecutor.Tools = { ...rest, fax: { ...fax!, readback: async (_, params: JsonObject) => params } }
    const within = lab.as(lab.process(store, { executor: ToolExecutor.fromTools(looked) }))
    yield* within(
      Effect.gen(function* () {
        yield* go(main, [lab.note("glad")])
        yield* Forking.fork({ parent: main, at: 2, child: branch })
        yield* go(branch, work)
        yield* go(main, options.later ?? [think("meanwhile"), lab.book("LX9", 50)])
      })
    )
    return { within, world, store }
  })

const stateOf = (run: Run.Run) =>
  Effect.flatMap(History.History, (history) =>
    Effect.flatMap(history.info(run), ({ head }) => Effect.map(history.at(run, head.tick), ({ state }) => state))
  )

const begin = Effect.suspend(() => Rebasing.begin({ run: branch, onto: main }))

const sound = (run: Run.Run) =>
  Effect.gen(function* () {
    assert.isTrue((yield* RunVerification.verify(run)).consistent)
    assert.deepStrictEqual((yield* DecisionReplay.redecide(run, { secret: "secret" })).differs, [])
  })

describe("Rebasing", () => {
  it.effect("replays a branch in tick order: reads again, writes by key, and effectful tools from the record", () =>
    Effect.gen(function* () {
      const { within, world } = yield* parted()
      const effects = [...world.effects]
      const looked = world.log.filter((line) => line.startsWith("look")).length
      const rebased = yield* within(begin)
      assert.strictEqual(rebased.status, "done")
      assert.deepStrictEqual(
        rebased.replayed.map(({ same, status, tick, tool, treatment }) => [tick, tool, treatment, status, same]),
        [
          [4, undefined, "propose", "replayed", undefined],
          [5, "look", "execute", "replayed", true],
          [7, "book", "execute", "adopted", true],
          [12, "fax", "record", "recorded", undefined],
          [17, undefined, "propose", "replayed", undefined]
        ]
      )
      // Not one effect more: the seat is booked, the fax was sent, and both are known now.
      assert.deepStrictEqual([...world.effects], effects)
      assert.strictEqual(world.log.filter((line) => line.startsWith("look")).length, looked + 1)
      yield* within(
        Effect.gen(function* () {
          const { working, world: known } = State.toJson(yield* stateOf(result)) as never as Record<string, object>
          assert.deepStrictEqual(known, {
            bookings: { "book LX1": { price: 80 }, "book LX9": { price: 50 } },
            faxed: ["ada"],
            spent: 130,
            told: []
          })
          assert.deepInclude(working, { notes: ["meanwhile", "one", "two"], seen: ["hotels"] })
          yield* sound(result)
          const report = yield* Report.of(result)
          const fax = report.actions.find(({ tool }) => tool === "fax")
          const own = (yield* Report.of(branch)).actions.find(({ tool }) => tool === "fax")
          // Verified there, and on record here: nothing was sent or read.
          assert.deepStrictEqual([own?.standing, fax?.standing], ["success", "recorded"])
          assert.deepStrictEqual(fax?.unchecked, own?.unchecked)
          assert.isAbove(own?.unchecked.length ?? 0, 0)
          const ticks = (yield* lab.transitions(result)).map(({ tick }) => tick)
          assert.deepStrictEqual(
            ticks,
            ticks.map((_, index) => index + 1)
          )
        })
      )
    })
  )

  it.effect("is the identity onto the branch's own base, and onto a run that the branch already contains", () =>
    Effect.gen(function* () {
      const { within } = yield* parted({ later: [] })
      const rebased = yield* within(begin)
      assert.deepInclude(rebased, { status: "up to date", run: "branch", replayed: [] })
      const contained = yield* within(Rebasing.begin({ run: main, onto: branch }))
      assert.strictEqual(contained.status, "up to date")
      const unknown = yield* within(Effect.flip(Rebasing.resume(result, { skip: false })))
      assert.strictEqual(unknown._tag, "RunUnknown")
    })
  )

  it.effect("stops at the intent that does not fit and names the field, goes on once it does", () =>
    Effect.gen(function* () {
      const { within, world } = yield* parted({ later: [lab.note("sad")] })
      const effects = [...world.effects]
      const stopped = yield* within(begin)
      assert.strictEqual(stopped.status, "stopped")
      assert.deepInclude(stopped.conflict, { tick: 12, tool: "fax", fields: ["working.mood"] })
      assert.include(stopped.conflict?.reason, 'branch decided it with working.mood = "glad"')
      assert.deepStrictEqual(
        stopped.replayed.map(({ status }) => status),
        ["replayed", "replayed", "adopted", "conflict", "pending"]
      )
      const again = yield* within(Rebasing.resume(result, { skip: false }))
      assert.deepInclude(again.conflict, { tick: 12 })
      yield* within(
        Effect.gen(function* () {
          yield* go(result, [lab.note("glad")])
          const done = yield* Rebasing.resume(result, { skip: false })
          assert.strictEqual(done.status, "done")
          assert.deepStrictEqual(
            done.replayed.map(({ tick }) => tick),
            [4, 5, 7, 12, 17]
          )
          assert.deepStrictEqual([...world.effects], effects)
          yield* sound(result)
          const over = yield* Effect.flip(Rebasing.resume(result, { skip: false }))
          assert.include(over.message, "nothing left to replay")
        })
      )
    })
  )

  it.effect("leaves an intent out by decision, and gives up without touching the branches", () =>
    Effect.gen(function* () {
      const { within } = yield* parted({ later: [lab.note("sad")] })
      yield* within(
        Effect.gen(function* () {
          const history = yield* History.History
          const heads = yield* Effect.forEach([main, branch], history.info)
          yield* begin
          const skipped = yield* Rebasing.resume(result, { skip: true })
          assert.strictEqual(skipped.status, "done")
          assert.strictEqual(skipped.replayed.find(({ tick }) => tick === 12)?.status, "skipped")
          assert.deepInclude(State.sectionToJson((yield* stateOf(result)).world), { faxed: [] })
          const other = Run.make("second")
          yield* Rebasing.begin({ run: branch, onto: main, as: other })
          const aborted = yield* Rebasing.abort(other)
          assert.strictEqual(aborted.status, "aborted")
          assert.strictEqual(
            aborted.replayed.filter(({ status }) => status === "pending").map(({ tick }) => tick).length,
            2
          )
          const refused = yield* Effect.flip(Rebasing.resume(other, { skip: false }))
          assert.include(refused.message, "was given up")
          assert.include((yield* Effect.flip(Rebasing.abort(branch))).message, "is no rebase")
          assert.deepStrictEqual(yield* Effect.forEach([main, branch], history.info), heads)
          yield* sound(other)
        })
      )
    })
  )

  it.effect("goes on after a crash at any place, with each intent once and no effect twice (L14)", () =>
    Effect.gen(function* () {
      let crashed = 0
      for (let n = 1; n <= 40; n += 3) {
        const { within, world } = yield* parted()
        const effects = [...world.effects]
        const exit = yield* Effect.exit(within(lab.atPlace(n, () => Effect.die("crash"))(begin)))
        if (exit._tag === "Success") break
        crashed++
        yield* within(
          Effect.gen(function* () {
            const rebased = yield* Rebasing.resume(result, { skip: false })
            assert.strictEqual(rebased.status, "done", `crash ${n}: ${JSON.stringify(rebased.conflict)}`)
            const imports = (yield* lab.transitions(result)).filter(({ body }) => body.type === "run.cherrypick")
            assert.lengthOf(imports, 5)
            yield* sound(result)
          }).pipe(lab.elapsing)
        )
        assert.deepStrictEqual([...world.effects], effects, `crash ${n}`)
      }
      assert.isAbove(crashed, 3)
    })
  )

  it.effect("rehearses without committing or calling anything, and finds the same conflict", () =>
    Effect.gen(function* () {
      const { within, world } = yield* parted({ later: [lab.note("sad")] })
      const log = [...world.log]
      yield* within(
        Effect.gen(function* () {
          const rehearsed = yield* Rebasing.rehearse({ run: branch, onto: main })
          assert.deepStrictEqual(
            rehearsed.replayed.map(({ status }) => status),
            ["fits", "fits", "fits", "conflict", "pending"]
          )
          assert.deepInclude(rehearsed.conflict, { tick: 12, fields: ["working.mood"] })
          const history = yield* History.History
          assert.strictEqual((yield* Effect.flip(history.info(result)))._tag, "RunUnknown")
        })
      )
      assert.deepStrictEqual(world.log, log)
    })
  )

  it.effect("refuses a branch with an act whose outcome is unknown", () =>
    Effect.gen(function* () {
      const { within, world } = yield* parted()
      world.faults.push("lost")
      yield* within(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.reopen(branch)
          assert.strictEqual((yield* handle.propose(faxTo("bob")))._tag, "Held")
          const error = yield* Effect.flip(begin)
          assert.strictEqual(error._tag, "RebaseUnsettled")
          assert.include(error.message, "has begun fax (a18)")
        })
      )
    })
  )
})
