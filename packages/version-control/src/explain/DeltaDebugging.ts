/**
 * Reduces a set that has a property to a minimal one, from which no element can be left out.
 *
 * The property need not be monotone. The result is 1-minimal, and a smaller set may exist. A test may cost a fold of
 * a long trace, so tests are counted, and none is made twice. A budget ends the search with the best set so far, which
 * is then not called minimal.
 *
 * Laws: the answer has the property; if it is minimal, leaving out any one element loses the property; no more tests
 * are made than the budget allows.
 *
 * @source Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002 (ddmin)
 */

/** The result of a search. */
export interface Reduced<A> {
  /** A set that passes; `undefined` if none was found. */
  readonly items: ReadonlyArray<A> | undefined
  /** `true` if no single item can be left out, or if no tried set passes; `false` if the budget ended before. */
  readonly minimal: boolean
  readonly tests: number
}

/**
 * Reduces items to fewer that pass a test together, in their order. The empty set is assumed to fail it.
 *
 * **Details**
 *
 * All items together are tried first. If they fail, parts are tried nevertheless, ever finer, down to each item and
 * all but each item: a preventing item may need others to stay.
 *
 * **Example** (Two of eight are needed together)
 *
 * ```ts import.meta.vitest
 * import { DeltaDebugging } from "@backstitch/version-control"
 *
 * const passes = (items: ReadonlyArray<number>) => items.includes(2) && items.includes(7)
 * const reduced = DeltaDebugging.reduce([1, 2, 3, 4, 5, 6, 7, 8], passes, { budget: 100 })
 *
 * reduced.items // => [2, 7]
 * reduced.minimal // => true
 * ```
 */
export const reduce = <A>(
  items: ReadonlyArray<A>,
  passes: (items: ReadonlyArray<A>) => boolean,
  options: { readonly budget: number }
): Reduced<A> => {
  const known = new Map<string, boolean>()
  let tests = 0
  // `undefined` once the budget is used up.
  const ask = (indexes: ReadonlyArray<number>): boolean | undefined => {
    const key = indexes.join()
    const answer = known.get(key)
    if (answer !== undefined) return answer
    if (tests >= options.budget) return undefined
    tests++
    const found = passes(indexes.map((index) => items[index]!))
    known.set(key, found)
    return found
  }
  let current: ReadonlyArray<number> = items.map((_, index) => index)
  let parts = Math.min(2, current.length)
  let passing = current.length > 0 && ask(current)
  const done = (minimal: boolean): Reduced<A> => ({
    items: passing === true ? current.map((index) => items[index]!) : undefined,
    minimal: minimal && passing !== undefined,
    tests
  })
  while (current.length >= 2) {
    const chunks = split(current, parts)
    const smaller = firstThat(
      parts === 2 ? chunks : [...chunks, ...chunks.map((chunk) => without(current, chunk))],
      ask
    )
    if (smaller === "spent") return done(false)
    if (smaller !== undefined) {
      const isChunk = chunks.includes(smaller)
      current = smaller
      passing = true
      parts = Math.min(isChunk ? 2 : Math.max(parts - 1, 2), current.length)
    } else if (parts < current.length) parts = Math.min(parts * 2, current.length)
    else return done(true)
  }
  return done(true)
}

const firstThat = <A>(
  candidates: ReadonlyArray<A>,
  ask: (candidate: A) => boolean | undefined
): A | "spent" | undefined => {
  for (const candidate of candidates) {
    const answer = ask(candidate)
    if (answer === undefined) return "spent"
    if (answer) return candidate
  }
  return undefined
}

const split = (indexes: ReadonlyArray<number>, parts: number): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: parts }, (_, part) =>
    indexes.slice(Math.floor((part * indexes.length) / parts), Math.floor(((part + 1) * indexes.length) / parts))
  )

const without = (indexes: ReadonlyArray<number>, left: ReadonlyArray<number>): ReadonlyArray<number> => {
  const gone = new Set(left)
  return indexes.filter((index) => !gone.has(index))
}
