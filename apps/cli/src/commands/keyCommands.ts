/** Commands on the secret of a tenant, and on the keys under which a subject's values are sealed. */
import * as Handler from "../program/Handler.ts"
import { erase } from "./keys/erase.ts"
import { secret } from "./keys/secret.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(secret, () => import("./keys/secret.run.ts")),
  Handler.bind(erase, () => import("./keys/erase.run.ts"))
] as const
