/** Commands on runs. */
import * as Handler from "../program/Handler.ts"
import { approvals } from "./runs/approvals.ts"
import { approve } from "./runs/approve.ts"
import { deny } from "./runs/deny.ts"
import { explain } from "./runs/explain.ts"
import { resolve } from "./runs/resolve.ts"
import { resume } from "./runs/resume.ts"
import { review } from "./runs/review.ts"
import { run } from "./runs/run.ts"
import { runs } from "./runs/runs.ts"
import { show } from "./runs/show.ts"
import { watch } from "./runs/watch.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(run, () => import("./runs/run.run.ts")),
  Handler.bind(resume, () => import("./runs/resume.run.ts")),
  Handler.bind(runs, () => import("./runs/runs.run.ts")),
  Handler.bind(show, () => import("./runs/show.run.ts")),
  Handler.bind(watch, () => import("./runs/watch.run.ts")),
  Handler.bind(explain, () => import("./runs/explain.run.ts")),
  Handler.bind(approvals, () => import("./runs/approvals.run.ts")),
  Handler.bind(approve, () => import("./runs/approve.run.ts")),
  Handler.bind(deny, () => import("./runs/deny.run.ts")),
  Handler.bind(review, () => import("./runs/review.run.ts")),
  Handler.bind(resolve, () => import("./runs/resolve.run.ts"))
] as const
