import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { ChangedDecision, RuleChange } from "@backstitch/kernel/DecisionRules"
import * as DecisionRules from "@backstitch/kernel/DecisionRules"
import * as Kernel from "@backstitch/kernel/Kernel"
import type * as Rules from "@backstitch/reducer/Rules"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

/** A draft that a kernel without its rules might have committed. */
const lawless = (asOf: number, tick: number): Draft => ({
  body: {
    action: { class: "high_risk_external", id: `a${tick}`, params: { flight: "LX9", price: 200 }, tool: "book" },
    author: "agent",
    policy: { checks: [], decision: "allow", version: "none" },
    type: "action.request"
  },
  stamp: { asOf },
  envelope: { ts: asOf }
})

describe("DecisionReplay", () => {
  it.effect("decides a whole journey again as it was decided (decision 0045)", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const { differs, obeyed, unrecorded } = yield* lab.as(process)(DecisionReplay.redecide(lab.trip))
      assert.deepStrictEqual(differs, [])
      assert.isAbove(obeyed, 10)
      assert.isBelow(unrecorded, obeyed)
    })
  )

  it.effect("decides refusals, anomalies and parked intents again", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const { differs, obeyed } = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.note("seen"))
          yield* handle.propose(lab.book("LX1"))
          yield* handle.propose(lab.book("LX1", 81))
          yield* handle.propose({ tool: "book", params: { flight: 7 } })
          yield* handle.propose({ tool: "nobody", params: {} })
          yield* handle.propose({ type: "action.result", data: {} })
          const blind = yield* DecisionReplay.redecide(lab.trip)
          assert.deepStrictEqual([blind.differs.length, blind.unrecorded], [0, 1])
          return yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
        })
      )
      assert.deepStrictEqual(differs, [])
      assert.isAbove(obeyed, 8)
    })
  )

  it.effect("reports that a secret is not the one of the run's keys, and accuses nobody (L6)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const said = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const none = yield* DecisionReplay.redecide(lab.trip, { secret: "another" })
          yield* handle.propose(lab.book("LX1"))
          yield* handle.propose(lab.book("LX1", 81))
          const given = [undefined, "secret", "another"]
          return [none, ...(yield* Effect.forEach(given, (secret) => DecisionReplay.redecide(lab.trip, { secret })))]
        })
      )
      assert.deepStrictEqual(
        said.map(({ differs, secret }) => [secret, differs]),
        [
          ["own", []],
          ["none", []],
          ["own", []],
          ["another", []]
        ]
      )
      assert.deepStrictEqual(
        said.map(({ underived }) => underived),
        [undefined, undefined, undefined, { keys: 1, tick: 3 }]
      )
      assert.strictEqual(said[3]?.obeyed, said[1]?.obeyed)
      assert.isAbove(said[2]?.obeyed ?? 0, said[3]?.obeyed ?? 0)
    })
  )

  it.effect("takes no field of a note for one that the kernel writes under the same name", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const fields = {
        adopted: "the plan",
        awaits: "the answer",
        completes: "the list",
        count: 7,
        done: true,
        holder: "ada",
        subject: "forward",
        turns: [null]
      }
      const { differs, obeyed, unrecorded } = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose({ type: "observation.add", data: fields })
          yield* handle.propose({ type: "plan.update", data: fields })
          return yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
        })
      )
      assert.deepStrictEqual([differs, obeyed, unrecorded], [[], 4, 0])
    })
  )

  it.effect("names the tick at which something was committed that the contract does not allow", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const answer = yield* lab.as(lab.process(store, { lawless: true }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.note("seen"))
          const { asOf, head } = yield* handle.position
          yield* handle.commit([lawless(asOf, head.tick + 1)])
          const redecided = yield* DecisionReplay.redecide(lab.trip)
          return { ...redecided, tick: head.tick + 1 }
        })
      )
      assert.deepStrictEqual(
        answer.differs.map(({ tick }) => tick),
        [answer.tick]
      )
      assert.include(answer.differs[0]?.decided, "intent.refused")
    })
  )

  it.effect("claims nothing about a run that its store has lost", () =>
    Effect.gen(function* () {
      const error = yield* lab.as(lab.process(TraceStore.layerMemory))(Effect.flip(DecisionReplay.redecide(lab.trip)))
      assert.strictEqual(error._tag, "RunUnknown")
    })
  )
})

