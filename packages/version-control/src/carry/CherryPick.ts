/**
 * Cherry-picks: decides whether an intent of one run may be carried to another, with the reasons.
 *
 * An intent is justified by the state in which it was decided. The contract names the fields on which it depends, and
 * the kernel bound their values to the intent when it was committed. An import is judged in four steps:
 *
 * 1. Both runs are under the same pack, in name, version and content. If not, no field is compared.
 * 2. The target has the fields that the contract requires, as declared.
 * 3. The hash of the intent covers the fields that the pack in force at the target binds, and the fields that
 *   have to match have the same value on both sides.
 * 4. Fields that the proposer added may be missing or differ: that is a warning, and is recorded.
 *
 * Nothing here changes anything: a verdict is a value.
 *
 * Laws: an intent may always be carried into the state in which it was decided.
 *
 * @source Dendrer, section 4.4 and appendices C, E.2
 */
import * as ContextHash from "@backstitch/contracts/ContextHash"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import * as Result from "effect/Result"
import * as HistoryCodes from "../codes/HistoryCodes.ts"
import type * as Payload from "../payload/Payload.ts"
import type * as Intent from "./Intent.ts"

/** An intent at its place: the state before it, the pack in force there, and the link that proves it. */
export interface PlacedIntent {
  readonly run: string
  readonly tick: number
  readonly link: string
  readonly intent: Intent.Intent
  readonly state: State
  readonly pack: TaskPack.TaskPack | undefined
}

/** The target of an import: the state at the head, and the pack in force for the next tick. */
export interface Target {
  readonly run: string
  readonly tick: number
  readonly state: State
  readonly pack: TaskPack.TaskPack | undefined
}

/**
 * One field on both sides. An absent side does not have the field. `match` tells whether the values have to be equal.
 */
export interface ComparedField {
  readonly path: string
  readonly match: boolean
  readonly source?: Canonical.Json
  readonly target?: Canonical.Json
  readonly problem?: FieldMismatch
}

/** The problem of a field on the side of the target. */
export type FieldMismatch = "differs" | "missing" | "null" | "type"

/**
 * The reason for which an import is refused: another contract, a field that the target lacks or has otherwise, or a
 * hash that does not cover the fields that the contract binds.
 */
export type RefusalReason =
  | {
      readonly code: "contract_mismatch"
      /** The target run. */
      readonly onto: string
      readonly path?: undefined
      readonly source: string
      readonly target: string
    }
  | {
      readonly code: "context_violation"
      /** The target run. */
      readonly onto: string
      readonly path: string
      readonly problem: FieldMismatch
      /** The source run. */
      readonly run: string
      readonly source?: Canonical.Json
      readonly subject: string
      readonly target?: Canonical.Json
    }
  | {
      readonly code: "hash_underspecified"
      readonly binds: ReadonlyArray<string>
      readonly isHashed: boolean
      readonly path?: undefined
    }

/** A warning of an import, recorded with it. */
export type Warning = FindingForm.Of<typeof HistoryCodes.warnings>

/**
 * The verdict of the four steps.
 *
 * **Details**
 *
 * `hash` is the hash that the intent carries, `targetHash` the one that it would carry in the target. `dependsOn` are
 * the advisory fields that the target has. `bound` tells whether the contract or the proposer binds any field.
 * Without one nothing can be compared, and a call that changes the world leads to a warning.
 */
export interface CherryPickVerdict {
  readonly accepted: boolean
  readonly source: { readonly run: string; readonly tick: number; readonly link: string }
  readonly target: { readonly run: string; readonly tick: number }
  readonly type: string
  readonly subject: string
  readonly contract: { readonly source: string; readonly target: string }
  readonly fields: ReadonlyArray<ComparedField>
  readonly advisory: ReadonlyArray<ComparedField>
  readonly bound: boolean
  readonly covered: boolean
  readonly hash?: string
  readonly targetHash?: string
  readonly dependsOn: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<Warning>
  readonly reasons: ReadonlyArray<RefusalReason>
}

/** Judges an import. */
export const validate = (source: PlacedIntent, target: Target): CherryPickVerdict => {
  const { intent } = source
  const contract = { source: nameOf(source), target: nameOf(target) }
  const about = {
    source: { run: source.run, tick: source.tick, link: source.link },
    target: { run: target.run, tick: target.tick },
    type: intent.type,
    subject: intent.subjects[0],
    contract,
    ...defined({ hash: intent.contextHash })
  }
  const other = mismatch(source, target, contract)
  if (other !== undefined) {
    const nothing = { fields: [], advisory: [], bound: false, covered: false, dependsOn: [], warnings: [] }
    return { ...about, ...nothing, accepted: false, reasons: [other] }
  }
  const governing = TaskPack.governing(target.pack, intent.subjects)
  const fields = compare(source, target, governing)
  const bound = ContextHash.compute(asked(intent, governing, source.state, intent.dependsOn))
  const isBound = governing.hashSeeds.length + Object.keys(governing.required).length + intent.dependsOn.length > 0
  const covered = !isBound || (Result.isSuccess(bound) && bound.success.hash === intent.contextHash)
  const advisory = Result.isSuccess(bound) ? added(bound.success, target) : []
  const dependsOn = advisory.filter(({ problem }) => problem !== "missing").map(({ path }) => path)
  const there = ContextHash.compute(asked(intent, governing, target.state, dependsOn))
  const reasons = [
    ...fields.flatMap(({ match: _, problem, ...sides }): ReadonlyArray<RefusalReason> => {
      if (problem === undefined) return []
      const runs = { onto: target.run, run: source.run }
      return [{ code: "context_violation", ...runs, ...sides, problem, subject: intent.subjects[0] }]
    }),
    ...(covered ? [] : [underspecified(source, governing)])
  ]
  return {
    ...about,
    accepted: reasons.length === 0,
    fields,
    advisory,
    bound: isBound,
    covered,
    ...(isBound && Result.isSuccess(there) ? { targetHash: there.success.hash } : {}),
    dependsOn,
    warnings: [...(isBound || !changes(target, intent) ? [] : [unbound(intent)]), ...advisory.flatMap(warning)],
    reasons
  }
}

