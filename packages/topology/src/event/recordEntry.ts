/** Entries of records whose names come from outside, and that keep no order once they are stored. */

/** Reads an entry by a name from outside, which may be that of a property of every object. */
export const entryOf = <A>(record: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** Lists entries by their ticks, and those of one tick by their names. */
export const entriesByTick = <A extends { readonly tick: number }>(record: {
  readonly [name: string]: A
}): ReadonlyArray<readonly [name: string, entry: A]> =>
  Object.entries(record).sort(([left, one], [right, other]) => one.tick - other.tick || (left < right ? -1 : 1))
