import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Goal from "@backstitch/kernel/Goal"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Agent from "../src/agent/Agent.ts"
import * as CompatibilityJudge from "../src/ports/CompatibilityJudge.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import type * as Planner from "../src/ports/Planner.ts"
import * as Revising from "../src/revisions/Revising.ts"
import * as RevisionDocuments from "../src/revisions/RevisionDocuments.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"
import { book, Desk, decorate, hire, invite, look, opened, processOf, using, write } from "./party.ts"
import { looks, proposes } from "./slots.ts"

type Changes = ReadonlyArray<RevisedSpecification.RevisionChange>

const toBasel: Changes = [{ change: "set", clause: "city", value: "Basel" }]
const withoutMusic: Changes = [{ change: "withdraw", clause: "music" }]

/** Does what is proposed, revises the goal and absorbs that. */
const revised = (
  proposals: ReadonlyArray<Proposal>,
  changes: Changes,
  { more, options }: { readonly more?: object; readonly options?: Revising.Options } = {}
) =>
  Effect.gen(function* () {
    const desk = new Desk()
    const process = processOf(yield* lab.shared, desk)
    const absorbed = yield* using(
      process,
      Effect.fnUntraced(function* (handle) {
        yield* proposes(handle, ...proposals)
        yield* Revising.inject(handle, { changes })
        return yield* Revising.absorb(handle, options)
      }),
      more
    )
    return { absorbed, desk, ...(yield* lab.as(process)(looks)) }
  })

const codes = (outcome: Outcome | undefined): ReadonlyArray<string | undefined> =>
  outcome?._tag === "Refused" ? outcome.checks.flatMap(({ why }) => (why === undefined ? [] : [why.code])) : []

const party = [look("Bern"), hire("Casino"), book("Trio"), write("soup")]

