/**
 * The checks of its class that a contract makes, and those that it omits.
 *
 * Most checks can be recognised in the contract: an expectation that reads `tenant` checks the tenant, one that
 * compares `actual.price` with `args.price` checks an amount. Others are declared with `checks` at an expectation. A
 * check that does not apply to a tool is waived, with a reason that a reviewer signs.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": required post-action check
 */
import type * as Field from "@backstitch/expressions/Field"
import * as Condition from "../state/Condition.ts"
import type * as Expectation from "./Expectation.ts"
import type * as ToolContract from "./ToolContract.ts"
import { names, type VerificationCheck } from "./VerificationCheck.ts"

/** The checks that each class demands. */
export const required: { readonly [Class in ToolContract.SideEffect]: ReadonlyArray<VerificationCheck> } = {
  read_only: ["arguments", "tenant", "source_identity", "integrity"],
  ephemeral_write: ["path", "existence", "content_hash", "no_escape"],
  low_risk_internal: ["target", "tenant", "version", "actor", "changed_fields"],
  medium_risk_write: ["target", "tenant", "difference", "workflow_status", "actor", "downstream"],
  high_risk_external: ["provider_transaction", "delivery", "target", "tenant", "amount", "key", "visible_state"],
  critical_mutation: ["every_source", "target", "tenant", "approval", "policy_version", "ledger_entry", "visible_state"]
}

/** The checks of its class that a contract makes, waives and omits. */
export interface Coverage {
  readonly made: ReadonlyArray<VerificationCheck>
  readonly waived: ReadonlyArray<VerificationCheck>
  readonly missing: ReadonlyArray<VerificationCheck>
}

/**
 * Tells which checks of its class a contract makes, waives and omits.
 *
 * **Example** (A refund that one source confirms)
 *
 * ```ts import.meta.vitest
 * import { CheckCoverage, TaskPack } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * const pack = Result.getOrThrow(
 *   TaskPack.make({
 *     pack: "acme.refunds",
 *     version: "1.0.0",
 *     tools: {
 *       refund: {
 *         class: "critical_mutation",
 *         input: { charge: "string" },
 *         identity: { scope: "goal", fields: ["charge"] },
 *         readback: { source: "bank", expect: ["actual.charge == args.charge", "actual.tenant == tenant"] },
 *         target: "args.charge"
 *       }
 *     }
 *   })
 * )
 *
 * CheckCoverage.coverage(TaskPack.tool(pack, "refund")).missing // => ["every_source"]
 * ```
 */
export const coverage = (contract: ToolContract.ToolContract): Coverage => {
  const known = coverages.get(contract)
  if (known !== undefined) return known
  const covered = covers(contract)
  coverages.set(contract, covered)
  return covered
}

/** The coverages of contracts. Each settlement of an action asks for that of its contract. */
const coverages = new WeakMap<ToolContract.ToolContract, Coverage>()

const covers = (contract: ToolContract.ToolContract): Coverage => {
  const asked = required[contract.class].filter((name) => applies(contract, name))
  const found = new Set([...byKernel(contract), ...byReadback(contract)])
  const made = asked.filter((name) => found.has(name))
  const waived = asked.filter((name) => !found.has(name) && contract.waives?.[name] !== undefined)
  return { made, waived, missing: asked.filter((name) => !found.has(name) && !waived.includes(name)) }
}

/** Tells which checks an expectation of a contract makes. */
export const ofExpectation = (
  expectation: Expectation.Expectation,
  contract: Pick<ToolContract.ToolContract, "target">
): ReadonlyArray<VerificationCheck> => {
  const reads = Condition.reads(expectation)
  const given = expectation.checks ?? []
  // It is unknown which fields a function compares.
  if (reads === "any") return [...new Set([...given, "existence" as const])]
  const fieldsOf = (root: string) => reads.flatMap((path) => (path.startsWith(`${root}.`) ? [path.split(".")[1]!] : []))
  const [shown, args] = [fieldsOf("actual"), fieldsOf("args")]
  const has = (root: string) => reads.some((path) => path === root || path.startsWith(`${root}.`))
  const named = (pattern: RegExp) => shown.some((field) => pattern.test(field))
  const aims = contract.target?.reads.flatMap((path) => (path.startsWith("args.") ? [path.split(".")[1]!] : [])) ?? []
  const isShown = has("actual")
  const holds: { readonly [Name in VerificationCheck]?: boolean } = {
    actor: has("actor"),
    amount: named(amounts),
    approval: named(/approv/i),
    changed_fields: isShown,
    content_hash: named(/hash|digest|checksum|sha\d|etag/i),
    delivery: named(/deliver|(?:^|_)(?:status|state)$/i),
    difference: has("planned") || has("version"),
    existence: true,
    integrity: isShown,
    key: has("key"),
    ledger_entry: named(/ledger|audit/i),
    no_escape: named(/escape|inside|sandbox|symlink|resolved/i),
    path: named(/path/i),
    provider_transaction: (isShown && has("observed")) || named(/transaction|(?:^|_)(?:id|reference)$|Id$/),
    source_identity: named(/source|origin|issuer/i),
    target: has("target") || (isShown && args.some((field) => aims.includes(field))),
    tenant: has("tenant"),
    version: has("version") || has("planned"),
    visible_state: isShown,
    workflow_status: named(/workflow|(?:^|_)(?:status|state|stage|phase)$/i)
  }
  return names.filter((name) => given.includes(name) || holds[name] === true)
}

const amounts = /amount|price|total|(?:^|_)(?:sum|fare|fee|cost)(?:_|$)|quantity|currency/i

/** Without an amount in the call, there is none to compare. */
const applies = (contract: ToolContract.ToolContract, name: VerificationCheck): boolean =>
  name !== "amount" || Object.entries(contract.input).some(([field, type]) => amounts.test(field) || isDecimal(type))

const isDecimal = (type: Field.Field): boolean => type.type === "decimal"

/** Checks that the kernel itself makes: arguments, the binding of approvals to contract and payload, the ledger. */
const byKernel = (contract: ToolContract.ToolContract): ReadonlyArray<VerificationCheck> =>
  contract.class === "read_only"
    ? ["arguments", ...(contract.output === undefined ? [] : (["integrity"] as const))]
    : ["approval", "policy_version", "ledger_entry"]

const byReadback = (contract: ToolContract.ToolContract): ReadonlyArray<VerificationCheck> => {
  const { readback } = contract
  if (readback === undefined) return []
  const { before, expect, from, parts, scope, sources, token, version } = readback
  const declared: { readonly [Name in VerificationCheck]?: boolean } = {
    actor: scope.actor !== undefined,
    difference: before !== undefined || version !== undefined,
    downstream: parts !== undefined || sources.length > 0,
    every_source: sources.length > 0,
    source_identity: from !== undefined,
    target: scope.target !== undefined,
    tenant: scope.tenant !== undefined,
    version: version !== undefined || token !== undefined
  }
  const conditions = [...expect, ...sources.flatMap((source) => source.expect)]
  return [
    ...names.filter((name) => declared[name] === true),
    ...conditions.flatMap((expectation) => ofExpectation(expectation, contract))
  ]
}
