/** Lists held actions, with the reasons. */
import * as HeldActions from "@backstitch/runtime/HeldActions"
import { defined } from "@backstitch/trace/Defined"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type { Server } from "../../input/Globals.ts"
import * as HeldView from "../../output/HeldView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./review.ts"

const print = (held: ReadonlyArray<HeldActions.HeldAction>): void => {
  if (held.length === 0) Terminal.print("Nothing is held for a person. `approvals` lists what waits for a decision")
  for (const each of held) HeldView.print(each, each.run)
}

const served = (server: Server, only: Run | undefined) =>
  Effect.map(
    ServerCall.ask(server, (api) => api.reviews.reviews({ query: defined({ run: only?.id }) })),
    ({ held }) => held
  )

/** Prints each held action with its reason and the next step. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const only = input.run === "" ? undefined : yield* StoreSession.run(input.run, globals)
    const { tenant } = only ?? (yield* StoreSession.run("any", globals))
    const { server } = globals
    const held = yield* server === undefined ? HeldActions.list(tenant, only) : served(server, only)
    return Printer.answer({ held: Spelling.rows(held) }, () => print(held))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
