/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that refuse what comes from outside. */
export const refusing = {
  /** Hashes of a proof: no log is so large that it needs more. */
  proofHashesMax: 63,
  /** The last time that a cosignature may name, in seconds since 1970. */
  cosignatureSecondsMax: 2n ** 63n - 1n
} as const
