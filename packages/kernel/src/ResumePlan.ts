/**
 * Plans how a run continues with each open action after a crash, and audits how it could with each tool of a pack.
 *
 * Both are rehearsals: the kernel decides to recover an action, waits as long as it says, and nothing is committed or
 * sent. So a plan has no rules of its own, and says what the kernel would then do.
 *
 * Crash Recovery has an answer for each of four properties of a step. One answer is narrower here: a step is started
 * over or undone only if it is known whether its effect has begun. A started action about which nothing can be found
 * out, and which cannot be sent again, is held as unknown, and reported so (L14).
 *
 * @source Crash Recovery, "Resume vs restart" and its exercise, the recovery audit; docs/decisions/0076
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { State } from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import * as Order from "effect/Order"
import type { NextQuestion } from "./decision/Decision.ts"
import * as Interpreter from "./decision/Interpreter.ts"
import type { Outcome } from "./decision/Outcome.ts"
import * as Kernel from "./Kernel.ts"
import type * as Finding from "./payload/Finding.ts"
import * as LocalTransaction from "./settlement/LocalTransaction.ts"
import type { DecisionTerms } from "./state/DecisionTerms.ts"

/**
 * A way to resume an action after a crash.
 *
 * **Details**
 *
 * After `ask_or_hold` and `read_or_hold` an answer that shows the effect settles the action. Any other proves nothing,
 * and the action is held.
 */
export type ResumeWay =
  | "resume"
  | "resume_with_key"
  | "ask_then_resume"
  | "ask_or_hold"
  | "read_or_hold"
  | "hold_then_compensate"
  | "restart"
  | "hold"

/** The phase in which the crash came: before anything was sent, while the outcome was unknown, or after an answer. */
export type Phase = "before_start" | "in_flight" | "answered"

/** The properties of a tool that decide how a call of it is resumed whose outcome is unknown. */
export const properties = [
  "harmless",
  "transaction",
  "asked",
  "untimed",
  "keyed",
  "read",
  "compensable",
  "neither"
] as const

/** The property of a tool that decides how a call of it is resumed whose outcome is unknown. */
export type Property = (typeof properties)[number]

/**
 * The reason for the way in which an action continues.
 *
 * **Details**
 *
 * - `frozen`: a person decides about it. `resend`: a person found that it did not happen.
 * - `deferred`, `unstarted`: nothing of the action was sent, after a read of its target or before any.
 * - `due`: a reversal, whose original is asked about. `obliged`: a step behind a pivot that was refused.
 * - `answered`: its answer is on record, and is read back. `settled`: what is on record settles it.
 * - `planned`: an undoing or a completion goes on. `held`: it is held, and a finding says why.
 * - `transaction`: its process and the open local transaction have ended.
 * - Any other is the property of its tool.
 */
export type ResumeReason =
  | "frozen"
  | "resend"
  | "deferred"
  | "unstarted"
  | "due"
  | "obliged"
  | "answered"
  | "settled"
  | "planned"
  | "held"
  | Property

/** The way in which a run continues with one open action, and the reason. `why` is there if the action is held. */
export interface ResumeStep {
  readonly action: string
  readonly tool: string
  readonly since: number
  readonly phase: Phase
  readonly property: Property
  readonly recovery: ResumeWay
  readonly because: ResumeReason
  readonly why?: Finding.Finding
}

/** Plans how a run continues after a crash: every open action, in the order in which they began. */
export const plan = (terms: DecisionTerms, state: State): ReadonlyArray<ResumeStep> =>
  Object.entries(OpenActions.of(state))
    .flatMap(([action, open]): ReadonlyArray<ResumeStep> => {
      if (open === undefined) return []
      const { tick: since, tool } = open
      const property = propertyOf(terms.pack, tool)
      const about = { action, tool, since, phase: phaseOf(open), property }
      const way = continued(terms, state, action, open)
      // A tool of which every lost call is held has a reason of its own.
      const isLost = way.because === "held" && about.phase === "in_flight" && isHeld(property)
      return [{ ...about, ...way, ...(isLost ? { because: property } : {}) }]
    })
    .sort((one, other) => one.since - other.since)

