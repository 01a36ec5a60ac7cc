/**
 * Cherry-picks: decides whether an intent of one run may be carried to another, with the reasons.
 *
 * An intent is justified by the state in which it was decided. The contract names the fields on which it depends, and
 * the kernel bound their values to the intent when it was committed. An import is judged in four steps:
 *
 * 1. Both runs are under the same contract, in name, version and content. If not, no field is compared.
 * 2. The target has the fields that the contract requires, as declared.
 * 3. The hash of the intent covers the fields that the contract in force at the target binds, and the fields that
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
import * as Contract from "@backstitch/reducer/Contract"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as Finding from "@backstitch/trace/Finding"
import * as Result from "effect/Result"
import * as HistoryCodes from "../model/HistoryCodes.ts"
import type * as Payload from "../payload/Payload.ts"
import type * as Intent from "./Intent.ts"

/** An intent at its place: the state before it, the contract in force there, and the link that proves it. */
export interface Source {
  readonly run: string
  readonly tick: number
  readonly link: string
  readonly intent: Intent.Intent
  readonly state: State
  readonly pack: TaskPack.TaskPack | undefined
}

/** The target of an import: the state at the head, and the contract in force for the next tick. */
export interface Target {
  readonly run: string
  readonly tick: number
  readonly state: State
  readonly pack: TaskPack.TaskPack | undefined
}

/**
 * One field on both sides. An absent side does not have the field. `match` tells whether the values have to be equal.
 */
export interface Field {
  readonly path: string
  readonly match: boolean
  readonly source?: Canonical.Json
  readonly target?: Canonical.Json
  readonly problem?: "missing" | "null" | "type" | "differs"
}

/** The reason why an import is refused: `code` for programs, `text` for people, and `remedy` for the next step. */
export interface Reason {
  readonly code: "contract_mismatch" | "context_violation" | "hash_underspecified"
  readonly path?: string
  readonly text: string
  readonly remedy: string
}

/** A warning of an import, recorded with it. */
export type Warning = Finding.Of<typeof HistoryCodes.warnings>

/**
 * The verdict of the four steps.
 *
 * **Details**
 *
 * `hash` is the hash that the intent carries, `targetHash` the one that it would carry in the target. `dependsOn` are
 * the advisory fields that the target has. `bound` tells whether the contract or the proposer binds any field.
 * Without one nothing can be compared, and a call that changes the world leads to a warning.
 */
export interface Verdict {
  readonly accepted: boolean
  readonly source: { readonly run: string; readonly tick: number; readonly link: string }
  readonly target: { readonly run: string; readonly tick: number }
  readonly type: string
  readonly subject: string
  readonly contract: { readonly source: string; readonly target: string }
  readonly fields: ReadonlyArray<Field>
  readonly advisory: ReadonlyArray<Field>
  readonly bound: boolean
  readonly covered: boolean
  readonly hash?: string
  readonly targetHash?: string
  readonly dependsOn: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<Warning>
  readonly reasons: ReadonlyArray<Reason>
}

