/** Records that a person approved an intent that waits. */

import type { Input } from "../../input/DecisionFlags.ts"
import type { Handler } from "../../program/Handler.ts"
import * as ReviewDecision from "./ReviewDecision.ts"

/** Commits the decision. */
export const handler: Handler<Input> = (input, globals) => ReviewDecision.decide(input, "approved", globals)
