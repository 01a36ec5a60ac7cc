/** The pack in force against runs that were recorded under it: nothing has changed, however a run went. */
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Enforcement } from "@backstitch/kernel/Enforcement"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Forking from "@backstitch/runtime/Forking"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as lab from "../../runtime/test/lab.ts"
import * as PackTrial from "../src/PackTrial.ts"
import * as ReleaseCandidate from "../src/ReleaseCandidate.ts"

const { book, fax, look, tell } = lab.definition.tools

/** The tools of the contract beside `book`. */
const others = { look, tell, fax, wipe: { ...tell, class: "critical_mutation" } }

const readback = {
  source: "airline",
  expect: ["actual.price == args.price", "actual.flight == args.flight"],
  within: "2s"
}

const packWith = (change: Partial<Definition> = {}) =>
  Result.getOrThrow(
    TaskPack.make({
      ...lab.definition,
      tools: { ...others, book: { ...book, readback } },
      approvals: { book: { when: "args.price > 85", by: ["manager"] } },
      budgets: { steps: 20, refusals: 6 },
      ...change
    } as Definition)
  )

const pack = packWith()

const opened = (id: string, enforcement?: Enforcement) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
    coordinator.open(Run.make(id), { pack, goal: id, enforcement })
  )

/** Proposes, and lets a manager approve what waits for one. */
const approved = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, proposal: Proposal) {
  const outcome = yield* handle.propose(proposal)
  if (outcome._tag !== "Parked") return outcome
  const data = { by: "Ada", review: outcome.review ?? "", role: outcome.needs[0]!, verdict: "approved" }
  yield* handle.propose({ type: "review.decided", author: "user", data })
  return yield* handle.propose(proposal)
})

const extension: Proposal = {
  type: "policy.contract_extension",
  author: "institution",
  data: {
    target_contract: "book",
    approved_by: "board",
    effective_from_tick: 6,
    adds_violations: [{ id: "rich", when: "world.spent > 100" }]
  }
}

/** Runs that went in every way: approved, out of budget, refused, parked, held, extended, staged, forked, alarmed. */
const recorded = Effect.gen(function* () {
  const world = new lab.World()
  const process = lab.process(yield* lab.shared, { world })
  yield* lab.as(process)(
    Effect.gen(function* () {
      const plain = yield* opened("plain")
      assert.strictEqual((yield* approved(plain, lab.book("LX1", 90)))._tag, "Done")
      for (const proposal of [
        lab.book("LX2", 300),
        lab.book("LX3", 88),
        { tool: "launch", params: {} },
        lab.tell("ada")
      ]) {
        yield* plain.propose(proposal)
      }
      yield* Forking.fork({ parent: plain.run, at: 7, child: Run.make("early") })
      const { head } = yield* plain.position
      const late = Run.make("late")
      yield* Forking.fork({ parent: plain.run, at: head.tick, child: late, toolPolicy: ["tell=approve", "look=deny"] })
      const fork = yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(late))
      yield* approved(fork, lab.tell("bob"))
      yield* fork.propose(lab.look("hotels"))

      const extended = yield* opened("extended")
      assert.strictEqual((yield* extended.propose(extension))._tag, "Done")
      yield* approved(extended, lab.book("LX4", 90))
      yield* approved(extended, lab.book("LX5", 95))

      for (const stage of [0, 1, 2]) {
        const staged = yield* opened(`stage-${stage}`, { stage, types: { tell: 3 } })
        yield* staged.propose(lab.book(`S${stage}`, 300))
        yield* staged.propose({ tool: "launch", params: {} })
        yield* staged.propose(lab.tell(`stage ${stage}`))
      }

      const spent = yield* opened("spent")
      for (let turn = 0; turn < 30; turn++) yield* spent.propose(lab.note(`${turn}`))
      const alarmed = yield* opened("alarmed")
      const breakGlass = { by: "Ada", reason: "fire" }
      yield* alarmed.propose({ tool: "wipe", params: { to: "all" }, author: "user", breakGlass })
      yield* alarmed.propose({ tool: "wipe", params: { to: "none" } })
      const held = yield* opened("held")
      world.faults.push("lost")
      yield* lab.elapsing(held.propose({ tool: "fax", params: { to: "1" } }))
      world.faults.push("lost")
      yield* lab.elapsing(held.propose(lab.book("LX6")))
      world.faults.push("refused")
      yield* held.propose(lab.book("LX7"))
      for (const id of ["x-one", "x-two"]) yield* Effect.flatMap(opened(id), (handle) => handle.propose(lab.book(id)))
    })
  )
  return (candidate: Partial<ReleaseCandidate.ReleaseCandidate>, options: Partial<ReleaseCandidate.Options> = {}) =>
    lab.as(process)(
      Effect.gen(function* () {
        const runs = yield* Effect.flatMap(TraceStore.TraceStore, (trace) => trace.runs(lab.trip.tenant))
        const canary = { canary: runs.filter(({ run }) => /^(extended|late|x-)/.test(run.id)), rest: runs }
        const about = { secret: "secret", runs, canary, actionsMin: 2, ...options }
        const gated = yield* ReleaseCandidate.judge({ validate: () => undefined, ...candidate }, about)
        const tried = yield* Effect.forEach(runs, ({ run }) =>
          PackTrial.run(run, { pack: candidate.pack, secret: "secret" })
        )
        return { gates: Object.fromEntries(gated.map((each) => [each.gate, each])), tried }
      })
    )
})

