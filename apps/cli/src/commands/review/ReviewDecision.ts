/** Decides a review: what `approve` and `deny` have in common. */
import * as Reviews from "@backstitch/kernel/Reviews"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as OpenActionStatus from "@backstitch/runtime/OpenActionStatus"
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import type { Run } from "@backstitch/trace/Run"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type { Input } from "../../input/DecisionFlags.ts"
import type { Globals } from "../../input/Globals.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"

/** Commits what a person decided, and answers the exit code. */
export const decide = (input: Input, verdict: Reviews.Verdict, globals: Globals) =>
  Effect.gen(function* () {
    const { by, review } = input
    const run = yield* StoreSession.find(input.run, globals)
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.reopen(run)
    const { state } = yield* handle.position
    const asked = Reviews.of(state).get(review)
    if (asked === undefined) {
      const names = Reviews.pending(state).map(([id]) => id)
      const known = names.length === 0 ? "Nothing waits for a decision" : `${names.join(", ")} waits for a decision`
      return yield* new Usage({ problem: `Run ${run.id} has no review "${review}". ${known}` })
    }
    const used = yield* PendingApprovals.usedBy(run, review, state)
    if (used !== undefined) return isUsed(run, { ...asked, ...input, used, verdict }, globals)
    const { reason, role } = input
    if (role === undefined) {
      return yield* new Usage({ problem: `Say with --role in which role ${by} decides: ${asked.needs.join(" or ")}` })
    }
    if (asked.verdict === verdict && asked.needs.includes(role)) return isDecided(run, { ...asked, review }, globals)
    const data = { by, review, role, verdict, ...(reason === undefined ? {} : { reason }) }
    const outcome = yield* handle.propose({ type: "review.decided", author: "user", data })
    const isDone = outcome._tag === "Done"
    // Who was refused is told who may say the same, or that the run goes on as somebody has decided by now.
    const isOpen = Reviews.pending((yield* handle.position).state).some(([id]) => id === review)
    const again = OpenActionStatus.decide(run, { review, needs: asked.needs }, verdict)
    const next = isDone || !isOpen ? OpenActionStatus.resume(run) : again
    const why = outcome._tag === "Refused" ? Wording.why(outcome) : undefined
    if (globals.json) {
      Terminal.document({
        run: run.id,
        tool: asked.tool,
        ...data,
        ok: isDone,
        ...(isDone ? {} : { why }),
        next: Spelling.told(next)
      })
    } else if (isDone) {
      const word = verdict === "approved" ? Terminal.good("APPROVED:") : Terminal.wary("DENIED:")
      const why = reason === undefined ? "" : `: ${reason}`
      Terminal.print(`${word} run=${run.id} | review=${review} | ${asked.tool} | by ${by} (${role})${why}`)
    } else Terminal.print(`${Terminal.bad("REFUSED:")} ${why ?? outcome._tag}`)
    if (!globals.json) Terminal.print(`${Terminal.dim("next")} ${Spelling.of(next)}`)
    return isDone ? 0 : 1
  }).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))

/** The same decision again is said to be there, and is not committed a second time. */
const isDecided = (
  run: Run,
  { by, review, role, tool, verdict }: Reviews.Review & { readonly review: string },
  globals: Globals
): number => {
  const next = OpenActionStatus.resume(run)
  if (globals.json) {
    Terminal.document({
      run: run.id,
      tool,
      review,
      by,
      role,
      verdict,
      ok: true,
      already: true,
      next: Spelling.told(next)
    })
    return 0
  }
  const word = Terminal.wary(`ALREADY ${String(verdict).toUpperCase()}:`)
  Terminal.print(`${word} run=${run.id} | review=${review} | ${tool} | by ${by} (${role}); nothing was committed`)
  Terminal.print(`${Terminal.dim("next")} ${Spelling.of(next)}`)
  return 0
}

/** A decision that comes after the act is not committed: it would read as if it had prevented or allowed something. */
const isUsed = (
  run: Run,
  about: { readonly by: string; readonly review: string; readonly tool: string; readonly used: string } & {
    readonly verdict: Reviews.Verdict
  },
  globals: Globals
): number => {
  const { by, review, tool, used, verdict } = about
  const why = `the review ${review} was already used by ${tool} (${used})`
  const next: Next = { action: used, run: run.id, verb: "action" }
  if (globals.json) {
    Terminal.document({ run: run.id, tool, by, review, verdict, ok: false, used, why, next: Spelling.told(next) })
  } else {
    Terminal.print(`${Terminal.bad("REFUSED:")} ${why}`)
    Terminal.print(`${Terminal.dim("next")} ${Spelling.of(next)}`)
  }
  return 1
}
