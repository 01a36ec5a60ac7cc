/**
 * Plays what golden traces hold beside the example: a run that does what runs can do, one that is undone, a fork of
 * that and its rebase, and one that another writer left in the midst of a commit.
 * With them, every type that is written stands in a golden trace. They were recorded as `excursion-1` to `excursion-5`.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Export from "@backstitch/trace/Export"
import * as Run from "@backstitch/trace/Run"
import * as Diff from "@backstitch/version-control/Diff"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as Bisecting from "../src/versioning/Bisecting.ts"
import * as CherryPicking from "../src/versioning/CherryPicking.ts"
import * as Diffing from "../src/versioning/Diffing.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as Rebasing from "../src/versioning/Rebasing.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"

const times = { sendWithin: "50ms", settleAfter: "10ms", keyRetention: "1h" } as const
const keyed = { class: "medium_risk_write", idempotency: "idempotent_write", status: "by_key", times } as const

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.excursions",
    version: "1.0.0",
    state: {
      world: { seats: "int", paid: "int" },
      working: { notes: { list: "string" }, plan: { type: "string", nullable: true } }
    },
    specification: { max: { holds: "world.paid <= clause.max", value: "int", default: 400 } },
    tools: {
      look: { class: "read_only", input: { q: "string" } },
      book: {
        ...keyed,
        input: { seat: "string" },
        target: "'seat/' + args.seat",
        identity: { scope: "goal", fields: [{ seat: "code" }] },
        readback: { source: "desk", expect: ["actual.status == 'booked'"], within: "100ms" },
        undo: { class: "K", by: "cancel", with: { seat: "args.seat" } },
        on_reconciled: [{ add: { field: "world.seats", value: "1" } }]
      },
      cancel: {
        ...keyed,
        input: { seat: "string" },
        target: "'seat/' + args.seat",
        identity: { scope: "goal", fields: [{ seat: "code" }] },
        readback: { source: "desk", expect: ["actual.status == 'cancelled'"], within: "100ms" },
        undo: "X",
        on_reconciled: [{ add: { field: "world.seats", value: "0 - 1" } }]
      },
      pay: {
        ...keyed,
        class: "high_risk_external",
        input: { bill: "string", amount: "int" },
        target: "'bill/' + args.bill",
        identity: { scope: "goal", fields: [{ bill: "code" }] },
        readback: { source: "bank", expect: ["actual.status == 'paid'"], within: "100ms" },
        undo: "X",
        on_reconciled: [{ add: { field: "world.paid", value: "args.amount" } }]
      }
    },
    approvals: { pay: { when: "args.amount > 100", by: ["manager"] } },
    guards: [
      { id: "sane", on: "pay", refuse_if: "args.amount > 1000" },
      { id: "purse", on: "pay", refuse_if: "args.amount <= 100 && world.paid + args.amount > 150" }
    ],
    violations: [{ id: "over", when: "world.paid > clause.max" }],
    reducers: { on: { "observation.add": [{ append: { list: "working.notes", item: "args.text" } }] } },
    skeletons: { outing: { tools: ["book", "pay"], aborts: ["pay"] } },
    budgets: { steps: 60, calls: { look: 2 }, verification: { action: 30 } }
  })
)

/** A desk and a bank: what is done under a key is done once, and the first answer after a fault is lost. */
class Town {
  private readonly records = new Map<string, JsonObject>()
  private readonly done = new Map<string, JsonObject>()
  /** Bills that the bank refuses, and seats whose next answer gets lost. */
  readonly refused = new Set<string>()
  readonly lost = new Set<string>()

  get executor() {
    const does = (status: string, nameOf: (params: JsonObject) => string): ToolExecutor.Tool => ({
      execute: (params: JsonObject, { key = "" }) => {
        const name = nameOf(params)
        if (this.refused.has(name)) throw new ToolExecutor.ToolRefused("the card is declined")
        const record = this.done.get(key) ?? { ...params, status }
        this.done.set(key, record)
        this.records.set(name, record)
        if (this.lost.delete(name)) throw new Error("the connection was cut")
        return record
      },
      status: async ({ key = "" }) => this.done.get(key),
      readback: async (_, params: JsonObject) => this.records.get(nameOf(params))
    })
    const seat = (params: JsonObject) => `seat ${params["seat"]}`
    return ToolExecutor.fromTools({
      look: { execute: ({ q }: { readonly q: string }) => ({ found: q }) },
      book: does("booked", seat),
      cancel: does("cancelled", seat),
      pay: does("paid", (params) => `bill ${params["bill"]}`)
    })
  }
}

const book = (seat: string): Proposal => ({ tool: "book", params: { seat } })
const pay = (bill: string, amount: number): Proposal => ({ tool: "pay", params: { amount, bill } })

const extension: JsonObject = {
  target_contract: "book",
  approved_by: "board",
  effective_from_tick: 12,
  adds_violations: [{ id: "crowded", when: "world.seats > 1" }]
}

