/**
 * The check that the functions of a pack have to pass before a run may pin it.
 *
 * Each function is read from its source, has to be free of outside names, and
 * is run on frozen samples, twice and in a fresh copy. A function that fails on
 * a sample is not impure: the fold notes such failures where they happen.
 *
 * **Gotchas**
 *
 * The check catches accidents. It is not a sandbox: reducers are reviewed code.
 *
 * @since 0.1.0
 */
import type * as Condition from "@backstitch/contracts/Condition"
import type * as Operation from "@backstitch/contracts/Operation"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Result from "effect/Result"
import * as PackRules from "./PackRules.ts"
import * as Purity from "./Purity.ts"

/**
 * A function of a pack, by where it stands.
 *
 * @category models
 * @since 0.1.0
 */
export interface PackFunction {
  readonly id: string
  readonly source: string
}

/**
 * Every function that a pack carries.
 *
 * @category getters
 * @since 0.1.0
 */
export const functions = (pack: TaskPack.TaskPack): ReadonlyArray<PackFunction> => {
  const found: Array<PackFunction> = []
  const add = (id: string, part: Operation.Reduction | Condition.Condition | undefined): void => {
    if (part?._tag === "Function") found.push({ id, source: part.function.source })
  }
  for (const [type, reduction] of Object.entries(pack.reducers)) add(`reducers.${type}`, reduction)
  for (const tool of Object.values(pack.tools)) {
    if (tool.model !== undefined) found.push({ id: `tools.${tool.name}.model`, source: tool.model.function.source })
    add(`tools.${tool.name}.on_reconciled`, tool.onReconciled)
    add(`tools.${tool.name}.on_recorded`, tool.onRecorded)
    for (const condition of tool.readback?.expect ?? []) add(`tools.${tool.name}.readback`, condition)
  }
  for (const guard of pack.guards) add(`guards.${guard.id}`, guard.refuseIf)
  for (const predicate of pack.violations) add(`violations.${predicate.id}`, predicate.when)
  return found
}

/**
 * Every function of a pack that is not pure, tried on the state in which its runs begin, or on given samples.
 *
 * @category combinators
 * @since 0.1.0
 */
export const findings = (
  pack: TaskPack.TaskPack,
  samples?: ReadonlyArray<Readonly<Record<string, unknown>>>
): ReadonlyArray<Purity.Impure> => {
  const { working, world } = PackRules.of(pack).initial
  const scope = { args: {}, clause: {}, key: "", row: {}, state: { ...working, ...world }, working, world }
  const given = samples ?? [{ ...scope, after: scope, before: scope }]
  return functions(pack).flatMap((subject) => {
    const checked = Purity.check(
      subject,
      given.map((sample) => [sample])
    )
    return Result.isFailure(checked) && checked.failure.reason !== "throws" ? [checked.failure] : []
  })
}

/**
 * Checks every function of a pack; the first that is not pure is the failure.
 *
 * @category combinators
 * @since 0.1.0
 */
export const check = (
  pack: TaskPack.TaskPack,
  samples?: ReadonlyArray<Readonly<Record<string, unknown>>>
): Result.Result<void, Purity.Impure> => {
  const [first] = findings(pack, samples)
  return first === undefined ? Result.succeed(undefined) : Result.fail(first)
}
