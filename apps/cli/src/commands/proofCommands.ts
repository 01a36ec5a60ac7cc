/** Commands that verify a run, sign the heads of all runs, and prove a field of a state. */
import * as Handler from "../program/Handler.ts"
import { anchor } from "./proof/anchor.ts"
import { prove } from "./proof/prove.ts"
import { verify } from "./proof/verify.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(verify, () => import("./proof/verify.run.ts")),
  Handler.bind(anchor, () => import("./proof/anchor.run.ts")),
  Handler.bind(prove, () => import("./proof/prove.run.ts"))
] as const
