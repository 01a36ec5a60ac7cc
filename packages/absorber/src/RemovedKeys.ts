/**
 * The data keys whose values a plan takes away, because a discarded act wrote them.
 *
 * Acts are followed in the order of their ticks, so that each lookup finds earlier writes only. A part overlaps with
 * its whole; a lookup costs the same however many parts a whole has.
 *
 * @source DART, equation 14 (a consumer reads what a producer wrote before)
 */
import * as DataKey from "@backstitch/contracts/DataKey"

/**
 * Written keys, and the names of which the whole or a part was written. Each leads to the last act whose undoing takes
 * the value away, or to `undefined` if no undoing does, because the writers stay although nothing builds on them.
 */
export interface RemovedKeys {
  readonly keys: Map<string, string | undefined>
  readonly names: Map<string, string | undefined>
}

/** Makes a set without any removed key. */
export const make = (): RemovedKeys => ({ keys: new Map(), names: new Map() })

/** Adds the keys that a discarded act wrote, with the act whose undoing takes them away, if there is one. */
export const add = (self: RemovedKeys, written: ReadonlyArray<string>, undone: string | undefined): void => {
  for (const key of written) {
    self.keys.set(key, undone ?? self.keys.get(key))
    const name = DataKey.wholeOf(key) ?? key
    self.names.set(name, undone ?? self.names.get(name))
  }
}

/** A read of removed keys: the keys by the act whose undoing takes them away, and the keys whose writers stay. */
export interface Reach {
  readonly undone: ReadonlyMap<string, ReadonlyArray<string>>
  readonly staying: ReadonlyArray<string>
}

/** Finds the removed keys among those that an act read; `undefined` if there are none. */
export const reach = (self: RemovedKeys, read: ReadonlyArray<string>): Reach | undefined => {
  const undone = new Map<string, Array<string>>()
  const staying: Array<string> = []
  for (const key of read) {
    const whole = DataKey.wholeOf(key)
    const isRemoved = whole === undefined ? self.names.has(key) : self.keys.has(key) || self.keys.has(whole)
    if (!isRemoved) continue
    const by = whole === undefined ? self.names.get(key) : (self.keys.get(key) ?? self.keys.get(whole))
    if (by === undefined) staying.push(key)
    else if (undone.get(by)?.push(key) === undefined) undone.set(by, [key])
  }
  return undone.size === 0 && staying.length === 0 ? undefined : { undone, staying }
}
