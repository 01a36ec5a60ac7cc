/** Acts of which a value was erased: no plan counts on undoing them, and a person is told what is left to do. */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Revising from "../src/revisions/Revising.ts"
import * as RevisionDocuments from "../src/revisions/RevisionDocuments.ts"
import * as Sealing from "../src/sealing/Sealing.ts"
import * as SubjectErasure from "../src/vault/SubjectErasure.ts"
import * as lab from "./lab.ts"
import { Desk, definition, processOf, using } from "./party.ts"
import * as sealed from "./sealed.ts"
import { looks } from "./slots.ts"

const { book, unbook } = definition.tools
const output = { status: "string" } as const
const leader = { type: "string", sensitive: { subject: "args.band" } } as const

/** The leader of a band is asked for with it, and is needed to take the booking back. */
const changes = {
  tools: {
    ...definition.tools,
    book: {
      ...book,
      input: { ...book.input, leader },
      output,
      undo: { class: "R", by: "unbook", with: { band: "args.band", leader: "args.leader" } }
    },
    unbook: { ...unbook, input: { ...unbook.input, leader }, output }
  }
}

const booking = { tool: "book", params: { band: "Trio", leader: "Max" } }
const withoutMusic = { changes: [{ change: "withdraw", clause: "music" }] } as const

const erased = Effect.flatMap(SubjectErasure.plan({ tenant: lab.trip.tenant, subject: "Trio" }), (plan) =>
  SubjectErasure.erase(plan, { by: "Ada", reason: "request 311", as: "institution" })
)

const placed = Effect.fnUntraced(function* (
  book: Partial<ToolExecutor.Tool> = {},
  kernel = Kernel.standard,
  unbook: Partial<ToolExecutor.Tool> = {}
) {
  const place = yield* sealed.place
  const desk = new Desk()
  const executor = ToolExecutor.fromTools({
    ...desk.tools,
    book: { ...desk.tools["book"]!, ...book },
    unbook: { ...desk.tools["unbook"]!, ...unbook }
  })
  const process = Layer.merge(processOf(place.services, desk, { executor, kernel }), place.services)
  return { desk, process }
})

/** Dies before the record of the act is read that is to be undone. */
const dying = Effect.provideService(FaultPoint.FaultPoint, (place) =>
  place === "original/before" ? Effect.die(new Error("crash")) : Effect.void
)

/** The reasons for which the run is held, each with the step that is told. */
const held = Effect.map(Report.of(lab.trip), ({ held }) => held.map(({ next, why }) => ({ next, why })))

