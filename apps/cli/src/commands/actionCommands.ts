/** Commands on actions, and on reports about them. */
import * as Handler from "../program/Handler.ts"
import { action } from "./actions/action.ts"
import { claims } from "./actions/claims.ts"
import { ledger } from "./actions/ledger.ts"
import { metrics } from "./actions/metrics.ts"
import { report } from "./actions/report.ts"
import { status } from "./actions/status.ts"
import { deliver } from "./deliveries/deliver.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(status, () => import("./actions/status.run.ts")),
  Handler.bind(report, () => import("./actions/report.run.ts")),
  Handler.bind(ledger, () => import("./actions/ledger.run.ts")),
  Handler.bind(action, () => import("./actions/action.run.ts")),
  Handler.bind(deliver, () => import("./deliveries/deliver.run.ts")),
  Handler.bind(claims, () => import("./actions/claims.run.ts")),
  Handler.bind(metrics, () => import("./actions/metrics.run.ts"))
] as const
