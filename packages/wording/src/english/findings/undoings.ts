/** The words of undoings: a plan that stops, a reversal that is not made, what remains behind a pivot, and causes. */
import * as Field from "@backstitch/expressions/Field"
import type { Next } from "../../said/Next.ts"
import { fact, tellAll } from "../../said/Said.ts"
import type { Findings } from "../../said/Words.ts"
import { found } from "../terms/recoveries.ts"
import { unmetIn } from "./evidence.ts"

const resolve: Next = { verb: "resolve" }

/** The words of undoings that stop, and of steps behind a pivot. */
export const undoings = {
  "forward.escalated": ({ pivot, tool, why }, tell) => fact(`${tool} remains behind ${pivot}: ${tell(why)}`, resolve),
  "forward.late": () => fact("its time is up"),
  "forward.mismatch": ({ argument, has, wants }) =>
    fact(`${argument} is ${Field.named(has)}, and has to be ${Field.inWords(wants)}`),
  "forward.refused": ({ times }) => fact(`it was refused ${times} times`),
  "forward.unanswered": ({ argument }) => fact(`${argument} cannot be evaluated`),
  "forward.under_way": ({ action, tool }) => fact(`${tool} remains, and ${action} is under way`, { verb: "resume" }),
  "forward.underivable": ({ lacks, pivot, tool }, tell) =>
    fact(`${tool} remains behind ${pivot}, and its arguments are not known: ${tell(lacks)}`, {
      verb: "resume",
      words: "with an agent that gives them"
    }),
  "forward.undoing": ({ tool }) => fact(`${tool} remains, and something is being undone`, { verb: "resume" }),
  "forward.unsaid": (args) => fact(`the contract does not say from what: ${args.arguments.join(", ")}`),
  "forward.waits": ({ pivot, steps }) =>
    fact(`a person decides about what remains behind ${pivot}: ${steps.join(", ")}`, resolve),
  "plan.blocked": ({ action, because, block }, tell) =>
    fact(
      `${tell(because)}, and what was done before cannot be undone` +
        (block === undefined ? "" : `: ${action === undefined ? "" : `${action}: `}${tell(block)}`),
      { verb: "resume", words: "once that is settled" },
      resolve
    ),
  "plan.stopped": ({ because, undoes, why }, tell) =>
    fact(`${tell(because)}, and ${undoes} is not undone: ${tell(why)}`, { action: undoes, verb: "resolve" }),
  "reversal.altered": () => fact("its record has changed since, and somebody may have undone it already", resolve),
  "reversal.astray": ({ recovery, tool }, _tell, words) =>
    fact(`${tool} was not sent: ${found(recovery, words)}`, resolve),
  "reversal.begun": ({ undoes }) => fact(`it undoes ${undoes ?? "an action"}, and is under way`, { verb: "resume" }),
  "reversal.failed": () => fact("its reversal failed", resolve),
  "reversal.not_approved": () => fact("its reversal was denied", resolve),
  "reversal.not_own": () =>
    fact("nothing shows that the effect which its tool named is its own: it may be somebody else's", resolve),
  "reversal.refused": () => fact("it was refused for good", resolve),
  "reversal.too_late": () => fact("the time in which it could be undone is over", resolve),
  "reversal.undecidable": ({ tool, undoes }) =>
    fact(
      `${tool} was not sent: by its contract nobody can find out whether there is anything to undo of ${undoes}`,
      resolve
    ),
  "reversal.unmet": ({ executing, tool, unmet }, tell) => fact(unmetIn(tool, executing, unmet, tell), resolve),
  "reversal.unplanned": ({ tool, undoes }) =>
    fact(`${tool} undoes ${undoes ?? "an action"}, and no plan asks for that`, resolve),
  "reversal.unread": ({ tool, undoes, why }, tell) =>
    fact(
      `${tool} was not sent: whether there is anything to undo of ${undoes} is not known: ${tell(why)}`,
      { verb: "resume", words: "once that can be read" },
      resolve
    ),
  "subtask.blocked": ({ fallback, instance, reasons, tool, tries }, _tell, words) => {
    const why =
      tries === undefined
        ? reasons.map((code) => words.rollbacks.blocks[code]).join(", and ")
        : `it went back ${tries === 1 ? "once" : `${tries} times`} by itself, and may not again`
    const subtask = instance === undefined ? "no single subtask" : instance
    const text = `${tool} failed in ${subtask}, and nothing is put back: ${why}`
    return fallback === "person"
      ? fact(`${text}. A person decides how it goes on`, { verb: "recover" })
      : fact(`${text}. What is left: ${words.rollbacks.fallbacks[fallback]}`, { verb: "recover" })
  }
} satisfies Partial<Findings>

/** The words of the causes of an undo plan. */
export const causes = {
  "cause.asked": ({ reason }) => fact(reason),
  "cause.failed": ({ action, error, tool }, tell) => fact(`${tool} (${action}) failed: ${tell(error)}`),
  "cause.unmet": ({ action, tool, unmet }, tell) => fact(`${tool} ${action}: ${tellAll(unmet, tell)}`)
} satisfies Partial<Findings>
