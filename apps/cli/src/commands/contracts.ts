/** Commands on contracts. */
import * as Command from "effect/cli/Command"
import * as Handler from "../program/Handler.ts"
import { adopt } from "./contracts/adopt.ts"
import { audit } from "./contracts/audit.ts"
import { gate } from "./contracts/gate.ts"
import { check } from "./contracts/packCheck.ts"
import { schema } from "./contracts/packSchema.ts"
import { test } from "./contracts/packTest.ts"
import { attempt } from "./contracts/packTry.ts"

const pack = Command.make("pack").pipe(
  Command.withDescription("Check contracts, run their tests, try them on recorded runs, and print their schema."),
  Command.withShortDescription("Check contracts"),
  Command.withSubcommands([
    Handler.bind(check, () => import("./contracts/packCheck.run.ts")),
    Handler.bind(test, () => import("./contracts/packTest.run.ts")),
    Handler.bind(attempt, () => import("./contracts/packTry.run.ts")),
    Handler.bind(schema, () => import("./contracts/packSchema.run.ts"))
  ])
)

/** The commands of the group, each with its handler. */
export const commands = [
  pack,
  Handler.bind(audit, () => import("./contracts/audit.run.ts")),
  Handler.bind(gate, () => import("./contracts/gate.run.ts")),
  Handler.bind(adopt, () => import("./contracts/adopt.run.ts"))
] as const
