/**
 * Carries a call out, or settles the one that was begun before.
 *
 * A call that is begun and not settled is asked about first, in whichever run it was begun. Only then is the call
 * proposed again, and the record answers it.
 */
import type { Proposal } from "@backstitch/kernel/Proposal"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Effect from "effect/Effect"
import * as Told from "../values/told.ts"
import { using } from "./currentTools.ts"
import type { Session } from "./Session.ts"

/** A call: where it is recorded, who carries it out, and what is proposed. */
export interface Attempt {
  readonly handle: RunHandle.RunHandle
  readonly executor: ToolExecutor.ToolExecutor["Service"]
  readonly proposal: Proposal
}

/** The count of an intended repetition. The caller answers for it. */
export const counted = (occurrence: number | undefined): Pick<Proposal, "occurrence" | "occurrenceBy"> =>
  occurrence === undefined ? {} : { occurrence, occurrenceBy: "user" }

/** Carries a call out as far as possible now. */
export const settle = Effect.fnUntraced(function* (session: Session, { executor, handle, proposal }: Attempt) {
  const propose = using(executor)(handle.propose(proposal))
  let found = yield* propose
  // What holds it may have been settled by another process, or by a person.
  if (found._tag === "Held" && (yield* handle.catchUp)) found = yield* propose
  if (found._tag === "Held") {
    const at = found.run === undefined ? handle : yield* session.runs.use(session.name(found.run), undefined)
    if (at !== handle) yield* at.catchUp
    const settled = yield* using(executor)(at.settle(found.action))
    if (settled?._tag === "Held") return yield* Told.outcome(at, settled)
    found = yield* propose
  }
  return yield* Told.outcome(handle, found)
})
