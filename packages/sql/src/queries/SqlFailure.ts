/**
 * Translates a driver's error for a caller, and tells whether repeating can help.
 *
 * Drivers report numbers and codes. `TraceStoreError` has the reasons on which a caller can act; every other error is
 * `other`, with its cause.
 *
 * @source SQLite, result codes; PostgreSQL, error codes
 */
import * as Branded from "@backstitch/trace/Branded"
import { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Migrations from "./Migrations.ts"

/** Reasons why a store may not answer. */
type Reason = TraceStoreError["reason"]

/** Operations that a store can fail in. */
export type Operation = TraceStoreError["operation"]

/** Names the reason for an error of either driver, or of the migrations. */
export const reasonOf = (cause: unknown): Reason => {
  if (!(cause instanceof Error)) return "other"
  if (Migrations.isVersionUnsupported(cause)) return "unsupported"
  const { code, errcode, syscall } = cause as Error & {
    readonly code?: unknown
    readonly errcode?: unknown
    readonly syscall?: unknown
  }
  if (typeof errcode === "number") return sqliteReasons[errcode] ?? sqliteReasons[errcode & 0xff] ?? "other"
  // Node gives this answer if a folder cannot be made on a read-only disk.
  if (code === "ENOENT" && syscall === "mkdir") return "readonly"
  if (typeof code === "string") return codeReasons[code] ?? codeReasons[code.slice(0, 2)] ?? "other"
  // The driver of Postgres has no code for a connection that ends while a query waits.
  return /connection (terminated|ended)|client has encountered a connection error|not queryable/i.test(cause.message)
    ? "lost"
    : "other"
}

/** Tells whether an error is a violated unique constraint of Postgres, and of which table. */
export const uniqueViolation = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && cause.code === "23505" && "table" in cause
    ? String(cause.table)
    : undefined

/**
 * Tells whether an error is a taken key of a transition, or one that could not be counted from the expected head: the
 * run has another head.
 */
export const isConflict = (cause: unknown): boolean =>
  uniqueViolation(cause) === "transition" ||
  (cause instanceof Error &&
    "code" in cause &&
    cause.code === "23502" &&
    "table" in cause &&
    cause.table === "transition")

/** Tells whether Postgres chose this transaction to break a deadlock, or could not serialise it. */
export const isTransient = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "40P01" || cause.code === "40001")

/** Wraps a driver's error. */
export const make = (options: {
  readonly operation: Operation
  readonly store: string
  readonly run?: string | undefined
  readonly cause: unknown
  readonly reason?: Reason
}): TraceStoreError => {
  if (Branded.isError(options.cause, TraceStoreError)) return options.cause
  const { cause, operation, run, store } = options
  const reason = options.reason ?? reasonOf(cause)
  return new TraceStoreError({ operation, reason, store, cause, ...(run === undefined ? {} : { run }) })
}

const sqliteReasons: Readonly<Record<number, Reason>> = {
  5: "locked",
  6: "locked",
  8: "readonly",
  10: "disk",
  11: "corrupt",
  13: "full",
  14: "readonly",
  26: "corrupt",
  // The index of the log reaches its full size before a page of it is written.
  [10 | (19 << 8)]: "full"
}

const codeReasons: Readonly<Record<string, Reason>> = {
  // A connection that ends, whether what was sent became durable or not: an append that is repeated answers that.
  "08": "lost",
  // The two speak different protocols, which no repetition changes.
  "08P01": "other",
  // A server that was the primary one takes no more writes.
  "25006": "readonly",
  // The server ends a session that was idle or took too long.
  "25P03": "lost",
  "25P04": "lost",
  "40": "locked",
  "53100": "full",
  // Memory, or another connection, may be free the next time.
  "53200": "lost",
  "53300": "lost",
  "55P03": "locked",
  "57P01": "lost",
  "57P02": "lost",
  "57P03": "lost",
  "57P05": "lost",
  "58030": "disk",
  EACCES: "readonly",
  EAI_AGAIN: "lost",
  ECONNREFUSED: "lost",
  ECONNRESET: "lost",
  EHOSTUNREACH: "lost",
  ENETUNREACH: "lost",
  ENOSPC: "full",
  ENOTFOUND: "lost",
  EPERM: "readonly",
  ELOOP: "missing",
  ENAMETOOLONG: "missing",
  ENOENT: "missing",
  ENOTDIR: "missing",
  EPIPE: "lost",
  EROFS: "readonly",
  ETIMEDOUT: "lost",
  FILE_REPLACED: "replaced",
  XX001: "corrupt",
  XX002: "corrupt"
}
