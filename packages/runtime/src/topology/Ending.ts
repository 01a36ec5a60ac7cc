/** The end of a topology's work: a result, a question to a person, or an outcome that forbids to go on. */
import type { Outcome } from "@backstitch/kernel/Outcome"
import type * as Crack from "@backstitch/topology/Crack"
import type { Json } from "@backstitch/trace/Canonical"
import type * as CrackQuestion from "./CrackQuestion.ts"
import type * as Crew from "./Crew.ts"

/**
 * The end of a topology's work. A person is asked about a crack that its own medicine could not treat.
 */
export type Ending =
  | { readonly _tag: "Reached"; readonly result: Json }
  | ({ readonly _tag: "Asked" } & CrackQuestion.CrackQuestion)
  | { readonly _tag: "Stopped"; readonly outcome: Outcome }

/** The goal is reached. */
export const reached = (result: Json): Ending => ({ _tag: "Reached", result })

/** The kernel refused what the work needs; `undefined` if it refused nothing. */
export const stopped = (outcome: Outcome | undefined): Ending | undefined =>
  outcome === undefined ? undefined : { _tag: "Stopped", outcome }

/** A question to a person. */
export const ask = (crack: Crack.CrackName, subjects: ReadonlyArray<string>, error?: string): Ending => ({
  _tag: "Asked",
  crack,
  subjects,
  ...(error === undefined ? {} : { error })
})

/** The end of a crew that has not fulfilled its orders. */
export const ofCrew = (ended: Exclude<Crew.CrewEnd, { readonly _tag: "Done" }>): Ending =>
  ended._tag === "Stopped" ? ended : ask("lost_handoff", ended.tasks, Object.values(ended.errors)[0])