describe("an act of which a value was erased", () => {
  it.effect("stays, and the plan of a revision says why", () =>
    Effect.gen(function* () {
      const { desk, process } = yield* placed()
      const { absorbed, plan } = yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* handle.propose(booking)
          const before = RevisionDocuments.plan((yield* Revising.preview(handle, withoutMusic))!)
          assert.deepStrictEqual([before.undo.map(({ by }) => by), before.lost], [["unbook"], []])
          yield* erased
          yield* Revising.inject(handle, withoutMusic)
          const plan = RevisionDocuments.plan((yield* Revising.plan(handle))!)
          return { absorbed: yield* Revising.absorb(handle), plan }
        }),
        changes
      )
      assert.deepStrictEqual([plan.undo, plan.possible], [[], true])
      const [lost] = plan.lost
      assert.deepInclude(lost, { because: "erased", tool: "book" })
      assert.match(lost?.says ?? "", /a value that its undoing needs was erased/)
      assert.deepStrictEqual([absorbed?.outcome._tag, desk.effects], ["Done", ["book Trio"]])
      assert.deepStrictEqual((yield* lab.as(process)(looks)).differs, [])
    })
  )

  it.effect("was to be undone by rules of the first version, and is told so when it is decided again", () =>
    Effect.gen(function* () {
      const { process } = yield* placed({}, { ...Kernel.standard, rules: { version: 1, changes: [] } })
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* handle.propose(booking)
          yield* erased
          yield* Revising.inject(handle, withoutMusic)
          assert.instanceOf(yield* Effect.flip(Revising.absorb(handle)), Sealing.SealedValueGone)
        }),
        changes
      )
      assert.deepStrictEqual((yield* lab.as(process)(looks)).differs, [])
    })
  )

  it.effect("is a person's to settle if its undoing had begun, and the run goes on then", () =>
    Effect.gen(function* () {
      const { desk, process } = yield* placed()
      const undone = using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* handle.propose(booking)
          yield* Revising.inject(handle, withoutMusic)
          yield* Revising.absorb(handle)
        }),
        changes
      )
      yield* Effect.exit(dying(undone))
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          assert.deepStrictEqual((yield* held)[0]?.next.verb, "resume")
          yield* erased
          assert.instanceOf(yield* Effect.flip(handle.resume), Sealing.SealedValueGone)
          const [first] = yield* held
          assert.match(first?.why ?? "", /a sealed value was erased/)
          const { next } = first!
          assert.isTrue(next.verb === "resolve")
          const [as] = next.verb === "resolve" ? (next.as ?? []) : []
          const data = { action: "a2", as: as ?? "", by: "Ada", evidence: "the band was told by telephone" }
          const decided = yield* handle.propose({ author: "user", data, type: "review.decided" })
          assert.strictEqual(decided._tag, "Done", Wording.why(decided))
          yield* handle.resume
          assert.isUndefined(UndoPlan.open((yield* handle.position).state))
          assert.deepStrictEqual(yield* held, [])
        }),
        changes
      )
      assert.deepStrictEqual(desk.effects, ["book Trio"])
    })
  )

  it.effect("is a person's to settle if nobody knows what came of it", () =>
    Effect.gen(function* () {
      const { desk, process } = yield* placed()
      const dies = Effect.provideService(FaultPoint.FaultPoint, (place) =>
        place === "effect/answered" ? Effect.die(new Error("crash")) : Effect.void
      )
      yield* Effect.exit(dies(using(process, (handle) => handle.propose(booking), changes)))
      yield* using(
        process,
        Effect.fnUntraced(function* () {
          assert.deepStrictEqual((yield* held)[0]?.next.verb, "resume")
          yield* erased
          const [first] = yield* held
          assert.strictEqual(first?.next.verb, "resolve")
          assert.match(first?.why ?? "", /a value that it needs was erased/)
        }),
        changes
      )
      assert.deepStrictEqual(desk.effects, ["book Trio"])
    })
  )

  it.effect("is not offered to be sent or verified again, where a person decides about it", () =>
    Effect.gen(function* () {
      const { readback: _, ...bare } = changes.tools.book
      const tools = { ...changes.tools, book: { ...bare, idempotency: "effectful", status: "none" } }
      const { desk, process } = yield* placed({ execute: async () => Promise.reject(new Error("the line is cut")) })
      const offered = Effect.map(held, ([first]) => JSON.stringify(first?.next))
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* handle.propose(booking)
          yield* TestClock.adjust("1 hour")
          assert.match(yield* offered, /resent/)
          yield* erased
          assert.match(yield* offered, /"abandoned"/)
          assert.notMatch(yield* offered, /resent|reopened/)
        }),
        { tools }
      )
      assert.deepStrictEqual(desk.effects, [])
    })
  )

  it.effect("is not offered to be undone again, where its undoing has failed", () =>
    Effect.gen(function* () {
      const execute = () => Promise.reject(new ToolExecutor.ToolRefused("not today"))
      const { desk, process } = yield* placed({}, Kernel.standard, { execute })
      const offered = Effect.map(held, ([first]) => JSON.stringify(first?.next))
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* handle.propose(booking)
          yield* Revising.inject(handle, withoutMusic)
          yield* Revising.absorb(handle)
          assert.match(yield* offered, /reopened/)
          yield* erased
          assert.match(yield* offered, /"abandoned"/)
          assert.notMatch(yield* offered, /resent|reopened/)
        }),
        changes
      )
      assert.deepStrictEqual(desk.effects, ["book Trio"])
    })
  )

  it.effect("is not recognised if it is asked for again, and the refusal says why it may be", () =>
    Effect.gen(function* () {
      const asked = Effect.fnUntraced(function* (kernel = Kernel.standard) {
        const { desk, process } = yield* placed({}, kernel)
        const outcome = yield* using(
          process,
          Effect.fnUntraced(function* (handle) {
            yield* handle.propose(booking)
            assert.strictEqual((yield* handle.propose(booking))._tag, "Done")
            yield* erased
            return yield* handle.propose(booking)
          }),
          changes
        )
        assert.deepStrictEqual([outcome._tag, desk.effects], ["Refused", ["book Trio"]])
        assert.deepStrictEqual((yield* lab.as(process)(looks)).differs, [])
        return Wording.why(outcome)
      })
      assert.match(yield* asked(), /or for this one, if a sealed value of it was erased since/)
      const first = yield* asked({ ...Kernel.standard, rules: { version: 1, changes: [] } })
      assert.notMatch(first, /erased/)
    })
  )
})
