/**
 * Plans how a run resumes after a crash, by a table with one answer for each kind of tool and each phase of its call.
 *
 * Crash Recovery has four properties of a step and an answer for each. One answer is refined here: starting over and
 * undoing are only for steps of which it is known whether their effect has begun. A started action that can be
 * neither sent again under its key nor asked about is held as unknown, and reported so (L14). An answered action is
 * on record: it is verified, and never done again.
 *
 * @source Crash Recovery, "Resume vs restart" and its exercise, the recovery audit
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "../state/OpenAction.ts"
import type * as OpenActions from "../state/OpenActions.ts"

/** The property of a step that decides how it is resumed. */
export type Property = "harmless" | "transactional" | "keyed" | "asked" | "compensable" | "neither"

/** A way to resume an action after a crash. */
export type Recovery = "resume" | "resume_with_key" | "ask_then_resume" | "hold_then_compensate" | "restart" | "hold"

/** The phase in which the crash came: before anything was sent, while the outcome was unknown, or after an answer. */
export type Phase = "before_start" | "in_flight" | "answered"

/** The table: the recovery for each property and phase. */
export const table: { readonly [P in Property]: { readonly [At in Phase]: Recovery } } = {
  harmless: { before_start: "resume", in_flight: "resume", answered: "resume" },
  transactional: { before_start: "resume", in_flight: "ask_then_resume", answered: "resume" },
  keyed: { before_start: "resume", in_flight: "resume_with_key", answered: "resume" },
  asked: { before_start: "resume", in_flight: "ask_then_resume", answered: "resume" },
  compensable: { before_start: "restart", in_flight: "hold_then_compensate", answered: "resume" },
  neither: { before_start: "restart", in_flight: "hold", answered: "resume" }
}

/**
 * The property of a tool.
 *
 * **Gotchas**
 *
 * A tool with status by key but without the three times counts neither as askable nor as keyed, because its "not
 * found" proves nothing.
 */
export const propertyOf = (contract: ToolContract.ToolContract): Property => {
  if (!ToolContract.isMutating(contract)) return "harmless"
  if (ToolContract.isLocal(contract)) return "transactional"
  if (ToolContract.canBeAsked(contract)) return "asked"
  if (isKeyed(contract)) return "keyed"
  return isCompensable(contract) ? "compensable" : "neither"
}

/** Decides how to continue a step after a crash. */
export const decide = (contract: ToolContract.ToolContract, phase: Phase): Recovery =>
  table[propertyOf(contract)][phase]

/**
 * The reason for the way in which an action continues.
 *
 * **Details**
 *
 * - `frozen`: a person decides about it. `resend`: a person found that it did not happen.
 * - `deferred`, `unstarted`: nothing of the action was sent, after a read of its target or before any.
 * - `answered`: its answer is on record. `transaction`: its process and the open local transaction have ended.
 * - Any other is the property of its tool.
 */
export type Reason = "frozen" | "resend" | "deferred" | "unstarted" | "answered" | "transaction" | Answering

/** Properties that decide whether an action in flight continues or is held. */
type Answering = Exclude<Property, "transactional">

/** The way in which a run continues with one open action, and the reason. */
export interface Step {
  readonly action: string
  readonly tool: string
  readonly since: number
  readonly phase: Phase
  readonly property: Property
  readonly recovery: Recovery
  readonly because: Reason
}

/**
 * Plans how a run continues after a crash: every open action by the table, in the order in which they began.
 *
 * **Details**
 *
 * A settled action needs no plan: it is on record and is not repeated. Of a tool that the pack does not name, no
 * property is known.
 */
export const plan = (pack: TaskPack.TaskPack | undefined, open: OpenActions.OpenActions): ReadonlyArray<Step> =>
  Object.entries(open)
    .flatMap(([action, left]) => {
      if (left === undefined) return []
      const { tick: since, tool } = left
      const contract = TaskPack.tool(pack, tool)
      const phase = phaseOf(left)
      const property = propertyOf(contract)
      if (OpenAction.isFrozen(left)) {
        return [{ action, tool, since, phase, property, recovery: "hold", because: "frozen" } as const]
      }
      const begins = beginningOf(left)
      if (begins !== undefined) {
        return [{ action, tool, since, phase: "before_start", property, recovery: "resume", because: begins } as const]
      }
      const because = reasonOf(property, phase)
      return [{ action, tool, since, phase, property, recovery: table[property][phase], because }]
    })
    .sort((one, other) => one.since - other.since)

