/** Commands that export runs to files, and import files and runs of other frameworks. */
import * as Handler from "../program/Handler.ts"
import { exportRun } from "./exchange/export.ts"
import { importRuns } from "./exchange/import.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(exportRun, () => import("./exchange/export.run.ts")),
  Handler.bind(importRuns, () => import("./exchange/import.run.ts"))
] as const
