/** The parts of the standard fold, each owned by the package that knows what it means. */
import * as EndedActions from "@backstitch/ledger/EndedActions"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import * as Fold from "@backstitch/reducer/Fold"
import type * as Part from "@backstitch/reducer/Part"
import * as Scopes from "@backstitch/reducer/Scopes"
import * as Reviews from "./approval/Reviews.ts"
import * as BudgetUse from "./budget/BudgetUse.ts"
import * as Enforcement from "./state/Enforcement.ts"
import * as ForkPolicy from "./state/ForkPolicy.ts"
import * as Goal from "./state/Goal.ts"
import * as HandledCommands from "./state/HandledCommands.ts"

/** The parts that the kernel adds to those of every fold. */
const own: ReadonlyArray<Part.Any> = [
  Goal.part,
  BudgetUse.part,
  HandledCommands.part,
  Enforcement.part,
  ForkPolicy.part,
  Obligations.part,
  OpenActions.part,
  SettledActions.part,
  SettledActions.undoers,
  EndedActions.part,
  Scopes.part,
  UndoPlan.part,
  UsedKeys.part,
  Reviews.part
]

/** The parts, in the order in which they are pinned. */
export const parts: ReadonlyArray<Part.Any> = [...Fold.base, ...own]

/**
 * The sets of parts that stored runs pin beside the present one. A part that changes its meaning gets a new version in
 * {@link parts}, and the set with the old one comes here, for ever.
 */
export const earlier: ReadonlyArray<ReadonlyArray<Part.Any>> = []
