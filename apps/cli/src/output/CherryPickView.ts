/** The verdict over an import, for people. */
import type * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as CherryPick from "@backstitch/version-control/CherryPick"
import * as Wording from "@backstitch/wording/Wording"
import * as Spelling from "../terminal/Spelling.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** Prints both sides of every field, what the hash covers, and the verdict with what to do. */
export const print = (picked: CherryPicking.Picked, options: { readonly dryRun: boolean }): void => {
  const { verdict } = picked
  const { contract, source, subject, target, type, warnings } = verdict
  const what = subject === type ? type : `${type} ${subject}`
  Terminal.print(
    `${Terminal.bold("CHERRY-PICK:")} ${source.run}@${source.tick} onto ${target.run} at tick ${target.tick} | ${what}`
  )
  const names = contract.source === contract.target ? contract.source : `${contract.source} and ${contract.target}`
  Terminal.print(`${Terminal.dim("contract")}  ${names}`)
  fields(verdict)
  const isCompared = verdict.reasons.every(({ code }) => code !== "contract_mismatch")
  if (isCompared) Terminal.print(`${Terminal.dim("context")}   ${contextOf(verdict)}`)
  Terminal.print()
  for (const each of warnings) Terminal.print(`${Terminal.wary("WARNING:")} ${Wording.tell(each)}`)
  conclusion(picked, options)
}

const contextOf = ({ bound, covered, hash }: CherryPick.Verdict): string => {
  if (!bound) return "the contract binds no field to it"
  const says = covered ? "covers what the contract binds" : "does not cover what the contract binds"
  return hash === undefined ? `was not hashed, which ${says}` : `${short(hash)} ${says}`
}

const fields = ({ advisory, fields, source, target }: CherryPick.Verdict): void => {
  const rows = [...fields, ...advisory].map((field) => [
    field.problem === undefined
      ? Terminal.good("ok")
      : advisory.includes(field)
        ? Terminal.wary("warn")
        : Terminal.bad("no"),
    Terminal.name(field.path),
    inCell(field.source),
    inCell(field.target),
    advisory.includes(field) ? "advisory" : field.match ? "has to match" : "has to be there"
  ])
  if (rows.length === 0) return
  const header = ["", "FIELD", `${source.run}@${source.tick}`, `${target.run}@${target.tick}`, "CONTRACT"]
  Terminal.print()
  Table.print(rows, { header, rail: "  " })
  Terminal.print()
}

const conclusion = (picked: CherryPicking.Picked, { dryRun }: { readonly dryRun: boolean }): void => {
  const { adopted, outcome, tick, verdict } = picked
  const { reasons, source, target } = verdict
  if (!verdict.accepted) {
    for (const { code, text } of reasons) Terminal.print(`${Terminal.bad("REFUSED:")} ${code} | ${text}`)
    Terminal.print("         Nothing was committed in the target, and nothing was sent.")
    Terminal.print()
    const advice = [
      ...reasons.map(({ remedy }) => remedy),
      ...(source.tick < 2
        ? []
        : [
            `or look at what else it could have been: ${Spelling.of({ from: source.tick - 1, run: source.run, verb: "fork" })}`
          ])
    ]
    for (const each of new Set(advice)) Terminal.print(`${Terminal.dim("next")}  ${each}`)
    return
  }
  if (outcome?._tag === "Refused") {
    Terminal.print(`${Terminal.bad("REFUSED:")} ${Wording.why(outcome)}`)
    Terminal.print("         Nothing was committed in the target, and nothing was sent.")
    for (const step of Wording.next(outcome)) {
      Terminal.print(`${Terminal.dim("next")}  ${Spelling.of(step, { run: target.run })}`)
    }
  } else if (outcome?._tag === "Parked") {
    Terminal.print(`${Terminal.wary("WAITS:")} ${Wording.why(outcome)} (${outcome.review})`)
    const { needs, review } = outcome
    const next = Spelling.of({ needs, review, run: target.run, verb: "decide" })
    Terminal.print(`${Terminal.dim("next")}  ${next}, then repeat the cherry-pick`)
  } else if (dryRun) {
    Terminal.print(`${Terminal.good("ADMISSIBLE:")} nothing was committed, because this was a dry run`)
  } else if (outcome?._tag === "Held") {
    Terminal.print(`${Terminal.wary("HELD:")} imported at tick ${tick}, and ${Wording.why(outcome)}`)
    Terminal.print(
      `${Terminal.dim("next")}  ${Spelling.all(Wording.next(outcome), { action: outcome.action, run: target.run })}`
    )
  } else if (outcome?._tag === "Failed") {
    Terminal.print(`${Terminal.bad("FAILED:")} imported at tick ${tick}, and it came to ${Wording.tell(outcome.error)}`)
  } else if (tick === undefined && adopted !== undefined) {
    const { action, run, tick: at } = adopted
    Terminal.print(`${Terminal.good("DONE ALREADY:")} ${run}@${at} has it (${action}), and it counts once`)
    Terminal.print("         Nothing was committed in the target, and nothing was sent.")
  } else {
    const done =
      adopted === undefined
        ? ""
        : ` | the act was done by ${adopted.action} of ${adopted.run}: the system of record was asked, nothing was sent`
    Terminal.print(`${Terminal.good("IMPORTED:")} ${target.run}@${tick} | basis=${outcome?.basis}${done}`)
  }
}

const short = (hash: string): string => `${hash.slice(0, 8)}…${hash.slice(-4)}`

const inCell = (value: Canonical.Json | undefined): string =>
  value === undefined ? "nothing" : Canonical.encode(value)
