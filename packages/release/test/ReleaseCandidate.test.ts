import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as ActionLedgerSchema from "@backstitch/ledger/ActionLedgerSchema"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Lexicon from "@backstitch/runtime/Lexicon"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as foreignWords from "../../runtime/test/foreignWords.ts"
import * as lab from "../../runtime/test/lab.ts"
import * as Limits from "../src/Limits.ts"
import * as PackTrial from "../src/PackTrial.ts"
import * as RecoveryDrill from "../src/RecoveryDrill.ts"
import * as ReleaseCandidate from "../src/ReleaseCandidate.ts"
import * as ReleaseGate from "../src/ReleaseGate.ts"
import * as SimulatedWorld from "../src/simulation/SimulatedWorld.ts"

const { book, look } = lab.definition.tools

const packWith = (expect: ReadonlyArray<string>, version = "1.0.0") =>
  Result.getOrThrow(
    TaskPack.make({
      ...lab.definition,
      version,
      tools: { look, book: { ...book, readback: { source: "airline", expect: [...expect], within: "2s" } } }
    })
  )

const pack = packWith(["actual.price == args.price", "actual.flight == args.flight"])

/** Runs of two tenants, each with two bookings. */
const recorded = Effect.gen(function* () {
  const store = yield* lab.shared
  const process = lab.process(store)
  yield* lab.as(process)(
    Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      for (const [tenant, id] of [
        ["default", "one"],
        ["default", "two"],
        ["pilot", "three"]
      ] as const) {
        const handle = yield* coordinator.open(Run.make(id, tenant), { pack, goal: id })
        yield* handle.propose(lab.book(`${id}-a`))
        yield* handle.propose(lab.book(`${id}-b`, 70))
      }
    })
  )
  return (
    candidate: Partial<ReleaseCandidate.ReleaseCandidate> = {},
    options: Partial<ReleaseCandidate.Options> = {}
  ) =>
    lab.as(process)(
      Effect.gen(function* () {
        const trace = yield* TraceStore.TraceStore
        const runs = yield* trace.runs(Run.make("any").tenant)
        const canary = yield* trace.runs(Run.make("any", "pilot").tenant)
        const gated = yield* ReleaseCandidate.judge(
          { validate: () => undefined, ...candidate },
          { secret: "secret", runs, canary: { canary, rest: runs }, actionsMin: 2, ...options }
        )
        return Object.fromEntries(gated.map((each) => [each.gate, each]))
      })
    )
})

const failing = (gated: Readonly<Record<string, ReleaseCandidate.Gated>>): ReadonlyArray<string> =>
  Object.values(gated).flatMap(({ gate, passed }) => (passed ? [] : [gate]))

