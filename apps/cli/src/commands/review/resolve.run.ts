/** Records what a person decided of an action that is held. */
import * as ActionPage from "@backstitch/runtime/ActionPage"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as OpenActionStatus from "@backstitch/runtime/OpenActionStatus"
import type { Json } from "@backstitch/trace/Canonical"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as JsonFile from "../../input/JsonFile.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import { version } from "../../terminal/Version.ts"
import type { Input } from "./resolve.ts"

/** Commits the decision. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const { action, as, by, evidence } = input
    const run = yield* StoreSession.find(input.run, globals)
    yield* ActionPage.of(action, { tenant: run.tenant, run, wrapper: version })
    const record = input.record === undefined ? {} : { record: (yield* JsonFile.read(input.record)) as Json }
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.reopen(run)
    const data = { action, as, by, evidence, ...record }
    const outcome = yield* handle.propose({ type: "review.decided", author: "user", data })
    const isDone = outcome._tag === "Done"
    const why = outcome._tag === "Refused" ? Wording.why(outcome) : undefined
    const remedies = outcome._tag === "Refused" ? Wording.next(outcome) : []
    const next = isDone
      ? [OpenActionStatus.resume(run)]
      : remedies.map((step) => Next.about(step, { action, run: run.id }))
    if (globals.json) {
      const told = next.map((step) => Spelling.told(step))
      Terminal.document({ run: run.id, ...data, ok: isDone, ...(isDone ? {} : { why }), next: told })
    } else if (isDone) {
      Table.sentence(Terminal.good("RESOLVED:"), `run=${run.id} | ${action} as ${as} | by ${by}: ${evidence}`)
    } else Table.sentence(Terminal.bad("REFUSED:"), why ?? outcome._tag)
    if (!globals.json && next.length > 0) Terminal.print(`${Terminal.dim("next")} ${Spelling.all(next)}`)
    return isDone ? 0 : 1
  }).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))
