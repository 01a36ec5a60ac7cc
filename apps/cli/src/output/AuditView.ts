/** The confirmation of actions under a head that was kept elsewhere, for people. */
import type * as AuditConfirmation from "@backstitch/runtime/AuditConfirmation"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as VerificationView from "./VerificationView.ts"

const grounds: { readonly [Each in AuditConfirmation.Ground]: string } = {
  not_reconciled: "it is no success that the system of record confirmed",
  entry_incomplete: "its entry is incomplete",
  policy_unrecorded: "the contract or the rules that it was decided under are not on record",
  chain_broken: "the run is not as it was committed",
  not_anchored: "it was settled after the head that was kept"
}

/** Prints the verdict on the run, and each action that it does not confirm. */
export const print = ({ actions, anchoredTo, verification }: AuditConfirmation.AuditConfirmation): void => {
  Terminal.print()
  VerificationView.run(verification)
  const confirmed = actions.filter((each) => each.confirmed).length
  Terminal.print(
    `${Terminal.bold("AUDIT:")} confirmed=${confirmed} of ${actions.length} | anchored up to tick ${anchoredTo}`
  )
  TextTable.print(
    actions.flatMap((each) =>
      each.confirmed ? [] : [[each.action, each.grounds.map((ground) => grounds[ground]).join("; ")]]
    ),
    { rail: "  " }
  )
}
