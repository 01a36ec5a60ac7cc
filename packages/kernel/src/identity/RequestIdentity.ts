/**
 * The key, request hash and target of a call, from its contract. They tell whether a call is the same act as an earlier
 * one, and which other calls it excludes.
 *
 * The key covers the identity fields within a scope (one lineage of runs, one goal, or the whole tenant), the
 * occurrence and the generation. The generation rises once the act has failed for good or was undone: then the same
 * call is a new act. The request hash covers all arguments, so that another request under the same key is noticed.
 */

import * as Normaliser from "@backstitch/contracts/Normaliser"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Expression from "@backstitch/expressions/Expression"
import * as ActIdentity from "@backstitch/ledger/ActIdentity"
import * as IdempotencyKey from "@backstitch/ledger/IdempotencyKey"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Result from "effect/Result"
import * as Limits from "../Limits.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as Goal from "../state/Goal.ts"

/** The identity of a call. A tool without identity fields has no key. */
export interface Derived {
  readonly _tag: "Derived"
  readonly key: string | undefined
  readonly requestHash: Digest
  readonly target: string | undefined
  /** The uses of the act whose generations of the key have ended: they failed, or were undone. Absent without a key. */
  readonly ended?: ReadonlyArray<UsedKeys.Used> | undefined
}

/** Derives key, request hash and target, or names the field that prevents it. */
export const derive = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  call: {
    readonly contract: ToolContract.ToolContract
    readonly params: Json
    readonly occurrence: number
    readonly generation: number
  }
): Derived | { readonly _tag: "Refused"; readonly check: Check.Check } => {
  const { contract, generation, occurrence, params } = call
  const read = spelling(contract, params)
  if (Result.isFailure(read)) return { _tag: "Refused", check: read.failure }
  const requestHash = IdempotencyKey.requestHash(contract.name, read.success.request)
  if (!ToolContract.isMutating(contract)) return { _tag: "Derived", key: undefined, requestHash, target: undefined }
  const target = targetOf(state, contract, params)
  if (Result.isFailure(target)) {
    return { _tag: "Refused", check: untargeted(contract, target.failure.message) }
  }
  const identity = actOf(terms, state, { contract, fields: read.success.fields, occurrence })
  const named = contract.identity === undefined ? undefined : nextKey(terms, state, identity, generation)
  return { _tag: "Derived", key: named?.key, requestHash, target: target.success, ended: named?.ended }
}

/**
 * The arguments of a call without differences of spelling, as its request hash covers them; or the check that fails, if
 * an identity field has no spelling. Fields outside of the key are covered, too.
 */
export const requested = (contract: ToolContract.ToolContract, params: Json): Result.Result<Json, Check.Check> =>
  Result.map(spelling(contract, params), ({ request }) => request)

/** The identity fields of a call, and its arguments without differences of their spelling. */
const spelling = (
  contract: ToolContract.ToolContract,
  params: Json
): Result.Result<{ readonly fields: Readonly<Record<string, string | null>>; readonly request: Json }, Check.Check> => {
  if (!ToolContract.isMutating(contract)) return Result.succeed({ fields: {}, request: recognisable(params) })
  const fields: Record<string, string | null> = {}
  const spelt: Record<string, Json> = {}
  for (const field of ActIdentity.read(contract, params)) {
    const { name } = field
    switch (field._tag) {
      case "Absent":
        fields[name] = spelt[name] = null
        break
      case "Sealed": {
        const key = sealedKey(contract, field.value)
        if (key === undefined) return Result.fail(Check.fail("key", name, "key.sealed", {}))
        fields[name] = key
        break
      }
      case "Normal":
        fields[name] = field.normal.key
        spelt[name] = field.normal.spelling
        break
      case "Unread": {
        const { normaliser, value } = field
        return Result.fail(Check.fail("key", name, "key.not_normal", { normaliser, value }))
      }
    }
  }
  return Result.succeed({ fields, request: recognisable({ ...(Normaliser.compose(params) as JsonObject), ...spelt }) })
}

/** Derives the identity of a call that undoes an action from that action alone, not from the arguments of the call. */
export const undoing = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  call: {
    readonly contract: ToolContract.ToolContract
    readonly params: Json
    readonly undoes: string
    /** A key of an earlier generation, which is no longer honoured. */
    readonly not?: string | undefined
  }
): Derived | { readonly _tag: "Refused"; readonly check: Check.Check } => {
  const { contract, not, params, undoes } = call
  const target = targetOf(state, contract, params)
  if (Result.isFailure(target)) return { _tag: "Refused", check: untargeted(contract, target.failure.message) }
  return {
    _tag: "Derived",
    ...nextKey(terms, state, undoingOf(terms, { contract, undoes }), 0, not),
    requestHash: IdempotencyKey.requestHash(contract.name, recognisable(params)),
    target: target.success
  }
}

