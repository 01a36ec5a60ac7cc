/** The words of the steps that somebody may take next. */

import * as ShownText from "../../said/ShownText.ts"
import type { Choices, Words } from "../../said/Words.ts"

const runOf = (run: string | undefined): string => (run === undefined ? "the run" : `run ${run}`)

const inRun = (run: string | undefined): string => (run === undefined ? "" : ` of run ${run}`)

/** The enumerations of which one is meant: `a, b or c`. */
export const choices: Choices = {
  names: (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`),
  steps: (steps) => steps.join(", or ")
}

/** Each step by its verb, for readers that have no commands. */
export const steps: Words["steps"] = {
  absorb: ({ keep, run, widen }) => {
    const kept = keep === undefined ? "" : `, saying that ${keep} fits`
    return `absorb the revisions of ${runOf(run)}${kept}${widen === true ? ", widened" : ""}`
  },
  action: ({ action = "the action", run }) => `read what is known of ${action}${inRun(run)}`,
  amend: () => "",
  attest: ({ action = "the action", run }) =>
    `give the record that the system of record shows of ${action}${inRun(run)}`,
  bisect: ({ predicate = "the first anomaly", run }) => `find where ${predicate} began in ${runOf(run)}`,
  contributors: ({ predicate = "the first anomaly", run }) => `find which steps of ${runOf(run)} led to ${predicate}`,
  decide: ({ as, needs, review, run }) => {
    const who = needs === undefined ? "a person" : choices.names(needs)
    const what = as === undefined ? "decide" : as === "denied" ? "deny" : "approve"
    return `let ${who} ${what}${review === undefined ? "" : ` ${review}`}${inRun(run)}`
  },
  diff: ({ other, run }) => `compare ${runOf(run)} with run ${other}`,
  end: () => "end the run",
  explain: ({ run, tick }) => `see why tick ${tick}${inRun(run)} came out as it did`,
  fork: ({ from, pack, run }) => `fork ${runOf(run)} from tick ${from}${pack === true ? " under another pack" : ""}`,
  ledger: ({ run }) => `see which actions ${runOf(run)} has`,
  list: () => "see which runs there are",
  look: () => "look at the system of record",
  propose: () => "",
  rebase: (step) => {
    const run = runOf(step.run)
    if (!("stopped" in step)) return `rebase ${run} onto ${step.onto === undefined ? "another" : `run ${step.onto}`}`
    const ends = { abort: "give up", continue: "continue", skip: "continue" }
    return `${ends[step.stopped]} the rebase of ${run}${step.stopped === "skip" ? " without this intent" : ""}`
  },
  recover: ({ instance, run }) =>
    `see whether ${instance ?? "the failed subtask"} of ${runOf(run)} may go back, and let it`,
  report: ({ run }) => `read the report of ${runOf(run)}`,
  resolve: ({ action = "the action", as, later, run }) => {
    const verdict = as === undefined ? "" : ` as ${choices.names(as)}`
    const more = later === undefined ? "" : `, or as ${choices.names(later.as)} from ${ShownText.moment(later.from)} on`
    return `let a person settle ${action}${inRun(run)}${verdict}${more}`
  },
  resume: ({ again, breakGlass, past, run }) => {
    const once = again === undefined ? "" : " and ask for one more"
    const glass = breakGlass === undefined ? "" : ` without waiting for ${breakGlass}`
    const alarm = past === undefined ? "" : ` past ${past}, once a person has looked at it`
    return `resume ${runOf(run)}${once}${glass}${alarm}`
  },
  review: ({ run }) => `look at what waits for a person${inRun(run)}`,
  show: ({ run }) => `see what ${runOf(run)} did`,
  subtasks: ({ run }) => `see the subtasks of ${runOf(run)}`,
  verify: ({ run }) => `verify ${runOf(run)}`,
  wait: () => "",
  watch: ({ run }) => `follow ${runOf(run)}`
}
