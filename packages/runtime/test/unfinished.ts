/**
 * Runs that end in the midst of something, each with the world in which it is gone on with later, by another process.
 */
import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ActionState from "@backstitch/ledger/ActionState"
import type * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"
import { act, approving, cut, Desk, keyed, plain, readback, refuse, takeBack, undo } from "./rows.ts"

type Work = (handle: RunHandle.RunHandle) => Effect.Effect<unknown, RunHandle.RunError>

export interface Unfinished {
  readonly name: string
  readonly tools: { readonly [name: string]: Definition.ToolDefinition }
  readonly changes?: Partial<Definition.Definition>
  readonly code: (desk: Desk) => ToolExecutor.Tools
  /** The proposals; without it, the one act. */
  readonly work?: Work
  /** At which place, the how many times it is reached, the process dies. */
  readonly dies?: { readonly at: FaultPoint.PointName; readonly nth: number }
  /** The states of the actions that are open when it ends. */
  readonly open: ReadonlyArray<ActionState.State>
  /** The world that is met by who goes on. */
  readonly met: (desk: Desk) => ToolExecutor.Tools
  /** The work that is done instead of a resumption. */
  readonly on?: Work
  /** The status of the act in the end. */
  readonly ends: ReconciliationStatus.ReconciliationStatus
}

const asked: Definition.ToolDefinition = { ...keyed, status: { by: "key", within: "2s" }, readback }
const done = (desk: Desk): ToolExecutor.Tools => ({
  act: { ...desk.puts("act", "done"), status: async () => undefined }
})

/** Everything has happened: it is on record, and known by its key. */
const happened = (desk: Desk): ToolExecutor.Tools => {
  desk.boxes.set("ada", { to: "ada", state: "done" })
  return { act: { ...desk.tool("act", refuse), status: async () => ({ to: "ada" }) } }
}

const decides =
  (as: string): Work =>
  (handle) =>
    handle.propose({
      author: "user",
      data: { action: "a2", as, by: "Ada", evidence: "the ledger of the desk" },
      type: "review.decided"
    })

/** Half done, and its reversal: what takes it back is given. */
const reversed = (back: (desk: Desk) => ToolExecutor.Tool) => (desk: Desk) => ({
  act: { ...desk.puts("act", "half"), status: async () => ({ to: "ada" }) },
  takeBack: back(desk)
})
const half = (back: (desk: Desk) => ToolExecutor.Tool) => (desk: Desk) => {
  desk.boxes.set("ada", { to: "ada", state: "half" })
  return reversed(back)(desk)
}
const takesBack = (desk: Desk) => desk.puts("takeBack", "gone")

const held = (desk: Desk): ToolExecutor.Tools => ({
  act: ToolExecutor.transactional({
    open: async ({ to }: { readonly to: string }) => ({
      output: { to },
      read: async () => ({ to, state: "done" }),
      commit: async () => void desk.boxes.set(to, { to, state: "done" }),
      rollback: () => undefined
    }),
    readback: async (_: ToolExecutor.ToolContext, { to }: { readonly to: string }) => desk.boxes.get(to)
  })
})

const owing: Pick<Unfinished, "tools" | "changes"> = {
  tools: { act: { ...plain, readback }, tell: { ...keyed, target: "'tell/' + args.to", readback } },
  changes: {
    skeletons: {
      sale: { tools: ["act", "tell"], pivot: ["act"], forward: [{ tool: "tell", with: { to: "steps.act.args.to" } }] }
    }
  }
}

const approved: Work = (handle) =>
  Effect.gen(function* () {
    yield* approving(handle, yield* handle.propose(act()))
    return yield* handle.propose(act())
  })