/** Judges an import. */
export const validate = (source: Source, target: Target): Verdict => {
  const { intent } = source
  const contract = { source: nameOf(source), target: nameOf(target) }
  const about = {
    source: { run: source.run, tick: source.tick, link: source.link },
    target: { run: target.run, tick: target.tick },
    type: intent.type,
    subject: intent.subjects[0],
    contract,
    ...(intent.contextHash === undefined ? {} : { hash: intent.contextHash })
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
    ...fields.flatMap((field) => (field.problem === undefined ? [] : [violation(source, target, field)])),
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
export const toData = (self: Verdict): Origin => {
  const { contract, hash, source, targetHash, warnings } = self
  const fields = [...self.fields, ...self.advisory].map((each) => [each.path, sides(each)] as const)
  const context = sides({ source: hash, target: targetHash })
  return {
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...(contract.target === undefined ? {} : { contract: contract.target }),
    ...(fields.length === 0 ? {} : { fields: Object.fromEntries(fields) }),
    source,
    ...(warnings.length === 0 ? {} : { warnings })
  }
}

/** The part of `run.cherrypick` that is known before the proposal is decided. */
export type Origin = Omit<(typeof Payload.payloads)["run.cherrypick"]["Type"], "adopted" | "proposal" | "recorded">

/** Names the values of both sides; a side without a value has no name. */
const sides = <A>({
  source,
  target
}: {
  readonly source?: A | undefined
  readonly target?: A | undefined
}): { readonly source?: A; readonly target?: A } => ({
  ...(source === undefined ? {} : { source }),
  ...(target === undefined ? {} : { target })
})

/** A value as part of a line. */
const inLine = (value: Canonical.Json | undefined): string => {
  if (value === undefined) return "nothing"
  const text = Canonical.encode(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

const nameOf = ({ pack }: { readonly pack: TaskPack.TaskPack | undefined }): string =>
  pack === undefined ? "none" : `${pack.id}@${pack.version}`

/** Name and version first: an intent of another contract has another meaning, whatever its fields say. */
const mismatch = (source: Source, target: Target, names: Verdict["contract"]): Reason | undefined => {
  const same = Contract.of(source.state).pack === Contract.of(target.state).pack
  if (same && names.source === names.target) return undefined
  const differ =
    names.source === names.target
      ? `both runs name their contract ${names.source}, and it is not the same text`
      : `the intent was committed under ${names.source}, and ${target.run} is under ${names.target}`
  return {
    code: "contract_mismatch",
    text: differ,
    remedy: `propose it anew in ${target.run}, under its own contract`
  }
}

const compare = (source: Source, target: Target, governing: ContextHash.Contract): ReadonlyArray<Field> => {
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
      return { path, match, ...sides, ...(problem === undefined ? {} : { problem }) }
    })
}

const added = (bound: ContextHash.ContextHash, target: Target): ReadonlyArray<Field> =>
  Object.entries(bound.extra).map(([path, source]) => {
    const value = ContextHash.valueAt(target.state, path)
    if (value === undefined) return { path, match: false, source, problem: "missing" as const }
    const field = { path, match: false, source, target: value }
    return Canonical.equals(source, value) ? field : { ...field, problem: "differs" as const }
  })

const sidesOf = (source: State, target: State, path: string): Pick<Field, "source" | "target"> => {
  const [left, right] = [ContextHash.valueAt(source, path), ContextHash.valueAt(target, path)]
  return { ...(left === undefined ? {} : { source: left }), ...(right === undefined ? {} : { target: right }) }
}

const isSame = ({ source, target }: Pick<Field, "source" | "target">): boolean =>
  source === target || (source !== undefined && target !== undefined && Canonical.equals(source, target))

const asked = (
  { action, subjects }: Intent.Intent,
  contract: ContextHash.Contract,
  state: State,
  advisory: ReadonlyArray<string>
): Parameters<typeof ContextHash.compute>[0] => ({ type: subjects[0], action, contract, state, advisory })

const violation = (source: Source, target: Target, field: Field): Reason => {
  const { path, problem } = field
  const code = "context_violation"
  if (problem === "differs") {
    return {
      code,
      path,
      text: `${source.run} decided it with ${path} = ${inLine(field.source)}, and ${target.run} has ${inLine(field.target)}`,
      remedy: `bring ${path} of ${target.run} to ${inLine(field.source)} by an action of its own, then repeat`
    }
  }
  const found =
    problem === "missing" ? "does not have it" : `has ${inLine(field.target)}, which the contract does not accept`
  return {
    code,
    path,
    text: `${source.intent.subjects[0]} requires ${path}, and ${target.run} ${found}`,
    remedy: `commit ${path} in ${target.run} first, then repeat`
  }
}

const underspecified = (source: Source, governing: ContextHash.Contract): Reason => ({
  code: "hash_underspecified",
  text:
    source.intent.contextHash === undefined
      ? `the intent carries no context hash, and the contract in force binds ${governing.hashSeeds.join(", ") || "its context"}`
      : `the context hash of the intent does not cover what the contract in force binds: ${governing.hashSeeds.join(", ") || "its context"}`,
  remedy: "have it proposed anew, so that the contract in force is what it is bound to"
})

/** Tells whether an intent may change the world. One that changes nothing needs no context to be carried over. */
const changes = ({ pack }: Target, { tool }: Intent.Intent): boolean =>
  tool !== undefined && pack !== undefined && ToolContract.isMutating(TaskPack.tool(pack, tool))

const unbound = ({ subjects }: Intent.Intent): Warning => HistoryCodes.make("context.unbound", { subject: subjects[0] })

const warning = ({ path, problem }: Field): ReadonlyArray<Warning> => {
  if (problem === undefined) return []
  return [
    problem === "missing"
      ? HistoryCodes.make("context.missing", { path })
      : HistoryCodes.make("context.differs", { path })
  ]
}