/** Names the property of a tool. */
export const propertyOf = (pack: TaskPack.TaskPack | undefined, tool: string): Property => {
  const { because } = interrupted(pack, tool)
  const held = isCompensable(TaskPack.tool(pack, tool)) ? "compensable" : "neither"
  return properties.find((each) => each === because) ?? held
}

const isHeld = (property: Property): boolean => property === "compensable" || property === "neither"

type Way = Pick<ResumeStep, "because" | "recovery" | "why">

/** Rehearses the recovery of an open action. */
const continued = (terms: DecisionTerms, state: State, action: string, open: OpenAction.OpenAction): Way => {
  if (OpenAction.isFrozen(open)) return { recovery: "hold", because: "frozen" }
  const contract = TaskPack.tool(terms.pack, open.tool)
  return wayOf(rehearsed(terms, state, action), { terms, state, id: action, open, contract })
}

/** Finds the next step of a recovery behind its waits. */
const rehearsed = (terms: DecisionTerms, state: State, action: string): NextQuestion => {
  let { now } = terms
  for (;;) {
    const { next } = Interpreter.rehearse(Kernel.standard, { ...terms, now }, state, { _tag: "Recover", action })
    // The clock of the rehearsal has to advance.
    if (next._tag !== "Wait" || next.untilMillis <= now) return next
    now = next.untilMillis
  }
}

type Subject = Parameters<typeof LocalTransaction.isHeld>[0]

const wayOf = (next: NextQuestion, subject: Subject): Way => {
  switch (next._tag) {
    case "Call":
    case "Open":
    case "ReadBefore":
      return sent(subject)
    case "Ask":
      return ToolContract.canBeAsked(subject.contract)
        ? { recovery: "ask_then_resume", because: "asked" }
        : { recovery: "ask_or_hold", because: "untimed" }
    case "ReadBack":
      return read(subject)
    case "ReadOriginal":
      return { recovery: "ask_then_resume", because: "due" }
    case "End":
      return ended(next.outcome, subject)
    default:
      return { recovery: "resume", because: "planned" }
  }
}

const sent = ({ contract, open }: Subject): Way => {
  if (open.resend === true) return { recovery: "resume", because: "resend" }
  if (open.deferred === true) return { recovery: "resume", because: "deferred" }
  if (!ToolContract.isMutating(contract)) return { recovery: "resume", because: "harmless" }
  return open.heard === "answer" && open.answer?.as === "refused"
    ? { recovery: "resume", because: "obliged" }
    : { recovery: "resume_with_key", because: "keyed" }
}

const read = (subject: Subject): Way => {
  if (LocalTransaction.isHeld(subject)) return { recovery: "ask_then_resume", because: "transaction" }
  return phaseOf(subject.open) === "answered"
    ? { recovery: "resume", because: "answered" }
    : { recovery: "read_or_hold", because: "read" }
}

const ended = (outcome: Outcome, { contract, open }: Subject): Way => {
  switch (outcome._tag) {
    case "Refused":
      return { recovery: "restart", because: "unstarted" }
    case "Held":
    case "Parked": {
      const recovery = isCompensable(contract) && OpenAction.isBegun(open) ? "hold_then_compensate" : "hold"
      return { recovery, because: "held", why: outcome.why }
    }
    default:
      return { recovery: "resume", because: "settled" }
  }
}

/** The phase of the crash, from the progress of an action. */
const phaseOf = (open: OpenAction.OpenAction): Phase => {
  if (!OpenAction.isBegun(open) || open.deferred === true) return "before_start"
  return OpenAction.isAnswered(open) || OpenAction.isRead(open) ? "answered" : "in_flight"
}

