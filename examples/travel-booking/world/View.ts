/**
 * The state of a record that a reader sees: the current one, or an earlier one.
 *
 * A record begins at version 1 and may change later. A replica lags behind by a fixed time; a stale read is exactly
 * one version behind, at any time.
 */

/** The lag of a read. */
export type View =
  | { readonly mode: "current" }
  | { readonly mode: "previous" }
  | { readonly mode: "asOf"; readonly time: number }

/** The strong read. */
export const current: View = { mode: "current" }

/** The version before the current one. */
export const previous: View = { mode: "previous" }

/** The version that a reader sees, by the times at which the versions were written; 0 if it sees no record. */
export const version = (view: View, writtenAt: ReadonlyArray<number>): number => {
  if (view.mode === "current") return writtenAt.length
  if (view.mode === "previous") return writtenAt.length - 1
  let seen = 0
  while (seen < writtenAt.length && writtenAt[seen]! <= view.time) seen++
  return seen
}

/** The counter that a reader sees, given its value before the last change. */
export const counter = (
  view: View,
  row: { readonly sold: number; readonly soldBefore: number; readonly changedAt: number }
): number => {
  if (view.mode === "current") return row.sold
  if (view.mode === "previous") return row.soldBefore
  return row.changedAt > view.time ? row.soldBefore : row.sold
}
