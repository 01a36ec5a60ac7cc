/** Names that a decision claims in a store. */

import type { ActTurns } from "./ActTurns.ts"
import type { KeptIdentity } from "./KeylessAct.ts"

/**
 * The names that a decision claims in a store, and their acts: the call that it begins, and the turns of acts that it
 * takes over or undoes, by action. `shared` are the turns of acts that a fork shares, and relies on from then on.
 */
export interface Names {
  readonly begins?: Beginning | undefined
  readonly turns?: ActTurns | undefined
  readonly shared?: ActTurns | undefined
}

/** A call that is begun, or taken over from the run that had begun it. */
interface Beginning {
  /** The action that is begun, or the action that it undoes. */
  readonly action: string
  readonly tool: string
  readonly requestHash: string
  readonly key?: string | undefined
  /** The names of an act without a key. */
  readonly act?: KeptIdentity | undefined
  readonly isTakenOver?: boolean | undefined
}
