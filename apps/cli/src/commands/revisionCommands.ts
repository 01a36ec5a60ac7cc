/** Commands on the goal of a run. */
import * as Handler from "../program/Handler.ts"
import { inject } from "./revisions/inject.ts"
import { plan } from "./revisions/plan.ts"
import { specification } from "./revisions/specification.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(specification, () => import("./revisions/specification.run.ts")),
  Handler.bind(plan, () => import("./revisions/plan.run.ts")),
  Handler.bind(inject, () => import("./revisions/inject.run.ts"))
] as const
