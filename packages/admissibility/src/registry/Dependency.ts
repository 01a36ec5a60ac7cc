/**
 * Dependencies between instances: the producer of a key, and the consumers that read it afterwards.
 *
 * The relation is conservative. A consumer is an instance that read a key at a later tick than its producer wrote it.
 * It does not matter whether the consumer used the value, or whether another instance wrote the key in between. A
 * read before the write consumed nothing, so it is left out: this is the only fact that the recorded order adds to
 * the declared interfaces. A part of a key overlaps with the whole key: an instance that read all slots read each
 * slot. An effect that two instances made together is read by each of them.
 *
 * @source DART, equation 14
 */
import * as DataKey from "@backstitch/contracts/DataKey"
import { type Entry, writtenAfter } from "../instance/Entry.ts"

/** The instances that read or wrote each key, and the parts of each whole. */
export interface Keys {
  readonly readers: ReadonlyMap<string, ReadonlySet<Entry>>
  readonly writers: ReadonlyMap<string, ReadonlySet<Entry>>
  readonly parts: ReadonlyMap<string, ReadonlySet<string>>
  readonly effects: ReadonlyMap<string, ReadonlySet<Entry>>
}

/** Lists the known keys that overlap with a given one: the key itself, its whole, and its parts. */
export const overlapping = ({ parts }: Pick<Keys, "parts">, key: string): ReadonlyArray<string> => {
  const whole = DataKey.wholeOf(key)
  return whole === undefined ? [key, ...(parts.get(key) ?? [])] : [key, whole]
}

/** An instance that read what another one wrote after a tick, with the keys: none where it shares an effect. */
export interface Consumer {
  readonly entry: Entry
  readonly keys: ReadonlyArray<string>
}

/** Lists the consumers of everything that an instance wrote after a tick, in the order in which they began. */
export const consumers = (keys: Keys, producer: Entry, tick: number): ReadonlyArray<Consumer> => {
  const found = new Map<Entry, Set<string>>()
  for (const key of producer.writes.keys()) {
    const written = writtenAfter(producer, key, tick)
    if (written === undefined) continue
    for (const read of overlapping(keys, key)) {
      for (const entry of keys.readers.get(read) ?? []) {
        if (entry === producer || (entry.reads.get(read)?.at(-1) ?? 0) <= written) continue
        found.set(entry, (found.get(entry) ?? new Set()).add(key))
      }
    }
  }
  for (const { effect, tick: made } of producer.effects) {
    if (made <= tick || effect.standing === "undone") continue
    for (const entry of keys.effects.get(effect.action) ?? []) {
      if (entry !== producer && !found.has(entry)) found.set(entry, new Set())
    }
  }
  return [...found]
    .map(([entry, keys]) => ({ entry, keys: [...keys] }))
    .sort((left, right) => (left.entry.steps[0] ?? 0) - (right.entry.steps[0] ?? 0))
}

/** A key that an instance wrote after a tick, and that another instance has written since. */
export interface Overwrite {
  readonly by: Entry
  readonly key: string
}

/**
 * Lists the keys that an instance wrote after a tick, and that others have written after that tick. Putting them back
 * to their values at the tick would erase the work of the others, whoever wrote first.
 */
export const overwrites = (
  keys: Pick<Keys, "parts" | "writers">,
  self: Entry,
  tick: number
): ReadonlyArray<Overwrite> =>
  [...self.writes.keys()].flatMap((key) => {
    if (writtenAfter(self, key, tick) === undefined) return []
    const found = new Set<Entry>()
    for (const written of overlapping(keys, key)) {
      for (const by of keys.writers.get(written) ?? []) {
        if (by !== self && writtenAfter(by, written, tick) !== undefined) found.add(by)
      }
    }
    return [...found].map((by) => ({ by, key }))
  })
