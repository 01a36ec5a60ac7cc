/**
 * What a run came to, checked before it is said: nothing in a receipt rests on anybody's word.
 *
 * @source seed 5, section 7
 * @since 0.1.0
 */
import * as Goal from "@backstitch/kernel/Goal"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as Latch from "@backstitch/reducer/Latch"
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as History from "./History.ts"
import * as Report from "./Report.ts"

/**
 * An action that is begun and not settled. `since` is the tick at which it came to the phase.
 *
 * @category models
 * @since 0.1.0
 */
export interface Open {
  readonly action: string
  readonly tool: string
  readonly phase: OpenActions.Phase
  readonly since: number
  readonly target?: string | undefined
  readonly next: string
}

/**
 * A receipt. It is JSON as it stands.
 *
 * **Details**
 *
 * `done`: nothing is left to do. `held`: an outcome is unknown. `parked`: a person has to decide. `refused`, `failed`:
 * the last proposal was, and the planner had no other. `stopped`: nothing waits, and the goal was not declared reached.
 *
 * @category models
 * @since 0.1.0
 */
export interface Receipt {
  readonly run: string
  readonly goal: string
  readonly status: "done" | "held" | "parked" | "refused" | "failed" | "stopped"
  readonly why?: string | undefined
  readonly transitions: number
  readonly head: string
  /** Whether the chain holds and every committed state came out again. */
  readonly verified: boolean
  /** State digests that were compared. */
  readonly compared: number
  readonly open: ReadonlyArray<Open>
  readonly violations: ReadonlyArray<{ readonly predicate: string; readonly tick: number }>
  readonly anomalies: number
  readonly next: ReadonlyArray<string>
}

/**
 * Writes the receipt of a run: verifies it from its first tick, and says what is open.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fn("Receipt.make")(function* (run: Run, outcome: Outcome | undefined) {
  const history = yield* History.History
  const { compared, divergences, head, state } = yield* history.verify(run)
  const isOpen = Object.keys(OpenActions.of(state)).length > 0
  const open = openOf(run, state, ActionHistory.all(isOpen ? yield* history.transitions(run) : []))
  const waiting = Reviews.pending(state)
  const remaining = Report.remainingOf(run, state)
  const isReached = Goal.of(state).completedAt !== undefined
  const status = statusOf(outcome, { open, waiting: waiting.length, remaining: remaining.length, isReached })
  const violations = violationsOf(state)
  const receipt: Receipt = {
    run: run.id,
    goal: Goal.of(state).text,
    status,
    ...(outcome === undefined ? waitingFor(waiting) : whyOf(outcome)),
    ...(status === "stopped" ? stoppedAt(remaining) : {}),
    transitions: head.tick,
    head: head.link,
    verified: divergences.length === 0,
    compared,
    open,
    violations,
    anomalies: Object.values(Part.get(Anomalies.part, state)).reduce((sum, seen) => sum + (seen?.count ?? 0), 0),
    next: nextOf(run, { open, status, violations, tick: head.tick, outcome, waiting })
  }
  return receipt
})

/**
 * Actions of a state that are begun and not settled.
 *
 * @category getters
 * @since 0.1.0
 */
export const openOf = (run: Run, state: State, histories: ActionHistory.Histories): ReadonlyArray<Open> =>
  Object.entries(OpenActions.of(state)).flatMap(([action, open]) =>
    open === undefined
      ? []
      : [
          {
            action,
            tool: open.tool,
            phase: open.phase,
            since: histories.get(action)?.visited.at(-1)?.tick ?? open.tick,
            ...(open.target === undefined ? {} : { target: open.target }),
            next: settlingOf(run, action, histories.get(action))
          }
        ]
  )

/**
 * The command by which an open action is settled: `resolve` where a person decides, else `resume`.
 *
 * @category getters
 * @since 0.1.0
 */
export const settlingOf = (run: Run, action: string, history: ActionHistory.ActionHistory | undefined): string =>
  isPersons(history) ? Report.resolveOf(run, action) : `backstitch resume ${run.id} --agent FILE`

const isPersons = (history: ActionHistory.ActionHistory | undefined): boolean =>
  history?.state === "review_required" || RecoveryAction.needsPerson(history?.decision)

/**
 * Predicates that a state has latched, in order of their first ticks.
 *
 * @category getters
 * @since 0.1.0
 */