describe("ReleaseCandidate", () => {
  it.effect("is made of the schema in force, or refused with a schema or a table that is none", () =>
    Effect.gen(function* () {
      const { schema, table, validate } = yield* ReleaseCandidate.make({})
      assert.deepStrictEqual([schema, table], [ActionLedgerSchema.schema, undefined])
      assert.match(validate({} as never) ?? "", /must have required property 'action_id'/)
      const made = (parts: ReleaseCandidate.Parts) => Effect.flip(ReleaseCandidate.make(parts))
      assert.match(
        (yield* made({ schema: { type: "thing" } })).message,
        /no JSON Schema \(2020-12\): schema is invalid/
      )
      assert.strictEqual((yield* made({ table: {} }))._tag, "TableInvalid")
    })
  )

  it.effect("passes all eight gates for the pack in force, each of which has checked something", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const gated = yield* gates()
      assert.deepStrictEqual(
        Object.values(gated).flatMap(({ against }) => against),
        []
      )
      assert.lengthOf(Object.keys(gated), 8)
      for (const { examined, ran } of Object.values(gated)) {
        assert.isAbove(examined, 0)
        assert.notStrictEqual(ran, "")
      }
    })
  )

  it.effect("leaves no sentence of ours in gates and trials with another lexicon", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const again = { when: {}, action: "retry_same_key", because: "tried" } as const
      const candidates: ReadonlyArray<Partial<ReleaseCandidate.ReleaseCandidate>> = [
        { pack: packWith(["true", "actual.price < 75"], "2.0.0") },
        { table: { ...RecoveryTable.sections, unknown_state: [again] } },
        { schema: { type: "object", required: ["new"], properties: {} } }
      ]
      const options = { canary: undefined, actionsMin: 9 }
      for (const candidate of candidates) {
        const gated = yield* gates(candidate, options).pipe(Effect.provideService(Lexicon.Lexicon, foreignWords.marks))
        assert.isNotEmpty(failing(gated))
        assert.deepStrictEqual(foreignWords.sentencesIn(gated, ""), [])
      }
      const tried = yield* lab
        .as(lab.process(yield* lab.shared))(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const handle = yield* coordinator.open(lab.trip, { pack, goal: "trip" })
            yield* handle.propose(lab.book("LX1"))
            return yield* PackTrial.run(lab.trip, { pack: packWith(["actual.price < 75"], "2.0.0"), secret: "secret" })
          })
        )
        .pipe(Effect.provideService(Lexicon.Lexicon, foreignWords.marks))
      assert.isNotEmpty(tried.changes)
      for (const { after, before } of tried.changes) assert.match(`${before} ${after}`, /^⟦.*⟧.* ⟦.*⟧/)
    })
  )

  it.effect("catches a predicate that was weakened to true: by its review, and by the successes that it accepts", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const weak = { pack: packWith(["true"], "2.0.0") }
      const gated = yield* gates(weak, { canary: undefined })
      assert.includeMembers([...failing(gated)], ["predicate_diff", "failure_injection"])
      assert.include(gated["predicate_diff"]?.against.join(), "- actual.price == args.price")
      assert.include(
        gated["failure_injection"]?.against.join(),
        "partial_commit of book (two/a7) was taken for success"
      )
      // That somebody has looked at it does not make it better.
      const reviewed = yield* gates(weak, { canary: undefined, reviewed: ["book"] })
      assert.notInclude(failing(reviewed), "predicate_diff")
      assert.include(failing(reviewed), "failure_injection")
    })
  )

  it.effect("catches a predicate under which recorded actions have another outcome, unless that was accepted", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const strict = { pack: packWith(["actual.price == args.price", "actual.price < 75"], "2.0.0") }
      const gated = yield* gates(strict, { reviewed: ["book"] })
      assert.include(failing(gated), "trace_replay")
      assert.lengthOf(gated["trace_replay"]?.against ?? [], 2)
      const actions = gated["trace_replay"]!.against.map((line) => line.split(" ")[0]!)
      assert.notInclude(failing(yield* gates(strict, { reviewed: ["book"], accepted: actions })), "trace_replay")
    })
  )

  it.effect("catches a contract under which a recorded proposal is decided otherwise, unless that was accepted", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const readback = { source: "airline", expect: ["actual.price == args.price"], within: "2s" }
      const guarded = Result.getOrThrow(
        TaskPack.make({
          ...lab.definition,
          version: "2.0.0",
          tools: { look, book: { ...book, readback } },
          guards: [{ id: "cheap", on: "book", refuse_if: "args.price == 70" }]
        })
      )
      const gated = yield* gates({ pack: guarded })
      const lines = gated["trace_replay"]?.against ?? []
      assert.include(lines.join("\n"), "refused by")
      const accepted = lines.map((line) => line.split(" ")[0]!)
      assert.notInclude(failing(yield* gates({ pack: guarded }, { accepted })), "trace_replay")
    })
  )

  it.effect("catches a tool that was never tried, unless that was accepted", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const readback = { source: "airline", expect: ["actual.price == args.price"], within: "2s" }
      const more = Result.getOrThrow(
        TaskPack.make({
          ...lab.definition,
          version: "2.0.0",
          tools: { look, book: { ...book, readback }, rebook: { ...book, readback } }
        })
      )
      const gated = yield* gates({ pack: more })
      assert.include(gated["failure_injection"]?.against.join(), "rebook was not tried")
      assert.notInclude(failing(yield* gates({ pack: more }, { undrilled: ["rebook"] })), "failure_injection")
    })
  )

  it.effect("catches a row of the table that was turned into a blind retry (L7)", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const rows = RecoveryTable.sections.pending_timeout
      const last = rows.at(-1)!
      const blind = { ...last, action: "retry_same_key", because: "it may have been lost" }
      const table = JSON.parse(
        JSON.stringify({ ...RecoveryTable.sections, pending_timeout: [...rows.slice(0, -1), blind] })
      )
      const gated = yield* gates({ table: Result.getOrThrow(RecoveryTable.fromJson(table)) })
      assert.deepStrictEqual(failing(gated), ["unknown_state"])
      assert.include(gated["unknown_state"]?.against.join(), "leads to retry_same_key")
    })
  )

  it.effect("catches a table that is unsafe in a section that no recorded action comes to (L5, L7, L8)", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const blind = [{ when: {}, action: "retry_same_key", because: "it may have been lost" }] as const
      const table = {
        ...RecoveryTable.sections,
        provider_outage: blind,
        verification_timeout: blind,
        partial_success: blind,
        compensation_failure: [{ when: {}, action: "settle_as_is", because: "it is over" }] as const
      }
      const gated = yield* gates({ table })
      assert.deepStrictEqual(failing(gated), ["unknown_state"])
      const lines = gated["unknown_state"]?.against.join("\n")
      for (const section of ["provider_outage", "verification_timeout", "partial_success", "compensation_failure"]) {
        assert.include(lines, `row 1 of ${section}, critical_mutation, leads to`)
      }
    })
  )

  it.effect("catches a field that the schema of the ledger has lost", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const { recovery: _, ...properties } = ActionLedgerSchema.schema.properties
      const schema = { ...ActionLedgerSchema.schema, properties }
      const validate = (entry: object) => ("recovery" in entry ? "recovery is not allowed" : undefined)
      const gated = yield* gates({ schema, validate })
      assert.deepStrictEqual(failing(gated), ["ledger_schema"])
      const lines = gated["ledger_schema"]?.against ?? []
      assert.include(lines[0], "entry.recovery is gone")
      assert.lengthOf(
        lines.filter((line) => line.includes("is not taken: recovery")),
        4
      )
    })
  )

  it.effect("stops a canary that is none, has seen too little, or ran under another pack", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const without = yield* gates({}, { canary: undefined })
      assert.deepStrictEqual(failing(without), ["canary"])
      const few = yield* gates({}, { actionsMin: 3 })
      assert.include(few["canary"]?.against.join(), "the canary saw 2 actions, and 3 are needed")
      const untold = yield* gates({}, { actionsMin: undefined })
      const { canaryActionsMin } = Limits.refusing
      assert.include(untold["canary"]?.against.join(), `the canary saw 2 actions, and ${canaryActionsMin} are needed`)
      const other = yield* gates({ pack: packWith(["actual.price == args.price"], "2.0.0") }, { reviewed: ["book"] })
      assert.include(other["canary"]?.against.join(), "three of the canary ran under another pack")
    })
  )

  it.effect("passes nothing for a history in which nothing succeeded", () =>
    Effect.gen(function* () {
      const gates = yield* recorded
      const gated = yield* gates({}, { runs: [] })
      assert.includeMembers(
        [...failing(gated)],
        ["trace_replay", "predicate_diff", "failure_injection", "recovery_drill"]
      )
    })
  )
})

