/**
 * People and the provider in an exploration: the verdicts that a person may give at a commit of a log, and what a
 * provider may say of a settlement.
 */
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Payload from "@backstitch/kernel/Payload"
import * as Resolution from "@backstitch/kernel/Resolution"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import type { EndedProcess } from "./ExploredDoing.ts"
import type * as ExploredLog from "./ExploredLog.ts"
import type { Process } from "./ExploredProcess.ts"
import * as Scenario from "./Scenario.ts"
import * as World from "./World.ts"

/** A verdict that the kernel has taken: the fault that it spends, and the log after it. */
export interface Verdict {
  readonly label: string
  readonly fault: "approvals" | "verdicts"
  readonly after: ExploredLog.Node
}

/** The surroundings of a person: the time, the faults that are left, and the world. */
export interface Surroundings {
  readonly clock: number
  readonly left: Scenario.Faults
  readonly world: World.World
}

/** Lists the verdicts that a person may give at a commit of a log. */
export const verdicts = (
  log: ExploredLog.ExploredLog,
  head: ExploredLog.Node,
  at: Surroundings
): ReadonlyArray<Verdict> => [
  ...(at.left.verdicts > 0 ? resolutions(log, head, at) : []),
  ...(at.left.approvals > 0 ? approvals(log, head, at) : [])
]

/**
 * A person decides about an open undoing, another open action, or a settled one of which a review is open. They know
 * what the record shows, and nothing about messages under way. They may judge an undoing wrongly, but never have an
 * action sent again that was done.
 */
const resolutions = (
  log: ExploredLog.ExploredLog,
  head: ExploredLog.Node,
  { clock, world }: Surroundings
): ReadonlyArray<Verdict> => {
  const { state } = head.position
  const plan = UndoPlan.open(state)
  const [[open, { tool = "" } = {}] = []] = Object.entries(OpenActions.of(state))
  const [[, reviewed] = []] = Reviews.ofVerification(state)
  const action =
    plan === undefined ? (open ?? reviewed?.action) : (plan.at ?? plan.failed ?? UndoPlan.next(plan)?.undoes ?? "")
  if (action === undefined) return []
  const evidence = World.readback(world, log.scenario, tool)
  const isThere = plan === undefined ? evidence._tag === "Ok" : World.isUndone(world)
  return Resolution.verdicts.flatMap((as) => {
    if (as === "resent" && isThere) return []
    if (plan === undefined && ((as === "failure" && isThere) || (as === "success" && !isThere))) return []
    const attests = plan === undefined && as === "success" && evidence._tag === "Ok"
    const record = attests ? { record: evidence.output } : {}
    const data = { action, as, by: "Ada", evidence: "the statement of the bank", ...record }
    const after = said(log, head, { clock, command: "Resolve", data })
    return after === undefined ? [] : [{ label: `a person says of ${action}: ${as}`, fault: "verdicts", after }]
  })
}

/** A person approves or denies a call that waits for that. */
const approvals = (
  log: ExploredLog.ExploredLog,
  head: ExploredLog.Node,
  { clock }: Surroundings
): ReadonlyArray<Verdict> =>
  Reviews.pending(head.position.state).flatMap(([review]) =>
    (["approved", "denied"] as const).flatMap((verdict): ReadonlyArray<Verdict> => {
      const data = { by: "Ada", review, role: Scenario.approver, verdict }
      const after = said(log, head, { clock, command: "Propose", data })
      return after === undefined
        ? []
        : [{ label: `a person decides of ${review}: ${verdict}`, fault: "approvals", after }]
    })
  )

/** Commits a decision of a person; `undefined` if the kernel refuses it. */
const said = (
  log: ExploredLog.ExploredLog,
  head: ExploredLog.Node,
  {
    clock,
    command,
    data
  }: { readonly clock: number; readonly command: "Propose" | "Resolve"; readonly data: JsonObject }
): ExploredLog.Node | undefined => {
  const proposal = { type: "review.decided", author: "user", data } as const
  const { drafts, next } = log.decide(head, { clock, command: { _tag: command, proposal } })
  if (next._tag !== "End" || next.outcome._tag !== "Done") return undefined
  return Result.getOrUndefined(log.append(head, drafts))
}

/** Tells whether a person has decided since a process was told that its payment waits for that. */
export const isAnswered = ({ parkedAt }: EndedProcess, head: ExploredLog.Node): boolean =>
  parkedAt !== undefined &&
  head.transitions.some(({ body, tick }) => tick > parkedAt && Payload.of(body, "review.decided")?.review !== undefined)

/** The contrary of the latest settlement that a process knows; `undefined` if it knows none, or cannot be told now. */
export const contrary = (
  { doing }: Process,
  { transitions }: ExploredLog.Node
): { readonly action: string; readonly evidence: Evidence } | undefined => {
  if (doing._tag === "Down" || doing._tag === "Appending") return undefined
  const last = transitions.findLast(({ body }) => body.type === "action.reconciled")
  const { action, result } = last?.body ?? {}
  const history = action === undefined ? undefined : ActionHistories.of(transitions, action.id)
  if (history?.tool !== "pay" || (result?.status !== "ok" && result?.status !== "error")) return undefined
  return { action: history.id, evidence: World.contrary(result.status) }
}
