/** The words of holds: why an action is not settled, and what leads on. */

import type * as Finding from "@backstitch/kernel/Finding"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as Crack from "@backstitch/topology/Crack"
import type { Next } from "../../said/Next.ts"
import { fact } from "../../said/Said.ts"
import type { Findings, Words } from "../../said/Words.ts"
import { found, prescribed } from "../terms/recoveries.ts"
import { unmetIn } from "./evidence.ts"

type Recovery = Finding.Args<"outcome.recovered">["recovery"]

const look: Next = { verb: "look" }
const resolve: Next = { verb: "resolve" }

const claimed = (target: string | undefined): Next => ({
  verb: "wait",
  words: `${target === undefined ? "it" : `its target ${target}`} stays claimed`
})

/**
 * Offers the verdicts on an action; `failure` and `resent` only once its request can no longer arrive.
 */
const verdicts = (verifiable: boolean, overAt: number | undefined): Next => {
  const again = verifiable ? (["reopened"] as const) : []
  const never = verifiable ? (["failure"] as const) : (["failure", "resent"] as const)
  return overAt === undefined
    ? { as: ["success", "failure", "abandoned", verifiable ? "reopened" : "resent"], verb: "resolve" }
    : { as: ["success", "abandoned", ...again], later: { as: never, from: overAt }, verb: "resolve" }
}

const byTable = (recovery: Recovery | undefined, words: Words): ReadonlyArray<Next> =>
  recovery === undefined
    ? [{ verb: "resume", words: "later" }]
    : [{ verb: needsPerson(recovery) ? "resolve" : "resume", words: prescribed(recovery, words) }]

const needsPerson = ({ action }: Recovery): boolean => RecoveryAction.needsPerson(action)

const tells: Next = { verb: "wait", words: "its provider tells" }

/** The words of actions that are not settled. */
export const holds = {
  "action.begun": ({ action, since, state }) =>
    fact(
      `action ${action} was requested at tick ${since} and is ${state}`,
      OpenAction.isFrozen({ state })
        ? { action, verb: "resolve" }
        : { verb: "resume", words: "the action is settled first" }
    ),
  "action.frozen": ({ overAt, told, tool, verifiable }) =>
    fact(
      `a person decides about ${tool}: nothing is asked, sent or believed of it before` +
        (told === undefined ? "" : `; it was told since that it ${told === "done" ? "was done" : "failed"}`),
      verdicts(verifiable, overAt)
    ),
  "alarm.unheard": ({ predicate, since }, _tell, { topologies }) => {
    const crack = Crack.named(predicate)
    const first = crack === undefined ? "" : `. First, ${topologies.responses[crack]}`
    return fact(
      `${predicate} holds since tick ${since}, and no person has written to the run after its alarm${first}`,
      { tick: since, verb: "explain" },
      { past: predicate, verb: "resume" }
    )
  },
  "before.refrained": ({ recovery, tool }, _tell, words) =>
    fact(`${tool} was not sent: ${found(recovery, words)}`, ...byTable(recovery, words)),
  "before.reversal_unread": ({ recovery, tool, undoes }, _tell, words) =>
    fact(`${tool} was not sent: whether ${undoes} is undone already could not be read`, ...byTable(recovery, words)),
  "before.unread": ({ recovery, tool }, _tell, words) =>
    fact(`${tool} was not sent: what is there could not be read before`, ...byTable(recovery, words), {
      verb: "resume",
      words: "it is read again"
    }),
  "delivery.kept": ({ tool }) =>
    fact(`a person decides about ${tool}: what its provider tells is kept, and moves nothing before`, {
      as: ["success", "failure", "abandoned", "reopened"],
      verb: "resolve"
    }),
  "delivery.nothing_new": ({ tool }) => fact(`the provider of ${tool} told nothing new`, { verb: "resume" }),
  "glass.denied": ({ by, tool }) =>
    fact(`${by} did not accept what ${tool} did when the glass was broken`, { ...resolve, words: "or undo it" }),
  "key.underivable": ({ tool, why }, tell) => fact(`${tool} has no key any more: ${tell(why)}`, resolve),
  "outcome.accepted": ({ recovery, target, tool }, _tell, words) =>
    fact(
      `${tool} was accepted, and is not done as far as anybody knows`,
      ...(recovery === undefined ? [tells] : byTable(recovery, words)),
      claimed(target)
    ),
  "outcome.recovered": ({ recovery }, _tell, words) => fact(found(recovery, words), ...byTable(recovery, words)),
  "outcome.unknown": ({ recovery, target, tool, why }, tell, words) =>
    fact(`the outcome of ${tool} is unknown: ${tell(why)}`, claimed(target), ...byTable(recovery, words), look),
  "outcome.unmet": ({ blocks = [], executing, frozen, recovery, tool, unmet }, tell, words) =>
    fact(
      [`${unmetIn(tool, executing, unmet, tell)}: ${found(recovery, words)}`, ...blocks.map(tell)].join("; "),
      ...byTable(recovery, words),
      ...(frozen ? [] : [{ verb: "resume", words: "it is read back again" } as const])
    ),
  "outcome.word_alone": ({ class: name, recovery, target, tool }, _tell, words) =>
    fact(
      `${tool} answered, and its own word alone proves nothing of a ${name}`,
      ...(recovery === undefined ? [tells] : byTable(recovery, words)),
      claimed(target)
    ),
  "topology.asked": ({ crack, error, subjects }, _tell, { topologies: { cracks, responses } }) => {
    const name = Crack.names.find((each) => each === crack)
    const called = name === undefined ? crack : cracks[name]
    const about = subjects.length === 0 ? "" : ` (${subjects.join(", ")})`
    const last = error === undefined ? "" : `: ${error}`
    const first = name === undefined ? "" : `. First, ${responses[name]}`
    return fact(
      `${called}${about}${last}. A person decides how it goes on${first}`,
      { verb: "show" },
      { verb: "resume", words: "once its cause is mended" }
    )
  },
  "transaction.frozen": ({ target, tool }) =>
    fact(
      `${tool} was rolled back, nothing of it remains, and what it did inside is for a person to look at`,
      claimed(target),
      look,
      resolve
    ),
  "transaction.remains": ({ target, tool, unmet }, tell) =>
    fact(`${tool} was rolled back, and ${tell(unmet)}`, claimed(target), look, resolve)
} satisfies Partial<Findings>