/**
 * Writes the `data` of `run.cherrypick`: the origin of an import and the compared hashes. A field without a value is
 * left out.
 */
export const toData = (self: CherryPickVerdict): CherryPickOrigin => {
  const { contract, hash, source, targetHash, warnings } = self
  const fields = [...self.fields, ...self.advisory].map((each) => [each.path, sides(each)] as const)
  const context = sides({ source: hash, target: targetHash })
  return {
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...defined({ contract: contract.target }),
    ...(fields.length === 0 ? {} : { fields: Object.fromEntries(fields) }),
    source,
    ...(warnings.length === 0 ? {} : { warnings })
  }
}

/** The part of `run.cherrypick` that is known before the proposal is decided. */
export type CherryPickOrigin = Omit<
  (typeof Payload.payloads)["run.cherrypick"]["Type"],
  "adopted" | "proposal" | "recorded"
>

/** Names the values of both sides; a side without a value has no name. */
const sides = <A>({
  source,
  target
}: {
  readonly source?: A | undefined
  readonly target?: A | undefined
}): { readonly source?: A; readonly target?: A } => ({
  ...defined({ source, target })
})

const nameOf = ({ pack }: { readonly pack: TaskPack.TaskPack | undefined }): string =>
  pack === undefined ? "none" : `${pack.id}@${pack.version}`

/** Name and version first: an intent of another contract has another meaning, whatever its fields say. */
const mismatch = (
  source: PlacedIntent,
  target: Target,
  names: CherryPickVerdict["contract"]
): RefusalReason | undefined => {
  const same = PackInForce.of(source.state).pack === PackInForce.of(target.state).pack
  if (same && names.source === names.target) return undefined
  return { code: "contract_mismatch", ...names, onto: target.run }
}

const compare = (
  source: PlacedIntent,
  target: Target,
  governing: ContextHash.Contract
): ReadonlyArray<ComparedField> => {
  const found = ContextHash.compute(asked(source.intent, governing, target.state, []))
  const problems = Result.isFailure(found) ? found.failure.violations : []
  const matched = ContextHash.matched(governing)
  return Object.keys(governing.required)
    .sort()
    .map((path) => {
      const sides = sidesOf(source.state, target.state, path)
      const match = matched.includes(path)
      const unmet = problems.find((each) => each.path === path || each.path.startsWith(`${path}.`))?.problem
      const problem =
        unmet !== undefined && unmet !== "advisory" ? unmet : match && !isSame(sides) ? ("differs" as const) : undefined
      return { path, match, ...sides, ...defined({ problem }) }
    })
}

const added = (bound: ContextHash.ContextHash, target: Target): ReadonlyArray<ComparedField> =>
  Object.entries(bound.extra).map(([path, source]) => {
    const value = ContextHash.valueAt(target.state, path)
    if (value === undefined) return { path, match: false, source, problem: "missing" as const }
    const field = { path, match: false, source, target: value }
    return Canonical.equals(source, value) ? field : { ...field, problem: "differs" as const }
  })

const sidesOf = (source: State, target: State, path: string): Pick<ComparedField, "source" | "target"> => {
  const [left, right] = [ContextHash.valueAt(source, path), ContextHash.valueAt(target, path)]
  return defined({ source: left, target: right })
}

const isSame = ({ source, target }: Pick<ComparedField, "source" | "target">): boolean =>
  source === target || (source !== undefined && target !== undefined && Canonical.equals(source, target))

const asked = (
  { action, subjects }: Intent.Intent,
  contract: ContextHash.Contract,
  state: State,
  advisory: ReadonlyArray<string>
): Parameters<typeof ContextHash.compute>[0] => ({ type: subjects[0], action, contract, state, advisory })

const underspecified = ({ intent }: PlacedIntent, { hashSeeds }: ContextHash.Contract): RefusalReason => ({
  code: "hash_underspecified",
  binds: hashSeeds,
  isHashed: intent.contextHash !== undefined
})

/** Tells whether an intent may change the world. One that changes nothing needs no context to be carried over. */
const changes = ({ pack }: Target, { tool }: Intent.Intent): boolean =>
  tool !== undefined && pack !== undefined && ToolContract.isMutating(TaskPack.tool(pack, tool))

const unbound = ({ subjects }: Intent.Intent): Warning => HistoryCodes.make("context.unbound", { subject: subjects[0] })

const warning = ({ path, problem }: ComparedField): ReadonlyArray<Warning> => {
  if (problem === undefined) return []
  return [
    problem === "missing"
      ? HistoryCodes.make("context.missing", { path })
      : HistoryCodes.make("context.differs", { path })
  ]
}
