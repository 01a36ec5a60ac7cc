/** Commands on the keys of callers, on the secret of a tenant, and on the keys under which values are sealed. */
import * as Command from "effect/cli/Command"
import * as Handler from "../program/Handler.ts"
import { erase } from "./keys/erase.ts"
import { create } from "./keys/keyCreate.ts"
import { list } from "./keys/keyList.ts"
import { revoke } from "./keys/keyRevoke.ts"
import { secret } from "./keys/secret.ts"

const key = Command.make("key").pipe(
  Command.withDescription("Make, list and revoke the keys with which servers on this store are called."),
  Command.withShortDescription("Make and revoke keys of callers"),
  Command.withSubcommands([
    Handler.bind(create, () => import("./keys/keyCreate.run.ts"), "key"),
    Handler.bind(list, () => import("./keys/keyList.run.ts"), "key"),
    Handler.bind(revoke, () => import("./keys/keyRevoke.run.ts"), "key")
  ])
)

/** The commands of the group, each with its handler. */
export const commands = [
  key,
  Handler.bind(secret, () => import("./keys/secret.run.ts")),
  Handler.bind(erase, () => import("./keys/erase.run.ts"))
] as const
