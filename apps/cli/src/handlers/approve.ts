/**
 * Records that a person approved an intent that waits.
 *
 * @since 0.1.0
 */

import * as Deciding from "../Deciding.ts"
import type { Input } from "../DecisionFlags.ts"
import type { Handler } from "../Handler.ts"

/**
 * Commits the decision.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handler: Handler<Input> = (input, globals) => Deciding.decide(input, "approved", globals)
