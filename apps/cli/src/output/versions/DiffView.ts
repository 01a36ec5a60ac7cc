/** A comparison for people. */
import type * as Diffing from "@backstitch/runtime/Diffing"
import type { Json } from "@backstitch/trace/Canonical"
import type { Diff, Difference, PlacedTransition, Value } from "@backstitch/version-control/Diff"
import * as Limits from "../../Limits.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as ValueText from "../ValueText.ts"

/** The scope of a comparison, so that an empty answer says what was compared. */
export interface ComparedRange {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly type: ReadonlyArray<string>
}

/** Prints a comparison. */
export const print = (diff: Diff, asked: ComparedRange): void => {
  const { counts, differences, left, omitted, right, same, shared } = diff
  Terminal.print(`${Terminal.bold("DIFF:")} ${Terminal.bad(`- ${left.run}`)}   ${Terminal.good(`+ ${right.run}`)}`)
  Terminal.print(
    `shared=ticks 1 to ${shared} | lengths=${left.length} and ${right.length} | same after that=${same}`.replace(
      "ticks 1 to 0",
      "nothing"
    )
  )
  if (differences.length === 0) {
    Terminal.print(`\n${nothing(asked, omitted)}`)
    return
  }
  Terminal.print()
  for (const difference of differences) one(difference)
  const found = Object.entries(counts).map(([kind, count]) => `${kind}=${count}`)
  Terminal.print(`\n${Terminal.bold("FOUND:")} ${found.join(" | ")}`)
  if (omitted > 0) Terminal.print(Terminal.dim(`       ${others(omitted)}`))
}

/** Two runs are the same only if everything was compared. */
const nothing = ({ from, to, type }: ComparedRange, omitted: number): string => {
  const until = to === undefined ? "" : ` up to tick ${to}`
  if (omitted === 0) return `${Terminal.good("SAME:")} nothing differs${until}`
  const ticks = from === undefined ? until : ` from tick ${from} to ${to ?? "the end"}`
  const kinds = type.length === 0 ? "" : `${type.join(" or ")} `
  return `${Terminal.wary("NONE:")} no ${kinds}differences${ticks}; ${others(omitted)}`
}

const others = (omitted: number): string =>
  `${omitted} other difference${omitted === 1 ? " was" : "s were"} found, of kinds or ticks that were not asked for`

/** Prints the differences of two runs' states after a tick, one operation of the patch per line. */
export const printPatch = ({ left, patch, right, tick }: Diffing.StateDiff): void => {
  Terminal.print(
    `${Terminal.bold("STATES:")} ${Terminal.bad(`- ${left}`)}   ${Terminal.good(`+ ${right}`)} | after tick ${tick}`
  )
  if (patch.length === 0) {
    Terminal.print(`${Terminal.good("SAME:")} world and working are equal`)
    return
  }
  const rows = patch.map((operation) => [
    operation.op,
    operation.path,
    operation.op === "remove" ? "" : Terminal.good(ValueText.full(operation.value as Json))
  ])
  TextTable.print(rows, { rail: "  " })
}

const one = (difference: Difference): void => {
  const kind = Terminal.dim(difference.kind.padEnd(11))
  switch (difference.kind) {
    case "structural":
      if (difference.left !== undefined) Terminal.print(`${kind} ${Terminal.bad(`- ${place(difference.left)}`)}`)
      if (difference.right !== undefined) Terminal.print(`${kind} ${Terminal.good(`+ ${place(difference.right)}`)}`)
      return
    case "semantic":
    case "confidence":
      Terminal.print(`${kind} ${place(difference.left)}`)
      values(difference.values)
      return
    case "outcome":
      Terminal.print(`${kind} where they end`)
      values(difference.values)
  }
}

const place = ({ about, tick, type }: PlacedTransition): string =>
  `tick ${tick}  ${type}${about === undefined ? "" : `  ${about}`}`

const values = (found: ReadonlyArray<Value>): void => {
  const rows = found
    .slice(0, Limits.showing.differingValuesMax)
    .map(({ left, path, right }) => [
      path,
      left === undefined ? Terminal.dim("nothing") : Terminal.bad(ValueText.full(left)),
      right === undefined ? Terminal.dim("nothing") : Terminal.good(ValueText.full(right))
    ])
  TextTable.print(rows, { rail: "            " })
  if (found.length > Limits.showing.differingValuesMax)
    Terminal.print(`            ${found.length - Limits.showing.differingValuesMax} more; --json has all`)
}
