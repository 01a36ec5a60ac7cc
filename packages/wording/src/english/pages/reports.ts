/** The words of reports and receipts: a run as a whole, and the parts of its actions that remain. */
import type { DeliveryWords, ReceiptWords, RepeatedAct, ReportWords, Residue } from "../../said/RunWords.ts"
import { choices } from "../terms/steps.ts"

const undeclared = "The goal was not declared reached."

const takenBack = (by: string): string => `taken back${by} in part, or on that tool's own word`

const byOf = ({ reversal }: Residue): string =>
  reversal === undefined ? "" : ` by ${reversal.tool ?? "a call"} (${reversal.action})`

const afterWords: { readonly [After in RepeatedAct["after"]]: string } = {
  crash: "after a crash or an interruption",
  silence: "after no answer",
  timeout: "after a time-out or a lost connection"
}

const together = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

const sameness = ({ basis, differ, fields }: RepeatedAct): string => {
  const other = differ.length === 0 ? "" : `, another ${together(differ)}`
  switch (basis) {
    case "arguments":
      return "same arguments"
    case "identity":
      return `same ${together(fields)} by its contract${other}`
    case "likeness":
      return `same ${together(fields)}${other}: perhaps the same act`
  }
}

const placed = ({ run, tick }: RepeatedAct["first"]): string =>
  run === undefined ? `tick ${tick}` : `tick ${tick} of ${run}`

const lostTo = (clauses: ReadonlyArray<string>): string =>
  clauses.length === 0
    ? "A revision gave it up with others that do not fit the goal, and it was not undone."
    : `It does not fit the revised goal (${clauses.join(", ")}), and was not undone.`