export const all: ReadonlyArray<Unfinished> = [
  {
    name: "before-it-is-sent",
    tools: { act: asked },
    code: done,
    dies: { at: "effect/before", nth: 1 },
    open: ["executing"],
    met: done,
    ends: "success"
  },
  {
    name: "before-its-answer-is-kept",
    tools: { act: asked },
    code: done,
    dies: { at: "effect/answered", nth: 1 },
    open: ["executing"],
    met: happened,
    ends: "success"
  },
  {
    name: "accepted",
    tools: { act: plain },
    code: (desk) => ({ act: desk.tool("act", (to) => new ToolExecutor.Accepted({ to })) }),
    open: ["accepted"],
    met: happened,
    on: decides("success"),
    ends: "attested"
  },
  {
    name: "accepted-and-followed",
    tools: { act: asked },
    code: (desk) => ({
      act: { ...desk.tool("act", (to) => new ToolExecutor.Accepted({ to })), status: async () => cut() }
    }),
    dies: { at: "readback/before", nth: 1 },
    open: ["pending"],
    met: happened,
    ends: "success"
  },
  {
    name: "before-its-record-is-read",
    tools: { act: asked },
    code: done,
    dies: { at: "readback/answered", nth: 1 },
    open: ["executing"],
    met: happened,
    ends: "success"
  },
  {
    name: "unread",
    tools: { act: { ...asked, class: "high_risk_external" } },
    code: (desk) => ({ act: { ...desk.puts("act", "done"), status: async () => cut(), readback: async () => cut() } }),
    open: ["verification_timeout"],
    met: happened,
    ends: "success"
  },
  {
    name: "unknown",
    tools: { act: asked },
    code: (desk) => ({ act: { ...desk.tool("act", cut), status: async () => cut(), readback: async () => cut() } }),
    open: ["unknown"],
    met: happened,
    ends: "success"
  },
  {
    name: "held-and-reopened",
    tools: { act: { ...plain, readback } },
    code: (desk) => ({ act: desk.puts("act", "half") }),
    open: ["review_required"],
    met: happened,
    on: decides("reopened"),
    ends: "success"
  },
  {
    name: "held-and-abandoned",
    tools: { act: { ...plain, readback } },
    code: (desk) => ({ act: desk.puts("act", "half") }),
    open: ["review_required"],
    met: half(takesBack),
    on: decides("abandoned"),
    ends: "abandoned"
  },
  {
    name: "held-and-sent-again",
    tools: { act: plain },
    code: (desk) => ({ act: desk.tool("act", cut) }),
    open: ["review_required"],
    met: done,
    // A person who says so before nothing can arrive any more is refused.
    on: (handle) => Effect.andThen(Effect.sleep("10 seconds"), decides("resent")(handle)),
    ends: "unverified"
  },
  {
    name: "awaiting-approval",
    tools: { act: { ...plain, readback } },
    changes: { approvals: { act: { by: ["manager"] } } },
    code: done,
    open: [],
    met: done,
    on: approved,
    ends: "success"
  },
  {
    name: "before-it-is-undone",
    tools: { act: { ...asked, undo }, takeBack },
    code: reversed(takesBack),
    dies: { at: "original/before", nth: 1 },
    open: ["reconciliation_failed"],
    met: half(takesBack),
    ends: "compensated"
  },
  {
    name: "while-it-is-undone",
    tools: { act: { ...asked, undo }, takeBack },
    code: reversed(takesBack),
    dies: { at: "effect/before", nth: 2 },
    open: ["compensating", "executing"],
    met: half(takesBack),
    ends: "compensated"
  },
  {
    name: "undo-plan-stopped",
    tools: { act: { ...asked, undo }, takeBack },
    code: reversed((desk) => desk.tool("takeBack", refuse)),
    open: ["review_required"],
    met: half(takesBack),
    on: decides("reopened"),
    ends: "compensated"
  },
  {
    name: "undo-plan-stopped-and-attested",
    tools: { act: { ...asked, undo }, takeBack },
    code: reversed((desk) => desk.tool("takeBack", refuse)),
    open: ["review_required"],
    met: half(takesBack),
    on: decides("success"),
    ends: "compensation_attested"
  },
  {
    name: "obligation-open",
    ...owing,
    code: (desk) => ({ act: desk.puts("act", "done"), tell: desk.puts("tell", "done") }),
    open: [],
    met: (desk) => ({ ...happened(desk), tell: desk.puts("tell", "done") }),
    ends: "success"
  },
  {
    name: "obligation-begun",
    ...owing,
    code: (desk) => ({ act: desk.puts("act", "done"), tell: desk.puts("tell", "done") }),
    work: (handle) => Effect.andThen(handle.propose(act()), handle.complete),
    dies: { at: "effect/before", nth: 2 },
    open: ["executing"],
    met: (desk) => ({ ...happened(desk), tell: desk.puts("tell", "done") }),
    ends: "success"
  },
  {
    name: "transaction-open",
    tools: { act: { ...plain, transaction: "local", readback } },
    code: held,
    dies: { at: "conclude/before", nth: 1 },
    open: ["executing"],
    met: happened,
    ends: "success"
  },
  {
    name: "transaction-gone",
    tools: { act: { ...plain, transaction: "local", readback } },
    code: held,
    dies: { at: "inside/before", nth: 1 },
    open: ["executing"],
    met: held,
    ends: "rolled_back"
  }
]

const packOf = ({ changes, tools }: Unfinished): TaskPack.TaskPack =>
  Result.getOrThrow(
    TaskPack.make({ pack: "acme.unfinished", version: "1.0.0", state: { world: {}, working: {} }, ...changes, tools })
  )

/** Leaves a run in the midst of something. */
export const leave = (self: Unfinished) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const within = lab.as(lab.process(store, { executor: ToolExecutor.fromTools(self.code(new Desk())) }))
    let reached = 0
    const dies = (place: FaultPoint.PointName) =>
      place === self.dies?.at && ++reached === self.dies.nth ? Effect.die("killed") : Effect.void
    const working = Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const handle = yield* coordinator.open(lab.trip, { pack: packOf(self), goal: "goal" })
      yield* self.work?.(handle) ?? handle.propose(act())
    })
    yield* Effect.exit(lab.elapsing(within(Effect.provideService(working, FaultPoint.FaultPoint, dies))))
    return yield* within(RunExport.exportRun(lab.trip))
  })
