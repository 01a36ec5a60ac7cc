/** Holds an action that cannot be decided, and asks a person. */
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import { targetOf } from "../action/ActionInFlight.ts"
import { type Decision, held } from "../decision/Decision.ts"
import * as Finding from "../payload/Finding.ts"
import * as Recovery from "./Recovery.ts"

/** Holds an action whose outcome is unknown: it is neither success nor failure, and keeps its target (L7). */
export const hold = (subject: ActionInFlight, why: Finding.Finding, recovery?: Recovery.Recovery): Decision =>
  held(
    subject.terms,
    subject.id,
    Finding.make("outcome.unknown", {
      ...(recovery === undefined ? {} : Recovery.toArgs(recovery)),
      ...targetOf(subject),
      tool: subject.contract.name,
      why
    })
  )
