/**
 * The proof, from the records that were read, that an action had the intended effect.
 *
 * Predicates that hold are not enough. The source has to be allowed to confirm an action of this class. The record must
 * be about the authorised resource, and must not be the one from before. Every further source of the contract has to
 * agree. A record that fails one of these is a hint: it neither confirms nor refutes.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class", HS-07, HS-08 and HS-12
 */

import type * as Expectation from "@backstitch/contracts/Expectation"
import * as Readback from "@backstitch/contracts/Readback"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as VerificationSource from "@backstitch/contracts/VerificationSource"
import * as Trust from "@backstitch/ledger/Trust"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import type { Evidence, SourceEvidence } from "../decision/Evidence.ts"
import { originOf, recordOf, shownBy } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import type { Doubt } from "./checkedRead.ts"
import { effectsOf, once } from "./classification.ts"
import * as Expectations from "./Expectations.ts"
import * as ScopeCheck from "./ScopeCheck.ts"

/** The evidence of one source, checked against the contract. `hint` is the reason why it proves nothing. */
export interface CheckedSource {
  readonly source: string
  readonly evidence: Evidence
  readonly predicates: ReadonlyArray<Expectations.ExpectationVerdict>
  readonly scoping: ScopeCheck.ScopeCheck
  readonly hint: Finding.Finding | undefined
}

/**
 * The evidence of all sources together.
 *
 * **Details**
 *
 * `trust` is what the sources are worth once they agree. `doubt` says why a readable source
 * settles nothing: it lags, or the sources contradict one another.
 */
export interface Confirmation {
  readonly isConfirmed: boolean
  readonly trust: Trust.Trust
  readonly readings: readonly [CheckedSource, ...ReadonlyArray<CheckedSource>]
  readonly doubt: Doubt | undefined
}

/** Judges what the system of record and the further sources of a contract showed. */
export const judge = (
  subject: ActionInFlight,
  read: {
    readonly evidence: Evidence
    readonly others?: ReadonlyArray<SourceEvidence> | undefined
    /** `true` if the record was read from the strong source of the contract. */
    readonly isStrong?: boolean | undefined
  }
): Confirmation => {
  const { contract } = subject
  const { readback } = contract
  const named = (read.isStrong === true ? readback?.strong : undefined) ?? readback
  const { expect = [] } = readback ?? {}
  const main = { source: named?.source ?? contract.name, from: named?.from, expect, isStrong: read.isStrong }
  const first = readingOf(subject, { ...main, evidence: read.evidence, isMain: true })
  const further = (readback?.sources ?? []).map((source) => {
    const evidence = read.others?.find((other) => other.source === source.source)?.evidence
    return readingOf(subject, { ...source, evidence: evidence ?? unasked, isMain: false })
  })
  const readings = [first, ...further] as const
  const isConfirmed = readings.every(holds)
  return {
    isConfirmed,
    trust: Trust.of("confirmed", { isEnough: VerificationDepth.confirms(contract.class, readings.length) }),
    readings,
    doubt: isConfirmed ? undefined : doubtOf(readings)
  }
}

/** The reading that decides a contradiction: one about another resource, otherwise one that does not hold. */
export const telling = ({ readings }: Confirmation): CheckedSource =>
  readings.find(({ scoping }) => ScopeCheck.strays(scoping)) ?? readings.find((each) => !holds(each)) ?? readings[0]

/** Lists the evidence of further sources that a transition keeps, so that the decision can be made again. */
export const toData = ({ readings }: Confirmation): Pick<Payload.Of<"action.verified">, "from" | "sources"> => {
  const [{ evidence }, ...further] = readings
  return {
    ...originOf(evidence),
    ...(further.length === 0 ? {} : { sources: further.map(sourceData) })
  }
}

/** Names the origin that keeps a record from proving a call: it lags, or may not confirm the class. */
export const barredBy = (
  contract: ToolContract.ToolContract,
  origins: ReadonlyArray<Readback.ReadOrigin | undefined>,
  source?: string
): Finding.Finding | undefined => {
  const named = source === undefined ? {} : { source }
  const lagging = origins.find((origin) => Readback.isLagging(origin))
  if (lagging !== undefined) return Finding.make("source.lagging", { origin: lagging, ...named })
  const origin = origins.find((each) => !VerificationSource.admits(contract.class, each))
  return origin && Finding.make("source.not_admitted", { class: contract.class, origin, ...named })
}

const sourceData = ({
  evidence,
  source
}: CheckedSource): NonNullable<Payload.Of<"action.verified">["sources"]>[number] => ({
  ...shownBy(evidence),
  ...originOf(evidence),
  source
})

/** The evidence of a source that was not asked. */
export const unasked: Evidence = { _tag: "Unknown", reason: Finding.make("answer.not_asked", {}) }

const holds = ({ evidence, hint, predicates, scoping }: CheckedSource): boolean =>
  evidence._tag === "Ok" &&
  hint === undefined &&
  !ScopeCheck.strays(scoping) &&
  predicates.every(({ held }) => held === true)

/** Tells whether a source shows a failure that the contract names. That counts, whatever the other sources show. */
const namesFailure = ({ predicates }: CheckedSource): boolean =>
  predicates.some(({ held, otherwise }) => held === false && otherwise !== undefined)

