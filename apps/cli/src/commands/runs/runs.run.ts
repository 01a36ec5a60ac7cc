/** Lists runs. */
import * as RunList from "@backstitch/runtime/RunList"
import type * as Run from "@backstitch/trace/Run"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Server } from "../../input/Globals.ts"
import * as StoreFile from "../../input/StoreFile.ts"
import type { Handler } from "../../program/Handler.ts"
import * as LackedAgents from "../../program/LackedAgents.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./runs.ts"

/** A recording may lack its time. */
const unknown = "-"

const print = (listed: ReadonlyArray<RunList.Listed>): void => {
  const rows = listed.map(({ ended, goal, last, parent, run, started, ticks }) => [
    Terminal.name(run),
    String(ticks),
    last,
    started.slice(0, 19).replace("T", " ") || unknown,
    ended.slice(11, 19) || unknown,
    parent === null ? "" : `${parent.run}@${parent.tick}`,
    goal
  ])
  const header = [
    "RUN",
    TextTable.number("TICKS"),
    "LAST",
    "STARTED (UTC)",
    "LATEST",
    "FORK OF",
    { name: "GOAL", see: "backstitch runs --json" }
  ]
  TextTable.print(rows, { header })
}

const served = Effect.fnUntraced(function* (server: Server, { limit, since }: Pick<Input, "limit" | "since">) {
  const moment = since === undefined ? {} : { since: DateTime.makeUnsafe(since) }
  const found: Array<RunList.Listed> = []
  for (let after: Run.RunId | undefined; found.length < limit; ) {
    const query = { limit: Math.min(limit - found.length, 1000), ...moment, ...(after === undefined ? {} : { after }) }
    const { next, runs } = yield* ServerCall.ask(server, (api) => api.runs.list({ query }))
    found.push(...runs)
    if (next === null) break
    after = next as Run.RunId
  }
  return found
})

/** Lists the runs of the store. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ limit, since }, globals) {
    const tenant = yield* StoreSession.tenant(globals)
    const { server } = globals
    const listed =
      server === undefined ? yield* RunList.runs(tenant, { limit, since }) : yield* served(server, { limit, since })
    const none = `No runs of tenant ${tenant} in ${StoreFile.place(globals)}`
    const lacking = yield* LackedAgents.of(globals)
    const view = () => {
      if (listed.length === 0) Terminal.print(none)
      else print(listed)
      LackedAgents.print(lacking)
    }
    return Printer.answer({ runs: listed, ...LackedAgents.field(lacking) }, view)
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
