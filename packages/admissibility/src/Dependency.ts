/**
 * Dependencies between instances: the producer of a key, and the consumers that read it afterwards.
 *
 * The relation is conservative. A consumer read a key at a tick after its producer wrote it; whether it used the value,
 * and whether somebody else wrote the key in between, is not asked. A read before the write consumed nothing of it, so
 * it is left out, which is the one thing that the recorded order adds to declared interfaces.
 *
 * @source DART, equation 14
 */
import { type Entry, writtenAfter } from "./Entry.ts"
import type { Registry } from "./Registry.ts"

/** An instance that read what another one wrote after a tick, with the keys. */
export interface Consumer {
  readonly entry: Entry
  readonly keys: ReadonlyArray<string>
}

/** Lists the consumers of all that an instance wrote after a tick, in the order in which they began. */
export const consumers = ({ readers }: Registry, producer: Entry, tick: number): ReadonlyArray<Consumer> => {
  const found = new Map<Entry, Array<string>>()
  for (const key of producer.writes.keys()) {
    const written = writtenAfter(producer, key, tick)
    if (written === undefined) continue
    for (const entry of readers.get(key) ?? []) {
      if (entry === producer || (entry.reads.get(key) ?? 0) <= written) continue
      found.set(entry, [...(found.get(entry) ?? []), key])
    }
  }
  return [...found]
    .map(([entry, keys]) => ({ entry, keys }))
    .sort((left, right) => (left.entry.steps[0] ?? 0) - (right.entry.steps[0] ?? 0))
}

/** A key that an instance wrote after a tick, and that somebody else has written since. */
export interface Overwrite {
  readonly by: Entry
  readonly key: string
}

/** Lists what others have written over an instance's writes after a tick: restoring would erase their work. */
export const overwrites = ({ writers }: Registry, self: Entry, tick: number): ReadonlyArray<Overwrite> =>
  [...self.writes.keys()].flatMap((key) => {
    const written = writtenAfter(self, key, tick)
    if (written === undefined) return []
    return [...(writers.get(key) ?? [])]
      .filter((other) => other !== self && (other.writes.get(key)?.at(-1) ?? 0) > written)
      .map((by) => ({ by, key }))
  })
