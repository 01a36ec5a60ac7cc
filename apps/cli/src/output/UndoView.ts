/** The outlook of an undo, for people: it is said wherever a plan counts on an undo. */
import type * as UndoOutlook from "@backstitch/runtime/UndoOutlook"
import type * as UndoWindow from "@backstitch/runtime/UndoWindow"
import * as Wording from "@backstitch/wording/Wording"

/** Tells who relies on an effect, how far its undo is proven, and the time left for it; empty if nothing is to tell. */
export const outlook = ({ endsAt, leftMillis, proof, reliedOnBy }: UndoOutlook.UndoOutlook): string =>
  [
    ...(reliedOnBy === undefined ? [] : [`nothing undoes it while run ${reliedOnBy} relies on it`]),
    ...(proof === undefined ? [] : [Wording.undoProof(proof)]),
    ...(endsAt === undefined || leftMillis === undefined ? [] : [Wording.undoUntil({ endsAt, leftMillis })])
  ].join("; ")

/** Tells in which time the effect of an action can be undone. */
export const window = ({ action, tool, ...window }: UndoWindow.OfAction): string =>
  `${tool} (${action}) can be undone ${Wording.undoUntil(window)}`
