/** The card of an approval for people: what is asked, what a yes permits, and the commands that answer. */
import * as ApprovedArguments from "@backstitch/runtime/ApprovedArguments"
import type * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import * as Spelling from "../terminal/Spelling.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"

/** As wide as the longest name of a line. */
const padded = (name: string): string => name.padEnd("arguments:".length)

const rail = (name: string): string => Terminal.dim(padded(name))

/** A card in `--json`, with the commands that answer it. */
export const told = ({ approve, breakGlass, deny, ...card }: ApprovalCard.ApprovalCard): object => ({
  ...card,
  approve: Spelling.told(approve),
  deny: Spelling.told(deny),
  breakGlass: breakGlass && Spelling.told(breakGlass)
})

/** Prints a card. */
export const print = (card: ApprovalCard.ApprovalCard): void => {
  const { after, approve, before, breakGlass, changed, digest, moved, needs, params, permits, review, run } = card
  const since = `${card.since.slice(0, 19).replace("T", " ")} UTC`
  const about = [`run=${run}`, `review=${review}`, Terminal.name(card.tool), `${needs.join(" or ")} may decide`]
  TextTable.sentence(Terminal.wary(padded("APPROVAL:")), [...about, `since ${since}`].join(" | "))
  TextTable.sentence(rail("arguments:"), JSON.stringify(params))
  if (after !== null) TextTable.sentence(rail("begun:"), `${after}, for which the glass was broken`)
  if (before !== null) TextTable.sentence(rail("before:"), before)
  for (const each of changed) TextTable.sentence(rail("changed:"), ApprovedArguments.say(each))
  for (const { asked, now, path } of moved) {
    TextTable.sentence(
      rail("moved:"),
      `${path} was ${asked} when it was asked, and is ${now}: a yes does not count before that changes back`
    )
  }
  for (const { asked, now, path } of card.revised) {
    TextTable.sentence(
      rail("revised:"),
      `${path} was ${asked} when it was asked, and is ${now}: a yes counts all the same`
    )
  }
  for (const { clause, condition } of card.unfit) {
    TextTable.sentence(
      rail("unfit:"),
      `by its contract the call fits the clause ${clause} of the goal only if ${condition}, which does not hold: a yes counts all the same`
    )
  }
  TextTable.sentence(rail("permits:"), permits)
  TextTable.sentence(rail("digest:"), digest)
  Terminal.print(`${rail("next:")} ${Spelling.of(approve)}`)
  Terminal.print(`${rail("or:")} deny in place of approve; --reason TEXT puts why on record`)
  if (breakGlass !== null) Terminal.print(`${rail("urgent:")} ${Spelling.of(breakGlass)}`)
}
