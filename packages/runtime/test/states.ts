/** Calls of one tool, each by what its tools really do: together they enter every state that an action has. */
import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ActionState from "@backstitch/ledger/ActionState"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import { cut, type Desk, keyed, plain, readback, refuse, takeBack, undo } from "./rows.ts"

export interface Case {
  readonly says: string
  readonly act?: { readonly [Field in keyof Definition.ToolDefinition]?: Definition.ToolDefinition[Field] | undefined }
  readonly others?: { readonly [name: string]: Definition.ToolDefinition }
  readonly code: (desk: Desk) => ToolExecutor.Tools
  /** The work after the act. */
  readonly after?: (handle: RunHandle.RunHandle, action: string) => Effect.Effect<unknown, RunHandle.RunError>
  /** The states that the act has entered when all is over, in order. */
  readonly way: ReadonlyArray<ActionState.State>
}

const begun = ["proposed", "validated", "executing"] as const
const verified = [...begun, "pending", "committed"] as const
const does = (state: string) => (desk: Desk) => ({ act: desk.puts("act", state) })

/** A tool whose effect is held open, and shows something else inside than was asked for. */
const spoiling = (desk: Desk): ToolExecutor.Tools => ({
  act: ToolExecutor.transactional({
    open: async ({ to }: { readonly to: string }) => ({
      output: { to },
      read: async () => ({ to, state: "half" }),
      commit: async () => void desk.boxes.set(to, { to, state: "half" }),
      rollback: () => undefined
    }),
    readback: async (_: ToolExecutor.ToolContext, { to }: { readonly to: string }) => desk.boxes.get(to)
  })
})

/** A desk that loses what it is asked first, and says so when it is asked by key. */
const losing = (desk: Desk): ToolExecutor.Tools => {
  const known = new Map<string, JsonObject>()
  let sent = 0
  return {
    act: {
      ...desk.tool("act", (to, { key = "" }) => {
        if (++sent === 1) return cut()
        known.set(key, { to })
        return void desk.boxes.set(to, { to, state: "done" })
      }),
      status: async ({ key = "" }) => known.get(key)
    }
  }
}

const decides = (as: string) => (handle: RunHandle.RunHandle, action: string) =>
  handle.propose({
    author: "user",
    data: { action, as, by: "Ada", evidence: "the ledger of the desk" },
    type: "review.decided"
  })

const asked = { idempotency: "idempotent_write", status: { by: "key", within: "2s" } } as const
const reversed = { act: { undo, readback }, others: { takeBack } } as const

