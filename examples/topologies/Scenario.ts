/** The scenarios of this folder: the roles that are processes of their own, and the promise that each one keeps. */
import { partialDeepStrictEqual } from "node:assert"

/** The end of a scenario: prints of the press, and the answer of the last process. */
export interface End {
  readonly printed: ReadonlyArray<string>
  readonly said: string
}

/** A scenario. */
export interface Scenario {
  /** Roles that work in processes of their own. */
  readonly roles: ReadonlyArray<string>
  /** `false` where a print is a search, which may be sent twice. */
  readonly isOnce: boolean
  /** Tells whether the last process has come to the end that it promises. */
  readonly isReached: (answer: Answer, printed: ReadonlyArray<string>) => boolean
}

/** The answer of a process, as far as the promises speak of it. */
interface Answer {
  readonly _tag?: string
  readonly result?: unknown
  readonly results?: { readonly [task: string]: unknown }
  readonly longestQueue?: number
  readonly stopped?: number
  readonly total?: number
}

/** Tells whether a value has at least the fields of another one. */
const holds = (value: unknown, expected: object): boolean => {
  try {
    partialDeepStrictEqual(value, expected)
    return true
  } catch {
    return false
  }
}

/** All scenarios, by the name of their file. */
export const all = {
  crew: {
    roles: ["editor", "worker", "printer"],
    isOnce: true,
    isReached: ({ _tag, results }, printed) =>
      _tag === "Done" && Object.keys(results ?? {}).length === 2 && holds(printed.toSorted(), ["one", "two"])
  },
  loop: {
    roles: ["archive"],
    // A search that was sent before the kill, and is not on record, is sent once more and counts once.
    isOnce: false,
    isReached: ({ stopped }, printed) => stopped === 6 && printed.length <= 7
  },
  pipeline: {
    roles: ["collect", "cite", "write", "edit", "reviewer"],
    isOnce: true,
    isReached: ({ result }) => result === "notes (collect), see chapter two (write) (edit)"
  },
  plan: {
    roles: ["world", "planner", "executor"],
    isOnce: true,
    isReached: ({ result }, printed) =>
      holds(result, [{ step: "one" }, { step: "three" }]) && !printed.includes("executor print two")
  },
  debate: {
    roles: ["drafter", "critic", "judge"],
    isOnce: true,
    isReached: ({ result }, printed) => printed.length === 6 && holds(result, { by: "judged", round: 2 })
  },
  hierarchy: {
    roles: ["leaf", "boss"],
    isOnce: true,
    isReached: ({ longestQueue, total }, printed) => longestQueue === 3 && total === 9 && printed.length === 12
  }
} as const satisfies { readonly [name: string]: Scenario }

/** The name of a scenario. */
export type Name = keyof typeof all

/** Prints that stand more than once. */
export const repeated = ({ printed }: End): ReadonlyArray<string> => [
  ...new Set(printed.filter((print, index) => printed.indexOf(print) !== index))
]

/** Tells what a scenario has broken: work that was done twice, or another end than it promises. `[]` if nothing. */
export const broken = (name: Name, end: End): ReadonlyArray<string> => {
  const { isOnce, isReached }: Scenario = all[name]
  const twice = isOnce ? repeated(end).map((print) => `twice: ${print}`) : []
  const answer: Answer | undefined = end.said === "" ? undefined : JSON.parse(end.said)
  const isKept = answer !== undefined && answer !== null && isReached(answer, end.printed)
  return isKept ? twice : [...twice, `ended: ${end.said || "without an answer"}`]
}
