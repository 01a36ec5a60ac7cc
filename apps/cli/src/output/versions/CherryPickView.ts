/** The verdict over an import, for people. */
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as CherryPick from "@backstitch/version-control/CherryPick"
import * as English from "@backstitch/wording/English"
import * as Wording from "@backstitch/wording/Wording"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"

const { histories } = English.words

/** Prints both sides of every field, the fields in the hash, and the verdict with the next step. */
export const print = (picked: CherryPicking.Picked): void => {
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
  if (isCompared)
    Terminal.print(
      `${Terminal.dim("context")}   ${histories.context({ bound: verdict.bound, covered: verdict.covered, hash: verdict.hash })}`
    )
  Terminal.print()
  for (const each of warnings) Terminal.print(`${Terminal.wary("WARNING:")} ${Wording.tell(each)}`)
  conclusion(picked)
}

const fields = ({ advisory, fields, source, target }: CherryPick.CherryPickVerdict): void => {
  const rows = [...fields, ...advisory].map((field) => [
    field.problem === undefined
      ? Terminal.good("ok")
      : advisory.includes(field)
        ? Terminal.wary("warn")
        : Terminal.bad("no"),
    Terminal.name(field.path),
    inCell(field.source),
    inCell(field.target),
    histories.fields[advisory.includes(field) ? "advisory" : field.match ? "match" : "present"]
  ])
  if (rows.length === 0) return
  const header = ["", "FIELD", `${source.run}@${source.tick}`, `${target.run}@${target.tick}`, "CONTRACT"]
  Terminal.print()
  TextTable.print(rows, { header, rail: "  " })
  Terminal.print()
}

const untouched = `         ${histories.untouched}`

const conclusion = (picked: CherryPicking.Picked): void => {
  const concluded = CherryPicking.conclusion(picked)
  const why = CherryPicking.why(picked) ?? ""
  switch (concluded._tag) {
    case "Unfit":
      for (const { code, text } of concluded.reasons) Terminal.print(`${Terminal.bad("REFUSED:")} ${code} | ${text}`)
      Terminal.print(`${untouched}\n`)
      for (const each of new Set(concluded.reasons.map(({ remedy }) => remedy))) nextStep(each)
      for (const step of CherryPicking.next(picked)) {
        nextStep(`${histories.imported.otherwise}: ${Spelling.of(step)}`)
      }
      return
    case "Refused":
      Terminal.print(`${Terminal.bad("REFUSED:")} ${why}`)
      Terminal.print(untouched)
      for (const step of CherryPicking.next(picked)) nextStep(Spelling.of(step))
      return
    case "Waits":
      Terminal.print(`${Terminal.wary("WAITS:")} ${why} (${concluded.outcome.review})`)
      nextStep(`${Spelling.all(CherryPicking.next(picked))}, ${histories.imported.again}`)
      return
    case "Held":
      Terminal.print(`${Terminal.wary("HELD:")} ${histories.imported.held({ tick: concluded.tick, why })}`)
      nextStep(Spelling.all(CherryPicking.next(picked)))
      return
    case "Failed":
      Terminal.print(`${Terminal.bad("FAILED:")} ${histories.imported.failed({ tick: concluded.tick, why })}`)
      return
    case "Admissible":
      Terminal.print(`${Terminal.good("ADMISSIBLE:")} ${histories.rehearsed}`)
      return
    case "Known": {
      Terminal.print(`${Terminal.good("DONE ALREADY:")} ${histories.imported.known(concluded.adopted)}`)
      Terminal.print(untouched)
      return
    }
    case "Adopted":
    case "Imported": {
      const { outcome, tick } = concluded
      const at = `${picked.verdict.target.run}@${tick} | basis=${outcome.basis}`
      const more = concluded._tag === "Adopted" ? ` | ${histories.imported.adopted(concluded.adopted)}` : ""
      Terminal.print(`${Terminal.good("IMPORTED:")} ${at}${more}`)
      return
    }
  }
}

const nextStep = (text: string): void => Terminal.print(`${Terminal.dim("next")}  ${text}`)

const inCell = (value: Canonical.Json | undefined): string =>
  value === undefined ? "nothing" : Canonical.encode(value)
