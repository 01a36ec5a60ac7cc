/** Commits a memo of an agent under a command of its own, so that it counts once, and makes it durable. */
import type { Outcome } from "@backstitch/kernel/Outcome"
import type * as Memo from "@backstitch/topology/Memo"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import type * as RunHandle from "../run/RunHandle.ts"

/** The agent that commits a memo, and the command. */
export interface By {
  readonly agent: string
  readonly command: string
}

/** Memos that plan work; all others are results of it. */
const planning: ReadonlySet<Memo.Memo["memo"]> = new Set(["dispatch", "plan", "step"])

/** Commits a memo. Answers the kernel's refusal, and `undefined` once the memo is on record. */
export const commit = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, memo: Memo.Memo | Memo.Unfit, by: By) {
  const type = planning.has(memo.memo) ? "plan.update" : "artifact.write"
  const outcome = yield* handle.propose({ type, ...by, data: { topology: memo as JsonObject } })
  yield* handle.flush
  const refused: Outcome | undefined = outcome._tag === "Done" ? undefined : outcome
  return refused
})
