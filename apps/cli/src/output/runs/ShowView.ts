/** All facts about one transition, for people. */
import type * as Check from "@backstitch/kernel/Check"
import * as Finding from "@backstitch/kernel/Finding"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Changes from "@backstitch/version-control/Changes"
import type { Step } from "@backstitch/version-control/Step"
import * as Wording from "@backstitch/wording/Wording"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as TickLine from "../TickLine.ts"
import * as ValueText from "../ValueText.ts"

/** Prints a transition: its line, its fields, its changes and, if requested, the state after it. */
export const print = (record: JsonObject, step: Step, withState: boolean): void => {
  Terminal.print(TickLine.render(step))
  Terminal.print()
  const shown = Object.entries(record).filter(
    ([name, value]) => !hidden.has(name) && value !== null && !(Array.isArray(value) && value.length === 0)
  )
  TextTable.print(
    shown.flatMap(([name, value]) => rows(name, value)),
    { rail: "  " }
  )
  const changes = [...Changes.between(step.before, step.after)]
  if (changes.length > 0) {
    Terminal.print(`\n${Terminal.bold("CHANGED")}`)
    const lines = changes.map(({ after, before, path }) => [
      path,
      before === undefined ? Terminal.dim("nothing") : Terminal.bad(ValueText.full(before)),
      after === undefined ? Terminal.dim("nothing") : Terminal.good(ValueText.full(after))
    ])
    TextTable.print(lines, { rail: "  " })
  }
  if (withState) {
    Terminal.print(`\n${Terminal.bold("STATE")}`)
    Terminal.lines(JSON.stringify(State.toJson(step.after), null, 2))
  }
}

/** Fields that are shown elsewhere or in other words. */
const hidden = new Set(["tick", "transition_type", "state_before", "state_after", "effect", "metrics"])

const rows = (name: string, value: Json | undefined): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? [[Terminal.dim(name), text(value)]]
    : Object.entries(value)
        .filter(([, part]) => part !== null && part !== undefined)
        .map(([key, part], index) => [
          index === 0 ? Terminal.dim(name) : "",
          `${Terminal.dim(`${key}:`)} ${text(part)}`
        ])

/** A field in words: findings and checks as sentences, lists of words joined, all other values as JSON. */
const text = (value: Json | undefined): string => {
  if (typeof value === "string") return value
  if (Finding.isFinding(value)) return Wording.tell(value)
  if (!Array.isArray(value)) return JSON.stringify(value) ?? ""
  if (value.every((each) => typeof each === "string")) return value.join(", ")
  return value.every(isCheck) ? value.map(checked).join("; ") : JSON.stringify(value)
}

const isCheck = (value: Json): value is Check.Check =>
  Canonical.isObject(value) && typeof value["id"] === "string" && typeof value["step"] === "string"

const checked = (check: Check.Check): string => {
  const said = Wording.check(check)
  if (said === undefined) return `${check.step} ${check.id} holds`
  return `${check.step} ${check.id} does not: found ${said.found}`
}