describe("Drilling", () => {
  const played = (fault: SimulatedWorld.WorldFault) =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      return yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
          yield* handle.propose(lab.book("LX1"))
          const [subject] = yield* RecoveryDrill.subjects(lab.trip)
          return yield* RecoveryDrill.play(subject!, { fault, kernel: Kernel.standard })
        })
      )
    })

  it.effect("plays a recorded success again, and each failure to its own end, never twice (L7, L14)", () =>
    Effect.gen(function* () {
      const ends = {
        none: ["Done", undefined],
        stale_read: ["Done", undefined],
        timeout: ["Held", "unknown_state"],
        duplicate: ["Held", "duplicate_side_effect"],
        wrong_tenant: ["Held", "wrong_target_modified"],
        lost: ["Done", "no_op_failure"],
        mismatch: ["Held", "value_mismatch"]
      } as const
      for (const [fault, [outcome, discrepancy]] of Object.entries(ends)) {
        const found = yield* played(fault as SimulatedWorld.WorldFault)
        assert.deepStrictEqual([fault, found.outcome._tag, found.history?.discrepancy], [fault, outcome, discrepancy])
        assert.deepStrictEqual([fault, found.told], [fault, outcome === "Done"])
        assert.isAtMost(found.effects, 1)
        assert.strictEqual(found.keys, 1)
      }
    })
  )
})

