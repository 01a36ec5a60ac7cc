/**
 * Admission: the latest checkpoint of the failed instance that may be restored, or a block that names its cause.
 *
 * | condition | holds if |
 * | --- | --- |
 * | `identified` | the failure happened in exactly one live instance |
 * | `stable` | the checkpoint belongs to that instance, is certified, and has a kind that the policy restores |
 * | `in_scope` | no other instance has written since what would be put back |
 * | `no_committed_conflict` | no other instance has read what would be taken away, or stands on an effect to undo |
 * | `effect_allowed` | no effect after the checkpoint forbids a rollback |
 *
 * The last three conditions are judged for each checkpoint: values written before it are not taken away, and effects
 * before it are not crossed. Whoever has read a value of an instance relies on the effects of that instance; the policy
 * says which consumers count. A block names the fallback. Either the whole task is done again through
 * the ledger, whose keys prevent repeated effects, or the run is held, because an effect has no key and cannot be asked
 * about.
 *
 * @source DART, definition 6, equations 8 to 10
 */

import type { FailureEvent } from "../failure/FailureEvent.ts"
import * as Localization from "../failure/Localization.ts"
import * as Checkpoint from "../instance/Checkpoint.ts"
import * as Effect from "../instance/Effect.ts"
import type { Entry } from "../instance/Entry.ts"
import type * as Instance from "../instance/Instance.ts"
import * as Dependency from "../registry/Dependency.ts"
import type { Registry } from "../registry/Registry.ts"
import type * as RecoveryPolicy from "./RecoveryPolicy.ts"

/** The reason for a block. */
export type InadmissibleReason =
  | { readonly code: "ambiguous_instance"; readonly rivals: ReadonlyArray<Instance.Instance> }
  | { readonly code: "no_checkpoint" }
  | { readonly code: "boundary_not_closed"; readonly tick: number; readonly kind: Checkpoint.CheckpointKind }
  | { readonly code: "overwritten_since"; readonly by: Instance.Instance; readonly key: string }
  | {
      readonly code: "committed_consumers_present" | "open_consumers_present"
      readonly consumers: ReadonlyArray<{ readonly instance: Instance.Instance; readonly keys: ReadonlyArray<string> }>
    }
  | Crossed

/** Effects that a rollback may not cross, for one reason. */
export interface Crossed {
  readonly code: Effect.Barrier
  readonly effects: ReadonlyArray<Effect.Effect>
}

/** A checkpoint with the reasons that forbid it; none if it is admissible. */
export interface CheckpointVerdict {
  readonly checkpoint: Checkpoint.Checkpoint
  readonly reasons: ReadonlyArray<InadmissibleReason>
}

/** A restore that is admitted. `owes` lists the effects to be undone first through the ledger, the latest first. */
export interface Admitted {
  readonly _tag: "Admitted"
  readonly instance: Instance.Instance
  readonly checkpoint: Checkpoint.Checkpoint
  readonly owes: ReadonlyArray<Effect.Effect>
  readonly judged: ReadonlyArray<CheckpointVerdict>
}

/** A restore that is not admitted, with the fallback. */
export interface Blocked {
  readonly _tag: "Blocked"
  readonly instance?: Instance.Instance | undefined
  readonly reasons: ReadonlyArray<InadmissibleReason>
  readonly judged: ReadonlyArray<CheckpointVerdict>
  readonly fallback: "hold" | "rerun"
}

/** The policy of an admission, and the time at which undo windows are judged, in epoch milliseconds. */
export interface Options {
  readonly policy: RecoveryPolicy.RecoveryPolicy
  readonly now: number
}

/** Decides about the recovery of a failure. */
export const decide = (registry: Registry, failure: FailureEvent, options: Options): Admitted | Blocked => {
  const localized = Localization.localize(registry, failure)
  if (localized._tag === "Identified") return restore(registry, localized.entry, options)
  const reasons = [{ code: "ambiguous_instance", rivals: localized.rivals }] as const
  return { _tag: "Blocked", reasons, judged: [], fallback: fallback(registry) }
}

/** Decides about restoring a given instance. */
export const restore = (registry: Registry, entry: Entry, options: Options): Admitted | Blocked => {
  const { instance } = entry
  const judged = entry.checkpoints
    .filter(({ kind }) => options.policy.kinds.has(kind))
    .toSorted((left, right) => Checkpoint.byRecency(right, left))
    .map((checkpoint) => ({ checkpoint, reasons: judge(registry, entry, checkpoint, options) }))
  const admitted = judged.find(({ reasons }) => reasons.length === 0)
  if (admitted !== undefined) {
    const { checkpoint } = admitted
    return { _tag: "Admitted", instance, checkpoint, owes: owed(entry, checkpoint), judged }
  }
  const reasons = [...unclosed(entry), ...(judged[0]?.reasons ?? [{ code: "no_checkpoint" } as const])]
  return { _tag: "Blocked", instance, reasons, judged, fallback: fallback(registry) }
}

