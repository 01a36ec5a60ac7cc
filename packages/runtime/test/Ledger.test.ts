import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Expression from "@backstitch/expressions/Expression"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as Ledger from "../src/projections/Ledger.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"

describe("Ledger", () => {
  it.effect("holds an entry for each action, under the pack in force, that lacks nothing", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const entries = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.look("flights"))
          yield* handle.propose(lab.book("LX1"))
          return yield* Ledger.of(lab.trip)
        })
      )
      assert.deepStrictEqual(
        entries.map((entry) => entry.tool_contract.name),
        ["look", "book"]
      )
      assert.strictEqual(entries[1]?.reconciliation.status, "RECONCILED_SUCCESS")
      assert.strictEqual(entries[1]?.tool_contract.schema_version, lab.pack.digest)
      assert.strictEqual(entries[1]?.policy_context.recovery_policy_version, "none")
      assert.deepStrictEqual(entries.flatMap(ActionLedgerEntry.missing), [])
    })
  )

  it.effect("names what a fork has left to its parent, whose record says what came of it", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const child = Run.make("other")
      const [whole, fork] = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          yield* Forking.fork({ parent: lab.trip, at: 3, child })
          return [yield* Ledger.audit(lab.trip), yield* Ledger.audit(child)] as const
        })
      )
      assert.deepStrictEqual(
        [whole.left, fork.left],
        [[], [{ action: "a2", isUndone: false, tool: "book", run: "trip" }]]
      )
    })
  )

  it.effect("tells what was done before a fork or an extension under the contract that was in force then", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const next = Result.getOrThrow(TaskPack.make({ ...lab.definition, version: "9.9.9" }))
      const versions = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          const { head } = yield* handle.position
          const child = Run.make("other")
          yield* Forking.fork({ parent: lab.trip, at: head.tick, child, pack: next })
          const fork = yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(child))
          yield* fork.propose(lab.book("LX2"))
          const history = yield* History.History
          const own = yield* history.transitions(child, { from: head.tick + 1 })
          const measured = yield* Ledger.context(child, own)
          return {
            parent: (yield* Ledger.of(lab.trip)).map((each) => each.tool_contract),
            fork: (yield* Ledger.of(child)).map((each) => each.tool_contract),
            own: ActionLedgerEntry.all(own, measured).map((each) => each.tool_contract)
          }
        })
      )
      const pinned = { name: "book", wrapper_version: `rules@${Kernel.standard.rules.version} ${Expression.engine}` }
      const before = { ...pinned, version: "acme.trips@1.0.0", schema_version: lab.pack.digest }
      const after = { ...pinned, version: "acme.trips@9.9.9", schema_version: next.digest }
      assert.deepStrictEqual(versions, { parent: [before], fork: [before, after], own: [after] })
    })
  )

  it.effect("says of how many actions that change the world the entry is complete", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const audited = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.look("flights"))
          yield* handle.propose(lab.book("LX1"))
          return yield* Ledger.audit(lab.trip)
        })
      )
      const { complete, entries, glass, incomplete, required, run } = audited
      assert.deepStrictEqual([run, entries.length, complete, required], [lab.trip.id, 2, 1, 1])
      assert.deepStrictEqual([incomplete, glass], [[], []])
    })
  )
})
