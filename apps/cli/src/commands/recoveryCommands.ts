/** Commands on the subtasks of a run. */
import * as Handler from "../program/Handler.ts"
import { checkpoints } from "./recovery/checkpoints.ts"
import { instances } from "./recovery/instances.ts"
import { recover } from "./recovery/recover.ts"
import { whyBlocked } from "./recovery/whyBlocked.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(recover, () => import("./recovery/recover.run.ts")),
  Handler.bind(whyBlocked, () => import("./recovery/whyBlocked.run.ts")),
  Handler.bind(instances, () => import("./recovery/instances.run.ts")),
  Handler.bind(checkpoints, () => import("./recovery/checkpoints.run.ts"))
] as const
