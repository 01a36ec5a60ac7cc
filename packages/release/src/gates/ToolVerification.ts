/**
 * The verification of a tool's results, as lines that a person can compare between two versions of a contract.
 *
 * Predicates are not all of it. Each of these may let a false success pass, too: a class with lower demands; a read
 * from a replica; a scope that is no longer compared; a target that is the same for every account; a time after which
 * "not found" is believed, if it is too short.
 *
 * @source Action Verification, "Regression Control and Release Gates"
 */
import * as Condition from "@backstitch/contracts/Condition"
import type * as Expectation from "@backstitch/contracts/Expectation"
import type * as Readback from "@backstitch/contracts/Readback"
import type * as ToolContract from "@backstitch/contracts/ToolContract"

/** The rules of a verification, and the system of record that it reads. An absent tool has none. */
export interface ToolVerification {
  readonly rules: ReadonlyArray<string>
  readonly source: string
}

/** Lists how the results of a tool are verified. A predicate is shown as written, every other rule after its name. */
export const of = (contract: ToolContract.ToolContract | undefined): ToolVerification => {
  if (contract === undefined) return { rules: [], source: none }
  const { readback } = contract
  return {
    rules: [
      ...(readback === undefined ? [] : readback.expect.map(expected)),
      ...named(ofContract(contract)),
      ...(readback === undefined ? [] : named(ofReadback(readback)))
    ],
    source: readback === undefined ? none : `${readback.source} (${readback.consistency})`
  }
}

const none = "none"

type Named = Readonly<Record<string, string | undefined>>

const named = (values: Named): ReadonlyArray<string> =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))

const prefixed = <Value>(
  prefix: string,
  values: Readonly<Record<string, Value>>,
  told: (value: Value) => string | undefined
): Named => Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, told(value)]))

const expected = (expectation: Expectation.Expectation): string =>
  expectation.otherwise === undefined
    ? Condition.source(expectation)
    : `${Condition.source(expectation)}, otherwise ${expectation.otherwise}`

const shape = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value))

const ofContract = (contract: ToolContract.ToolContract): Named => {
  const { acceptsWord, asking, idempotency, identity, output, status, target, tenant } = contract
  const { times, transaction, waives, webhook } = contract
  return {
    "accepts_word.by": acceptsWord?.by,
    class: contract.class,
    idempotency,
    identity:
      identity === undefined
        ? undefined
        : `${identity.scope} ${identity.fields.map(({ field, normaliser }) => `${field} ${normaliser}`).join(", ")}`,
    output: shape(output),
    status,
    target: target?.source,
    tenant: tenant?.source,
    transaction,
    ...prefixed("asking", { ...asking }, shape),
    ...prefixed("times", { ...times }, shape),
    ...prefixed("waives", waives ?? {}, () => "yes"),
    ...(webhook === undefined
      ? {}
      : {
          "webhook.form": webhook.form,
          "webhook.tolerance": shape(webhook.toleranceMillis),
          "webhook.header": webhook.header,
          "webhook.sent": webhook.sent?.source,
          "webhook.id": webhook.id?.source,
          "webhook.key": webhook.key.source,
          "webhook.done": webhook.done.source,
          "webhook.failed": webhook.failed?.source,
          "webhook.output": webhook.output?.source
        })
  }
}

const ofReadback = (readback: Readback.Readback): Named => {
  const { before, from, parts = {}, poll, scope, sources, strong, token, version, withinMillis } = readback
  return {
    before,
    from,
    poll: shape(poll),
    strong: strong === undefined ? undefined : `${strong.source} (${strong.from ?? "unnamed"})`,
    token: token?.source,
    version: version === undefined ? undefined : `${version.planned.source} then ${version.actual.source}`,
    within: shape(withinMillis),
    ...prefixed("part", parts, Condition.source),
    ...prefixed("scope", scope, (scoped) =>
      scoped.expects === undefined ? scoped.shows.source : `${scoped.shows.source} is ${scoped.expects.source}`
    ),
    ...Object.fromEntries(
      sources.map((each) => [
        `source ${each.source}${each.from === undefined ? "" : ` (${each.from})`}`,
        each.expect.map(expected).join("; ")
      ])
    )
  }
}
