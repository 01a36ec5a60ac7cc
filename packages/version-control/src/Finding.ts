/**
 * The codes of what is done with histories: why a rebase stops at an intent, and what an import warns of.
 *
 * @source docs/decisions/0027
 * @since 0.1.0
 */
import * as Finding from "@backstitch/trace/Finding"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"

const { String: Text } = Schema

/**
 * What an import warns of.
 *
 * @category constants
 * @since 0.1.0
 */
export const warnings = {
  /** The contract binds no context to the intent: nothing was compared. */
  "context.unbound": Payload.closed({ subject: Text }),
  /** The proposer also looked at a field that is not there. */
  "context.missing": Payload.closed({ path: Text }),
  /** The proposer also looked at a field that has another value there. */
  "context.differs": Payload.closed({ path: Text })
} as const satisfies Finding.Codes

/**
 * Codes, with their arguments.
 *
 * @category constants
 * @since 0.1.0
 */
export const codes = {
  ...warnings,
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
