/** Finds the names that the author of an unknown name may have meant. */

/** Finds the known word that is at most two changes away; `undefined` if there is none. */
export const nearest = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance)
  const best = ranked[0]
  return best !== undefined && best.distance <= Math.min(2, Math.floor(word.length / 2)) ? best.candidate : undefined
}

/** Finds names that differ by a letter or two, or of which one is the beginning of the other; at most three. */
export const similar = (name: string, known: Iterable<string>): ReadonlyArray<string> =>
  [...known].filter((each) => isNear(each, name)).slice(0, 3)

const isNear = (left: string, right: string): boolean =>
  left.startsWith(right) || right.startsWith(left) || distance(left.toLowerCase(), right.toLowerCase()) <= 2

/** The number of letters to insert, leave out or replace. */
const distance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const substitution = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[right.length] as number
}
