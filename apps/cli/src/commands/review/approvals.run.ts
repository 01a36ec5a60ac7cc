/** Lists what waits for an approval. */
import * as ApprovedArguments from "@backstitch/runtime/ApprovedArguments"
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import * as Effect from "effect/Effect"
import type { Server } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./approvals.ts"

const told = ({ approve, breakGlass, deny, ...waiting }: PendingApprovals.PendingApproval): object => ({
  ...waiting,
  approve: Spelling.told(approve),
  deny: Spelling.told(deny),
  breakGlass: breakGlass && Spelling.told(breakGlass)
})

const print = (approvals: ReadonlyArray<PendingApprovals.PendingApproval>): void => {
  if (approvals.length === 0) {
    Terminal.print("Nothing waits for an approval")
    return
  }
  const rows = approvals.map((each) => [
    each.run,
    each.review,
    Terminal.name(each.tool),
    each.needs.join(" or "),
    each.since.slice(0, 19).replace("T", " "),
    each.after === null ? "before it starts" : `after ${each.after}, for which the glass was broken`,
    [...(each.before === null ? [] : [each.before]), ...each.changed.map((one) => ApprovedArguments.say(one))].join(
      "; "
    ),
    JSON.stringify(each.params)
  ])
  const header = ["RUN", "REVIEW", "TOOL", "MAY DECIDE", "SINCE (UTC)", "WHEN", "CHANGED", "ARGUMENTS"]
  Table.print(rows, { header })
  for (const { approve } of approvals) Terminal.print(`\n${Terminal.dim("next:")} ${Spelling.of(approve)}`)
  Terminal.print(`${Terminal.dim("or:")}   deny in place of approve; --reason TEXT puts why on record`)
  const urgent = approvals.flatMap(({ breakGlass }) => breakGlass ?? [])[0]
  if (urgent !== undefined) Terminal.print(`${Terminal.dim("in an emergency:")} ${Spelling.of(urgent)}`)
}

const served = Effect.fnUntraced(function* (server: Server) {
  const { ask } = yield* Effect.promise(() => import("../../program/ServerSession.ts"))
  return (yield* ask(server, (api) => api.reviews.approvals())).approvals
})

/** Lists the intents that wait for a person, with the command that decides. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ tool }, globals) {
    const tenant = yield* StoreSession.tenant(globals)
    const { server } = globals
    const all = server === undefined ? yield* PendingApprovals.ofTenant(tenant) : yield* served(server)
    const approvals = tool === undefined ? all : all.filter((each) => each.tool === tool)
    return Printer.answer({ approvals: approvals.map(told) }, () => print(approvals))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
