/** A recovery of a subtask, for people. */
import type * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"

const reasons: { readonly [Code in SubtaskReport.ReasonShown["code"]]: string } = {
  ambiguous_instance: "the failure is of no single subtask",
  boundary_not_closed: "a boundary was reached whose outputs or effects are not complete",
  committed_consumers_present: "committed work has read what would be taken away",
  effect_unsettled: "an effect is not settled: what came of it is asked first",
  irreversible_effect_policy: "an effect may not be taken back by this contract",
  no_checkpoint: "there is no checkpoint that this policy restores",
  open_consumers_present: "work under way has read what would be taken away",
  overwritten_since: "somebody else has written since what would be put back",
  undo_window_closed: "the time is over in which an effect can be undone"
}

const list = (names: ReadonlyArray<string>): string => names.map(shown).join(", ")

/** An instance of the steps that belong to no subtask has no name of its own. */
const shown = (name: string): string => (name === "::null::0" ? "steps of no subtask" : name)

/** Prints what a recovery was judged to be. */
export const print = (run: string, recovery: SubtaskReport.RecoveryShown): void => {
  const { admitted, checkpoint, fallback, instance = "no single subtask", joint, owes = [], signal } = recovery
  const failed = signal === undefined ? "" : ` | failed by ${signal}`
  if (admitted && checkpoint !== undefined) {
    const { kind, state, tick } = checkpoint
    const undone = owes.length === 0 ? "nothing to undo" : `undoes ${list(owes)}`
    const where = `goes back to its ${kind} checkpoint after tick ${tick}, in state ${state}`
    Table.sentence(Terminal.good("ADMITTED:"), `run=${run} | ${instance} ${where} | ${undone}${failed}`)
    return
  }
  Table.sentence(Terminal.bad("BLOCKED:"), `run=${run} | ${instance}${failed}`)
  for (const { code, effects, instances, keys } of recovery.reasons ?? []) {
    const who = [...instances, ...effects].length === 0 ? "" : `: ${list([...instances, ...effects])}`
    Terminal.print(`  ${code}  ${reasons[code]}${who}${keys.length === 0 ? "" : ` (${keys.join(", ")})`}`)
  }
  Terminal.print(
    `  fallback  ${fallback === "hold" ? "hold: an effect can be neither keyed nor asked" : "rerun the task"}`
  )
  if (joint === undefined) return
  const price = `steps=${joint.steps} | irreversible effects=${joint.irreversible}`
  Terminal.print(`${Terminal.dim("together")} these could go back, which nothing does by itself | ${price}`)
  Table.print(
    joint.restores.map(({ checkpoint: { instance, kind, tick }, irreversible, owes, steps }) => [
      instance,
      `${kind} after ${tick}`,
      String(steps),
      list(owes),
      list(irreversible)
    ]),
    { header: ["SUBTASK", "TO", Table.number("STEPS"), "UNDOES", "CANNOT UNDO"] }
  )
}