/** Rehearses a crash during the first call of a tool: the call has just left, and nothing was heard of it. */
const interrupted = (pack: TaskPack.TaskPack | undefined, tool: string): Way => {
  const contract = TaskPack.tool(pack, tool)
  const open: OpenAction.OpenAction = {
    class: contract.class,
    params: {},
    // A read has no beginning of its own: nothing of it has to be durable.
    state: ToolContract.isMutating(contract) ? "executing" : "validated",
    tick: 1,
    tool,
    firstAt: 0,
    startedAt: 0,
    ...(contract.identity === undefined ? {} : { key: tool }),
    ...(ToolContract.isReadBefore(contract) ? { before: { found: false, met: false } } : {})
  }
  const action = "a1"
  const state = { world: {}, working: {}, kernel: { [OpenActions.part.name]: { [action]: open } } }
  const run = Run.make("audit")
  return continued({ run, lineage: run.id, now: 0, tick: 2, secret: "", pack }, state, action, open)
}

/**
 * The declaration that a contract lacks; with it a crash during a call would leave no action held. `times` names the
 * missing times.
 */
export type Advice =
  | { readonly code: "times"; readonly lacks: ReadonlyArray<string> }
  | { readonly code: "identity" | "key_retention" | "send_within" | "status" }

/**
 * A row of the recovery audit.
 *
 * **Details**
 *
 * `asked` tells whether the status of the key is asked for. `recovery` applies to a crash while the call is in
 * flight, the only phase in which the answer is in doubt. A person has to settle a held action; `unrecoverable` marks
 * tools whose lost calls are always held and cannot be undone. `advice` says what the contract would have to declare
 * so that no action is held.
 */
export interface AuditRow {
  readonly tool: string
  readonly idempotent: boolean
  readonly key: boolean
  readonly compensation: boolean
  readonly asked: boolean
  readonly recovery: ResumeWay
  readonly unrecoverable: boolean
  readonly advice?: Advice
}

/** Audits one tool of a pack. */
export const audit = (pack: TaskPack.TaskPack, tool: string): AuditRow => {
  const contract = TaskPack.tool(pack, tool)
  const { recovery } = interrupted(pack, tool)
  const advice = holding.has(recovery) ? adviceFor(contract) : undefined
  return {
    tool,
    idempotent: contract.idempotency !== "effectful",
    key: contract.identity !== undefined,
    compensation: isCompensable(contract),
    asked: contract.status === "by_key",
    recovery,
    unrecoverable: recovery === "hold",
    ...(advice === undefined ? {} : { advice })
  }
}

/** Audits every tool of a pack: unrecoverable tools first, then by name. */
export const auditPack = (pack: TaskPack.TaskPack): ReadonlyArray<AuditRow> =>
  Object.keys(pack.tools)
    .map((name) => audit(pack, name))
    .sort((one, other) => Number(other.unrecoverable) - Number(one.unrecoverable) || Order.String(one.tool, other.tool))

/** The ways after which an action may be held. */
const holding: ReadonlySet<ResumeWay> = new Set(["ask_or_hold", "hold", "hold_then_compensate", "read_or_hold"])

const isCompensable = ({ undo }: ToolContract.ToolContract): boolean =>
  undo.by !== undefined && (undo.class === "R" || undo.class === "K")

/** Finds the declaration that a contract lacks; `undefined` if it lacks none, and a budget has its actions held. */
const adviceFor = (contract: ToolContract.ToolContract): Advice | undefined => {
  const { identity, idempotency, status, times } = contract
  if (status === "by_key") {
    const lacks = ["sendWithin", "settleAfter", "keyRetention"].filter(
      (name) => times[`${name}Millis` as keyof ToolContract.Times] === undefined
    )
    return lacks.length === 0 ? undefined : { code: "times", lacks }
  }
  if (identity === undefined) return { code: "identity" }
  if (idempotency !== "idempotent_write") return { code: "status" }
  return { code: times.keyRetentionMillis === undefined ? "key_retention" : "send_within" }
}
