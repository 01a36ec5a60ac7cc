/** Commands that prove, take in, give out and erase. */
import * as Handler from "../program/Handler.ts"
import { checkpoint } from "./proof/checkpoint.ts"
import { erase } from "./proof/erase.ts"
import { exportRun } from "./proof/export.ts"
import { importRuns } from "./proof/import.ts"
import { prove } from "./proof/prove.ts"
import { replay } from "./proof/replay.ts"
import { secret } from "./proof/secret.ts"
import { verify } from "./proof/verify.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(verify, () => import("./proof/verify.run.ts")),
  Handler.bind(checkpoint, () => import("./proof/checkpoint.run.ts")),
  Handler.bind(prove, () => import("./proof/prove.run.ts")),
  Handler.bind(replay, () => import("./proof/replay.run.ts")),
  Handler.bind(exportRun, () => import("./proof/export.run.ts")),
  Handler.bind(importRuns, () => import("./proof/import.run.ts")),
  Handler.bind(erase, () => import("./proof/erase.run.ts")),
  Handler.bind(secret, () => import("./proof/secret.run.ts"))
] as const
