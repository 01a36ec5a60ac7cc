/** The check of a commit before it is sent to a database. */

import type * as HashChain from "@backstitch/trace/HashChain"
import type { Append, TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Limits from "../Limits.ts"
import * as SqlFailure from "./SqlFailure.ts"
import { ticksPerRun } from "./Tables.ts"

/**
 * The head that the first commit of a run follows. There is none if the parent ends before the tick at which the fork
 * leaves it; `actual` is the last tick of the parent.
 */
export interface Start {
  readonly parent: number | null
  readonly head: HashChain.Head | undefined
  readonly actual: number
}

/**
 * Refuses a commit that no table could hold: ticks that do not follow each other, or more of them than a run can
 * have.
 */
export const check = ({ expected, run, transitions }: Append, store: string): TraceStoreError | undefined => {
  const refuse = (problem: string) =>
    SqlFailure.make({ operation: "append", store, run: run.id, reason: "other", cause: new Error(problem) })
  if (expected.tick + transitions.length >= ticksPerRun) {
    return refuse(
      `a run holds ${Limits.refusing.runTransitionsMax} transitions at most. Fork it or start another run to continue`
    )
  }
  for (let index = 0; index < transitions.length; index++) {
    const tick = expected.tick + index + 1
    if (transitions[index]!.tick !== tick) {
      return refuse(`tick ${transitions[index]!.tick} stands where tick ${tick} has to follow. Seal the commit again`)
    }
  }
  return undefined
}
