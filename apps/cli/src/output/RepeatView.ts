/** Acts that were repeated although nobody knew what the first call came to, for people. */
import * as English from "@backstitch/wording/English"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"

/** Prints each repeated act, and once what a trace does not show of them; nothing if there are none. */
export const print = (repeats: ReadonlyArray<{ readonly say: string }>): void => {
  if (repeats.length === 0) return
  Terminal.print()
  TextTable.sentence(Terminal.wary(`REPEATED ${repeats.length}:`), English.words.reports.repeat.undecided)
  for (const { say } of repeats) TextTable.sentence(" ", say)
}
