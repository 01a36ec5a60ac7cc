/**
 * The codes of why a rebase stops at an intent.
 *
 * @source docs/decisions/0027
 * @since 0.1.0
 */
import * as Finding from "@backstitch/trace/Finding"
import * as Payload from "@backstitch/trace/Payload"

/**
 * Codes, with their arguments.
 *
 * @category constants
 * @since 0.1.0
 */
export const codes = {
  /** The intent had succeeded in its own run, and came to this. */
  "rebase.failed": Payload.closed({ error: Payload.Json }),
  /** The intent does not fit the contract or the context of the run that it is replayed in. */
  "rebase.refused": Payload.closed({ reasons: Payload.Names })
} as const satisfies Finding.Codes

/**
 * Makes a finding.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Finding.maker(codes)