describe("Drilling a contract that names the undoing of a booking", () => {
  const { undo: _, ...rest } = book
  const unbook = {
    ...rest,
    input: { id: "string" },
    target: "'booking/' + args.id",
    identity: { scope: "run", fields: [{ id: "exact" }] },
    readback: { source: "airline", expect: ["actual.status == 'void'", "actual.id == args.id"], within: "2s" },
    undo: "X",
    on_reconciled: []
  } as const
  const reversible = Result.getOrThrow(
    TaskPack.make({
      ...lab.definition,
      approvals: { unbook: { by: ["manager"] } },
      tools: { look, book: { ...rest, undo: { class: "K", by: "unbook", with: { id: "actual.id" } } }, unbook }
    })
  )

  it.effect("reverses wrong outcomes, also if a person has to agree, and drills that (L5)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const process = lab.process(store)
      yield* lab.as(process)(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: reversible, goal: "goal" })
          yield* handle.propose(lab.book("LX1"))
          const [subject] = yield* RecoveryDrill.subjects(lab.trip)
          assert.deepStrictEqual(ReleaseGate.pathsOf(subject!.tool, subject!.pack), [
            "compensation",
            "compensation_failure",
            "forward_recovery"
          ])
          const played = yield* RecoveryDrill.play(subject!, { fault: "mismatch", kernel: Kernel.standard })
          assert.deepStrictEqual([played.history?.state, played.history?.undo], ["compensated", "undone"])
          assert.isFalse(played.told)
          const stubborn = yield* RecoveryDrill.play(subject!, { fault: "unreversed", kernel: Kernel.standard })
          assert.deepStrictEqual(
            [stubborn.outcome._tag, stubborn.history?.discrepancy, stubborn.told],
            ["Held", "compensation_required", false]
          )
          const trace = yield* TraceStore.TraceStore
          const runs = yield* trace.runs(lab.trip.tenant)
          const gated = yield* ReleaseCandidate.judge({ validate: () => undefined }, { runs })
          const drill = gated.find(({ gate }) => gate === "recovery_drill")
          assert.deepInclude(drill, { passed: true, examined: 4, against: [] })
        })
      )
    })
  )
})

