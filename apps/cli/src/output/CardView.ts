/** The card of an approval for people: what is asked, what a yes permits, and the commands that answer. */
import * as ApprovedArguments from "@backstitch/runtime/ApprovedArguments"
import type * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import * as Spelling from "../terminal/Spelling.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"

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
  Table.sentence(Terminal.wary(padded("APPROVAL:")), [...about, `since ${since}`].join(" | "))
  Table.sentence(rail("arguments:"), JSON.stringify(params))
  if (after !== null) Table.sentence(rail("begun:"), `${after}, for which the glass was broken`)
  if (before !== null) Table.sentence(rail("before:"), before)
  for (const each of changed) Table.sentence(rail("changed:"), ApprovedArguments.say(each))
  for (const { asked, now, path } of moved) {
    Table.sentence(
      rail("moved:"),
      `${path} was ${asked} when it was asked, and is ${now}: a yes does not count before that changes back`
    )
  }
  for (const { asked, now, path } of card.revised) {
    Table.sentence(rail("revised:"), `${path} was ${asked} when it was asked, and is ${now}: a yes counts all the same`)
  }
  Table.sentence(rail("permits:"), permits)
  Table.sentence(rail("digest:"), digest)
  Terminal.print(`${rail("next:")} ${Spelling.of(approve)}`)
  Terminal.print(`${rail("or:")} deny in place of approve; --reason TEXT puts why on record`)
  if (breakGlass !== null) Terminal.print(`${rail("urgent:")} ${Spelling.of(breakGlass)}`)
}
