/** Requirements on the results of a benchmark, with their verdicts and the exit code that follows from them. */
import { table } from "./Table.ts"

/** A requirement. A figure that is only reported, or could not be measured, has no verdict. */
export interface Requirement {
  readonly name: string
  readonly required: string
  readonly measured: string
  readonly published?: string | undefined
  readonly isMet: boolean | null
}

/** The word for a verdict. */
export const verdict = (isMet: boolean | null): string => (isMet === null ? "–" : isMet ? "yes" : "NO")

/** Writes requirements as a table, with a column of published figures where there are any. */
export const print = (requirements: ReadonlyArray<Requirement>): string => {
  const isPublished = requirements.some(({ published }) => published !== undefined)
  return table(
    "Requirements",
    ["figure", "required", "measured", ...(isPublished ? ["published"] : []), "met"],
    requirements.map(({ isMet, measured, name, published, required }) => [
      name,
      required,
      measured,
      ...(isPublished ? [published] : []),
      verdict(isMet)
    ])
  )
}

/** Says each requirement that is missed, and answers the exit code of the benchmark: 1 if there is one. */
export const exitCode = (requirements: ReadonlyArray<Requirement>, say: (line: string) => void): 0 | 1 => {
  const missed = requirements.filter(({ isMet }) => isMet === false)
  for (const { measured, name, required } of missed) {
    say(`missed: ${name}: required ${required}, measured ${measured}`)
  }
  return missed.length === 0 ? 0 : 1
}