export const violationsOf = (state: State): Receipt["violations"] =>
  Object.entries(Latch.of(state))
    .map(([predicate, tick]) => ({ predicate, tick }))
    .sort((left, right) => left.tick - right.tick)

/** Without an outcome it is the state that tells: what is open, and what a person was asked. */
const statusOf = (
  outcome: Outcome | undefined,
  about: {
    readonly open: ReadonlyArray<Open>
    readonly waiting: number
    readonly remaining: number
    readonly isReached: boolean
  }
): Receipt["status"] => {
  switch (outcome?._tag) {
    case "Held":
      return "held"
    case "Parked":
      return "parked"
    case "Refused":
      return "refused"
    case "Failed":
      return "failed"
    default:
      if (about.open.length > 0) return "held"
      if (about.remaining > 0) return "stopped"
      if (outcome !== undefined) return "done"
      if (about.waiting > 0) return "parked"
      return about.isReached ? "done" : "stopped"
  }
}

/** Nothing waits, and something is left: only an agent goes on. */
const stoppedAt = (remaining: Report.Report["remaining"]): { readonly why: string } => ({
  why: ["The goal was not declared reached, and nothing waits.", ...remaining.map(({ say }) => say)].join(" ")
})

type Waiting = ReturnType<typeof Reviews.pending>

const waitingFor = (waiting: Waiting): { readonly why?: string } => {
  const [first] = waiting
  if (first === undefined) return {}
  const [, { needs, tick, tool }] = first
  const more = waiting.length === 1 ? "" : `, and ${waiting.length - 1} more wait`
  return { why: `${tool} waits for the approval of ${needs.join(" or ")} since tick ${tick}${more}` }
}

const whyOf = (outcome: Outcome): { readonly why?: string } => {
  switch (outcome._tag) {
    case "Held":
    case "Parked":
      return { why: outcome.why }
    case "Refused":
      return { why: outcome.reason }
    case "Failed":
      return { why: plain(outcome.error) }
    case "Done":
      return {}
  }
}

/** An error in words: what a tool or an undoing says of it, and no JSON. */
const plain = (error: Json | undefined): string => {
  if (typeof error === "string") return unfolded(error)
  if (error === null || typeof error !== "object") return String(error)
  if (Array.isArray(error)) return error.map(plain).join(", ")
  const { because, residue, undone, ...others } = error as JsonObject
  const facts = Object.entries(others).map(([name, value]) => `${name} ${plain(value)}`)
  return [
    ...(because === undefined ? [] : [plain(because)]),
    ...facts,
    ...(Array.isArray(undone) && undone.length > 0 ? [`${plain(undone)} undone`] : []),
    ...(Array.isArray(residue) && residue.length > 0 ? [`something of ${plain(residue)} remains`] : [])
  ].join("; ")
}

/** Text in which an object stands, as tools put it into their messages. */
const unfolded = (text: string): string => {
  const at = text.indexOf("{")
  if (at < 0) return text
  try {
    return `${text.slice(0, at)}${plain(JSON.parse(text.slice(at)))}`
  } catch {
    return text
  }
}

const nextOf = (
  run: Run,
  about: Pick<Receipt, "open" | "status" | "violations"> & {
    readonly tick: number
    readonly outcome: Outcome | undefined
    readonly waiting: Waiting
  }
): ReadonlyArray<string> => {
  const { open, outcome, status, tick, violations } = about
  const settles = open.map(({ next }) => next).filter((next) => next.startsWith("backstitch resolve "))
  const reviews = outcome === undefined && status === "parked" ? about.waiting.map(([id]) => id) : []
  const first = violations[0]
  return [
    ...[...reviews, ...(outcome?._tag === "Parked" ? [outcome.review] : [])].map(
      (review) => `backstitch approve ${run.id} ${review} --by NAME`
    ),
    ...settles,
    ...(status === "held" || status === "stopped" ? [`backstitch resume ${run.id} --agent FILE`] : []),
    ...(status === "refused" || status === "parked" || status === "failed"
      ? [`backstitch explain ${run.id}@${tick}`]
      : []),
    ...(first === undefined || first.predicate.startsWith("error:")
      ? []
      : [`backstitch bisect ${run.id} --predicate ${first.predicate}`]),
    ...(status === "done" && first === undefined ? [`backstitch show ${run.id}`] : [])
  ]
}
