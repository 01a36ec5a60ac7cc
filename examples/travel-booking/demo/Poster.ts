/** The receipt of the demo, for people. */
import type { Bisected, Crash, Forked, Line, Verified } from "./Story.ts"

/** All acts. */
export interface Performance {
  readonly crash: Crash
  readonly verified: Verified
  readonly tampered: { readonly tick: number }
  readonly bisected: Bisected
  readonly forked: Forked
  readonly seconds: number
}

/** Marks of text; none without a terminal. */
export interface Ink {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

/** Chooses the ink: colours for a terminal that wants them. */
export const ink = (coloured: boolean): Ink => {
  const mark = (code: number) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text)
  return { bold: mark(1), dim: mark(2), good: mark(32), bad: mark(31) }
}

/** Writes the receipt. */
export const render = ({ bisected, crash, forked, seconds, tampered, verified }: Performance, ink: Ink): string => {
  const act = (word: string, text: string) => `${ink.bold(word.padEnd(9))} ${text}`
  const more = (text: string) => `${" ".repeat(9)} ${text}`
  const { bookings, charges, messages, stays } = crash.world
  return [
    "",
    act("BOOT", `goal="Three nights in Lugano for Anna, under CHF 600"  run=${crash.run}`),
    "",
    ...crash.lines.flatMap((line) => [
      ...(line.tick === crash.killedAfterTick + 1 ? killed(crash, ink) : []),
      ...(told(line) ? [tickLine(line, ink)] : [])
    ]),
    "",
    act(
      "RESUMED",
      `the airline was asked under the same key: ${crash.pnr} was booked, so it was ${ink.good("not sent again")}`
    ),
    more(
      `world: bookings=${bookings} stays=${stays} charges=${charges} messages=${messages}  total=${money(crash.total)}`
    ),
    act("VERIFIED", `${verified.ticks} ticks, ${verified.compared} states folded again: ${ink.good(verified.verdict)}`),
    more(
      `a copy in which the price of tick ${tampered.tick} was changed: ${ink.bad(`broken at tick ${tampered.tick}`)}`
    ),
    act(
      "BISECTED",
      `${bisected.run} broke ${ink.bad(bisected.predicate)} at tick ${bisected.onset} of ${bisected.length}  probes=${bisected.evaluations}`
    ),
    more(
      `the plan named "${bisected.hotel}"; the search had returned ${bisected.offered.join(", ")}. Nothing of it was booked`
    ),
    act(
      "FORKED",
      `${forked.run} shares ticks 1 to ${forked.from} and ends ${ink.good("well")}: "${forked.hotel}", ${money(forked.total)}, no second flight`
    ),
    act("DIFFED", `${bisected.run} and ${forked.run} part at tick ${bisected.onset}, the tick that bisect had found`),
    "",
    act("DONE", `every line was checked against the world's database or the CLI's JSON  (${seconds.toFixed(1)} s) *`),
    "",
    ink.dim("* Not exactly once: at least once, with keys, questions and holds. A tool that neither honours"),
    ink.dim("  keys nor can be asked is held as unknown after such a crash, and a person is told so."),
    ""
  ].join("\n")
}

/** Reads, and the bookkeeping of later steps, are left out: `show` prints them all. */
const told = ({ tick, type }: Line): boolean => tick <= 11 || later.has(type)

const later = new Set(["action.reconciled", "goal.complete", "message.sent"])

const tickLine = ({ note, tick, tool, type }: Line, ink: Ink): string => {
  const where = `${ink.bold("TICK")} ${String(tick).padStart(2, "0")}`
  return `${where}   ${type.padEnd(17)} ${tool.padEnd(17)} ${ink.dim(note)}`.trimEnd()
}

const killed = ({ pid, pnr }: Crash, ink: Ink): ReadonlyArray<string> => [
  ink.bad(`KILL -9   process ${pid}, inside step 4 of 7: the airline has booked ${pnr}, nobody has recorded it`)
]

const money = (centimes: number): string => `CHF ${(centimes / 100).toFixed(2)}`
