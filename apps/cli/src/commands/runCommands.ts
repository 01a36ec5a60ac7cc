/** Commands on runs. */
import * as Handler from "../program/Handler.ts"
import { doctor } from "./runs/doctor.ts"
import { explain } from "./runs/explain.ts"
import { resume } from "./runs/resume.ts"
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
  Handler.bind(doctor, () => import("./runs/doctor.run.ts"))
] as const
