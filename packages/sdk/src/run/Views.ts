/** Views of runs, as plain JSON. */
import type { Json, JsonObject } from "../values/Json.ts"
import type { NextStep } from "../values/NextStep.ts"

/** An action that is not settled, or that a person is asked to look at: the reason, and what has to happen. */
export interface HeldAction {
  readonly run: string
  readonly action: string
  readonly tool: string
  readonly why: string
  /** The incident that recovery opened about it. */
  readonly incident: string | null
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
  /** A sentence that says how far a yes goes. */
  readonly permits: string
  /** The digest of the question, for a decision to name: another one each time that the same call is asked about. */
  readonly digest: string
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
  /** `true` if the goal was declared reached, its clauses hold, and everything that was done is a verified success. */
  readonly done: boolean
  /** Sentences on clauses of a goal that was declared reached, and that do not hold. */
  readonly unmet: ReadonlyArray<string>
  readonly actions: ReadonlyArray<ReportedAction>
  readonly held: ReadonlyArray<HeldAction>
  /** Sentences on effects that remain of failed or undone actions: a dirty workspace, a fee that was kept. */
  readonly residue: ReadonlyArray<string>
  readonly waits: ReadonlyArray<{
    readonly review: string
    readonly tool: string
    readonly needs: ReadonlyArray<string>
  }>
}

/** A report that was asked for with a draft of the agent. `say` is the draft, or the sentences of the report. */
export interface DraftReport extends Report {
  /** `true` if `say` is the draft, which then stands in the record as a message that reports each act as a success. */
  readonly isDraft: boolean
  /** The reason for which the draft may not be told; empty if it may. */
  readonly why: string
}

/** An entry of the ledger: one action, with its key, its evidence and its decisions. */
export interface LedgerEntry {
  readonly action_id: string
  readonly [field: string]: Json | undefined
}

/** The result of a verification. */
export interface Verification {
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

/** The onset of a condition in a run. */
export interface Onset {
  readonly run: string
  /** The first tick at which the condition holds; `null` if it never does. */
  readonly onset: number | null
  /** The number of ticks of the run. */
  readonly length: number
  /** The number of states on which the condition was evaluated. */
  readonly evaluations: number
  /** The transition at the onset, with its effect. */
  readonly transition: JsonObject | null
  /** The ticks that may have led to it, and what each did. This is a heuristic, unlike the onset. */
  readonly causes: ReadonlyArray<{ readonly tick: number; readonly effect: string }>
}

/** The differences of two runs. */
export interface Comparison {
  readonly left: { readonly run: string; readonly length: number }
  readonly right: { readonly run: string; readonly length: number }
  /** The number of ticks that both have in common from the first on. */
  readonly shared: number
  readonly counts: Readonly<Record<string, number>>
  readonly differences: ReadonlyArray<JsonObject>
}

/** A decision of a person and what became of it. */
export interface Decision {
  readonly ok: boolean
  readonly run: string
  /** The reason for a refusal; empty if the decision counts. */
  readonly why: string
  readonly next: ReadonlyArray<NextStep>
}
