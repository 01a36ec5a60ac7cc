/** Commands for decisions by people: about an intent that waits for approval, and about a held action. */
import * as Handler from "../program/Handler.ts"
import { approvals } from "./review/approvals.ts"
import { approve } from "./review/approve.ts"
import { deny } from "./review/deny.ts"
import { resolve } from "./review/resolve.ts"
import { review } from "./review/review.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(approvals, () => import("./review/approvals.run.ts")),
  Handler.bind(approve, async () => (await import("./review/decide.run.ts")).approve),
  Handler.bind(deny, async () => (await import("./review/decide.run.ts")).deny),
  Handler.bind(review, () => import("./review/review.run.ts")),
  Handler.bind(resolve, () => import("./review/resolve.run.ts"))
] as const
