import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Ledger from "../src/projections/Ledger.ts"
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
          return yield* Ledger.of(lab.trip, { wrapper: "test" })
        })
      )
      assert.deepStrictEqual(
        entries.map((entry) => entry.tool_contract.name),
        ["look", "book"]
      )
      assert.strictEqual(entries[1]?.reconciliation.status, "RECONCILED_SUCCESS")
      assert.strictEqual(entries[1]?.tool_contract.schema_version, lab.pack.digest)
      assert.strictEqual(entries[1]?.policy_context.recovery_policy_version, RecoveryTable.policyVersion())
      assert.deepStrictEqual(entries.flatMap(ActionLedgerEntry.missing), [])
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
          return yield* Ledger.audit(lab.trip, { wrapper: "test" })
        })
      )
      const { complete, entries, glass, incomplete, required, run } = audited
      assert.deepStrictEqual([run, entries.length, complete, required], [lab.trip.id, 2, 1, 1])
      assert.deepStrictEqual([incomplete, glass], [[], []])
    })
  )
})
