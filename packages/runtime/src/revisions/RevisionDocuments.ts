/** The specification of a run and the plan of a revision as documents, for people and programs. */

import type * as Act from "@backstitch/absorber/Act"
import * as AdaptationCost from "@backstitch/absorber/AdaptationCost"
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Goal from "@backstitch/kernel/Goal"
import * as Payload from "@backstitch/kernel/Payload"
import type * as RunAbsorption from "@backstitch/kernel/RunAbsorption"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as PlannerView from "../planner/PlannerView.ts"
import * as UndoOutlook from "../undo/UndoOutlook.ts"
import * as ClauseVerdicts from "./ClauseVerdicts.ts"
import type * as Revising from "./Revising.ts"

/** A clause in force: its value, its condition, and whether that holds in the present state. */
export interface ClauseShown {
  readonly clause: string
  readonly value: Json
  readonly condition: string
  readonly holds: boolean | "unknown"
  readonly added: boolean
  readonly description?: string | undefined
}

/** A revision as it was injected. */
export interface RevisionShown {
  readonly tick: number
  readonly kind: string
  readonly changes: ReadonlyArray<string>
  readonly absorbed: boolean
  /** Acts of which the revision says that they fit. */
  readonly keeps: ReadonlyArray<string>
  /** `true` if the revision gives up as lost what would block its absorption. */
  readonly widens: boolean
  readonly by?: string
  readonly said?: string
}

/** The goal of a run with its clauses, the most important one first, and the revisions that led to them. */
export interface SpecificationShown {
  readonly goal: string
  readonly permitted: boolean
  /** The finished runs that the run follows, the last one first. */
  readonly follows: ReadonlyArray<string>
  readonly clauses: ReadonlyArray<ClauseShown>
  readonly withdrawn: ReadonlyArray<string>
  readonly revisions: ReadonlyArray<RevisionShown>
}

/** An act of a plan. */
export interface ActShown {
  readonly action: string
  readonly tool: string
  readonly class: Act.Act["class"]
}

/** An act that no longer fits, or that stays: with the clauses concerned, and the reason as a sentence. */
export interface ActJudged extends ActShown {
  readonly clauses: ReadonlyArray<string>
  readonly says: string
}

/** An act that a plan undoes: the call that undoes it, and the outlook of that once it is known. */
export interface UndoShown extends ActShown, UndoOutlook.UndoOutlook {
  readonly by: string
  readonly params: Json
  readonly residue: boolean
}

/** A plan: what a revision would keep, undo and lose, its price, and what forbids it. */
export interface PlanShown {
  readonly possible: boolean
  /** `true` if nothing forbids the plan but acts under way, which settle first. */
  readonly waits: boolean
  readonly revisions: ReadonlyArray<number>
  readonly rule: string
  readonly kept: { readonly acts: number; readonly to: number }
  readonly conflicts: ReadonlyArray<ActJudged & { readonly answered: boolean }>
  readonly undo: ReadonlyArray<UndoShown>
  readonly discarded: ReadonlyArray<ActShown>
  readonly lost: ReadonlyArray<ActJudged & { readonly because: RunAbsorption.Binding | "irreversible" }>
  readonly stale: ReadonlyArray<ActShown>
  /** Acts of finished runs that the run follows. */
  readonly elsewhere: ReadonlyArray<ActJudged & { readonly run: string }>
  readonly obstacles: ReadonlyArray<{ readonly action: string; readonly code: string; readonly says: string }>
  readonly price: AdaptationCost.AdaptationCost
}

