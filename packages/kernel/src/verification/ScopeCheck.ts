/**
 * The scope of an action, compared with a record: the tenant, the target, and the actor, region or account that the
 * contract names.
 *
 * An effect on the resource of another party is no success, even if its values are right. Fields that a record does
 * not show are not compared.
 *
 * @source Action Verification, HS-12 and "Wrong Target Modified"
 */

import * as Normaliser from "@backstitch/contracts/Normaliser"
import * as Readback from "@backstitch/contracts/Readback"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Expression from "@backstitch/expressions/Expression"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"

/** The scope for which an action was authorised, and the scope that a record shows. */
export interface ScopeCheck {
  readonly wanted: Discrepancy.Authority
  readonly found: Discrepancy.Authority
}

/**
 * Compares a record with the scope of an action.
 *
 * **Details**
 *
 * Under `scope`, the contract says what a record shows. If it does not name the target, the target is computed again
 * from the arguments, with fields of the record in place of the arguments of the same name.
 */
export const of = (subject: ActionInFlight, record: Json): ScopeCheck => {
  const { contract } = subject
  const declared = contract.readback?.scope ?? {}
  if (Object.keys(declared).length === 0) return ofTarget(subject, record)
  const names = bindings(subject, record)
  const wanted: { [Name in Readback.ScopeName]?: string } = {}
  const found: { [Name in Readback.ScopeName]?: string } = {}
  for (const name of Readback.scopes) {
    const scoped = declared[name]
    if (scoped === undefined) continue
    const expected = scoped.expects === undefined ? own(name, names) : valueOf(scoped.expects, names)
    const shown = valueOf(scoped.shows, names)
    if (expected === undefined || shown === undefined) continue
    wanted[name] = expected
    found[name] = shown
  }
  if (declared.target !== undefined) return { wanted, found }
  const target = ofTarget(subject, record)
  return { wanted: { ...wanted, ...target.wanted }, found: { ...found, ...target.found } }
}

const ofTarget = (subject: ActionInFlight, record: Json): ScopeCheck => {
  const { target } = subject.open
  if (target === undefined) return { wanted: {}, found: {} }
  const found = targetOf(subject, record)
  return { wanted: { target }, found: found === undefined ? {} : { target: found } }
}

/** Tells whether a record is outside the authorised scope. */
export const strays = ({ found, wanted }: ScopeCheck): boolean =>
  Readback.scopes.some(
    (name) => wanted[name] !== undefined && found[name] !== undefined && wanted[name] !== found[name]
  )

/** Binds the names by which a record is judged: the state, and the action's arguments, answer, scope, key and times. */
export const bindings = (
  { contract, open, state, terms }: ActionInFlight,
  actual: Json
): { readonly [name: string]: unknown } => {
  const plain = ExpressionScope.bindings(state, {
    actor: open.actor ?? "",
    actual,
    args: open.params,
    key: open.key ?? "",
    observed: open.answer?.output ?? null,
    startedAt: new Date(open.firstAt ?? open.startedAt ?? 0).toISOString(),
    target: open.target ?? "",
    tenant: terms.run.tenant
  })
  const { token, version } = contract.readback ?? {}
  const { tenant } = contract
  if (token === undefined && version === undefined && tenant === undefined) return plain
  return {
    // The state is a getter, which a spread would evaluate.
    ...withoutGetters(plain),
    get state() {
      return plain["state"]
    },
    ...(tenant === undefined ? {} : { tenant: evaluated(tenant, plain) ?? terms.run.tenant }),
    planned: version === undefined ? null : (evaluated(version.planned, plain) ?? null),
    token: token === undefined ? null : (evaluated(token, plain) ?? null),
    version: version === undefined ? null : (evaluated(version.actual, plain) ?? null)
  }
}

/** Keeps the actor if the contract's readback compares it: it is known only at the start. */
export const begun = (contract: ToolContract.ToolContract, agent: string | undefined): JsonObject =>
  contract.readback !== undefined && Readback.reads(contract.readback, "actor") ? { actor: agent ?? "" } : {}

const withoutGetters = (names: { readonly [name: string]: unknown }): { readonly [name: string]: unknown } =>
  Object.fromEntries(Object.keys(names).flatMap((name) => (name === "state" ? [] : [[name, names[name]]])))

const own = (name: Readback.ScopeName, names: { readonly [name: string]: unknown }): string | undefined =>
  typeof names[name] === "string" ? names[name] : undefined

const evaluated = (
  expression: Expression.Expression,
  names: { readonly [name: string]: unknown }
): Json | undefined => {
  const value = Expression.evaluate(expression, names)
  return Result.isSuccess(value) ? value.success : undefined
}

const valueOf = (
  expression: Expression.Expression,
  names: { readonly [name: string]: unknown }
): string | undefined => {
  const value = evaluated(expression, names)
  return value === undefined || value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value)
}

/**
 * The target of the record, if the record has the fields that a target is made of; differences of spelling do not
 * count.
 */
const targetOf = ({ contract, open, state }: ActionInFlight, actual: Json): string | undefined => {
  if (contract.target === undefined || !Canonical.isObject(actual) || !Canonical.isObject(open.params)) return undefined
  const args = open.params
  // A field that is spelt as in the request counts as equal to it.
  const isAsAsked = Object.keys(args).every((name) => !Object.hasOwn(actual, name) || actual[name] === args[name])
  if (isAsAsked) return open.target
  const shown = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, Object.hasOwn(actual, name) ? (actual[name] ?? null) : value])
  )
  const [asked, found] = [args, shown].map((each) =>
    Expression.evaluate(contract.target!, ExpressionScope.bindings(state, { args: normal(contract, each) }))
  )
  if (asked === undefined || found === undefined || Result.isFailure(asked) || Result.isFailure(found)) return undefined
  return String(asked.success) === String(found.success) ? open.target : String(found.success)
}

const normal = (contract: ToolContract.ToolContract, args: JsonObject): JsonObject => {
  const normalised = (contract.identity?.fields ?? []).flatMap(({ field, normaliser }) => {
    const value = args[field]
    if (value === undefined || value === null) return []
    const spelt = Normaliser.apply(normaliser, value, contract.input[field])
    return Result.isFailure(spelt) ? [] : [[field, spelt.success] as const]
  })
  return { ...args, ...Object.fromEntries(normalised) }
}
