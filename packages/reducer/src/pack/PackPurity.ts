/**
 * The check that the functions of a pack have to pass before a run may pin it.
 *
 * Each function is read from its source, must not use outside names, and is run on frozen samples, twice and in a
 * fresh copy. The samples are the state in which runs begin, and values made from the types that the pack declares. A
 * function that fails on a sample is not impure: the fold records such failures where they happen.
 *
 * **Gotchas**
 *
 * The check catches accidents. It is no sandbox: reducers are reviewed code.
 */
import type * as Condition from "@backstitch/contracts/Condition"
import type * as Operation from "@backstitch/contracts/Operation"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as FunctionSource from "@backstitch/functions/FunctionSource"
import * as Purity from "@backstitch/functions/Purity"
import * as Result from "effect/Result"
import * as PackRules from "./PackRules.ts"
import * as PackSamples from "./PackSamples.ts"

/** A function of a pack, with its place. */
export interface PackFunction {
  readonly id: string
  readonly source: string
  /** Tools and types at whose steps it runs; if empty, at every step. */
  readonly on: ReadonlyArray<string>
  /** The table whose rows it judges. */
  readonly each?: string | undefined
}

/** Every function that a pack carries, in whatever part of it. */
export const functions = (pack: TaskPack.TaskPack): ReadonlyArray<PackFunction> => {
  const placed = withSubjects(pack)
  const sources = new Set(placed.map(({ source }) => source))
  // A part that this module does not know by name must not bring code unseen.
  const others = [...carried(pack, [])].filter(({ source }) => !sources.has(source))
  return [...placed, ...others]
}

/** The functions in the parts of which the subjects are known. */
const withSubjects = (pack: TaskPack.TaskPack): ReadonlyArray<PackFunction> => {
  const found: Array<PackFunction> = []
  const add = (
    id: string,
    part: Operation.Reduction | Condition.Condition | undefined,
    on: ReadonlyArray<string>,
    each?: string
  ): void => {
    if (part?._tag === "Function") found.push({ id, source: part.function.source, on, each })
  }
  for (const [type, reduction] of Object.entries(pack.reducers)) add(`reducers.${type}`, reduction, [type])
  for (const { assumes = [], model, name, onReconciled, onRecorded, readback } of Object.values(pack.tools)) {
    if (model !== undefined) found.push({ id: `tools.${name}.model`, source: model.function.source, on: [name] })
    add(`tools.${name}.on_reconciled`, onReconciled, [name])
    add(`tools.${name}.on_recorded`, onRecorded, [name])
    for (const condition of readback?.expect ?? []) add(`tools.${name}.readback`, condition, [name])
    for (const { clause, holds } of assumes) add(`tools.${name}.assumes.${clause}`, holds, [name])
  }
  for (const guard of pack.guards) add(`guards.${guard.id}`, guard.refuseIf, guard.on)
  for (const { each, id, scope = [], when } of pack.violations) {
    add(`violations.${id}`, when, scope, each === undefined ? undefined : `${each.section}.${each.table}`)
  }
  return found
}

/** Walks through a part of a pack, and yields each function in it under the path that leads there. */
function* carried(part: unknown, path: ReadonlyArray<string>): Generator<PackFunction> {
  if (typeof part !== "object" || part === null) return
  if ("run" in part && typeof part.run === "function" && "function" in part) {
    const { source } = part.function as FunctionSource.FunctionSource
    return yield { id: path.join("."), source, on: [] }
  }
  if ("_tag" in part && part._tag === "Expression") return
  for (const [name, below] of Object.entries(part)) yield* carried(below, [...path, name])
}

/**
 * Every impure function of a pack. Each is tried on the state in which runs begin and on values of its declared
 * types, or on given samples.
 */
export const findings = (
  pack: TaskPack.TaskPack,
  samples?: ReadonlyArray<Readonly<Record<string, unknown>>>
): ReadonlyArray<Purity.Impure> => {
  const { working, world } = PackRules.of(pack).initial
  const scope = { args: {}, clause: {}, key: "", row: {}, state: { ...working, ...world }, working, world }
  const given = samples ?? [{ ...scope, after: scope, before: scope }]
  const tried = (subject: PackFunction, scopes: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
    const checked = Purity.check(
      subject,
      scopes.map((each) => [each])
    )
    return Result.isFailure(checked) && checked.failure.reason !== "throws" ? [checked.failure] : []
  }
  return functions(pack).flatMap((subject) => {
    const found = tried(subject, given)
    if (found.length > 0 || samples !== undefined) return found
    // A made-up sample may be outside of a function's purpose, so the function need not accept it.
    return tried(subject, PackSamples.of(pack, subject)).filter(({ reason }) => reason !== "not_json")
  })
}

/** Checks every function of a pack; fails with the first impure one. */
export const check = (
  pack: TaskPack.TaskPack,
  samples?: ReadonlyArray<Readonly<Record<string, unknown>>>
): Result.Result<void, Purity.Impure> => {
  const [first] = findings(pack, samples)
  return first === undefined ? Result.succeed(undefined) : Result.fail(first)
}
