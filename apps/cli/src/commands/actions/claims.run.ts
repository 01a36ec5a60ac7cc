/** Lists held names. */
import * as ClaimList from "@backstitch/runtime/ClaimList"
import type * as Claims from "@backstitch/trace/Claims"
import { defined } from "@backstitch/trace/Defined"
import * as Effect from "effect/Effect"
import type { Server } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./claims.ts"

const print = (claims: ReadonlyArray<ClaimList.ListedClaim>): void => {
  if (claims.length === 0) {
    Terminal.print("No name is held")
    return
  }
  const rows = claims.map(({ forGood, name, namespace, owner, run, settle, since, tick }) => [
    namespace,
    Terminal.name(name),
    `${run}@${tick}`,
    owner,
    since.slice(0, 19).replace("T", " "),
    settle === null ? `held for good: ${forGood}` : Spelling.of(settle)
  ])
  TextTable.print(rows, {
    header: ["KIND", "NAME", "HELD BY", "ACTION", "SINCE (UTC)", TextTable.command("TO SETTLE IT")]
  })
}

const served = (server: Server, namespace: Claims.Namespace | undefined) =>
  Effect.map(
    ServerCall.ask(server, (api) => api.runs.claims({ query: defined({ namespace }) })),
    ({ claims }) => claims
  )

/** Lists held names with their holders, and how they can be released. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ namespace }, globals) {
    const tenant = yield* StoreSession.tenant(globals)
    const only = namespace === "all" ? undefined : namespace
    const { server } = globals
    const claims = yield* server === undefined ? ClaimList.claims(tenant, { namespace: only }) : served(server, only)
    const told = claims.map((claim) => ({ ...claim, settle: claim.settle && Spelling.told(claim.settle) }))
    return Printer.answer({ claims: told }, () => print(claims))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