const known = goldens.names().filter((name) => name.startsWith("excursion-")).length
const nth = (index: number): Run.Run => Run.make(`excursion-${known + index}`)
const [whole, undone, fork, rebased, dropped] = [nth(1), nth(2), nth(3), nth(4), nth(5)]

/** Proposes, and lets a manager approve what waits for one. */
const approved = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, proposal: Proposal) {
  const outcome: Outcome = yield* handle.propose(proposal)
  if (outcome._tag !== "Parked") return outcome
  const data = { by: "Ada", review: outcome.review ?? "", role: "manager", verdict: "approved" }
  yield* handle.propose({ type: "review.decided", author: "user", data })
  return yield* handle.propose(proposal)
})

const opening = (run: Run.Run) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
    coordinator.open(run, { pack, goal: run.id, text: "An outing to the lake" })
  )

/** Everything that a run can have that goes well in the end. */
const outing = Effect.fnUntraced(function* (town: Town) {
  const handle = yield* opening(whole)
  const asks: ReadonlyArray<Proposal> = [
    { type: "message.received", author: "user", data: { text: "Take us to the lake" } },
    { type: "plan.update", data: { steps: ["book", "pay"] } },
    { type: "observation.add", data: { text: "the lake is calm" }, confidence: 0.8 },
    { type: "memory.write", data: { text: "they like the lake" } },
    { type: "artifact.write", data: { text: "an itinerary" } },
    { type: "anomaly.flag", data: { text: "two lakes have that name" } },
    { type: "policy.contract_extension", author: "institution", data: extension }
  ]
  for (const each of asks) yield* handle.propose(each)
  for (const q of ["boats", "trains", "buses"]) yield* handle.propose({ tool: "look", params: { q } })
  for (const _ of ["once", "again"]) yield* handle.propose(book("1A"))
  town.lost.add("seat 1B")
  yield* handle.propose(book("1B"))
  yield* handle.resume
  yield* handle.propose(pay("too dear", 2000))
  yield* approved(handle, pay("boat", 150))
  yield* approved(handle, pay("supper", 300))
  yield* handle.propose({ type: "action.reconciled", data: { state: "committed" } })
  yield* handle.propose({ type: "message.sent", data: { text: "You are booked", reports: [] } })
  yield* handle.propose({ type: "goal.complete" })
})

/** Another writer commits a request alone, and ends: nothing of it was begun. */
const left = Effect.fnUntraced(function* () {
  const handle = yield* opening(dropped)
  const { asOf, head } = yield* handle.position
  const version = `${pack.id}@${pack.version}`
  const action = { class: "medium_risk_write", id: `a${head.tick + 1}`, params: { seat: "3A" }, tool: "book" }
  const policy = { checks: ["authorship", "contract", "schema", "budget"], decision: "allow", version } as const
  const body = { action, author: "agent", policy, type: "action.request" } as const
  yield* handle.commit([{ body, envelope: { ts: asOf }, stamp: { asOf } }])
  yield* handle.resume
  yield* handle.propose(book("3A"))
})

/** A payment is declined, and what was booked for it is given back. */
const declined = Effect.fnUntraced(function* (town: Town) {
  const handle = yield* opening(undone)
  town.refused.add("bill hotel")
  yield* handle.propose(book("2A"))
  yield* handle.propose(pay("hotel", 50))
  yield* handle.resume
  yield* handle.propose(pay("deposit", 90))
})

/**
 * Puts searches and comparisons on record. A fork goes on with a share of what was left, and its rebase
 * stops at what the purse no longer has.
 */
const searched = Effect.gen(function* () {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(whole)
  yield* Bisecting.record(whole, yield* Bisecting.bisect(whole, { predicate: "over" }))
  yield* handle.annotate("diff.summary", Diff.toBody(yield* Diffing.diff(whole, undone)).data)
  yield* Forking.fork({ parent: undone, at: 1, child: fork, budget: ["steps=5"] })
  yield* CherryPicking.pick({ from: whole, tick: 4, onto: fork })
  yield* (yield* coordinator.reopen(fork)).propose(pay("fee", 70))
  yield* Rebasing.begin({ run: fork, onto: undone, as: rebased })
})

/** All five, in a store in memory. The first begins under rules before ours, and is migrated to them. */
export const recorded = Effect.gen(function* () {
  const store = yield* lab.shared
  const town = new Town()
  const process = (kernel: Kernel.Kernel) =>
    lab.process(store, { executor: town.executor, kernel, lawless: true, secret: "golden" })
  const before: Kernel.Kernel = { ...Kernel.standard, rules: { version: 0, changes: [] } }
  yield* lab.as(process(before))(opening(whole))
  yield* lab.as(process(Kernel.standard))(outing(town))
  yield* lab.as(process(Kernel.standard))(declined(town))
  yield* lab.as(process(Kernel.standard))(searched)
  yield* lab.as(process(Kernel.standard))(left())
  return yield* lab.as(process(Kernel.standard))(
    Effect.forEach([whole, undone, fork, rebased, dropped], (run) =>
      Effect.map(RunExport.exportRun(run), (each) => [`${run.id}.jsonl`, Export.encode(each)] as const)
    )
  )
})