describe("Redeciding a run that was begun or shared in another way", () => {
  const packOf = (change: object) => Result.getOrThrow(TaskPack.make({ ...lab.definition, ...change } as Definition))
  const open = (pack: TaskPack.TaskPack, enforcement: { readonly stage: number; readonly types: object }) =>
    Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
      coordinator.open(lab.trip, {
        pack,
        goal: "goal",
        enforcement: enforcement as Parameters<typeof coordinator.open>[1]["enforcement"]
      })
    )

  it.effect("decides runs of every stage again, with the impure functions that were flagged (decision 0045)", () =>
    Effect.gen(function* () {
      const impure = packOf({
        state: { ...lab.definition.state, working: { notes: { list: "string" }, seen: { type: "json", initial: [] } } },
        violations: [
          { id: "watched", when: ({ working }: Rules.Sections) => (working["seen"] as number[]).push(1) > 9 }
        ]
      })
      for (const stage of [0, 1, 2]) {
        for (const types of [{}, { book: 3, look: 0 }]) {
          const process = lab.process(yield* lab.shared)
          const answer = yield* lab.as(process)(
            Effect.gen(function* () {
              const handle = yield* open(impure, { stage, types })
              yield* handle.propose(lab.book("LX1", 300))
              yield* handle.propose(lab.look("flights"))
              const [started] = yield* lab.transitions()
              assert.deepStrictEqual(started?.body.data?.["enforcement"], { stage, types })
              assert.lengthOf(started?.body.data?.["impure"] as ReadonlyArray<unknown>, 1)
              return yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
            })
          )
          assert.deepStrictEqual([stage, answer.differs, answer.older], [stage, [], []])
          assert.isAbove(answer.obeyed, 2)
        }
      }
    })
  )

  it.effect("decides shared history as the parent's: an approval is bound to it, and a commit may be cut", () =>
    Effect.gen(function* () {
      const process = lab.process(yield* lab.shared)
      const approving = packOf({ approvals: { book: { by: ["manager"] } } })
      yield* lab.as(process)(
        Effect.gen(function* () {
          const handle = yield* open(approving, { stage: 3, types: {} })
          const parked = yield* handle.propose(lab.book("LX1"))
          const review = parked._tag === "Parked" ? parked.review : ""
          const data = { by: "Ada", review, role: "manager", verdict: "approved" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          assert.strictEqual((yield* handle.propose(lab.book("LX1")))._tag, "Done")
          const all = lab.types(yield* lab.transitions())
          const [requested, last] = [all.indexOf("action.request") + 1, all.length]
          for (const at of [requested, last]) {
            const child = Run.make(`from-${at}`)
            yield* Forking.fork({ parent: lab.trip, at, child })
            const grandchild = Run.make(`again-${at}`)
            yield* Forking.fork({ parent: child, at: at + 1, child: grandchild })
            for (const run of [child, grandchild]) {
              const { differs, obeyed } = yield* DecisionReplay.redecide(run, { secret: "secret" })
              assert.deepStrictEqual([run.id, differs], [run.id, []])
              assert.isAbove(obeyed, 3)
            }
          }
        })
      )
    })
  )
})

describe("Redeciding under rules that have changed", () => {
  /** A kernel that decides bookings otherwise than before; it may keep the older rule beside. */
  const laterKernel = (accounts: RuleChange["accounts"], options: { readonly keeps: boolean } = { keeps: false }) => {
    const change: RuleChange = { id: "bookings_are_marked", since: 3, accounts }
    const marked = (draft: Draft): Draft =>
      draft.body.action?.tool === "book" ? { ...draft, body: { ...draft.body, goal: "marked" } } : draft
    const kernel: Kernel.Kernel = {
      ...Kernel.standard,
      rules: { version: 3, changes: [change] },
      decide: (terms, state, command) => {
        const decision = Kernel.decide(terms, state, command)
        if (options.keeps && !DecisionRules.binds(state, change)) return decision
        return { ...decision, drafts: decision.drafts.map(marked) }
      }
    }
    return kernel
  }
  const isBooking = ({ committed }: ChangedDecision) => committed.action?.tool === "book"

  const booked = Effect.gen(function* () {
    const store = yield* lab.shared
    yield* lab.as(lab.process(store))(
      Effect.gen(function* () {
        const handle = yield* lab.open()
        yield* handle.propose(lab.note("seen"))
        yield* handle.propose(lab.book("LX1"))
      })
    )
    return store
  })

  const asked = (kernel: Kernel.Kernel) =>
    Effect.gen(function* () {
      const process = lab.process(yield* booked, { kernel, lawless: true })
      return yield* lab.as(process)(DecisionReplay.redecide(lab.trip, { kernel, secret: "secret" }))
    })

  it.effect("accuses no run of an earlier rule, names the change, and excuses nothing else (decision 0045)", () =>
    Effect.gen(function* () {
      const older = yield* asked(laterKernel(isBooking))
      assert.deepStrictEqual(older.differs, [])
      assert.deepStrictEqual(
        older.older.map(({ change, rules, tick }) => [change, rules, tick]),
        [["bookings_are_marked", 2, 3]]
      )
      const blamed = yield* asked(laterKernel(() => false))
      assert.deepStrictEqual([blamed.differs.map(({ tick }) => tick), blamed.older], [[3], []])
      const kept = yield* asked(laterKernel(() => false, { keeps: true }))
      assert.deepStrictEqual([kept.differs, kept.older], [[], []])
      assert.isAbove(kept.obeyed, older.obeyed)
    })
  )

  it.effect(
    "knows the rules by which a run goes on: the first decision under others names them, and reading does not",
    () =>
      Effect.gen(function* () {
        const store = yield* booked
        const kernel = laterKernel(() => true, { keeps: true })
        const process = lab.process(store, { kernel })
        yield* lab.as(process)(lab.open())
        assert.notInclude(lab.types(yield* lab.as(process)(lab.transitions())), "run.migrated")
        yield* lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            const before = (yield* handle.position).head.tick
            assert.strictEqual((yield* handle.propose(lab.book("LX2")))._tag, "Done")
            yield* handle.propose(lab.note("after"))
            const all = (yield* lab.transitions()).slice(before)
            assert.deepStrictEqual(all[0]?.body, { author: "kernel", data: { rules: 3 }, type: "run.migrated" })
            assert.deepInclude(all[1]?.body.action, { id: `a${before + 2}`, tool: "book" })
            assert.strictEqual(lab.types(all).filter((type) => type === "run.migrated").length, 1)
          })
        )
        const now = yield* lab.as(process)(DecisionReplay.redecide(lab.trip, { kernel, secret: "secret" }))
        assert.deepStrictEqual([now.differs, now.older], [[], []])
        // Before the run said otherwise it was decided by other rules, and from there on by none but these.
        const forgetful = { ...kernel, decide: Kernel.decide }
        const after = yield* lab.as(process)(DecisionReplay.redecide(lab.trip, { kernel: forgetful, secret: "secret" }))
        assert.isAbove(after.differs.length, 0)
        assert.deepStrictEqual(after.older, [])
      })
  )
})
