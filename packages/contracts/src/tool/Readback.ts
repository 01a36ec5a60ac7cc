/**
 * Questions to the system of record after an action, and the answers that confirm it.
 *
 * A record confirms an action when it comes from a source that may confirm,
 * is about the resource, tenant and actor that were authorised, cannot be the
 * state from before, and meets the predicates; where a contract lists further
 * sources, each of them.
 *
 * @source Action Verification, "Examples of verification predicates", HS-07, HS-08 and HS-12
 */

import type * as Expression from "@backstitch/expressions/Expression"
import type * as Condition from "../state/Condition.ts"
import type * as Expectation from "./Expectation.ts"
import type * as Polling from "./Polling.ts"

/** Origins of an answer. The first two prove nothing about a write. */
export const origins = [
  "replica",
  "cache",
  "permitted_read_path",
  "signed_response",
  "sandbox_monitor",
  "primary",
  "strong_endpoint",
  "service_api",
  "workflow_engine",
  "event_ledger",
  "provider_ledger",
  "provider_status",
  "immutable_ledger",
  "audit_trail",
  "production_controller"
] as const

/** The origin of an answer. */
export type Origin = (typeof origins)[number]

/** Tells whether an origin lags behind the system of record: what comes from there is a hint. */
export const isLagging = (origin: Origin | undefined): boolean => origin === "replica" || origin === "cache"

/** Promises of a read: the latest state, the state of a commit that is named, or whatever has arrived by then. */
export const consistencies = ["strong", "token", "eventual"] as const

/** The promise of a read. */
export type Consistency = (typeof consistencies)[number]

/** Parts of the scope that an action may be authorised for, and that a record can be about. */
export const scopes = ["tenant", "target", "actor", "region", "account"] as const

/** A part of the scope that an action may be authorised for. */
export type ScopeName = (typeof scopes)[number]

/** One part of the scope as the record shows it, and as it has to be. Without `expects`, it is the action's own. */
export interface Scoped {
  readonly shows: Expression.Expression
  readonly expects?: Expression.Expression
}

/** A further source that has to agree. */
export interface Source {
  readonly source: string
  readonly from?: Origin
  readonly expect: ReadonlyArray<Expectation.Expectation>
}

/**
 * The source of a strong read, for a readback that may lag: the primary, say. It is read in its place, and has to show
 * the same.
 */
export interface Strong {
  readonly source: string
  readonly from?: Origin
}

/**
 * The readback of a tool: the sources that are asked, and the answers that confirm a call.
 *
 * **Details**
 *
 * With `before` the record is read before anything is sent, too: what is found
 * done already counts (`permit`), or needs a person (`refuse`). `version` is
 * what the plan was made on and what the record shows: where they differ,
 * nothing is sent. `parts` are the sub-effects of the call, by name, each with
 * the condition under which it is there. `token` is the commit that the tool's
 * answer names: a record with an earlier version does not show it yet. `strong`
 * is read where the first source may have lagged.
 */
export interface Readback {
  readonly source: string
  readonly from?: Origin
  readonly expect: ReadonlyArray<Expectation.Expectation>
  readonly withinMillis?: number
  readonly poll?: Polling.Polling
  readonly consistency: Consistency
  readonly scope: { readonly [Name in ScopeName]?: Scoped }
  readonly before?: "permit" | "refuse"
  readonly version?: { readonly planned: Expression.Expression; readonly actual: Expression.Expression }
  readonly parts?: Readonly<Record<string, Condition.Condition>>
  readonly token?: Expression.Expression
  readonly strong?: Strong
  readonly sources: ReadonlyArray<Source>
}

/** Tells whether a readback names something that only the moment of the start knows. */
export const reads = (self: Readback, name: "actor"): boolean => {
  const names = (expression: Expression.Expression | undefined): boolean => expression?.reads.includes(name) === true
  const conditions = [...self.expect, ...self.sources.flatMap((source) => source.expect)]
  return (
    conditions.some((condition) => condition._tag === "Function" || names(condition.expression)) ||
    Object.values(self.scope).some((scoped) => names(scoped?.expects))
  )
}
