/**
 * The effects of a tool on the world, written once and read by everyone.
 *
 * The contract has many readers. The kernel validates arguments and asks for approvals, the ledger derives keys,
 * verification reads back, recovery learns what can be undone, and a revision learns what was assumed.
 *
 * @source docs/guides/contract-for-a-tool.md; Action Verification (side-effect classes); Revisable by Design
 * (reversibility)
 */

import type * as Expression from "@backstitch/expressions/Expression"
import type * as Field from "@backstitch/expressions/Field"
import type * as FunctionSource from "@backstitch/functions/FunctionSource"
import type * as Condition from "../state/Condition.ts"
import type { DataKey } from "../state/DataKey.ts"
import type * as Operation from "../state/Operation.ts"
import type * as Backoff from "../time/Backoff.ts"
import type * as Webhook from "../webhook/Webhook.ts"
import type * as Cost from "./Cost.ts"
import type * as Normaliser from "./Normaliser.ts"
import * as Readback from "./Readback.ts"
import type * as VerificationCheck from "./VerificationCheck.ts"

/** The six side-effect classes, from harmless to critical. Verification depth follows them. */
export const sideEffects = [
  "read_only",
  "ephemeral_write",
  "low_risk_internal",
  "medium_risk_write",
  "high_risk_external",
  "critical_mutation"
] as const

/** One of the six side-effect classes. */
export type SideEffect = (typeof sideEffects)[number]

/** The outcomes of repeating a call: no further effect, no further effect under the same key, or the effect again. */
export const idempotencies = ["read", "idempotent_write", "effectful"] as const

/** The outcome of repeating a call. */
export type Idempotency = (typeof idempotencies)[number]

/**
 * Classes of undoing. I: does not change the world. R: has an exact inverse. K: can be compensated, with residue. X:
 * cannot be undone.
 */
export const reversibilities = ["I", "R", "K", "X"] as const

/** The class of undoing of an effect. */
export type Reversibility = (typeof reversibilities)[number]

/** Scopes of an identity: two calls with the same identity in the same scope are the same act. */
export const identityScopes = ["run", "goal", "tenant"] as const

/**
 * Transactions that can stay open until a call is verified. `local` is one that the tool itself opens, commits and
 * aborts, such as a database transaction, or a file beside the one that it replaces.
 */
export const transactions = ["local"] as const

/** A transaction that stays open until a call is verified. */
export type Transaction = (typeof transactions)[number]

/** The arguments that identify a call, each with its normaliser. */
export interface Identity {
  readonly scope: (typeof identityScopes)[number]
  readonly fields: ReadonlyArray<{ readonly field: string; readonly normaliser: Normaliser.Normaliser }>
}

/**
 * The three times without which "not found" proves nothing.
 *
 * **Details**
 *
 * A sender drops a request after `sendWithinMillis`. If there is an effect, the system of record shows it within
 * `settleAfterMillis` of the last moment at which the request could have been sent. It honours a key for
 * `keyRetentionMillis`.
 */
export interface Times {
  readonly sendWithinMillis?: number
  readonly settleAfterMillis?: number
  readonly keyRetentionMillis?: number
}

/** The schedule by which a tool is asked for the status of a key, and the end of the schedule after the start. */
export interface Asking {
  readonly poll?: Backoff.Backoff
  readonly withinMillis?: number
}

/**
 * The undoing of an effect. `narrows` may answer another class for one instance. With `withinMillis`, the effect
 * cannot be undone later than that after it was reconciled. With `proofMillis`, a run begins only if a drill has
 * exercised the undo, and is not older than that.
 */
export interface Undo {
  readonly class: Reversibility
  readonly by?: string
  readonly with: Readonly<Record<string, Operation.Template>>
  readonly narrows?: Expression.Expression
  readonly withinMillis?: number
  readonly proofMillis?: number
}

/**
 * The money that a reversal does not return, according to its record. `decimal` is the number of digits of an amount
 * in minor units.
 */
export interface Keeps {
  readonly amount: Expression.Expression
  readonly currency: string
  readonly decimal: number
}

/**
 * The model of a tool: a function of `{ world, args }` that answers `{ output, world }`.
 *
 * **Details**
 *
 * `output` is the tool's expected answer, and `world` holds only the changed fields. Importers compare that answer
 * with the recorded one. The changes are applied for a recorded call, unless `onRecorded` says otherwise.
 */
export interface EffectModel {
  readonly function: FunctionSource.FunctionSource
  readonly run: FunctionSource.Compiled
}

/** The person who accepts the tool's word although nothing can be checked, and the reason. */
export interface AcceptsWord {
  readonly by: string
  readonly why: string
}

/**
 * A clause of the goal that the calls of a tool assume.
 *
 * **Details**
 *
 * `holds` tells of one call whether it fits the clause, by its arguments, its answer, its record and the values of the
 * clauses. Without it, a call fits as long as the clause itself holds after the call.
 */
