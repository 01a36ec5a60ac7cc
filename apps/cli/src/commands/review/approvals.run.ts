/** Lists what waits for an approval. */
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import type * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import * as Effect from "effect/Effect"
import type { Server } from "../../input/Globals.ts"
import * as CardView from "../../output/CardView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./approvals.ts"

const print = (approvals: ReadonlyArray<ApprovalCard.ApprovalCard>): void => {
  if (approvals.length === 0) Terminal.print("Nothing waits for an approval")
  for (const [index, card] of approvals.entries()) {
    if (index > 0) Terminal.print()
    CardView.print(card)
  }
}

const served = Effect.fnUntraced(function* (server: Server) {
  return (yield* ServerCall.ask(server, (api) => api.reviews.approvals())).approvals
})

/** Lists the intents that wait for a person, each as the card that is decided. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ tool }, globals) {
    const tenant = yield* StoreSession.tenant(globals)
    const { server } = globals
    const all = server === undefined ? yield* PendingApprovals.ofTenant(tenant) : yield* served(server)
    const approvals = tool === undefined ? all : all.filter((each) => each.tool === tool)
    return Printer.answer({ approvals: approvals.map(CardView.told) }, () => print(approvals))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
