/** The words of outcomes: held, waiting for a person, undone, or failed. */
import * as Field from "@backstitch/expressions/Field"
import type * as Finding from "@backstitch/kernel/Finding"
import * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { Next } from "../said/Next.ts"
import { fact, type Tell, type Words } from "../said/Said.ts"
import * as Facts from "./facts.ts"

type Recovery = Finding.Args<"outcome.recovered">["recovery"]

const look: Next = { verb: "look" }
const resolve: Next = { verb: "resolve" }

/** Says what a discrepancy means. */
const meaning = ({ alone, discrepancy }: Recovery): string =>
  `${Discrepancy.definitions[discrepancy].meaning} (${discrepancy})${
    alone === true ? "; its contract names no source of a strong read" : ""
  }`

/** Says what the recovery table prescribes, and why. */
const prescribed = (at: Recovery): string => {
  const because = Facts.because(at)
  return `${RecoveryAction.definition(at.action).meaning} (${at.action})${because === undefined ? "" : `, because ${because}`}`
}

const claimed = (target: string | undefined): Next => ({
  verb: "wait",
  words: `${target === undefined ? "it" : `its target ${target}`} stays claimed`
})

/**
 * Offers the verdicts on an action: "failure" and "resent" from the time on at which its request can no longer arrive.
 */
const verdicts = (verifiable: boolean, overAt: number | undefined): Next => {
  const again = verifiable ? (["reopened"] as const) : []
  const never = verifiable ? (["failure"] as const) : (["failure", "resent"] as const)
  return overAt === undefined
    ? { as: ["success", "failure", "abandoned", verifiable ? "reopened" : "resent"], verb: "resolve" }
    : { as: ["success", "abandoned", ...again], later: { as: never, from: overAt }, verb: "resolve" }
}

const byTable = (recovery: Recovery | undefined): ReadonlyArray<Next> =>
  recovery === undefined
    ? [{ verb: "resume", words: "later" }]
    : [{ verb: needsPerson(recovery) ? "resolve" : "resume", words: prescribed(recovery) }]

const needsPerson = ({ action }: Recovery): boolean => RecoveryAction.needsPerson(action)

const tells: Next = { verb: "wait", words: "its provider tells" }

const unmetIn = (tool: string, executing: boolean, unmet: ReadonlyArray<Finding.Any>, tell: Tell): string =>
  `${tool} ${executing ? "did not answer, and" : "answered, but"} ${unmet.map(tell).join("; ")}`

