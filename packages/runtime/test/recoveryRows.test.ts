/** The 21 rows of the recovery table, each decided on what tools really did: on record, sent, and told. */

import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import { act, approving, cut, folded, keyed, plain, play, type Row, readback, refuse, takeBack, undo } from "./rows.ts"

const amended = {
  tools: { act: { ...plain, readback } },
  approvals: { act: { by: ["manager"] } }
} as const

const rows: ReadonlyArray<Row> = [
  {
    seed: 1,
    says: "reads again what does not show yet, and reports nothing before",
    tools: { act: { ...plain, readback } },
    code: (desk) => {
      const tool = desk.tool("act", () => undefined)
      let reads = 0
      return {
        act: {
          ...tool,
          readback: async () => desk.shows("read", ++reads < 3 ? { state: "old" } : { state: "done" })
        }
      }
    },
    decides: "retry_verification",
    log: ["act", "read"],
    ends: "Done",
    told: "success"
  },
  {
    seed: 2,
    says: "asks the primary once what a replica shows can no longer change, and believes that",
    tools: {
      act: {
        ...plain,
        readback: { ...readback, consistency: "eventual", strong: { source: "primary", from: "primary" } }
      }
    },
    code: (desk) => ({
      act: {
        ...desk.tool("act", (to) => void desk.boxes.set(to, { to, state: "old" })),
        sources: { primary: async () => desk.shows("primary", { state: "done" }) }
      }
    }),
    decides: "force_strong_read",
    log: ["act", "act: read", "primary"],
    ends: "Done",
    told: "success"
  },
  {
    seed: 3,
    says: "reverses what a strong read contradicts, and verifies the reversal",
    tools: {
      act: { ...plain, undo, readback: { ...readback, consistency: "eventual", strong: { source: "primary" } } },
      takeBack
    },
    code: (desk) => ({
      act: {
        ...desk.puts("act", "half"),
        sources: {
          primary: async (_, { to }: { readonly to: string }) => desk.shows("primary", desk.boxes.get(to))
        }
      },
      takeBack: desk.puts("takeBack", "gone")
    }),
    decides: "compensate",
    log: ["act", "act: read", "primary", "takeBack: read", "takeBack", "takeBack: read"],
    ends: "Failed",
    told: "compensated"
  },
  {
    seed: 4,
    says: "holds what a strong read contradicts and nothing reverses",
    tools: { act: { ...plain, readback: { ...readback, consistency: "eventual", strong: { source: "primary" } } } },
    code: (desk) => ({
      act: {
        ...desk.puts("act", "half"),
        sources: { primary: async () => desk.shows("primary", { state: "half" }) }
      }
    }),
    decides: "hold_and_escalate",
    log: ["act", "act: read", "primary"],
    ends: "Held",
    told: "review_required"
  },
  {
    seed: 5,
    says: "reverses what stays pending for ever, and stops",
    tools: { act: { ...plain, undo, readback }, takeBack },
    code: (desk) => {
      const back = desk.puts("takeBack", "gone")
      return {
        act: {
          ...desk.tool("act", (to) => {
            desk.boxes.set(to, { to, state: "half" })
            return new ToolExecutor.Accepted({ to })
          }),
          readback: async () => desk.shows("act: read", "pending" as never)
        },
        takeBack: back
      }
    },
    decides: "compensate_and_stop",
    log: ["act", "act: read", "takeBack: read", "takeBack", "takeBack: read"],
    ends: "Failed",
    told: "compensated"
  },
  {
    seed: 6,
    says: "holds what stays pending for ever and cannot be reversed",
    tools: { act: { ...plain, readback } },
    code: (desk) => ({
      act: {
        ...desk.tool("act", () => new ToolExecutor.Accepted(null)),
        readback: async () => desk.shows("read", "pending" as never)
      }
    }),
    decides: "hold_and_escalate",
    log: ["act", "read"],
    ends: "Held",
    told: "review_required"
  },
  {
    seed: 7,
    says: "asks the record of the key what became of a call that was never answered",
    tools: { act: { ...keyed, status: { by: "key", within: "2s" }, readback } },
    code: (desk) => ({
      act: {
        ...desk.tool("act", cut),
        status: async () => desk.shows("status", "pending" as never)
      }
    }),
    decides: "poll_key_record",
    log: ["act", "status"],
    ends: "Held",
    told: "unknown"
  },
  {
    seed: 8,
    says: "freezes what was never answered and is on record under no key",
    tools: { act: plain },
    code: (desk) => ({ act: desk.tool("act", cut) }),
    decides: "freeze_and_reconcile",
    log: ["act"],
    ends: "Held",
    told: "review_required",
    seen: ({ decided, report }) => {
      assert.deepInclude(decided, { row: 4, section: "pending_timeout" })
      assert.deepInclude(report.held[0]?.next, { as: ["abandoned"], verb: "resolve" })
      assert.deepInclude(report.held[0]?.next, { later: { as: ["failure", "resent"], from: 4_000 } })
    }
  },
  {
    seed: 9,
    says: "reverses the steps before a pivot when one of them fails for good",
    tools: { act: { ...plain, undo, readback }, takeBack, ship: { ...plain, target: "'ship'" } },
    changes: { skeletons: { sale: { tools: ["act", "ship"], aborts: ["ship"] } } },
    code: (desk) => ({
      act: desk.puts("act", "done"),
      takeBack: desk.puts("takeBack", "gone"),
      ship: desk.tool("ship", refuse)
    }),
    work: (handle) => Effect.andThen(handle.propose(act()), handle.propose({ tool: "ship", params: { to: "ada" } })),
    decides: "compensate_backward",
    log: ["act", "act: read", "ship", "act: read", "takeBack: read", "takeBack", "takeBack: read"],
    ends: "Failed",
    told: "compensated"
  },
  {
    seed: 10,
    says: "completes the steps behind a pivot when another fails",
    tools: {
      act: { ...plain, readback },
      tell: { ...keyed, target: "'tell/' + args.to", readback },
      ship: { ...plain, target: "'ship'" }
    },
    changes: {
      skeletons: {
        sale: {
          tools: ["act", "tell", "ship"],
          pivot: ["act"],
          aborts: ["ship"],
          forward: [{ tool: "tell", with: { to: "steps.act.args.to" } }]
        }
      }
    },
    code: (desk) => ({
      act: desk.puts("act", "done"),
      tell: desk.puts("tell", "done"),
      ship: desk.tool("ship", refuse)
    }),
    work: (handle) => Effect.andThen(handle.propose(act()), handle.propose({ tool: "ship", params: { to: "ada" } })),
    decides: "recover_forward",
    log: ["act", "act: read", "ship", "tell", "tell: read"],
    ends: "Done",
    told: "success"
  },
  {
    seed: 11,
    says: "sends nothing that was planned on another version",
    tools: {
      act: {
        ...plain,
        input: { to: "string", version: "int" },
        readback: { ...readback, version: { planned: "args.version", actual: "actual.version" } }
      }
    },
    code: (desk) => {
      desk.boxes.set("ada", { to: "ada", state: "old", version: 8 })
      return { act: desk.puts("act", "done") }
    },
    work: (handle) => handle.propose(act({ version: 7 })),
    decides: "refresh_and_replan",
    log: ["act: read"],
    ends: "Failed",
    told: "failure"
  },
  {
    seed: 12,
    says: "freezes two effects of one act, and alerts somebody",
    tools: { act: { ...plain, class: "high_risk_external", readback: { ...readback, expect: "size(actual) > 0" } } },
    code: (desk) => {
      const entries: Array<Json> = []
      return {
        act: {
          ...desk.tool("act", (_, { key = "" }) => void entries.push(...[1, 2].map((id) => ({ id, key })))),
          readback: async () => desk.shows("read", entries)
        }
      }
    },
    decides: "freeze_and_alert",
    log: ["act", "read"],
    ends: "Held",
    told: "review_required",
    seen: ({ decided }) => assert.isString(decided["incident"])
  },
  {
    seed: 13,
    says: "records that a tool recognised its key and answered by replay",
    tools: { act: { ...keyed, class: "high_risk_external", readback } },
    code: (desk) => {
      const seen = new Set<string>()
      return {
        act: desk.tool("act", (to, { key = "" }) => {
          if (seen.has(key)) return new ToolExecutor.Replayed({ to })
          seen.add(key)
          desk.boxes.set(to, { to, state: "done" })
          return cut()
        })
      }
    },
    decides: "record_replay",
    log: ["act", "act", "act: read"],
    ends: "Done",
    told: "success",
    seen: ({ report }) => assert.deepStrictEqual(report.reviews, [])
  },
  {
    seed: 14,
    says: "freezes what reached another tenant, and raises an alarm",
    tools: { act: { ...plain, readback: { ...readback, scope: { tenant: "actual.tenant" } } } },
    code: (desk) => ({
      act: desk.tool("act", (to) => void desk.boxes.set(to, { to, state: "done", tenant: "umbrella" }))
    }),
    decides: "freeze_and_alarm",
    log: ["act", "act: read"],
    ends: "Held",
    told: "review_required"
  },
  {
    seed: 15,
    says: "goes on where little is at stake and nothing can be verified, and says so",
    tools: { act: { ...plain, readback } },
    changes: { budgets: { verification: { action: 1 } } },
    code: (desk) => ({ act: desk.puts("act", "old") }),
    decides: "report_unverified",
    log: ["act", "act: read"],
    ends: "Done",
    told: "unverified",
    seen: ({ report }) => assert.deepStrictEqual(report.held, [])
  },
  {
    seed: 16,
    says: "holds what is grave and stands on the word of its tool alone",
    tools: {
      act: { ...plain, class: "critical_mutation", on_reconciled: [{ add: { field: "world.n", value: "1" } }] }
    },
    changes: { state: { world: { n: "int" }, working: {} }, approvals: { act: { by: ["manager"] } } },
    code: (desk) => ({ act: desk.tool("act", () => undefined) }),
    work: (handle) =>
      Effect.gen(function* () {
        yield* approving(handle, yield* handle.propose(act()))
        return yield* handle.propose(act())
      }),
    decides: "hold_and_escalate",
    log: ["act"],
    ends: "Held",
    told: "review_required"
  },
  {
    seed: 17,
    says: "opens an incident where a reversal fails that others see",
    tools: { act: { ...plain, undo, readback }, takeBack: { ...takeBack, class: "high_risk_external" } },
    code: (desk) => ({ act: desk.puts("act", "half"), takeBack: desk.tool("takeBack", refuse) }),
    decides: "open_incident",
    log: ["act", "act: read", "takeBack: read", "takeBack"],
    ends: "Held",
    told: "review_required"
  },
  {
    seed: 18,
    says: "sends nothing into an outage, reads again, and sends once the provider answers",
    tools: { act: { ...plain, class: "high_risk_external", readback: { ...readback, before: "refuse" } } },
    code: (desk) => {
      let reads = 0
      const tool = desk.puts("act", "done")
      return {
        act: {
          ...tool,
          readback: async (_, params) => (++reads < 3 ? desk.cuts("down") : tool.readback!(_, params))
        }
      }
    },
    decides: "defer",
    log: ["down", "act: read", "act", "act: read"],
    ends: "Done",
    told: "success"
  },
  {
    seed: 19,
    says: "keeps open what was done while its provider is away, and does nothing twice",
    tools: { act: { ...plain, class: "high_risk_external", readback } },
    code: (desk) => ({
      act: { ...desk.puts("act", "done"), readback: async () => desk.cuts("down") }
    }),
    decides: "hold_pending",
    log: ["act", "down"],
    ends: "Held",
    told: "unknown"
  },
  {
    seed: 20,
    says: "asks again for an approval that was given under another pack",
    ...amended,
    changes: { approvals: amended.approvals, state: { world: { n: "int" }, working: {} } },
    code: (desk) => ({ act: desk.puts("act", "done") }),
    work: (handle) =>
      Effect.gen(function* () {
        yield* approving(handle, yield* handle.propose(act()))
        yield* handle.propose({
          author: "institution",
          type: "policy.contract_extension",
          data: { approved_by: "board", target_contract: "act", adds_required: ["world.n"], effective_from_tick: 6 }
        })
        return yield* handle.propose(act())
      }),
    decides: "revalidate_approval",
    log: [],
    ends: "Parked",
    told: "not_attempted"
  },
  {
    seed: 21,
    says: "starts nothing under an approval for other arguments",
    ...amended,
    changes: { approvals: amended.approvals },
    code: (desk) => ({ act: desk.puts("act", "done") }),
    work: (handle) =>
      Effect.gen(function* () {
        yield* approving(handle, yield* handle.propose(act()))
        return yield* handle.propose(act({ to: "eve" }))
      }),
    decides: "fail_closed",
    log: [],
    ends: "Parked",
    told: "not_attempted"
  }
]

