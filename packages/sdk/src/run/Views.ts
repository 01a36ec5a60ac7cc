/** Views of runs, as plain JSON. */
import type { Json, JsonObject } from "../values/Json.ts"
import type { NextStep } from "../values/NextStep.ts"

/** An action that is not settled, or that a person is asked to look at: the reason, and what has to happen. */
export interface HeldAction {
  readonly run: string
  readonly action: string
  readonly tool: string
  readonly why: string
  readonly next: ReadonlyArray<NextStep>
}

/** A call that waits for a person. */
export interface PendingApproval {
  readonly run: string
  readonly review: string
  readonly tool: string
  readonly args: Json
  readonly needs: ReadonlyArray<string>
  readonly why: string
  /** ISO time since which it waits. */
  readonly since: string
  /** Arguments that differ from those that a person approved earlier for the tool. */
  readonly changed: ReadonlyArray<JsonObject>
}

/** One action in a report. */
export interface ReportedAction {
  readonly action: string
  readonly tool: string
  readonly standing: string
  /** The sentence that a user may be told of it. */
  readonly say: string
  /** Checks of its class that its contract omits. */
  readonly unchecked: ReadonlyArray<string>
}

/** A report: the sentences that may be told of a run. */
export interface Report {
  readonly run: string
  readonly tick: number
  readonly standing: string
  /** The sentence that a user may be told of the whole run. */
  readonly say: string
  /** `true` if the goal was declared reached, and everything that was done is a verified success. */
  readonly done: boolean
  readonly actions: ReadonlyArray<ReportedAction>
  readonly held: ReadonlyArray<HeldAction>
  readonly waits: ReadonlyArray<{
    readonly review: string
    readonly tool: string
    readonly needs: ReadonlyArray<string>
  }>
}

/** An entry of the ledger: one action, with its key, its evidence and its decisions. */
export interface LedgerEntry {
  readonly action_id: string
  readonly [field: string]: Json | undefined
}

/** The result of a verification. */
export interface Verdict {
  readonly run: string
  readonly consistent: boolean
  readonly anchored: boolean
  /** The first tick that cannot be trusted; `null` if all can. */
  readonly badTick: number | null
  readonly problem: string | null
  readonly ticks: number
  readonly head: string
  readonly compared: number
}

/** A decision of a person and what became of it. */
export interface Decision {
  readonly ok: boolean
  readonly run: string
  /** The reason for a refusal; empty if the decision counts. */
  readonly why: string
  readonly next: ReadonlyArray<NextStep>
}