/** The sentences of a report. */
export const reports: ReportWords = {
  action: ({ disputed, lost, say, unchecked, word }) =>
    [
      ...(disputed === null ? [] : [`This is disputed: ${disputed}. Until then:`]),
      say,
      ...(lost === null ? [] : [lostTo(lost)]),
      ...(word === null ? [] : [`${word.by} accepts its tool's own word: ${word.why}.`]),
      ...(unchecked.length === 0 ? [] : [`Its contract leaves unchecked: ${unchecked.join(", ")}.`])
    ].join(" "),
  asked: (triggers) => `a person is asked to look: ${triggers.join(", ")}`,
  disputed: (status) => `disputed, ${status}`,
  disputes: (actions) => {
    const names = actions.map(({ action, tool }) => `${tool} (${action})`).join(", ")
    return `Later evidence contradicts the settlement of ${names}: a person has to look before it is relied on.`
  },
  doubtful: (residue) => `it was ${takenBack(byOf(residue))}: what is left of it is not known`,
  error: {
    remains: (what) => `something of ${what} remains`,
    undone: (what) => `${what} undone`
  },
  held: ({ anothers, prescribed, told, why }) =>
    [
      why,
      ...(anothers ? ["; another run did it, and it is not reversed from here"] : []),
      ...(told === undefined ? [] : [`; its provider says meanwhile that it is ${told}`]),
      ...(prescribed === undefined ? [] : [`: ${prescribed}`])
    ].join(""),
  incomplete: ({ pivot, skeleton, steps }) =>
    `${steps.join(", ")} of ${skeleton} remains behind ${pivot} and could not be completed`,
  leftBehind: ({ action, isUndone, run, tool }) =>
    `${tool} (${action}) was ${isUndone ? "being undone" : "under way"} when this run was forked: ` +
    `the report of run ${run} says what came of it.`,
  nothing: "No act that changes anything was asked for.",
  remaining: ({ pivot, skeleton, steps }) =>
    `${steps.join(", ")} ${steps.length === 1 ? "remains" : "remain"} of ${skeleton}: ${pivot} cannot be undone.`,
  repeat: {
    of: (act) =>
      `${act.tool}: same tool, ${sameness(act)}, ${afterWords[act.after]}: ${placed(act.first)} and ${placed(act.again)}`,
    undecided: "The trace does not show which of the two took effect, or whether both did: ask the system of record."
  },
  repeated: ({ action, before, tool }) =>
    `${tool} (${action}): run ${before.run} made the same request at tick ${before.tick} (${before.action}, ` +
    `${before.at}). Without a key nothing tells whether that is one act or two.`,
  residue: {
    dirty: ({ action, target, tool }) =>
      `${tool} (${action}) failed, and what it worked in is dirty: ${target ?? "nothing names it"}.`,
    doubtful: (residue) =>
      `${residue.tool} (${residue.action}) was ${takenBack(byOf(residue))}, so what it did may remain.`,
    given_up: (residue) => {
      const { action, givenUp, tool } = residue
      const who = givenUp === undefined ? "" : ` ${givenUp.by} gave that up: ${givenUp.evidence}`
      return `${tool} (${action}) was to be undone${byOf(residue)} and was not, so what it did may remain.${who}`
    },
    kept: ({ action, kept, tool }) => `${tool} (${action}) kept ${kept?.currency} ${kept?.amount}.`,
    undone: (residue) => {
      const { action, reversal, tool } = residue
      const kept = reversal?.kept
      const left =
        kept === undefined
          ? "takes back its effect but not all of its consequences"
          : `kept ${kept.currency} ${kept.amount}`
      return `${tool} (${action}) was undone${byOf(residue)}, which ${left}.`
    }
  },
  reviewed: (triggers) => `it is settled, and verification wants it looked at: ${triggers.join(", ")}`,
  stands: ({ since, stands }) => `it ${stands}, since tick ${since}`,
  undoing: {
    blocked: ({ because, blocks }) => [`${because}; what was done before cannot be undone yet`, ...blocks].join(": "),
    stopped: ({ because, why }) => `${because}; ${why}`,
    waiting: (because) => `${because}; it is to be undone, and that has not begun`
  },
  unfinished: (last) => {
    switch (last?.code) {
      case "pending":
        return `The goal was revised at tick ${last.tick}, and what was done is not adapted to that yet.`
      case "revised":
        return `The goal was reached, and revised at tick ${last.tick}: the revised goal is for another run.`
      case "asked":
        return `${undeclared} A person is asked since tick ${last.tick}: ${last.found}.`
      case "waits":
        return `${undeclared} The last proposal waits since tick ${last.tick}: ${last.found}`
      case "refused":
        return `${undeclared} The last proposal was refused at tick ${last.tick}: ${last.reason}`
      default:
        return undeclared
    }
  },
  unfit: ({ acts, clause }) => {
    const names = together(acts.map(({ action, tool }) => `${tool} (${action})`))
    return `Clause ${clause} of the goal was revised: ${names} ${acts.length === 1 ? "does" : "do"} not fit it, and ${
      acts.length === 1 ? "was" : "were"
    } not undone.`
  },
  unmet: ({ clause, condition, reason }) =>
    reason === undefined
      ? `Clause ${clause} of the goal does not hold: ${condition}`
      : `Nobody can tell whether clause ${clause} of the goal holds (${reason}): ${condition}`
}

/** The sentences of a receipt. */
export const receipts: ReceiptWords = {
  failedBefore: ({ error, tick, tool }) =>
    `${tool} failed at tick ${tick}, and was not tried again: ${error}. ` +
    "A call that changes something is decided once; a fork from before it may decide otherwise",
  stopped: (remaining) => ["The goal was not declared reached, and nothing waits.", ...remaining].join(" "),
  waits: ({ more, needs, tick, tool }) =>
    `${tool} waits for the approval of ${choices.names(needs)} since tick ${tick}` +
    (more === 0 ? "" : `, and ${more} more wait`)
}

/** The sentences about a delivery of a provider. */
export const deliveries: DeliveryWords = {
  settled: "the action was settled before, and the record stands",
  unknown: (tool) => `no run has begun an action of ${tool} under the key that the body names`
}
