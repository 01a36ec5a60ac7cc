/** The version of this program, for the record of what it does. */

/** It stands in the ledger as the version that carried an action out. */
export const version = "0.1.0"