/** The row of Action Verification that a decision rests on. */
const seedOf = ({ row, section }: JsonObject): unknown => {
  const found = RecoveryTable.sections[section as keyof RecoveryRow.RecoverySections]
  return found[Number(row) - 1]?.sourceRow
}

describe("the 21 rows of the recovery table", () => {
  for (const row of rows) {
    it.effect(`row ${row.seed} ${row.says}`, () =>
      Effect.gen(function* () {
        const { again, desk, outcome, report, transitions } = yield* play(row)
        const decisions = transitions.flatMap(({ body }) =>
          body.type === "recovery.decided" && body.data?.["section"] !== undefined ? [body.data] : []
        )
        const decided = decisions.find((data) => seedOf(data) === row.seed)
        assert.strictEqual(decided?.["decision"], row.decides, JSON.stringify(decisions))
        assert.deepStrictEqual(folded(desk.log), row.log)
        assert.strictEqual(outcome?._tag, row.ends, JSON.stringify(outcome))
        const [action] = report.actions.filter(({ tool }) => tool === "act")
        assert.strictEqual(action?.standing ?? "not_attempted", row.told)
        assert.deepStrictEqual(again.differs, [])
        row.seen?.({ decided: decided!, report, transitions })
      })
    )
  }

  it("are all of Action Verification's", () => {
    assert.deepStrictEqual(
      rows.map(({ seed }) => seed),
      Array.from({ length: 21 }, (_, index) => index + 1)
    )
  })
})
