/** The name and version of this package, as entries of ledgers name what carried a call out. */

/** The name and version of this package. */
export const version = "@backstitch/sdk 0.1.0"
