/** Checks a pack. */
import * as Issue from "@backstitch/contracts/Issue"
import * as PackCheck from "@backstitch/runtime/PackCheck"
import * as Effect from "effect/Effect"
import * as ReversibilityView from "../../output/ReversibilityView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./packCheck.ts"

const print = (
  { impure, issues, notEnforced, pack, reversibility, warnings }: PackCheck.Checked,
  file: string
): void => {
  for (const issue of issues) Terminal.print(`${Terminal.bad("wrong:")} ${Issue.format(issue)}`)
  for (const problem of impure) Terminal.print(`${Terminal.bad("wrong:")} ${file} ${problem}`)
  for (const warning of warnings) Terminal.print(`${Terminal.wary("look:")} ${Issue.format(warning)}`)
  if (notEnforced.length > 0) {
    Terminal.lines(`${Terminal.wary("NOT ENFORCED:")} nothing holds a run to ${notEnforced.join(", ")}`)
  }
  if (reversibility !== undefined) ReversibilityView.print(reversibility)
  const wrong = issues.length + impure.length
  if (wrong > 0 || pack === undefined) {
    Terminal.print(`\n${Terminal.bad("REFUSED:")} issues=${wrong} | ${file}`)
    return
  }
  const { digest, guards, id, tools, version, violations } = pack
  const counts = `tools=${Object.keys(tools).length} | guards=${guards.length} | violations=${violations.length}`
  Terminal.print(`${Terminal.good("OK:")} ${id} ${version} | ${counts} | digest=${digest}`)
}

/** Reads a pack, and prints its mistakes and warnings. */
export const handler: Handler<Input> = ({ file }) =>
  Effect.map(PackCheck.file(file), (checked) =>
    Printer.answer(PackCheck.documentOf(checked, file), () => print(checked, file), ExitCode.of(checked.ok))
  )