/** The request of an action that is on record under a key. */
export interface Recorded {
  readonly contract: ToolContract.ToolContract
  readonly params: Json
  readonly occurrence: number
  readonly key: string
  /** The action that it undoes for the kernel. */
  readonly undoes?: string | undefined
}

/**
 * Tells whether the key of an action derives from the secret, in any generation. `undefined` if the contract derives
 * none for it, so that nothing follows.
 */
export const derives = (terms: DecisionTerms.DecisionTerms, state: State, recorded: Recorded): boolean | undefined => {
  const { contract, key, occurrence, params, undoes } = recorded
  const read = spelling(contract, params)
  if (undoes === undefined && (Result.isFailure(read) || contract.identity === undefined)) return undefined
  const fields = Result.isSuccess(read) ? read.success.fields : {}
  const identity =
    undoes === undefined
      ? actOf(terms, state, { contract, fields, occurrence })
      : undoingOf(terms, { contract, undoes })
  // Generations that are on record here had an end here: they may be any number, and show that the secret is the same.
  let others = 0
  for (let generation = 0; others <= Limits.deciding.lessonsMax; generation++) {
    const derived = IdempotencyKey.derive(terms.secret, { ...identity, generation })
    if (derived === key) return true
    if (UsedKeys.find(state, derived) === undefined) others++
  }
  return false
}

/** An act, before it is told which generation of its key is at hand. */
type Act = Omit<IdempotencyKey.KeyIdentity, "generation">

const actOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  call: Pick<Recorded, "contract" | "occurrence"> & { readonly fields: JsonObject }
): Act => {
  const { contract, fields, occurrence } = call
  const scope = contract.identity?.scope ?? "run"
  const reach = scope === "run" ? terms.lineage : scope === "goal" ? Goal.of(state).id : ""
  // Tenants may share a secret and a provider, but never a key (L15).
  const within = JSON.stringify([terms.run.tenant, reach])
  return { tool: contract.name, scope, within, fields, occurrence }
}

const undoingOf = (
  { run }: DecisionTerms.DecisionTerms,
  call: { readonly contract: ToolContract.ToolContract; readonly undoes: string }
): Act => {
  const within = JSON.stringify([run.tenant, run.id, "undo"])
  return { tool: call.contract.name, scope: "run", within, fields: { undoes: call.undoes }, occurrence: 1 }
}

/**
 * Finds the digest by which a key recognises a sealed value: a digest under a key of its subject, or within one lineage
 * its commitment. A key of a wider scope has to be found by other runs, which would not recognise the commitment.
 */
const sealedKey = ({ identity }: ToolContract.ToolContract, value: SealedValue.SealedValue): string | undefined =>
  value.identity?.key ?? (identity?.scope === "run" ? value.$sealed : undefined)

/** Arguments as a request hash covers them. Each sealed value is replaced by the digest by which it is recognised. */
const recognisable = (value: Json): Json => {
  if (SealedValue.isSealedValue(value)) return value.identity?.request ?? value.$sealed
  if (Array.isArray(value)) return value.map(recognisable)
  if (!Canonical.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, recognisable(each as Json)]))
}

const untargeted = (contract: ToolContract.ToolContract, found: string): Check.Check =>
  Check.fail("target", contract.name, "target.unanswered", {}, found)

/**
 * Finds the key of the generation at hand, and the uses of those that have ended. A final failure ends a key's
 * generation, and so does a verified undoing. After that a call is a new act, since a provider would repeat its answer
 * to the old key.
 */
const nextKey = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  identity: Act,
  first: number,
  not?: string
): { readonly key: string; readonly ended: ReadonlyArray<UsedKeys.Used> } => {
  const ended: Array<UsedKeys.Used> = []
  for (let generation = first; ; generation++) {
    const key = IdempotencyKey.derive(terms.secret, { ...identity, generation })
    const used = UsedKeys.find(state, key)
    if (used?.status !== "error" && used?.status !== "undone" && key !== not) return { key, ended }
    if (used !== undefined) ended.push(used)
  }
}

/** The target of a call; `undefined` if its contract says that calls do not exclude one another. */
export const targetOf = (state: State, contract: ToolContract.ToolContract, params: Json) =>
  contract.target === undefined
    ? Result.succeed(undefined)
    : Result.map(Expression.evaluate(contract.target, ExpressionScope.bindings(state, { args: params })), String)
