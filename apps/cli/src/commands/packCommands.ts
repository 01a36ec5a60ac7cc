/** Commands on packs. */
import * as Command from "effect/cli/Command"
import * as Handler from "../program/Handler.ts"
import { boundaries } from "./packs/packBoundaries.ts"
import { check } from "./packs/packCheck.ts"
import { copy } from "./packs/packCopy.ts"
import { extend } from "./packs/packExtend.ts"
import { schema } from "./packs/packSchema.ts"
import { test } from "./packs/packTest.ts"
import { attempt } from "./packs/packTry.ts"
import { audit } from "./releases/audit.ts"
import { drill } from "./releases/drill.ts"
import { gate } from "./releases/gate.ts"
import { stage } from "./releases/stage.ts"

const pack = Command.make("pack").pipe(
  Command.withDescription(
    "Check packs, copy contracts for usual systems, run tests, try packs on recorded runs, extend the pack of a run, and " +
      "print the schema."
  ),
  Command.withShortDescription("Check packs"),
  Command.withSubcommands([
    Handler.bind(check, () => import("./packs/packCheck.run.ts"), "pack"),
    Handler.bind(copy, () => import("./packs/packCopy.run.ts"), "pack"),
    Handler.bind(test, () => import("./packs/packTest.run.ts"), "pack"),
    Handler.bind(attempt, () => import("./packs/packTry.run.ts"), "pack"),
    Handler.bind(boundaries, () => import("./packs/packBoundaries.run.ts"), "pack"),
    Handler.bind(extend, () => import("./packs/packExtend.run.ts"), "pack"),
    Handler.bind(schema, () => import("./packs/packSchema.run.ts"), "pack")
  ])
)

/** The commands of the group, each with its handler. */
export const commands = [
  pack,
  Handler.bind(audit, () => import("./releases/audit.run.ts")),
  Handler.bind(gate, () => import("./releases/gate.run.ts")),
  Handler.bind(drill, () => import("./releases/drill.run.ts")),
  Handler.bind(stage, () => import("./releases/stage.run.ts"))
] as const
