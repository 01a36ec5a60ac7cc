/** An instance in a registry: its phase, its reads, writes and effects, and its checkpoints. */
import type * as Certificate from "./Certificate.ts"
import type * as Checkpoint from "./Checkpoint.ts"
import type * as Effect from "./Effect.ts"
import type * as Instance from "./Instance.ts"

/** An instance of a registry. Its ticks are in the order in which they were lifted. */
export interface Entry {
  readonly id: string
  readonly instance: Instance.Instance
  phase: "committed" | "exited" | "open"
  /** The state of the agent after its last step. */
  state: string
  readonly steps: Array<number>
  /** All ticks at which it read each key. */
  readonly reads: Map<string, Array<number>>
  /** All ticks at which it wrote each key. */
  readonly writes: Map<string, Array<number>>
  /** The keys that the instance hands over. It is not closed before all of them are written. */
  readonly outputs: ReadonlyArray<string>
  readonly effects: Array<{ readonly tick: number; readonly effect: Effect.Effect }>
  /** The boundaries that its last step reached and that were not certified, because an effect may still settle. */
  readonly awaited: Set<Exclude<Checkpoint.CheckpointKind, "entry">>
  readonly checkpoints: Array<Checkpoint.Checkpoint>
  readonly refused: Array<Certificate.Certificate>
  /** Ticks of work that went back, until no effect of it is left. What it read and wrote counts until then. */
  leaving: TickSpan | undefined
}

/** The ticks after the first and up to the last. */
export interface TickSpan {
  readonly after: number
  readonly to: number
}

/** The first tick after another at which an instance wrote a key. */
export const writtenAfter = ({ writes }: Entry, key: string, tick: number): number | undefined =>
  writes.get(key)?.find((at) => at > tick)

/** The latest tick at which an instance read or wrote a key, or made an effect; 0 if it did none of these. */
export const lastTickOf = ({ effects, reads, writes }: Entry): number =>
  [...reads.values(), ...writes.values(), effects.map(({ tick }) => tick)]
    .flat()
    .reduce((latest, tick) => Math.max(latest, tick), 0)
