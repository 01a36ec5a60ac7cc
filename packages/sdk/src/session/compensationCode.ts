/**
 * Refuses an undoing whose compensations have no code in this program. It would begin, and wait for a person who could
 * only give the code.
 */
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Effect from "effect/Effect"
import { BackstitchError } from "../failures/Failures.ts"
import * as NextSteps from "../values/nextSteps.ts"
import * as CurrentTools from "./currentTools.ts"

/** Fails unless the code of each of these tools is here. */
export const demand = Effect.fnUntraced(function* ({ run }: RunHandle.RunHandle, tools: Iterable<string>) {
  const missing = yield* missingOf(tools)
  if (missing.length === 0) return
  const message =
    `Run ${run.id} is undone by ${missing.join(", ")}, and this program was not given the code of it, so nothing was ` +
    `begun. ${missing.map((tool) => NextSteps.codeOf(tool)).join(". ")}`
  const next = missing.map(NextSteps.codeOf)
  return yield* Effect.fail(new BackstitchError({ code: "tool_codeless", message, run: run.id, next }))
})

/** Tells whether some act of a run has a compensation whose code is not here. */
export const isLacking = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  const { state } = yield* handle.standing
  return (yield* missingOf(SettledActions.inOrder(state).flatMap(([, { by = [] }]) => by))).length > 0
})

const missingOf = (tools: Iterable<string>) =>
  Effect.map(CurrentTools.CurrentTools, ({ has = () => true }) => [...new Set(tools)].filter((tool) => !has(tool)))
