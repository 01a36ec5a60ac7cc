/** The place of the record, and the party that it belongs to. */
import type { Telemetry } from "./Telemetry.ts"

/** Settings of a store. */
export interface StoreSettings {
  /**
   * The place of the record: the name of a SQLite file, `postgres://…`, or `memory:`, which ends with the process. By
   * default it is the value of `BACKSTITCH_STORE`, or `.backstitch/trace.db`, as for the command line.
   */
  readonly store?: string | undefined
  /** The party whose runs these are; `BACKSTITCH_TENANT`, or `default`. */
  readonly tenant?: string | undefined
  /**
   * The secret from which keys are derived. By default it is the value of `BACKSTITCH_SECRET`, or a random one that is
   * kept beside the file of the store.
   */
  readonly secret?: string | undefined
  /** The OpenTelemetry SDK to which the spans of actions go. By default none is written. */
  readonly telemetry?: Telemetry | undefined
}
