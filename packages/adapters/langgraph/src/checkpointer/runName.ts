/** The run of a thread. */
import { createHash } from "node:crypto"

const runName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

/**
 * Names the run of a thread: the thread's own name if a run can have it, and else one made from its digest. Facts of
 * such a run give the name of the thread.
 */
export const runOf = (thread: string): string =>
  runName.test(thread) ? thread : `thread-${createHash("sha256").update(thread).digest("hex")}`
