/**
 * Names that somebody may have meant who typed another.
 *
 * @since 0.1.0
 */

/** Names that differ by a letter or two, or of which one begins the other; three of them at most. */
export const similar = (name: string, known: Iterable<string>): ReadonlyArray<string> =>
  [...known].filter((each) => isNear(each, name)).slice(0, 3)

const isNear = (left: string, right: string): boolean =>
  left.startsWith(right) || right.startsWith(left) || distance(left.toLowerCase(), right.toLowerCase()) <= 2

const distance = (left: string, right: string): number => {
  if (Math.abs(left.length - right.length) > 2) return 3
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const cost = left[i - 1] === right[j - 1] ? 0 : 1
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + cost)
    }
    row = next
  }
  return row[right.length]!
}