describe("Revising", () => {
  it.effect("undoes what no longer fits, keeps what does not depend on it, and puts its fields back", () =>
    Effect.gen(function* () {
      const { absorbed, desk, differs, divergences, plan, trace, working } = yield* revised(party, toBasel)
      assert.strictEqual(absorbed?.outcome._tag, "Done")
      assert.deepStrictEqual(desk.effects, ["hire Casino", "book Trio", "cancel Casino"])
      assert.deepStrictEqual([differs, divergences, plan], [[], [], undefined])
      assert.deepStrictEqual(working, { found: { Bern: "hall of Bern" }, menu: "soup" })
      const [first] = trace
      assert.strictEqual(first?.body.data?.["ontology"], 3)
      const said = trace.find(({ body }) => body.type === "revision.absorbed")?.body.data
      assert.deepInclude(said, { rule: "dependency_closure", undo: ["a4"], discarded: ["a4"], stale: [], lost: [] })
    })
  )

  it.effect("keeps the prefix alone by the rule of the earliest conflict, reads too", () =>
    Effect.gen(function* () {
      const more = { revisions: { rule: "earliest_conflict" } }
      const { absorbed, desk, differs, working } = yield* revised(party, toBasel, { more })
      assert.strictEqual(absorbed?.planned.absorption.keptTo, 2)
      assert.deepStrictEqual(desk.effects.slice(2), ["unbook Trio", "cancel Casino"])
      assert.deepStrictEqual(working, { found: { Bern: "hall of Bern" }, menu: null })
      assert.deepStrictEqual(differs, [])
    })
  )

  it.effect("undoes nothing if nothing is in conflict, and inverts what serves a withdrawn clause in place", () =>
    Effect.gen(function* () {
      const kept = yield* revised(party, [{ change: "set", clause: "budget", value: 400 }])
      assert.deepStrictEqual(kept.desk.effects, ["hire Casino", "book Trio"])
      assert.isFalse(kept.trace.some(({ body }) => body.type === "recovery.decided"))
      const inverted = yield* revised(party, withoutMusic)
      assert.deepStrictEqual(inverted.desk.effects.slice(2), ["unbook Trio"])
      assert.deepStrictEqual([...kept.differs, ...inverted.differs], [])
    })
  )

  it.effect("is refused where an act that nothing undoes has read what would go, and widened on request", () =>
    Effect.gen(function* () {
      const told = [...party, invite("ada", "Casino")]
      const blocked = yield* revised(told, toBasel)
      assert.deepStrictEqual(codes(blocked.absorbed?.outcome), ["revision.blocked"])
      assert.strictEqual(blocked.desk.effects.length, 3)
      const widened = yield* revised(told, toBasel, { options: { widen: true } })
      assert.deepStrictEqual(widened.desk.effects.slice(3), ["cancel Casino"])
      const said = widened.trace.find(({ body }) => body.type === "revision.absorbed")?.body.data
      assert.deepInclude(said, { widened: true, lost: [{ action: "a16", clauses: [], tool: "invite" }] })
      assert.deepStrictEqual(widened.differs, [])
    })
  )

  it.effect("shows a plan before it is injected, and records nothing then", () =>
    Effect.gen(function* () {
      const process = processOf(yield* lab.shared, new Desk())
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, ...party)
          yield* handle.flush
          const { head } = yield* handle.position
          const planned = yield* Revising.preview(handle, { changes: toBasel })
          assert.deepStrictEqual(
            planned?.absorption.undo.map(({ tool }) => tool),
            ["cancel"]
          )
          assert.deepStrictEqual((yield* handle.position).head, head)
          assert.isUndefined(yield* Revising.plan(handle))
          assert.isUndefined(yield* Revising.absorb(handle))
        })
      )
    })
  )

  it.effect("begins nothing for the goal until a revision is absorbed, and reads go on", () =>
    Effect.gen(function* () {
      const process = processOf(yield* lab.shared, new Desk())
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* Revising.inject(handle, { changes: toBasel, by: "ada", said: "rather in Basel" })
          assert.deepStrictEqual(codes(yield* handle.propose(book("Trio"))), ["revision.pending"])
          assert.deepStrictEqual(codes(yield* handle.propose({ type: "goal.complete" })), ["revision.pending"])
          assert.strictEqual((yield* handle.propose(look("Basel")))._tag, "Done")
          assert.strictEqual((yield* Revising.absorb(handle))?.outcome._tag, "Done")
          assert.strictEqual((yield* handle.propose(book("Trio")))._tag, "Done")
        })
      )
    })
  )

  it.effect("counts revisions that cancel each other out as none, and one that is repeated once", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, ...party)
          yield* Revising.inject(handle, { changes: toBasel, by: "ada", command: "r1" })
          yield* Revising.inject(handle, { changes: toBasel, by: "ada", command: "r1" })
          yield* Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: "Bern" }], by: "bob" })
          const { state } = yield* handle.standing
          assert.strictEqual(Goal.of(state).pending?.ticks.length, 2)
          const absorbed = yield* Revising.absorb(handle)
          assert.deepStrictEqual([absorbed?.planned.absorption.conflicts, absorbed?.outcome._tag], [[], "Done"])
        })
      )
      assert.deepStrictEqual(desk.effects, ["hire Casino", "book Trio"])
    })
  )

  it.effect("takes in a second revision on what the first has left, and discards nothing twice", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, ...party)
          for (const changes of [toBasel, withoutMusic, [{ change: "set", clause: "city", value: "Bern" }]] as const) {
            yield* Revising.inject(handle, { changes })
            assert.strictEqual((yield* Revising.absorb(handle))?.outcome._tag, "Done")
          }
        })
      )
      assert.deepStrictEqual(desk.effects.slice(2), ["cancel Casino", "unbook Trio"])
      assert.deepStrictEqual((yield* lab.as(process)(looks)).differs, [])
    })
  )

  it.effect("asks a judge once, about acts whose contracts do not decide, and at most as many as it takes", () =>
    Effect.gen(function* () {
      const added: Changes = [{ change: "add", clause: "quiet", holds: "size(world.bands) == 0" }]
      const batches: Array<ReadonlyArray<string>> = []
      const asking = (questionsMax: number) =>
        Effect.provideService(CompatibilityJudge.CompatibilityJudge, {
          questionsMax,
          answer: ({ questions }) =>
            Effect.sync(() => {
              batches.push(questions.map(({ tool }) => tool))
              return new Map(questions.map(({ action }) => [action, "compatible" as const]))
            })
        })
      const rooms = [decorate("hall"), decorate("garden")]
      const changed: Changes = [{ change: "set", clause: "city", value: "Basel" }]
      const kept = yield* asking(5)(revised(rooms, changed))
      assert.deepStrictEqual(batches, [["decorate", "decorate"]])
      assert.strictEqual(kept.desk.effects.length, 2)
      const cut = yield* asking(1)(revised(rooms, changed))
      assert.deepStrictEqual(batches.slice(1), [["decorate"]])
      assert.deepStrictEqual(cut.desk.effects.slice(2), ["clear garden"])
      const decided = yield* asking(5)(revised([look("Bern"), book("Trio")], added))
      assert.strictEqual(batches.length, 2)
      assert.deepStrictEqual(decided.desk.effects.slice(1), ["unbook Trio"])
      assert.deepStrictEqual([...kept.differs, ...cut.differs, ...decided.differs], [])
    })
  )

  it.effect("puts the tokens of a judge on record, and carries the plan out that it was asked for", () =>
    Effect.gen(function* () {
      const asking = Effect.provideService(CompatibilityJudge.CompatibilityJudge, {
        questionsMax: 5,
        answer: ({ questions }) =>
          Effect.succeed({
            answers: new Map(questions.map(({ action }) => [action, "compatible"] as const)),
            tokens: 75
          })
      })
      const { absorbed, differs, trace } = yield* asking(revised([decorate("hall")], toBasel))
      assert.strictEqual(absorbed?.outcome._tag, "Done")
      const spent = trace.flatMap(({ body, stamp }) => (stamp.spent === undefined ? [] : [[body.type, stamp.spent]]))
      assert.deepStrictEqual(spent, [["observation.add", { tokens: 75 }]])
      assert.deepStrictEqual(differs, [])
    })
  )

  it.effect("absorbs as the person said who revised last, in whatever process", () =>
    Effect.gen(function* () {
      const acts = [hire("Casino"), decorate("hall"), invite("ada", "Casino")]
      const says = { keeps: ["a7"], widens: true } as const
      const absorbedBy = (...revisions: ReadonlyArray<Revising.Revision>) =>
        Effect.gen(function* () {
          const desk = new Desk()
          const process = processOf(yield* lab.shared, desk)
          yield* using(process, (handle) => proposes(handle, ...acts))
          yield* using(process, (handle) => Effect.forEach(revisions, (each) => Revising.inject(handle, each)))
          const absorbed = yield* using(process, (handle) => Revising.absorb(handle))
          const { differs } = yield* lab.as(process)(looks)
          assert.deepStrictEqual(differs, [])
          return [absorbed?.outcome._tag, ...desk.effects.slice(3)]
        })
      assert.deepStrictEqual(yield* absorbedBy({ changes: toBasel }), ["Refused"])
      assert.deepStrictEqual(yield* absorbedBy({ changes: toBasel, ...says }), ["Done", "cancel Casino"])
      const more = [{ change: "set", clause: "city", value: "Genf" }] as const
      assert.deepStrictEqual(yield* absorbedBy({ changes: toBasel, ...says }, { changes: more }), ["Refused"])
      assert.deepStrictEqual(yield* absorbedBy({ changes: more }, { changes: toBasel, widens: true }), [
        "Done",
        "clear hall",
        "cancel Casino"
      ])
    })
  )

  it.effect("asks a judge about the goal as a previewed revision would leave it, as if it were injected", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [unknown, unknown]> = []
      const asking = Effect.provideService(CompatibilityJudge.CompatibilityJudge, {
        questionsMax: 5,
        answer: ({ after, before }) =>
          Effect.sync(() => {
            asked.push([before.clauses["city"], after.clauses["city"]])
            return new Map()
          })
      })
      const process = processOf(yield* lab.shared, new Desk())
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, decorate("hall"))
          yield* asking(Revising.preview(handle, { changes: toBasel }))
          yield* handle.flush
          yield* asking(Revising.stored(lab.trip, toBasel))
          yield* Revising.inject(handle, { changes: toBasel })
          yield* asking(Revising.plan(handle))
        })
      )
      assert.deepStrictEqual(asked, [
        ["Bern", "Basel"],
        ["Bern", "Basel"],
        ["Bern", "Basel"]
      ])
    })
  )

  it.effect("waits for an act whose outcome is unknown, and undoes nothing before", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, hire("Casino"))
          desk.isDown = true
          yield* proposes(handle, book("Trio"))
          yield* Revising.inject(handle, { changes: toBasel })
          const waiting = RevisionDocuments.plan((yield* Revising.plan(handle))!)
          assert.deepStrictEqual([waiting.possible, waiting.waits], [false, true])
          assert.deepStrictEqual(codes((yield* Revising.absorb(handle))?.outcome), ["undo.unsettled"])
        })
      )
      assert.deepStrictEqual(desk.effects, ["hire Casino", "book Trio"])
    })
  )

  it.effect("is compensated once, wherever it is killed meanwhile (L14)", () =>
    Effect.gen(function* () {
      let isWhole = false
      for (let place = 1; !isWhole; place++) {
        const desk = new Desk()
        const process = processOf(yield* lab.shared, desk)
        const absorb = Effect.gen(function* () {
          const handle = yield* opened()
          yield* handle.resume
          yield* Revising.absorb(handle)
        })
        yield* lab.elapsing(
          lab.as(process)(
            Effect.flatMap(opened(), (handle) =>
              Effect.andThen(proposes(handle, ...party), Revising.inject(handle, { changes: toBasel }))
            )
          )
        )
        let isKilled = false
        const dying = lab.atPlace(place, () => {
          isKilled = true
          return Effect.die("killed")
        })
        yield* lab.elapsing(Effect.exit(lab.as(process)(dying(absorb))))
        yield* lab.elapsing(lab.as(process)(absorb))
        assert.deepStrictEqual(desk.effects, ["hire Casino", "book Trio", "cancel Casino"], `place ${place}`)
        const { differs, plan, trace } = yield* lab.as(process)(looks)
        assert.deepStrictEqual([differs, plan], [[], undefined])
        assert.strictEqual(trace.filter(({ body }) => body.type === "revision.absorbed").length, 1)
        isWhole = !isKilled
        assert.isBelow(place, 60)
      }
    })
  )

  it.effect("is absorbed by the loop of an agent before its next turn, and the view shows the revised goal", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const store = yield* lab.shared
      const views: Array<Planner.View["specification"]> = []
      let handle: RunHandle.RunHandle | undefined
      const steps: ReadonlyArray<Planner.ScriptStep> = [
        { id: "look", propose: look("Bern") },
        { id: "hire", propose: hire("Casino") },
        {
          id: "hire again",
          propose: ({ actions, specification }) => {
            views.push(specification)
            assert.notInclude(
              actions.map(({ tool }) => tool),
              "hire"
            )
            return hire("Messe", "Basel")
          }
        },
        { id: "end", propose: { type: "goal.complete" } }
      ]
      const process = processOf(store, desk, { steps })
      const outcome = yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            handle = yield* opened()
            const own = handle
            let turns = 0
            const injecting = Effect.provideService(FaultPoint.FaultPoint, (place) =>
              place === "effect/answered" && ++turns === 2
                ? Effect.ignore(Revising.inject(own, { changes: toBasel }))
                : Effect.void
            )
            return yield* injecting(Agent.run(handle))
          })
        )
      )
      assert.strictEqual(outcome?._tag, "Done")
      assert.deepStrictEqual(desk.effects, ["hire Casino", "cancel Casino", "hire Messe"])
      assert.deepStrictEqual(
        views.at(-1)?.map(({ clause, value }) => [clause, value]),
        [
          ["budget", 500],
          ["city", "Basel"],
          ["music", null]
        ]
      )
    })
  )

  it.effect("lets a script go on with the step that had to wait, if another process revises the goal meanwhile", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const store = yield* lab.shared
      const steps: ReadonlyArray<Planner.ScriptStep> = [
        { id: "hire", propose: hire("Casino") },
        { id: "book", propose: book("Trio") }
      ]
      yield* lab.elapsing(
        lab.as(processOf(store, desk, { steps }))(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* handle.propose({ ...hire("Casino"), command: "hire" })
            yield* handle.flush
            yield* lab.as(processOf(store, desk))(
              Effect.flatMap(opened(), (other) =>
                Effect.andThen(Revising.inject(other, { changes: toBasel }), other.flush)
              )
            )
            yield* Agent.run(handle)
          })
        )
      )
      assert.deepStrictEqual(desk.effects, ["hire Casino", "cancel Casino", "book Trio"])
    })
  )
})
