/**
 * Decides a review: what `approve` and `deny` have in common.
 *
 * @since 0.1.0
 */
import * as Reviews from "@backstitch/kernel/Reviews"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Inbox from "@backstitch/runtime/Inbox"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import { Usage } from "./Failure.ts"
import type { Globals } from "./Globals.ts"
import * as Session from "./Session.ts"
import * as Terminal from "./Terminal.ts"

/**
 * Who decides what.
 *
 * @category models
 * @since 0.1.0
 */
export interface Input {
  readonly run: string
  readonly review: string
  readonly by: string
  readonly role: string | undefined
}

/**
 * Commits what a person decided, and answers the exit code.
 *
 * @category combinators
 * @since 0.1.0
 */
export const decide = (input: Input, verdict: Reviews.Verdict, globals: Globals) =>
  Effect.gen(function* () {
    const { by, review } = input
    const run = yield* Session.find(input.run, globals)
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.reopen(run)
    const { state } = yield* handle.position
    const asked = Reviews.of(state).get(review)
    if (asked === undefined) {
      const names = Reviews.pending(state).map(([id]) => id)
      const known = names.length === 0 ? "Nothing waits for a decision" : `${names.join(", ")} waits for a decision`
      return yield* new Usage({ problem: `Run ${run.id} has no review "${review}". ${known}` })
    }
    const used = yield* Inbox.usedBy(run, review, state)
    if (used !== undefined) return isUsed(run, { ...asked, ...input, used, verdict }, globals)
    const role = input.role ?? (asked.needs.length === 1 ? asked.needs[0] : undefined)
    if (role === undefined) {
      return yield* new Usage({ problem: `Say with --role in which role ${by} decides: ${asked.needs.join(" or ")}` })
    }
    const data = { by, review, role, verdict }
    const outcome = yield* handle.propose({ type: "review.decided", author: "user", data })
    const next = `backstitch resume ${run.id} --agent FILE`
    const isDone = outcome._tag === "Done"
    const why = outcome._tag === "Refused" ? outcome.reason : undefined
    if (globals.json) {
      Terminal.document({ run: run.id, tool: asked.tool, ...data, ok: isDone, ...(isDone ? { next } : { why }) })
    } else if (isDone) {
      const word = verdict === "approved" ? Terminal.good("APPROVED:") : Terminal.wary("DENIED:")
      Terminal.print(`${word} run=${run.id} | review=${review} | ${asked.tool} | by ${by} (${role})`)
      Terminal.print(`${Terminal.dim("next")} ${next}`)
    } else Terminal.print(`${Terminal.bad("REFUSED:")} ${why ?? outcome._tag}`)
    return isDone ? 0 : 1
  }).pipe(Effect.scoped, Effect.provide(Session.writing(globals)))

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
  const next = `backstitch action ${used} --run ${run.id}`
  if (globals.json) Terminal.document({ run: run.id, tool, by, review, verdict, ok: false, used, why, next })
  else {
    Terminal.print(`${Terminal.bad("REFUSED:")} ${why}`)
    Terminal.print(`${Terminal.dim("next")} ${next}`)
  }
  return 1
}
