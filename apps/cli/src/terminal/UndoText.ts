/** The outlook of an undo, for people: it is said wherever a plan counts on an undo. */
import type * as UndoOutlook from "@backstitch/runtime/UndoOutlook"
import type * as UndoWindow from "@backstitch/runtime/UndoWindow"
import * as Wording from "@backstitch/wording/Wording"

/** Tells how far an undo is proven, and how much time is left for it; empty if there is nothing to tell. */
export const outlook = ({ endsAt, leftMillis, proof }: UndoOutlook.UndoOutlook): string =>
  [
    ...(proof === undefined ? [] : [Wording.undoProof(proof)]),
    ...(endsAt === undefined || leftMillis === undefined ? [] : [Wording.undoUntil({ endsAt, leftMillis })])
  ].join("; ")

/** Tells in which time the effect of an action can be undone. */
export const window = ({ action, tool, ...window }: UndoWindow.OfAction): string =>
  `${tool} (${action}) can be undone ${Wording.undoUntil(window)}`
