/** The reversibility of a pack's tools, and what would raise it, for people. */
import type * as PackCheck from "@backstitch/runtime/PackCheck"
import * as Wording from "@backstitch/wording/Wording"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"

/** Prints a line for the task, and one for each tool; nothing for a pack without tools. */
export const print = ({
  counts,
  lowering,
  ratio,
  reversals,
  tools
}: NonNullable<PackCheck.Checked["reversibility"]>): void => {
  if (tools.length === 0) return
  const classes = Object.entries(counts).map(([name, count]) => `${name}=${count}`)
  const reversing = reversals.length === 0 ? "" : ` | only undo others: ${reversals.join(", ")}`
  TextTable.sentence(Terminal.bold("REVERSIBILITY:"), `${shown(ratio)} | ${classes.join(" ")}${reversing}`)
  const raised = new Map(lowering.map((each) => [each.tool, each]))
  TextTable.print(
    tools.map(({ class: reversibility, narrows, tool }) => {
      const found = raised.get(tool)
      const raises =
        found === undefined ? [] : Wording.raises({ ...found, from: shown(ratio), to: shown(found.ratioIfInverted) })
      return [tool, reversibility, [...(narrows ? [Wording.narrows()] : []), ...raises].join("; ")]
    }),
    { header: ["TOOL", "UNDO", "NOTE"], rail: "  " }
  )
}

const shown = (ratio: number): string => ratio.toFixed(2)
