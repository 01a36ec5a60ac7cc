/** Revises the goal of an open run. */
import * as Revising from "@backstitch/runtime/Revising"
import * as RevisionDocuments from "@backstitch/runtime/RevisionDocuments"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Effect from "effect/Effect"
import * as Told from "../values/told.ts"
import type { Plan, Revised, Revision } from "./Revision.ts"

/** Plans a revision as if it were injected now, and records nothing; `undefined` if there is nothing to plan. */
export const preview = (handle: RunHandle.RunHandle, { changes }: Revision) =>
  Effect.map(Revising.preview(handle, { changes }), (found): Plan | undefined => found && RevisionDocuments.plan(found))

/** Injects a revision, and absorbs it: what it discards is undone through the ledger before the agent goes on. */
export const inject = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, revision: Revision) {
  const injected = yield* Revising.inject(handle, revision)
  if (injected._tag !== "Done") {
    const refused: Revised = { outcome: yield* Told.outcome(handle, injected), plan: undefined }
    return refused
  }
  const absorbed = yield* Revising.absorb(handle)
  yield* handle.flush
  const revised: Revised = {
    outcome: yield* Told.outcome(handle, absorbed?.outcome ?? injected),
    plan: absorbed && RevisionDocuments.plan(absorbed.planned)
  }
  return revised
})
