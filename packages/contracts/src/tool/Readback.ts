/**
 * Questions to the system of record after an action, and the answers that confirm it.
 *
 * A record confirms an action if four conditions hold: its source may confirm, it is about the authorised resource,
 * tenant and actor, it cannot be the state from before, and it meets the predicates. If a contract lists further
 * sources, the record of each has to.
 *
 * @source Action Verification, "Examples of verification predicates", HS-07, HS-08 and HS-12
 */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Condition from "../state/Condition.ts"
import type * as Backoff from "../time/Backoff.ts"
import type * as Expectation from "./Expectation.ts"

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
export type ReadOrigin = (typeof origins)[number]

/** Tells whether an origin lags behind the system of record. A record from there is only a hint. */
export const isLagging = (origin: ReadOrigin | undefined): boolean => origin === "replica" || origin === "cache"

/** Promises of a read: the latest state, the state of a named commit, or whatever has arrived by then. */
export const consistencies = ["strong", "token", "eventual"] as const

/** The promise of a read. */
export type Consistency = (typeof consistencies)[number]

/** Parts of the scope for which an action may be authorised, and which a record can show. */
export const scopes = ["tenant", "target", "actor", "region", "account"] as const

/** A part of the scope for which an action may be authorised. */
export type ScopeName = (typeof scopes)[number]

/**
 * One part of the scope: the value in the record, and the required value. Without `expects`, it is the action's own.
 */
export interface Scoped {
  readonly shows: Expression.Expression
  readonly expects?: Expression.Expression
}

/** A further source that has to agree. */
export interface Source {
  readonly source: string
  readonly from?: ReadOrigin
  readonly expect: ReadonlyArray<Expectation.Expectation>
}

/**
 * The source of a strong read, for a readback that may lag, for example the primary. It is read in place of the first
 * source, and has to show the same.
 */
export interface Strong {
  readonly source: string
  readonly from?: ReadOrigin
}

/**
 * The readback of a tool: the sources to ask, and the answers that confirm a call.
 *
 * **Details**
 *
 * With `before`, the record is also read before anything is sent: an effect that is already there counts (`permit`),
 * or needs a person (`refuse`). `version` compares the version that the plan was made on with the record's: if they
 * differ, nothing is sent. `parts` are the named sub-effects of the call, each with its condition. `token` is the
 * commit that the tool's answer names: a record with an earlier version does not show it yet. `strong` is read if the
 * first source may have lagged.
 */
export interface Readback {
  readonly source: string
  readonly from?: ReadOrigin
  readonly expect: ReadonlyArray<Expectation.Expectation>
  readonly withinMillis?: number
  readonly poll?: Backoff.Backoff
  readonly consistency: Consistency
  readonly scope: { readonly [Name in ScopeName]?: Scoped }
  readonly before?: "permit" | "refuse"
  readonly version?: { readonly planned: Expression.Expression; readonly actual: Expression.Expression }
  readonly parts?: Readonly<Record<string, Condition.Condition>>
  readonly token?: Expression.Expression
  readonly strong?: Strong
  readonly sources: ReadonlyArray<Source>
}

/** A condition of a readback: its text, and its place in the contract. */
export interface ReadbackCondition {
  readonly of: "expect" | "parts" | "scope" | "sources" | "token" | "version"
  /** The name of the part, the scope or the further source. */
  readonly name?: string
  readonly source: string
}

/** Lists every condition that has to hold before a record confirms a call. */
export const predicates = (self: Readback): ReadonlyArray<ReadbackCondition> => {
  const { expect, parts = {}, scope, sources, token, version } = self
  const shown = version?.actual.source ?? "version"
  return [
    ...expect.map((each): ReadbackCondition => ({ of: "expect", source: Condition.source(each) })),
    ...Object.entries(parts).map(
      ([name, each]): ReadbackCondition => ({ of: "parts", name, source: Condition.source(each) })
    ),
    ...scopes.flatMap((name): ReadonlyArray<ReadbackCondition> => {
      const scoped = scope[name]
      if (scoped === undefined) return []
      return [{ of: "scope", name, source: `${scoped.shows.source} == ${scoped.expects?.source ?? name}` }]
    }),
    ...(version === undefined
      ? []
      : [{ of: "version", source: `${version.actual.source} == ${version.planned.source}` } as const]),
    ...(token === undefined ? [] : [{ of: "token", source: `${shown} >= ${token.source}` } as const]),
    ...sources.flatMap((each) =>
      each.expect.map((one): ReadbackCondition => ({ of: "sources", name: each.source, source: Condition.source(one) }))
    )
  ]
}

/** Writes a condition behind its place in the contract; one of the first source stands alone. */
export const say = ({ name, of, source }: ReadbackCondition): string =>
  of === "expect" ? source : `${of}${name === undefined ? "" : `.${name}`} (${source})`

/** Tells whether a readback uses a name whose value is known only at the start. */
export const reads = (self: Readback, name: "actor"): boolean => {
  const names = (expression: Expression.Expression | undefined): boolean => expression?.reads.includes(name) === true
  const conditions = [...self.expect, ...self.sources.flatMap((source) => source.expect)]
  return (
    conditions.some((condition) => condition._tag === "Function" || names(condition.expression)) ||
    Object.values(self.scope).some((scoped) => names(scoped?.expects))
  )
}