export interface Assumption {
  readonly clause: string
  readonly holds?: Condition.Condition
}

/**
 * Everything that is decided in advance about one tool.
 *
 * **Details**
 *
 * `known` is false for a tool that the pack does not name. `target` is absent if the contract says that calls do not
 * exclude one another. With `transaction` the call is left open, read inside, and committed only if the record meets
 * the contract. `waives` lists the checks of its class that do not apply to the tool, each with a reason. If much is
 * at stake and nothing can be checked, `acceptsWord` names the person who lets the tool's own answer count. `writes`
 * are the keys that the tool declares, and the fields of the state that its reductions may change. `assumes` is absent
 * if the contract does not decide which clauses its calls assume; empty if they assume none. `serves` are the clauses
 * for whose sake a call is made: if one is withdrawn, the call is no longer wanted.
 */
export interface ToolContract {
  readonly name: string
  readonly known: boolean
  readonly description?: string
  readonly class: SideEffect
  readonly idempotency: Idempotency
  readonly input: Field.Fields
  readonly output?: Field.Field
  readonly target?: Expression.Expression
  readonly tenant?: Expression.Expression
  readonly identity?: Identity
  readonly transaction?: Transaction
  readonly times: Times
  readonly cost?: Cost.Cost
  readonly status: "by_key" | "none"
  readonly asking: Asking
  readonly readback?: Readback.Readback
  readonly webhook?: Webhook.Webhook
  readonly undo: Undo
  readonly keeps?: Keeps
  readonly waives?: VerificationCheck.Waivers
  readonly acceptsWord?: AcceptsWord
  readonly reads: ReadonlyArray<DataKey>
  readonly writes: ReadonlyArray<DataKey>
  readonly assumes?: ReadonlyArray<Assumption>
  readonly serves: ReadonlyArray<string>
  readonly model?: EffectModel
  readonly onReconciled?: Operation.Reduction
  readonly onRecorded?: Operation.Reduction
}

/**
 * The contract of a tool that has none: it may change anything, cannot be verified or undone, and every use needs a
 * person's approval.
 */
export const unknown = (name: string): ToolContract => ({
  name,
  known: false,
  class: "critical_mutation",
  idempotency: "effectful",
  input: {},
  times: {},
  status: "none",
  asking: {},
  undo: { class: "X", with: {} },
  reads: [],
  writes: [],
  serves: []
})

/** Tells whether the tool changes the world. */
export const isMutating = (self: ToolContract): boolean => self.class !== "read_only"

/** Tells whether a call stays in an open local transaction until it is verified. */
export const isLocal = (self: ToolContract): boolean => self.transaction === "local"

/**
 * Tells whether the record is read before a call: if the contract asks for it, if it names the version that the plan
 * was made on, or before a local transaction, since a rollback has to leave the record unchanged.
 */
export const isReadBefore = (self: ToolContract): boolean =>
  self.readback?.before !== undefined || isLocked(self) || isLocal(self)

/**
 * Tells whether a call applies to one version of its target only. With a token, the version only shows how late a
 * record is.
 */
const isLocked = ({ readback }: ToolContract): boolean =>
  readback?.version !== undefined && readback.token === undefined

/**
 * Tells whether a tool is high-risk or critical: an effect that cannot be checked is then not believed, unless a
 * person accepts the tool's word.
 */
export const isGrave = (self: ToolContract): boolean =>
  self.class === "high_risk_external" || self.class === "critical_mutation"

/** Tells whether the effect of the tool can be proven: by readback, or by asking with its key. */
export const isVerifiable = (self: ToolContract): boolean => self.readback !== undefined || self.status === "by_key"

/** Tells whether the outcome of a call can still be learnt: by status, by readback, or by a delivery. */
export const canBeLearnt = (self: ToolContract): boolean => isVerifiable(self) || self.webhook !== undefined

/** Tells whether the contract names a call that undoes this one. */
export const isReversible = ({ undo }: ToolContract): boolean => undo.by !== undefined && undo.class !== "X"

/**
 * Names the way to prove that a call has left no effect: a strong readback, otherwise status by key. `undefined` if
 * neither is declared: an eventual read, or one of a replica, proves no absence.
 */
export const absenceBy = (self: ToolContract): "readback" | "status" | undefined => {
  const { consistency, from, strong } = self.readback ?? {}
  if (strong !== undefined) return "readback"
  if (consistency !== undefined && consistency !== "eventual" && !Readback.isLagging(from)) return "readback"
  return canBeAsked(self) ? "status" : undefined
}

/** Tells whether "not found" settles anything: the contract has status by key, and declares all three times. */
export const canBeAsked = (self: ToolContract): boolean =>
  self.status === "by_key" &&
  self.times.sendWithinMillis !== undefined &&
  self.times.settleAfterMillis !== undefined &&
  self.times.keyRetentionMillis !== undefined
