/** Commands that export runs to files, and take runs of other frameworks in: from files, or live. */
import * as Handler from "../program/Handler.ts"
import { collect } from "./exchange/collect.ts"
import { exportRun } from "./exchange/export.ts"
import { importRuns } from "./exchange/import.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(collect, () => import("./exchange/collect.run.ts")),
  Handler.bind(exportRun, () => import("./exchange/export.run.ts")),
  Handler.bind(importRuns, () => import("./exchange/import.run.ts"))
] as const
