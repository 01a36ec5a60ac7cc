/**
 * A port over plain statements, the same for both databases: for rows that are read and written now and then.
 *
 * Traces have statements of their own for each database, since every step of an agent waits for them.
 */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import type * as Effect from "effect/Effect"
import type { Dialect, Query } from "./Queries.ts"
import type { Operation } from "./SqlFailure.ts"

/** A port over plain statements, by the operation that its errors name. */
export type Port = Extract<Operation, "answers" | "keys" | "leases" | "notes">

/** Statements of one database, each in its own transaction. */
export interface Statements {
  readonly dialect: Dialect
  /** Runs a statement, and answers its rows. */
  readonly all: <Row>(
    query: Query<Row>,
    values: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, TraceStoreError>
}

/** The place of a value in a statement, from 1 on. */
export const at = (dialect: Dialect, place: number): string => (dialect === "sqlite" ? `?${place}` : `$${place}`)