export const cases: { readonly [S in ActionState.State]: Case } = {
  proposed: {
    says: "by the proposal of a planner, whatever becomes of it",
    act: { readback },
    code: does("done"),
    way: [...verified, "reconciled_success"]
  },
  validated: {
    says: "where its contract admits it",
    act: { class: "read_only", idempotency: undefined, undo: undefined, identity: undefined, target: undefined },
    code: (desk) => ({ act: desk.tool("act", () => undefined) }),
    way: ["proposed", "validated", "executing", "committed"]
  },
  executing: {
    says: "where it is sent, and stays there until somebody has heard of it",
    act: { ...asked, readback },
    code: (desk) => ({
      act: { ...desk.tool("act", cut), status: async () => desk.shows("status", "pending" as never) }
    }),
    way: [...begun, "unknown"]
  },
  accepted: {
    says: "where its tool took the request, and nothing verifies it",
    code: (desk) => ({ act: desk.tool("act", (to) => new ToolExecutor.Accepted({ to })) }),
    way: [...begun, "accepted"]
  },
  pending: {
    says: "where its tool has answered, and its record is to be read",
    act: { readback },
    code: (desk) => ({ act: { ...desk.puts("act", "done"), readback: async () => desk.cuts("down") } }),
    way: [...begun, "pending", "verification_timeout"]
  },
  committed: {
    says: "where its record shows it",
    act: { readback },
    code: does("done"),
    way: [...verified, "reconciled_success"]
  },
  partially_committed: {
    says: "where its record shows some of it",
    act: {
      readback: { ...readback, expect: "actual.seat && actual.bag", parts: { seat: "actual.seat", bag: "actual.bag" } }
    },
    code: (desk) => ({ act: desk.tool("act", (to) => void desk.boxes.set(to, { seat: true, bag: false })) }),
    way: [...verified, "partially_committed", "review_required"]
  },
  reconciled_success: {
    says: "where its record meets its contract",
    act: { readback },
    code: does("done"),
    way: [...verified, "reconciled_success"]
  },
  reconciliation_failed: {
    says: "where its record shows something else",
    act: { readback },
    code: does("half"),
    way: [...verified, "reconciliation_failed", "review_required"]
  },
  failed: {
    says: "where its tool refuses it",
    act: { readback },
    code: (desk) => ({ act: desk.tool("act", refuse) }),
    way: [...begun, "failed"]
  },
  verification_timeout: {
    says: "where its record cannot be read in time",
    act: { readback },
    code: (desk) => ({ act: { ...desk.puts("act", "done"), readback: async () => desk.cuts("down") } }),
    way: [...begun, "pending", "verification_timeout"]
  },
  unknown: {
    says: "where its answer is lost",
    code: (desk) => ({ act: desk.tool("act", cut) }),
    way: [...begun, "unknown", "review_required"]
  },
  compensating: {
    says: "where it is undone because it is wrong",
    ...reversed,
    code: (desk) => ({ act: desk.puts("act", "half"), takeBack: desk.puts("takeBack", "gone") }),
    way: [...verified, "reconciliation_failed", "compensating", "compensated"]
  },
  compensated: {
    says: "where its reversal is verified",
    ...reversed,
    code: (desk) => ({ act: desk.puts("act", "half"), takeBack: desk.puts("takeBack", "gone") }),
    way: [...verified, "reconciliation_failed", "compensating", "compensated"]
  },
  compensation_failed: {
    says: "where its reversal is refused",
    ...reversed,
    code: (desk) => ({ act: desk.puts("act", "half"), takeBack: desk.tool("takeBack", refuse) }),
    way: [...verified, "reconciliation_failed", "compensating", "compensation_failed", "review_required"]
  },
  forward_recovery: {
    says: "where it is proven to have done nothing, and is sent again",
    act: { ...asked, readback },
    code: losing,
    way: [
      ...[...begun, "unknown", "reconciliation_failed", "forward_recovery"],
      ...["failed", "validated", "executing", "pending", "committed", "reconciled_success"]
    ] as ReadonlyArray<ActionState.State>
  },
  rolled_back: {
    says: "where its local transaction is not committed",
    act: { transaction: "local", readback, idempotency: undefined },
    code: spoiling,
    way: [...begun, "reconciliation_failed", "rolled_back"]
  },
  review_required: {
    says: "where the table leaves it to a person, who reopens it",
    act: { readback },
    code: (desk) => ({
      act: desk.tool("act", (to) => {
        desk.boxes.set(to, { to, state: "half" })
        return undefined
      })
    }),
    after: decides("reopened"),
    way: [...verified, "reconciliation_failed", "review_required", "pending"]
  },
  abandoned: {
    says: "where a person stops with it unresolved",
    act: { readback },
    code: does("half"),
    after: decides("abandoned"),
    way: [...verified, "reconciliation_failed", "review_required", "abandoned"]
  }
}

export const packOf = ({ act: more = {}, others = {} }: Case): TaskPack.TaskPack => {
  const base: Definition.ToolDefinition = more.idempotency === "idempotent_write" ? keyed : plain
  const tool = Object.fromEntries(Object.entries({ ...base, ...more }).filter(([, value]) => value !== undefined))
  const tools = { ...others, act: tool as Definition.ToolDefinition }
  return Result.getOrThrow(
    TaskPack.make({ pack: "acme.states", version: "1.0.0", state: { world: {}, working: {} }, tools })
  )
}
