/**
 * Records what a person decided of an action that is held.
 *
 * @since 0.1.0
 */
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Effect from "effect/Effect"
import type { Input } from "../commands/resolve.ts"
import type { Handler } from "../Handler.ts"
import * as Session from "../Session.ts"
import * as Terminal from "../Terminal.ts"

/**
 * Commits the decision.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const { action, as, by, evidence } = input
    const run = yield* Session.run(input.run, globals)
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.reopen(run)
    const data = { action, as, by, evidence }
    const outcome = yield* handle.propose({ type: "review.decided", author: "user", data })
    const next = `backstitch resume ${run.id} --agent FILE`
    const isDone = outcome._tag === "Done"
    const why = outcome._tag === "Refused" ? outcome.reason : undefined
    if (globals.json) Terminal.document({ run: run.id, ...data, ok: isDone, ...(isDone ? { next } : { why }) })
    else if (isDone) {
      Terminal.print(`${Terminal.good("RESOLVED:")} run=${run.id} | ${action} as ${as} | by ${by}: ${evidence}`)
      Terminal.print(`${Terminal.dim("next")} ${next}`)
    } else Terminal.print(`${Terminal.bad("REFUSED:")} ${why ?? outcome._tag}`)
    return isDone ? 0 : 1
  }).pipe(Effect.scoped, Effect.provide(Session.writing(globals)))
