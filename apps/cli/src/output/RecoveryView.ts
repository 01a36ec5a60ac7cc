/** A recovery of a subtask, for people. */
import type * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as Wording from "@backstitch/wording/Wording"
import * as Spelling from "../terminal/Spelling.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as UndoView from "./UndoView.ts"

const list = (names: ReadonlyArray<string>): string => names.map(shown).join(", ")

/** An instance of the steps that belong to no subtask has no name of its own. */
const shown = (name: string): string => (name === "::null::0" ? "steps of no subtask" : name)

/** Effects to undo, each with the outlook of that. */
const owed = (effects: ReadonlyArray<SubtaskReport.OwedShown>): string =>
  effects
    .map(({ action, tool, ...outlook }) => {
      const about = UndoView.outlook(outlook)
      return `${action} ${tool}${about === "" ? "" : ` (${about})`}`
    })
    .join(", ")

/** The name of a policy, with the conditions that it left out, and the stricter rule about consumers. */
export const policyOf = ({ consumers, name, without = [] }: SubtaskReport.RecoveryShown["policy"]): string => {
  const strict = consumers === "instance" ? `${name}, each consumer forbids` : name
  return without.length === 0 ? strict : `${strict} without ${without.join(", ")}`
}

/** Prints a judgment. */
export const judgment = (judgment: SubtaskReport.Judgment): void =>
  "undoing" in judgment ? undoing(judgment.run, judgment.undoing) : print(judgment.run, judgment)

/** Prints an undoing that is under way, before which nothing else goes back. */
const undoing = (run: string, { checkpoint, done, isStopped, of }: SubtaskReport.UndoingShown): void => {
  const { instance, kind, tick } = checkpoint ?? {}
  const what =
    checkpoint === undefined
      ? "an undoing is under way"
      : `${instance} goes back to its ${kind} checkpoint after tick ${tick}`
  const stopped = isStopped ? " | it waits for a person" : ""
  TextTable.sentence(Terminal.wary("UNDER WAY:"), `run=${run} | ${what} | undone=${done} of ${of}${stopped}`)
  const next = isStopped ? ({ run, verb: "report" } as const) : ({ run, verb: "resume" } as const)
  Terminal.print(`${Terminal.dim("next:")} ${Spelling.of(next)}`)
}

/** The tick from which a fork does a task again. */
const beginning = 1

/** Prints what a recovery was judged to be. */
export const print = (run: string, recovery: SubtaskReport.RecoveryShown): void => {
  const { admitted, checkpoint, fallback, instance = "no single subtask", joint, owes = [], signal } = recovery
  const failed = signal === undefined ? "" : ` | failed by ${signal}`
  if (admitted && checkpoint !== undefined) {
    const { kind, state, tick } = checkpoint
    const undone = owes.length === 0 ? "nothing to undo" : `undoes ${owed(owes)}`
    const policy = `policy ${policyOf(recovery.policy)}`
    const where = `goes back to its ${kind} checkpoint after tick ${tick}, in state ${state}`
    TextTable.sentence(Terminal.good("ADMITTED:"), `run=${run} | ${instance} ${where} | ${policy} | ${undone}${failed}`)
    return
  }
  TextTable.sentence(
    Terminal.bad("BLOCKED:"),
    `run=${run} | ${instance} | policy ${policyOf(recovery.policy)}${failed}`
  )
  for (const { code, effects, instances, keys } of recovery.reasons ?? []) {
    const who = [...instances, ...effects].length === 0 ? "" : `: ${list([...instances, ...effects])}`
    Terminal.print(`  ${code}  ${Wording.obstacle(code)}${who}${keys.length === 0 ? "" : ` (${keys.join(", ")})`}`)
  }
  if (fallback !== undefined) Terminal.print(`  fallback  ${Wording.fallback(fallback)}`)
  if (fallback === "rerun") {
    Terminal.print(`  ${Terminal.dim("next")}      ${Spelling.of({ run, from: beginning, verb: "fork" })}`)
  }
  if (joint === undefined) return
  const price = `steps=${joint.steps} | irreversible effects=${joint.irreversible}`
  Terminal.print(`${Terminal.dim("together")} these could go back, which nothing does by itself | ${price}`)
  TextTable.print(
    joint.restores.map(({ checkpoint: { instance, kind, tick }, irreversible, owes, steps, unsettled }) => [
      instance,
      `${kind} after ${tick}`,
      String(steps),
      owed(owes),
      list(irreversible),
      list(unsettled)
    ]),
    { header: ["SUBTASK", "TO", TextTable.number("STEPS"), "UNDOES", "CANNOT UNDO", "TO SETTLE"] }
  )
}
