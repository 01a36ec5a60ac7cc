/**
 * The way in which each command is carried out with `--server`: the one table that says it.
 *
 * | use | what happens |
 * | --- | --- |
 * | `fetched` | each run is fetched whole, its chain is checked here, and the command looks at it as in a store |
 * | `asked` | an endpoint of the server answers, or writes in the name of the key |
 * | `both` | it looks at what it fetched, and what it commits, an endpoint commits |
 * | `apart` | it needs neither a store nor a server |
 * | a text | it works where the store is, and the text says what to do instead |
 */
import * as Effect from "effect/Effect"
import type { Server } from "../input/Globals.ts"
import { Usage } from "../terminal/Failure.ts"

/** The use of a server by a command. */
export type ServerUse = "fetched" | "asked" | "both" | "apart" | { readonly instead: string }

const instead = (text: string): ServerUse => ({ instead: text })

/** The uses, by the words of the commands. */
export const table: { readonly [command: string]: ServerUse } = {
  run: "both",
  resume: "both",
  runs: "asked",
  show: "fetched",
  watch: "fetched",
  explain: "fetched",
  doctor: "fetched",
  approvals: "asked",
  approve: "asked",
  deny: "asked",
  review: "asked",
  resolve: "asked",
  status: "fetched",
  report: "fetched",
  ledger: "fetched",
  action: "fetched",
  deliver: "asked",
  "webhook create": "asked",
  "webhook list": "asked",
  "webhook remove": "asked",
  "webhook test": "asked",
  claims: "asked",
  metrics: "fetched",
  recover: "both",
  "why-blocked": "fetched",
  instances: "fetched",
  checkpoints: "fetched",
  spec: "fetched",
  plan: "fetched",
  inject: "both",
  verify: "fetched",
  anchor: instead(
    "It signs the heads of a whole store. Keep the heads that `runs --json` lists, and give one to verify --head"
  ),
  prove: "fetched",
  collect: instead("It takes what arrives into a store. Collect into a store here, export the run, and import that"),
  export: "fetched",
  import: "asked",
  "key create": "asked",
  "key list": "asked",
  "key revoke": "asked",
  secret: instead("A secret stays beside its store. Run it on the machine of the server, with the --store that it has"),
  erase: instead(
    "It destroys keys of values in a store. Run it on the machine of the server, with the --store that it has"
  ),
  log: "fetched",
  fork: "both",
  "cherry-pick": "both",
  rebase: "both",
  seed: "both",
  diff: "both",
  bisect: "both",
  contributors: "fetched",
  blame: "fetched",
  replay: "fetched",
  fixture: "fetched",
  "predicate register": "both",
  "predicate test": "fetched",
  "predicate list": "fetched",
  "pack check": "apart",
  "pack copy": "apart",
  "pack test": "apart",
  "pack try": instead("Its runs are those of --against. Name a file there that `export --server` has written"),
  "pack boundaries": "apart",
  "pack extend": instead("A server takes violations alone: `predicate register --into RUN`. Run it where the store is"),
  "pack schema": "apart",
  audit: "apart",
  gate: instead("Its runs are those of --against. Name a file there that `export --server` has written"),
  drill: instead("It plays a pack in a store of its own. Run it without --server"),
  stage: "fetched",
  "mcp-proxy": instead("The proxy commits before each call. Give it a --store, which a server may share with it"),
  "mcp-server": instead("Give it the --store, which a server may share with it"),
  completions: "apart"
}

/** Refuses a command that works where the store is, and says what to do instead. */
export const check = (command: string, { address }: Server): Effect.Effect<void, Usage> => {
  const use = table[command]
  return typeof use === "object"
    ? Effect.fail(
        new Usage({ problem: `\`${command}\` works on a store, and not on the server ${address}. ${use.instead}` })
      )
    : Effect.void
}