/** Explains why an action that was begun and not sent is sent without a question; `undefined` for any other. */
const beginningOf = ({ deferred, resend }: OpenAction.OpenAction): Reason | undefined => {
  if (resend === true) return "resend"
  return deferred === true ? "deferred" : undefined
}

/** The phase of the crash, from the progress of an action. */
const phaseOf = (open: OpenAction.OpenAction): Phase => {
  if (!OpenAction.isBegun(open) || open.deferred === true) return "before_start"
  return OpenAction.isAnswered(open) || OpenAction.isRead(open) ? "answered" : "in_flight"
}

const reasonOf = (property: Property, phase: Phase): Reason => {
  if (property === "harmless") return property
  if (phase === "before_start") return "unstarted"
  if (property === "transactional") return "transaction"
  return phase === "answered" ? "answered" : property
}

/**
 * The declaration that a contract lacks; with it a crash during a call would leave no action held. `times` names the
 * missing times.
 */
export type Advice =
  | { readonly code: "times"; readonly lacks: ReadonlyArray<string> }
  | { readonly code: "identity" | "key_retention" | "status" }

/**
 * A row of the recovery audit.
 *
 * **Details**
 *
 * `recovery` applies to a crash while the call is in flight, the only phase in which the answer is in doubt. A person
 * has to settle a held action; `unrecoverable` marks held actions that also cannot be undone. `advice` says what the
 * contract would have to declare so that no action is held.
 */
export interface AuditRow {
  readonly tool: string
  readonly idempotent: boolean
  readonly key: boolean
  readonly compensation: boolean
  readonly asked: boolean
  readonly recovery: Recovery
  readonly unrecoverable: boolean
  readonly advice?: Advice
}

/** Audits one tool. */
export const audit = (contract: ToolContract.ToolContract): AuditRow => {
  const recovery = decide(contract, "in_flight")
  const isHeld = recovery === "hold" || recovery === "hold_then_compensate"
  return {
    tool: contract.name,
    idempotent: contract.idempotency !== "effectful",
    key: contract.identity !== undefined,
    compensation: isCompensable(contract),
    asked: ToolContract.canBeAsked(contract),
    recovery,
    unrecoverable: recovery === "hold",
    ...(isHeld ? { advice: adviceFor(contract) } : {})
  }
}

/** Audits every tool of a pack: unrecoverable tools first, then by name. */
export const auditPack = (pack: TaskPack.TaskPack): ReadonlyArray<AuditRow> =>
  Object.keys(pack.tools)
    .map((name) => audit(TaskPack.tool(pack, name)))
    .sort((one, other) => Number(other.unrecoverable) - Number(one.unrecoverable) || compare(one.tool, other.tool))

/** Sending again is safe if the tool honours a key that its arguments determine, for a declared time. */
const isKeyed = (contract: ToolContract.ToolContract): boolean =>
  contract.status === "none" &&
  contract.idempotency === "idempotent_write" &&
  contract.identity !== undefined &&
  contract.times.keyRetentionMillis !== undefined

const isCompensable = (contract: ToolContract.ToolContract): boolean =>
  contract.undo.by !== undefined && (contract.undo.class === "R" || contract.undo.class === "K")

const adviceFor = (contract: ToolContract.ToolContract): Advice => {
  const lacks = ["sendWithin", "settleAfter", "keyRetention"].filter(
    (name) => contract.times[`${name}Millis` as keyof ToolContract.Times] === undefined
  )
  if (contract.status === "by_key") return { code: "times", lacks }
  if (contract.identity === undefined) return { code: "identity" }
  return { code: contract.idempotency === "idempotent_write" ? "key_retention" : "status" }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
