/** A rebase for people. */
import type * as Rebasing from "@backstitch/runtime/Rebasing"
import * as English from "@backstitch/wording/English"
import * as Wording from "@backstitch/wording/Wording"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"

const { rebase: histories } = English.words.histories

/** Prints the result for each intent, the conflict, and the next step. */
export const print = (rebased: Rebasing.Rebased): void => {
  const { conflict, left, onto, replayed, run, source, status } = rebased
  const range = `${source.run}@${source.from}..${source.to}`
  if (status === "up to date") {
    Terminal.print(`${Terminal.good("UP TO DATE:")} ${histories.current(source.run, onto)}`)
    return
  }
  Terminal.print(
    `${Terminal.bold("REBASE:")} ${range} onto ${onto.run}@${onto.tick} | run=${run} | intents=${replayed.length}`
  )
  Terminal.print()
  if (replayed.length > 0) TextTable.print(replayed.map(rowOf(source.run)), { rail: "  " })
  if (left.length > 0) TextTable.print(left.map(stayed(source.run)), { rail: "  " })
  warn(rebased)
  Terminal.print()
  if (conflict !== undefined) stopped(rebased, conflict)
  else if (status === "aborted") Terminal.print(`${Terminal.wary("GIVEN UP:")} ${histories.abandoned(run)}`)
  else if (status === "rehearsed") Terminal.print(`${Terminal.good("FITS:")} ${English.words.histories.rehearsed}`)
  else {
    Terminal.print(`${Terminal.good("REBASED:")} run=${run} | ${histories.joined(onto)}`)
    Terminal.print(`${Terminal.dim("next")}  ${Spelling.of({ run, verb: "verify" })}`)
    Terminal.print(`      ${Spelling.of({ other: run, run: source.run, verb: "diff" })}`)
  }
}

const stayed =
  (source: string) =>
  ({ author, tick, type, why }: Rebasing.Rebased["left"][number]): ReadonlyArray<string> =>
    [`${source}@${tick}`, `${type} by the ${author}`, histories.left[why]].map(Terminal.dim)

/** Prints warnings, each once with all its intents. */
const warn = ({ replayed, source }: Rebasing.Rebased): void => {
  const all = replayed.flatMap(({ tick, warnings }) =>
    warnings.map((warning) => ({ at: `${source.run}@${tick}`, said: Wording.tell(warning) }))
  )
  for (const [said, warnings] of Map.groupBy(all, ({ said }) => said)) {
    Terminal.print(`${Terminal.wary("WARNING:")} ${warnings.map(({ at }) => at).join(", ")}: ${said}`)
  }
}

const stopped = ({ run, source, status }: Rebasing.Rebased, conflict: Rebasing.Conflict): void => {
  const { reason, remedies, tick, tool, type } = conflict
  const where = tick === 0 ? type : `${source.run}@${tick} ${tool ?? type}`
  Terminal.print(`${Terminal.bad("CONFLICT:")} ${where} | ${reason}`)
  if (status === "rehearsed") return
  for (const remedy of remedies) Terminal.print(`${Terminal.dim("next")}  ${remedy.replaceAll("then repeat", "then")}`)
  const spelled = (stopped: "abort" | "continue" | "skip") => Spelling.of({ run, stopped, verb: "rebase" })
  Terminal.print(`${Terminal.dim("then")}  ${spelled("continue")}`)
  if (tick !== 0) Terminal.print(`${Terminal.dim("or")}    ${spelled("skip")}`)
  Terminal.print(`${Terminal.dim("or")}    ${spelled("abort")}`)
}

const paints = {
  replayed: Terminal.good,
  adopted: Terminal.good,
  recorded: Terminal.good,
  skipped: Terminal.wary,
  conflict: Terminal.bad,
  pending: Terminal.dim,
  fits: Terminal.good
} as const

const rowOf =
  (source: string) =>
  ({ at, same, status, tick, tool, treatment, type }: Rebasing.Replayed): ReadonlyArray<string> => [
    `${source}@${tick}`,
    tool === undefined ? type : Terminal.name(tool),
    treatment,
    paints[status](histories.statuses[status]),
    at === undefined ? "" : `tick ${at}`,
    same === false ? Terminal.wary(histories.otherAnswer) : ""
  ]
