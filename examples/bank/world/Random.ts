/** Pseudo-random numbers that are the same for the same seed (mulberry32). */

/** A source of numbers. */
export interface Random {
  /** A whole number from `from` to `to`, both included. */
  readonly between: (from: number, to: number) => number
  /** Is true with the given probability. */
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(items: readonly [A, ...Array<A>]) => A
}

/** Makes a source from a seed. */
export const make = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    between,
    chance: (probability) => next() < probability,
    pick: (items) => items[between(0, items.length - 1)] as (typeof items)[number]
  }
}
