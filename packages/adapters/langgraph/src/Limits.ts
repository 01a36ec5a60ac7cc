/** Limits of this package: one name for each number, by what depends on it. docs/LIMITS.md lists those of all. */

/** Limits that pace the work. What is committed depends on none. */
export const pacing = {
  /** Threads whose checkpoints a checkpointer remembers. Those of further threads are read again. */
  rememberedThreadsMax: 64,
  /** Texts of a thread that a checkpointer remembers, to store of the next ones only what differs. */
  rememberedTextsMax: 256
} as const