/**
 * Finds the doubt in inconclusive readings: a lagging source, or sources that disagree. A source that cannot be read
 * is no doubt.
 */
const doubtOf = (readings: ReadonlyArray<CheckedSource>): Doubt | undefined => {
  if (readings.some(({ scoping }) => ScopeCheck.strays(scoping))) return undefined
  const hint = readings.find((each) => each.hint !== undefined)
  if (hint?.hint !== undefined) return { kind: "hint", reason: hint.hint }
  const shown = readings.filter(({ evidence }) => evidence._tag === "Ok" || evidence._tag === "NotFound")
  const agreeing = shown.filter(holds)
  if (agreeing.length === 0 || agreeing.length === shown.length || shown.some(namesFailure)) return undefined
  const others = shown.filter((each) => !holds(each)).map(({ source }) => source)
  return {
    kind: "disagreement",
    reason: Finding.make("source.disagreement", { others, showing: agreeing.map(({ source }) => source) })
  }
}

const readingOf = (
  subject: ActionInFlight,
  read: {
    readonly source: string
    readonly from?: Readback.ReadOrigin | undefined
    readonly expect: ReadonlyArray<Expectation.Expectation>
    readonly evidence: Evidence
    readonly isMain: boolean
    readonly isStrong?: boolean | undefined
  }
): CheckedSource => {
  const { evidence, source } = read
  const names = ScopeCheck.bindings(subject, recordOf(evidence))
  const predicates = Expectations.against(read.expect, names, evidence)
  if (evidence._tag !== "Ok") {
    return { source, evidence, predicates, scoping: { wanted: {}, found: {} }, hint: undefined }
  }
  const versions = read.isMain ? versionsOf(subject, names) : []
  return {
    source,
    evidence,
    predicates: [
      ...predicates,
      ...versions,
      ...(read.isMain ? partsOf(subject, evidence.output) : []),
      ...onceOf(subject, evidence.output)
    ],
    scoping: ScopeCheck.of(subject, evidence.output),
    hint: hintOf(subject, evidence, { ...read, isLater: versions.some(({ held }) => held === true) || hasMoved(names) })
  }
}

/** Lists the parts of an effect, with the names of the missing ones. */
const partsOf = (subject: ActionInFlight, record: Json): ReadonlyArray<Expectations.ExpectationVerdict> =>
  Object.entries(Expectations.parts(subject, record)).map(([source, held]) => ({
    source,
    held,
    says: Finding.make("record.part_missing", { part: source })
  }))

/** Refutes a record with more than one entry under the key: the effect took place more than once. */
const onceOf = (subject: ActionInFlight, record: Json): ReadonlyArray<Expectations.ExpectationVerdict> => {
  const effects = effectsOf(subject, record)
  return effects === 1
    ? []
    : [{ source: once, held: false, says: Finding.make("record.repeated", { entries: effects }) }]
}

/** Names the reason why a record proves nothing: its origin may not confirm, or it may be older than the write. */
const hintOf = (
  { contract, open }: ActionInFlight,
  evidence: Evidence & { readonly _tag: "Ok" },
  read: {
    readonly source: string
    readonly from?: Readback.ReadOrigin | undefined
    readonly isLater: boolean
    readonly isStrong?: boolean | undefined
  }
): Finding.Finding | undefined => {
  const barred = barredBy(contract, [read.from, evidence.from], read.source)
  if (barred !== undefined) return barred
  if (contract.readback?.consistency !== "eventual" || read.isStrong === true) return undefined
  return read.isLater || bears(evidence.output, open.key)
    ? undefined
    : Finding.make("source.older", { source: read.source })
}

/** Tells whether a record shows the key of a call, which proves that the call made it. */
export const bears = (record: Json, key: string | undefined): boolean =>
  key !== undefined &&
  typeof record === "object" &&
  record !== null &&
  Object.values(record).some((value) => value === key)

/** Compares the version of a record with the commit that its answer names. */
const versionsOf = (
  { contract }: ActionInFlight,
  names: { readonly [name: string]: unknown }
): ReadonlyArray<Expectations.ExpectationVerdict> => {
  if (contract.readback?.token === undefined) return []
  const source = "version.later"
  const held = later(names["version"] as Json, names["token"] as Json, true)
  const says = Finding.make(held === null ? "record.unversioned" : "record.earlier", {})
  return [{ source, held, says }]
}

/** Tells whether the version differs from the planned one, and is later if versions have an order. */
const hasMoved = (names: { readonly [name: string]: unknown }): boolean => {
  const [shown, planned] = [names["version"] ?? null, names["planned"] ?? null] as [Json, Json]
  if (shown === null || planned === null) return false
  return later(shown, planned, false) ?? Canonical.encode(shown) !== Canonical.encode(planned)
}

const later = (one: Json, other: Json, orEqual: boolean): boolean | null => {
  const [left, right] = [orderOf(one), orderOf(other)]
  if (left === undefined || right === undefined) return null
  return orEqual ? left >= right : left > right
}

/** Versions have an order only if they are whole numbers, as numbers or as digits. */
const orderOf = (value: Json): bigint | undefined => {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value)
  return typeof value === "string" && /^[0-9]{1,40}$/.test(value) ? BigInt(value) : undefined
}
