/**
 * Localization: from an observed failure to the one instance in which it happened, or to no answer.
 *
 * The state of the agent, the failed tool and the entity in its arguments select live instances. If there is exactly
 * one, it is the answer. With none or several there is no answer: every later judgment is about an instance, and a
 * guess would restore the work of another one.
 *
 * @source DART, section 4.2 and appendix G.2
 */
import type { Entry } from "../instance/Entry.ts"
import * as Instance from "../instance/Instance.ts"
import type { Registry } from "../registry/Registry.ts"
import type { FailureEvent } from "./FailureEvent.ts"

/** The failed instance, or the rivals that cannot be told apart; no rivals if no instance was live there. */
export type Localization =
  | { readonly _tag: "Identified"; readonly entry: Entry }
  | { readonly _tag: "Abstained"; readonly rivals: ReadonlyArray<Instance.Instance> }

/** The fields that identify an instance. Keys with fewer fields are only for measurements, and decide nothing. */
export type Key = "full" | "without_entity" | "without_ordinal"

/** Finds the instance in which a failure happened. */
export const localize = (registry: Registry, failure: FailureEvent): Localization => {
  const [found, ...others] = candidates(registry, failure)
  return found !== undefined && others.length === 0
    ? { _tag: "Identified", entry: found }
    : { _tag: "Abstained", rivals: found === undefined ? [] : [found, ...others].map(({ instance }) => instance) }
}

const candidates = ({ entries, shapes }: Registry, { entity, state, tick, tool }: FailureEvent): ReadonlyArray<Entry> =>
  [...entries.values()].filter((entry) => {
    const { instance, phase } = entry
    const { entry: entered = [], states = [], tools = [] } = shapes[instance.skeleton] ?? {}
    if (phase === "exited" || entry.state !== state || (entry.steps[0] ?? 0) > tick) return false
    if (states.length > 0 && !states.includes(state) && !entered.includes(state)) return false
    if (tools.length > 0 && !tools.includes(tool)) return false
    return entity === undefined || Instance.familyOf({ ...instance, entity }) === Instance.familyOf(instance)
  })

/** Lists the instances that a key with fewer fields cannot tell from the given one. */
export const aliases = (
  { entries }: Registry,
  instance: Instance.Instance,
  key: Key
): ReadonlyArray<Instance.Instance> =>
  [...entries.values()]
    .map((entry) => entry.instance)
    .filter((each) => Instance.idOf(each) !== Instance.idOf(instance) && isAlias(each, instance, key))

const isAlias = (one: Instance.Instance, other: Instance.Instance, key: Key): boolean => {
  switch (key) {
    case "full":
      return Instance.idOf(one) === Instance.idOf(other)
    case "without_ordinal":
      return Instance.familyOf(one) === Instance.familyOf(other)
    case "without_entity":
      return one.skeleton === other.skeleton && one.ordinal === other.ordinal
  }
}