export const holds = {
  "action.begun": ({ action, since, state }) =>
    fact(`action ${action} was requested at tick ${since} and is ${state}`, {
      verb: "resume",
      words: "the action is settled first"
    }),
  "action.frozen": ({ overAt, tool, verifiable }) =>
    fact(
      `a person decides about ${tool}: nothing is asked, sent or believed of it before`,
      verdicts(verifiable, overAt)
    ),
  "before.refrained": ({ recovery, tool }) => fact(`${tool} was not sent: ${meaning(recovery)}`, ...byTable(recovery)),
  "before.reversal_unread": ({ recovery, tool, undoes }) =>
    fact(`${tool} was not sent: whether ${undoes} is undone already could not be read`, ...byTable(recovery)),
  "before.unread": ({ recovery, tool }) =>
    fact(`${tool} was not sent: what is there could not be read before`, ...byTable(recovery), {
      verb: "resume",
      words: "it is read again"
    }),
  "budget.stopped": ({ budget, tool, why }, tell) =>
    fact(
      `${tool} is not settled, and the budget of ${budget} is used up: ${tell(why)}`,
      { verb: "amend", words: "raise the budget in a new version of the pack" },
      look
    ),
  "delivery.kept": ({ tool }) =>
    fact(`a person decides about ${tool}: what its provider tells is kept, and moves nothing before`, {
      as: ["success", "failure", "abandoned", "reopened"],
      verb: "resolve"
    }),
  "delivery.nothing_new": ({ tool }) => fact(`the provider of ${tool} told nothing new`, { verb: "resume" }),
  "glass.denied": ({ by, tool }) =>
    fact(`${by} did not accept what ${tool} did when the glass was broken`, { ...resolve, words: "or undo it" }),
  "key.underivable": ({ tool, why }, tell) => fact(`${tool} has no key any more: ${tell(why)}`, resolve),
  "outcome.accepted": ({ recovery, target, tool }) =>
    fact(
      `${tool} was accepted, and is not done as far as anybody knows`,
      ...(recovery === undefined ? [tells] : byTable(recovery)),
      claimed(target)
    ),
  "outcome.recovered": ({ recovery }) => fact(meaning(recovery), ...byTable(recovery)),
  "outcome.unknown": ({ recovery, target, tool, why }, tell) =>
    fact(`the outcome of ${tool} is unknown: ${tell(why)}`, claimed(target), ...byTable(recovery), look),
  "outcome.unmet": ({ blocks = [], executing, frozen, recovery, tool, unmet }, tell) =>
    fact(
      [`${unmetIn(tool, executing, unmet, tell)}: ${meaning(recovery)}`, ...blocks.map(tell)].join("; "),
      ...byTable(recovery),
      ...(frozen ? [] : [{ verb: "resume", words: "it is read back again" } as const])
    ),
  "outcome.word_alone": ({ class: name, recovery, target, tool }) =>
    fact(
      `${tool} answered, and its own word alone proves nothing of a ${name}`,
      ...(recovery === undefined ? [tells] : byTable(recovery)),
      claimed(target)
    ),
  "transaction.frozen": ({ target, tool }) =>
    fact(
      `${tool} was rolled back, nothing of it remains, and what it did inside is for a person to look at`,
      claimed(target),
      look,
      resolve
    ),
  "transaction.remains": ({ target, tool, unmet }, tell) =>
    fact(`${tool} was rolled back, and ${tell(unmet)}`, claimed(target), look, resolve),
  "verification.stopped": ({ tool, why }, tell) =>
    fact(`what became of ${tool} is unverifiable: verification has no budget left: ${tell(why)}`, {
      ...resolve,
      words: "it is never reported as done until then"
    })
} satisfies Partial<Words>

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
  "plan.blocked": ({ action = "it", because, block }, tell) =>
    fact(
      `${tell(because)}, and what was done before cannot be undone` +
        (block === undefined ? "" : `: ${action}: ${tell(block)}`),
      { verb: "resume", words: "once that is settled" },
      resolve
    ),
  "plan.stopped": ({ because, undoes, why }, tell) =>
    fact(`${tell(because)}, and ${undoes} is not undone: ${tell(why)}`, resolve),
  "reversal.altered": () => fact("its record has changed since, and somebody may have undone it already", resolve),
  "reversal.astray": ({ recovery, tool }) => fact(`${tool} was not sent: ${meaning(recovery)}`, resolve),
  "reversal.begun": ({ undoes }) => fact(`it undoes ${undoes ?? "an action"}, and is under way`, { verb: "resume" }),
  "reversal.failed": () => fact("its reversal failed", resolve),
  "reversal.not_approved": () => fact("its reversal was denied", resolve),
  "reversal.not_own": () =>
    fact("nothing shows that the effect which its tool named is its own: it may be somebody else's", resolve),
  "reversal.refused": () => fact("it was refused for good", resolve),
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
    )
} satisfies Partial<Words>

export const causes = {
  "cause.asked": ({ reason }) => fact(reason),
  "cause.failed": ({ action, error, tool }, tell) => fact(`${tool} (${action}) failed: ${tell(error)}`),
  "cause.unmet": ({ action, tool, unmet }, tell) => fact(`${tool} ${action}: ${unmet.map(tell).join("; ")}`)
} satisfies Partial<Words>

export const reviews = {
  "approval.critical": ({ tool }) =>
    fact(`${tool} is critical: it is reviewed before it is committed`, { verb: "decide" }),
  "approval.forked": ({ tool }) => fact(`${tool} needs an approval since the run was forked`, { verb: "decide" }),
  "approval.needed": ({ tool }) => fact(`${tool} needs an approval`, { verb: "decide" }),
  "glass.broken": ({ by, reason, tool }) =>
    fact(`${by} broke the glass for ${tool}: ${reason}. What happened is reviewed before it is reported as done`, {
      verb: "decide"
    }),
  "glass.verified": ({ tool }) =>
    fact(`the glass was broken for ${tool}, and what it did is verified and not reviewed`, { verb: "decide" }),
  "verification.contradicted": () =>
    fact("it is settled as a success, and the system of record shows since that it is not as it has to be", resolve),
  "verification.disputed": ({ person, said, settled }) =>
    fact(
      `its provider says since that it ${said === "done" ? "was done" : "failed"}; ` +
        `${person ? "a person settled it" : "it was settled"} as ${settled}, and that stands until somebody has looked`,
      resolve
    ),
  "verification.noticed": ({ class: name }) => fact(`it is a ${name}, and a person looks at what happened`, resolve)
} satisfies Partial<Words>

export const failures = {
  "failure.astray": ({ recovery, tool }) =>
    fact(`${tool} answered with data from outside of its scope, and the answer is withheld: ${meaning(recovery)}`),
  "failure.found": ({ recovery }) => fact(meaning(recovery)),
  "failure.rolled_back": ({ tool }) => fact(`${tool} was rolled back: nothing of it remains`),
  "failure.unavailable": ({ tool, why }, tell) => fact(`${tool} is unavailable: ${tell(why)}`),
  "failure.undone": ({ because }, tell) => fact(`undone: ${tell(because)}`)
} satisfies Partial<Words>