/** Lists the reasons that forbid restoring a checkpoint. */
export const judge = (
  registry: Registry,
  entry: Entry,
  checkpoint: Checkpoint.Checkpoint,
  { now, policy }: Options
): ReadonlyArray<InadmissibleReason> => {
  const { tick } = checkpoint
  const asked = (conjunct: RecoveryPolicy.Conjunct) => !policy.without.has(conjunct)
  return [
    ...(asked("in_scope") ? overwritten(registry, entry, tick) : []),
    ...(asked("no_committed_conflict") ? consumed(registry, entry, checkpoint, policy) : []),
    ...(asked("effect_allowed") ? crossed(registry, entry, tick, now) : [])
  ]
}

const overwritten = (registry: Registry, entry: Entry, tick: number): ReadonlyArray<InadmissibleReason> =>
  Dependency.overwrites(registry, entry, tick).map(({ by, key }) => ({
    code: "overwritten_since",
    by: by.instance,
    key
  }))

const consumed = (
  registry: Registry,
  entry: Entry,
  checkpoint: Checkpoint.Checkpoint,
  policy: RecoveryPolicy.RecoveryPolicy
): ReadonlyArray<InadmissibleReason> => {
  const all = Dependency.consumers(registry, entry, relied(entry, checkpoint, policy))
  return (["committed", "open"] as const).flatMap((phase) => {
    const found = all.filter(({ entry }) => (entry.phase === "open") === (phase === "open"))
    const consumers = found.map(({ entry, keys }) => ({ instance: entry.instance, keys }))
    return consumers.length === 0 ? [] : [{ code: `${phase}_consumers_present`, consumers } as const]
  })
}

/**
 * The tick after which the writes of an instance count, so that their consumers forbid restoring a checkpoint. It is
 * the beginning under the rule `instance` or if an effect is undone, and else the checkpoint.
 */
export const relied = (
  entry: Entry,
  checkpoint: Checkpoint.Checkpoint,
  { consumers }: Pick<RecoveryPolicy.RecoveryPolicy, "consumers">
): number => {
  const isWhole = consumers === "instance" || (consumers === "checkpoint" && owed(entry, checkpoint).length > 0)
  return isWhole ? beginning : checkpoint.tick
}

/** The tick before every write of a run. */
const beginning = 0

/** Lists the effects of an instance after a checkpoint that forbid restoring it, by the barrier. */
export const crossed = (registry: Registry, entry: Entry, tick: number, now: number): ReadonlyArray<Crossed> => {
  const policy = registry.shapes[entry.instance.skeleton]?.effects ?? "forbid"
  const forbidding = entry.effects.flatMap(({ effect, tick: at }) => {
    const code = at > tick ? Effect.barrier(effect, policy, now) : undefined
    return code === undefined ? [] : [{ code, effect }]
  })
  return [...Map.groupBy(forbidding, ({ code }) => code)].map(([code, found]) => ({
    code,
    effects: found.map(({ effect }) => effect)
  }))
}

/** Lists the effects of an instance after a checkpoint, the latest first: a restore of it undoes them. */
export const owed = ({ effects }: Entry, { tick }: Checkpoint.Checkpoint): ReadonlyArray<Effect.Effect> =>
  effects
    .filter(({ effect, tick: at }) => at > tick && Effect.isOwed(effect))
    .map(({ effect }) => effect)
    .toReversed()

/** The last boundary that was reached and not certified: it would have been a later checkpoint. */
const unclosed = ({ awaited, refused }: Entry): ReadonlyArray<InadmissibleReason> => {
  const last = refused.at(-1)
  return last === undefined || !awaited.has(last.kind)
    ? []
    : [{ code: "boundary_not_closed", tick: last.tick, kind: last.kind }]
}

/** The fallback of a block: a rerun, unless an effect stands that has no key and cannot be asked about. */
export const fallback = ({ entries, outside }: Registry): Blocked["fallback"] =>
  [...entries.values(), outside].some(({ effects }) =>
    effects.some(({ effect }) => effect.standing !== "undone" && effect.reversibility !== "I" && !effect.isRepeatable)
  )
    ? "hold"
    : "rerun"
