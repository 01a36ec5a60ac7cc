/** A held action as programs are shown it: with its next step in words, and as a call of this package. */
import type * as Report from "@backstitch/runtime/Report"
import type * as Views from "../run/Views.ts"
import * as NextSteps from "../values/nextSteps.ts"

/** Shows an action of a run that a person has to settle, or to look at. */
export const heldAction = (run: string, { action, incident, next, tool, why }: Report.HeldEntry): Views.HeldAction => ({
  run,
  action,
  tool,
  why,
  incident,
  next: NextSteps.of([next], { run, action })
})