/** Shows the specification of a run at its head. */
export const specification = (
  pack: TaskPack.TaskPack,
  { state, transitions }: { readonly state: State; readonly transitions: ReadonlyArray<Transition> }
): SpecificationShown => {
  const goal = Goal.of(state)
  const verdicts = new Map(ClauseVerdicts.of(pack, state).map(({ clause, holds }) => [clause, holds]))
  return {
    goal: goal.text === "" ? goal.id : goal.text,
    permitted: pack.revisions !== undefined,
    follows: (goal.follows ?? []).map(({ run }) => run),
    clauses: PlannerView.clauses(pack, state).map(({ clause, holds: condition, ...about }) => ({
      ...about,
      clause,
      condition,
      holds: verdicts.get(clause) ?? "unknown",
      added: Object.hasOwn(goal.added ?? {}, clause)
    })),
    withdrawn: goal.withdrawn ?? [],
    revisions: transitions.flatMap(({ body, tick }): ReadonlyArray<RevisionShown> => {
      const { by, changes, keeps = [], kind, said, widens } = Payload.of(body, "revision.injected") ?? {}
      if (changes === undefined || kind === undefined) return []
      const absorbed = goal.pending?.ticks.includes(tick) !== true
      const named = { ...(by === undefined ? {} : { by }), ...(said === undefined ? {} : { said: textOf(said) }) }
      const own = { tick, kind, changes: changes.map((change) => changed(change)) }
      return [{ ...own, absorbed, keeps, widens: widens === true, ...named }]
    })
  }
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Writes a change as it is typed: `set city=Basel`. */
export const changed = (change: RevisedSpecification.RevisionChange): string => {
  switch (change.change) {
    case "add":
      return `add ${change.clause}: ${textOf(change.holds)}`
    case "prioritise":
      return `first ${change.clauses.join(", ")}`
    case "set":
      return `set ${change.clause}=${textOf(change.value)}`
    case "withdraw":
      return `withdraw ${change.clause}`
  }
}

/** Shows a plan, with the acts of other runs that no longer fit. */
export const plan = (
  { absorption, acts, obstacles, revisions }: Revising.Planned,
  elsewhere: ReadonlyArray<Revising.Elsewhere> = [],
  words: Words = English.words
): PlanShown => {
  const byAction = new Map(acts.map((act) => [act.action, act]))
  const shown = (action: string): ActShown => {
    const { class: reversibility = "X", tool = "" } = byAction.get(action) ?? {}
    return { action, tool, class: reversibility }
  }
  const discarded = new Set(absorption.discarded)
  const kept = acts.filter(
    ({ action, isDiscarded, stands }) => stands && isDiscarded !== true && !discarded.has(action)
  )
  return {
    possible: obstacles.length === 0,
    waits: obstacles.length > 0 && obstacles.every(({ why }) => why?.code === "undo.unsettled"),
    revisions,
    rule: absorption.rule,
    kept: { acts: kept.length, to: absorption.keptTo },
    conflicts: absorption.conflicts.map(({ action, answered, clauses }) => ({
      ...shown(action),
      clauses,
      answered: answered === true,
      says: words.plans.conflicts[answered === true ? "unanswered" : "unfit"]
    })),
    undo: absorption.undo.map(({ params, residue, tool, undoes }) => ({ ...shown(undoes), by: tool, params, residue })),
    discarded: absorption.discarded.map(shown),
    lost: absorption.lost.map(({ action, clauses }) => {
      const because = byAction.get(action)?.bound ?? "irreversible"
      return { ...shown(action), clauses, because, says: words.plans.lost[because] }
    }),
    stale: absorption.stale.map(shown),
    elsewhere: elsewhere.map(({ action, class: reversibility, clauses, run, tool }) => ({
      action,
      tool,
      class: reversibility,
      clauses,
      run,
      says: words.plans.elsewhere
    })),
    obstacles: obstacles.flatMap((check) => {
      const { id, why } = check
      return why === undefined ? [] : [{ action: id, code: why.code, says: Wording.of(why, words).what }]
    }),
    price: AdaptationCost.of(acts, absorption)
  }
}

/** Adds the outlook of each undo that a plan counts on. */
export const withOutlook = (self: PlanShown, known: UndoOutlook.UndoFacts): PlanShown => ({
  ...self,
  undo: self.undo.map((each) => ({ ...each, ...UndoOutlook.of(known, { action: each.action, tool: each.tool }) }))
})
