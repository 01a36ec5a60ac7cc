/** The parts of the standard fold. Each part is owned by the package that defines its meaning. */
import * as EndedActions from "@backstitch/ledger/EndedActions"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import * as Fold from "@backstitch/reducer/Fold"
import type * as Part from "@backstitch/reducer/Part"
import * as Scopes from "@backstitch/reducer/Scopes"
import * as BudgetUse from "./budget/BudgetUse.ts"
import * as Reviews from "./review/Reviews.ts"
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

/** The parts, in the order in which runs pin them. */
export const parts: ReadonlyArray<Part.Any> = [...Fold.base, ...own]

/**
 * Older sets of parts that stored runs pin. A part whose meaning changes gets a new version in {@link parts}, and the
 * set with its old version is kept here for ever.
 */
export const earlier: ReadonlyArray<ReadonlyArray<Part.Any>> = []