describe("the pack in force", () => {
  it.effect("finds no change in runs that were recorded under it, whatever their course", () =>
    Effect.gen(function* () {
      const judge = yield* recorded
      const { gates, tried } = yield* judge({ pack })
      assert.deepStrictEqual(
        tried.flatMap(({ changes }) => changes),
        []
      )
      assert.isAbove(tried.length, 9)
      for (const gate of ["trace_replay", "predicate_diff", "ledger_schema", "unknown_state"]) {
        assert.deepStrictEqual([gate, gates[gate]?.against], [gate, []])
      }
      const codes = gates["canary"]?.objections.map(({ code }) => code) ?? []
      assert.notInclude(codes, "canary_pack")
      // What lacks evidence says so, and says nothing of a change.
      for (const line of gates["failure_injection"]?.against ?? []) assert.match(line, /was not tried: no success/)
    })
  )

  it.effect("is told from a changed one by the gates that the change is about", () =>
    Effect.gen(function* () {
      const judge = yield* recorded
      const against = (candidate: Partial<ReleaseCandidate.ReleaseCandidate>) =>
        Effect.map(
          judge(candidate),
          ({ gates }) =>
            (gate: string) =>
              gates[gate]?.against.join("\n") ?? ""
        )
      const free = yield* against({ pack: packWith({ approvals: {} }) })
      assert.include(free("trace_replay"), 'came to "needs an approval" and comes to "allowed"')
      assert.include(free("canary"), "extended of the canary ran under another pack")
      const strict = yield* against({
        pack: packWith({ guards: [{ id: "dear", on: "book", refuse_if: "args.price > 85" }] })
      })
      assert.include(strict("trace_replay"), 'comes to "refused by dear"')
      const weak = { ...readback, expect: ["true"] }
      const blind = yield* against({
        pack: packWith({ tools: { ...others, book: { ...book, readback: weak } } as never })
      })
      assert.include(blind("predicate_diff"), "- actual.price == args.price")
      assert.match(blind("failure_injection"), /was taken for success/)
      const narrow = yield* against({ pack: packWith({ tools: others as never, guards: [], approvals: {} }) })
      assert.include(
        narrow("trace_replay"),
        'came to "extended" and comes to "The extension of book may not be committed'
      )
    })
  )

  it.effect.prop(
    "finds no change in a run of any proposals, whatever became of them",
    [Schema.Array(Schema.Literals(["dear", "cheap", "forbidden", "tell", "lost", "note", "unknown", "wrong"]))],
    ([words]) =>
      Effect.gen(function* () {
        const world = new lab.World()
        const process = lab.process(yield* lab.shared, { world })
        const { changes } = yield* lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened("any")
            for (const [index, word] of words.slice(0, 8).entries()) {
              if (word === "lost") world.faults.push("lost")
              yield* lab.elapsing(
                approved(
                  handle,
                  {
                    dear: lab.book(`D${index % 2}`, 90),
                    cheap: lab.book(`C${index}`, 10),
                    forbidden: lab.book("F1", 300),
                    tell: lab.tell(`${index % 2}`),
                    lost: lab.book(`L${index}`, 20),
                    note: lab.note("n"),
                    unknown: { tool: "launch", params: { index } },
                    wrong: { tool: "book", params: { flight: 7 } }
                  }[word]
                )
              )
            }
            return yield* PackTrial.run(handle.run, { pack, secret: "secret" })
          })
        )
        assert.deepStrictEqual(changes, [])
      }),
    { arbitrary: { runs: 60 } }
  )
})