describe("Drilling a contract that looks before it sends, and owes something behind a pivot", () => {
  const readback = {
    source: "airline",
    expect: ["actual.price == args.price", "actual.flight == args.flight"],
    within: "2s",
    before: "permit",
    version: { planned: "args.flight", actual: "actual.flight" }
  } as const
  const { tell } = lab.definition.tools
  const forward = (to?: string) => [{ tool: "tell", ...(to === undefined ? {} : { with: { to } }) }]
  const packOf = (
    skeletons: NonNullable<Parameters<typeof TaskPack.make>[0]["skeletons"]>,
    before: "permit" | "refuse" = "permit"
  ) =>
    Result.getOrThrow(
      TaskPack.make({
        ...lab.definition,
        tools: { look, tell, book: { ...book, readback: { ...readback, before } } },
        skeletons
      })
    )
  const trip = { tools: ["look", "book", "tell"], pivot: ["book"] }

  const drilled = <A>(
    contract: TaskPack.TaskPack,
    body: (subject: RecoveryDrill.DrilledAction) => Effect.Effect<A, unknown, TraceStore.TraceStore>
  ) =>
    Effect.gen(function* () {
      const process = lab.process(yield* lab.shared)
      return yield* lab.as(process)(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: contract, goal: "goal" })
          yield* handle.propose(lab.book("LX1"))
          const [subject] = yield* RecoveryDrill.subjects(lab.trip)
          yield* body(subject!)
          const runs = yield* Effect.flatMap(TraceStore.TraceStore, (trace) => trace.runs(lab.trip.tenant))
          const gated = yield* ReleaseCandidate.judge({ validate: () => undefined }, { runs, undrilled: ["tell"] })
          return Object.fromEntries(gated.map((each) => [each.gate, each]))
        })
      )
    })

  it.effect("plays effects that existed before, changes of others, and acts that are answered and never done", () =>
    Effect.gen(function* () {
      const gates = yield* drilled(packOf({}), (subject) =>
        Effect.gen(function* () {
          assert.includeMembers(
            [...ReleaseGate.faultsOf(subject.tool, subject.pack)],
            ["ignored", "no_op", "stale_version"]
          )
          const stale = yield* RecoveryDrill.play(subject, { fault: "stale_version", kernel: Kernel.standard })
          assert.deepStrictEqual([stale.history?.discrepancy, stale.effects, stale.keys], ["stale_state", 0, 0])
          const noOp = yield* RecoveryDrill.play(subject, { fault: "no_op", kernel: Kernel.standard })
          assert.deepStrictEqual([noOp.outcome._tag, noOp.history?.discrepancy], ["Done", "no_op_success"])
          assert.strictEqual(noOp.effects, 0)
          const ignored = yield* RecoveryDrill.play(subject, { fault: "ignored", kernel: Kernel.standard })
          assert.deepStrictEqual([ignored.outcome._tag, ignored.history?.discrepancy], ["Held", "no_op_failure"])
          assert.deepStrictEqual([ignored.told, ignored.effects, ignored.keys], [false, 0, 1])
        })
      )
      assert.deepStrictEqual(gates["failure_injection"]?.against, [])
      const unseen = yield* drilled(pack, (subject) =>
        Effect.sync(() =>
          assert.notIncludeMembers([...ReleaseGate.faultsOf(subject.tool, subject.pack)], ["no_op", "stale_version"])
        )
      )
      assert.isTrue(unseen["failure_injection"]?.passed)
      const refusing = yield* drilled(packOf({}, "refuse"), (subject) =>
        Effect.map(RecoveryDrill.play(subject, { fault: "no_op", kernel: Kernel.standard }), ({ outcome }) =>
          assert.strictEqual(outcome._tag, "Held")
        )
      )
      assert.deepStrictEqual(refusing["failure_injection"]?.against, [])
    })
  )

  it.effect("completes the steps behind a pivot although the first request of each is lost (L14)", () =>
    Effect.gen(function* () {
      const owing = packOf({ trip: { ...trip, forward: forward("steps.book.args.flight") } })
      const gates = yield* drilled(owing, (subject) =>
        Effect.gen(function* () {
          assert.isTrue(ReleaseGate.obliges(subject.tool, owing))
          const played = yield* RecoveryDrill.play(subject, { fault: "remains", kernel: Kernel.standard })
          assert.deepStrictEqual([played.outcome._tag, played.left], ["Done", []])
        })
      )
      assert.deepInclude(gates["recovery_drill"], { passed: true, against: [] })
      assert.include(gates["recovery_drill"]?.ran, "forward_recovery")
      const astray = packOf({ trip: { ...trip, forward: forward("steps.book.actual.nobody") } })
      const lacking = yield* drilled(astray, () => Effect.void)
      assert.include(lacking["recovery_drill"]?.against.join(), "forward_recovery ended at review_required")
      const asking = packOf({ trip: { ...trip, forward: forward() } })
      yield* drilled(asking, (subject) => Effect.sync(() => assert.isFalse(ReleaseGate.obliges(subject.tool, asking))))
    })
  )
})

describe("SimulatedWorld", () => {
  it.effect("answers as it was recorded, under the key of now", () =>
    Effect.gen(function* () {
      const params = { flight: "LX1", price: 80 }
      const actual = { ...params, reference: "old", seats: [{ by: "old" }] }
      const record = { tool: "book", params, key: "old", observed: { id: "B1" }, actual }
      const { effects, executor, keys, shown } = SimulatedWorld.make(record, { fault: "none", pack })
      const request = { tool: "book", action: "a1", params, key: "new", deadlineMillis: 1 }
      assert.deepStrictEqual(yield* executor.status(request), { _tag: "NotFound" })
      assert.deepStrictEqual(yield* executor.call(request), { _tag: "Ok", output: { id: "B1" } })
      assert.deepStrictEqual(yield* executor.readback(request), {
        _tag: "Ok",
        output: { ...actual, reference: "new", seats: [{ by: "new" }] }
      })
      yield* executor.call(request)
      assert.deepStrictEqual([effects(), keys(), shown()], [1, 1, true])
    })
  )
})
