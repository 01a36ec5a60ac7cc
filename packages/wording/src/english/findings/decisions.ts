/** The words of keys and of the acts of other runs, of approvals, and of what people decide. */
import * as Normaliser from "@backstitch/contracts/Normaliser"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import type { Next } from "../../said/Next.ts"
import { said, tellAll } from "../../said/Said.ts"
import * as ShownText from "../../said/ShownText.ts"
import type { Findings } from "../../said/Words.ts"
import { choices } from "../terms/steps.ts"

const propose = (words: string): Next => ({ verb: "propose", words })
const proposeAgain = (words: string): Next => ({ again: true, verb: "propose", words })
const oneMore: Next = {
  again: true,
  verb: "resume",
  words: "or set occurrence in a step of the plan"
}

/** The words of acts that a key recognises, and of targets that are held. */
export const keys = {
  "act.abandoned": ({ action, run, tick, told }) =>
    said(
      `${action} of run ${run}, tick ${tick} was given up, and nobody knows what it came to` +
        (told === undefined ? "" : `; its provider now says that it ${told === "done" ? "was done" : "failed"}`),
      "an act that nobody has begun",
      proposeAgain("ask for one more of it, once somebody has looked whether it was done")
    ),
  "act.disputed": ({ action, run, since, tick }) =>
    said(
      `${action} of run ${run}, tick ${tick} began it, and what came since contradicts how it was settled (tick ${since})`,
      "an act of which it is known what it came to",
      { action, as: ["failure", "noted"], run, verb: "resolve", words: "once somebody has looked" }
    ),
  "act.doubtful": ({ action, reversal, reversed, run, tick }) =>
    said(
      `run ${run} did it (${action}, tick ${tick}) and took it back in part, or on a tool's word ` +
        `(${reversal}, tick ${reversed})`,
      "an act that stands, or of which nothing is left",
      { run, verb: "report", words: "let a person find out what is left of it" }
    ),
  "act.failed": ({ action, run, tick }) =>
    said(
      `${action} of run ${run}, tick ${tick} began it and has failed`,
      "an act that nobody has begun",
      proposeAgain("ask for one more of it: that act has failed for good")
    ),
  "act.relied": ({ action, run, tick, undoes }) =>
    said(`run ${run} relies on ${undoes} (${action}, tick ${tick})`, "an act that no other run relies on", {
      verb: "decide",
      words: "what becomes of both runs"
    }),
  "act.repeated": ({ action, run, tick }) =>
    said(
      `${action} of run ${run} made the same request at tick ${tick}, and without a key ` +
        "nothing tells whether this is the same act or one more",
      "a person who says that it is one more act",
      { verb: "decide" }
    ),
  "act.reversed": ({ action, reversal, reversed, run, tick }) =>
    said(
      `run ${run} did it (${action}, tick ${tick}) ` +
        (reversal === action
          ? `and it is not there any more, by its record or on a person's word (tick ${reversed})`
          : `and reversed it (${reversal}, tick ${reversed})`),
      "an act that no other run has reversed",
      oneMore
    ),
  "act.undoing": ({ action, run, tick }) =>
    said(`run ${run} did it (${action}) and has wanted it undone since tick ${tick}`, "an act that nobody is undoing", {
      run,
      verb: "resume",
      words: "let that end first"
    }),
  "act.unsettled": ({ action, run, tick }) =>
    said(
      `${action} of run ${run} began it at tick ${tick} and has not settled it`,
      "an act that nobody has begun, or one that is settled",
      { run, verb: "resume", words: "settle it first" }
    ),
  "key.not_normal": ({ normaliser, value }) =>
    said(
      JSON.stringify(value),
      `a value that ${normaliser} can normalise`,
      propose(new Normaliser.NotNormalisable({ found: JSON.stringify(value), normaliser }).message)
    ),
  "key.reused": ({ action, run, sealed, tick }) => {
    const found =
      `${run === undefined ? `action ${action}` : `${action} of run ${run}`} used this key for another request ` +
      `at tick ${tick}`
    const wanted = "the same request under the same key"
    if (sealed !== true) {
      return said(found, wanted, {
        ...propose("propose the identical request"),
        or: [proposeAgain("ask for one more of it")]
      })
    }
    return said(
      `${found}, or for this one, if a sealed value of it was erased since: then nobody can tell`,
      wanted,
      propose(`take ${action} for the act if it was the same one`),
      proposeAgain("ask for one more of it, once somebody has looked what it came to")
    )
  },
  "key.sealed": () =>
    said(
      "a sealed value that another run would not recognise",
      "a value that was sealed for this tool",
      propose("let the agent propose the call"),
      { verb: "amend", words: "or declare identity: { scope: run }" }
    ),
  "name.held": ({ action, namespace, run, tick }) =>
    said(
      `held by ${action} of run ${run}, tick ${tick}`,
      `a ${namespace} that is free`,
      namespace === "target" ? { run, verb: "resume", words: "settle that run first" } : propose("use another name")
    ),
  "target.held": ({ action, state, tick, tool }) =>
    said(
      `action ${action} (${tool}, ${state}) holds it since tick ${tick}`,
      "a target that no open action holds",
      OpenAction.isFrozen({ state })
        ? { action, verb: "resolve", words: "settle that action first" }
        : { verb: "resume", words: "settle that action first" }
    ),
  "target.unanswered": () => said("none", "a target", propose("give the arguments that the target is made of"))
} satisfies Partial<Findings>

const approval = (found: string, needs: ReadonlyArray<string>) =>
  said(found, `the approval of ${choices.names(needs)}, for exactly this`, {
    verb: "decide",
    words: `${choices.names(needs)} decides`
  })

const settle = { as: ["success", "failure", "abandoned"], verb: "resolve" } as const

const record = (way: "attest" | "attest_or_give_up" | "reopen" | "resume"): ReadonlyArray<Next> => {
  switch (way) {
    case "attest":
      return [{ verb: "attest" }]
    case "attest_or_give_up":
      return [{ verb: "attest" }, { as: ["failure", "abandoned"], verb: "resolve" }]
    case "reopen":
      return [
        { as: ["reopened"], verb: "resolve" },
        { verb: "resume", words: "which asks the system of record" },
        { verb: "attest" }
      ]
    case "resume":
      return [{ verb: "resume", words: "which asks the system of record" }, { verb: "attest" }]
  }
}

/** The words of decisions of people that cannot be taken. */
export const decisions = {
  "action.arriving": ({ action, overAt }) =>
    said(
      `${action}, which was begun and may still arrive`,
      `a verdict that it did not happen from ${ShownText.moment(overAt)} on: nothing shows it before`,
      { as: ["success", "abandoned"], verb: "resolve" },
      { verb: "review" }
    ),
  "action.goes_on": () => said("one that goes on by itself", "an action that waits for a person", { verb: "resume" }),
  "action.not_held": () => said("one that is not", "an action that is held", { verb: "review" }, { verb: "resume" }),
  "action.not_noted": () => said("none", "an action that verification wants looked at", { verb: "review" }),
  "action.not_own": () => said("another", "an action that this run began", settle),
  "action.open": () =>
    said("one that is open", "an action that is settled", { ...settle, as: [...settle.as, "reopened"] }),
  "approval.denied": ({ by, needs, role }) =>
    said(
      `denied by ${by} (${role})`,
      `the approval of ${choices.names(needs)}`,
      propose("propose something else"),
      oneMore
    ),
  "approval.expired": ({ by, needs }) => approval(`the approval of ${by} has expired`, needs),
  "approval.missing": ({ needs }) => approval("nobody has approved it", needs),
  "approval.other_arguments": ({ needs, review }) =>
    approval(`the approval ${review}, which is for other arguments`, needs),
  "approval.other_binding": ({ needs, review }) =>
    approval(`the approval ${review}, which is for another context, pack or occurrence`, needs),
  "approval.pending": ({ needs }) => approval("nobody has decided", needs),
  "approval.role": ({ needs, role }) => approval(`an approval by ${role ?? "no role"}`, needs),
  "approval.used": ({ by, needs }) => approval(`the approval of ${by}, which was for one call`, needs),
  "decision.made": ({ at, by, reason, role, verdict }) =>
    said(
      `${verdict} by ${by} (${role}) at ${ShownText.moment(at)}${reason === undefined ? "" : `: ${reason}`}`,
      "a review that nobody has decided",
      ...(verdict === "denied"
        ? [oneMore]
        : [{ verb: "resume", words: "it is asked again once that expires" } as const])
    ),
  "decision.own_glass": ({ brokenBy, verdicts }) =>
    said(
      "one by whoever broke the glass",
      `a decision by another than ${brokenBy}`,
      { verb: "decide", words: "let another decide" },
      ...(verdicts === undefined ? [] : [{ verb: "resolve", words: `${verdicts.join(", ")} stay possible` } as const])
    ),
  "decision.role": ({ needs, role }) =>
    said(`one by ${role ?? "no role"}`, `a decision by ${choices.names(needs)}`, {
      verb: "decide",
      words: "let them decide"
    }),
  "decision.unsigned": () => said("nobody", "the name of who decides", propose("say who decides")),
  "decision.without_evidence": () => said("nothing", "what the decision rests on", propose("give the evidence")),
  "glass.not_accepted": ({ by }) =>
    said(`one that ${by} did not accept`, "an action that is not reviewed after a broken glass", settle),
  "glass.unreviewed": ({ needs, review }) =>
    said(`one that waits in ${review}`, "an action that is not reviewed after a broken glass", {
      review,
      verb: "decide",
      words: `let ${choices.names(needs)} decide there`
    }),
  "plan.open": ({ plan }) => said(`the plan ${plan}`, "no undoing under way", { verb: "resume", words: "first" }),
  "record.empty": ({ way }) => said("nothing", "a record of the success", ...record(way)),
  "record.missing": ({ tool, way }) =>
    said(
      "a word alone",
      `what the system of record shows: what is believed of ${tool} follows from it`,
      ...record(way)
    ),
  "record.not_foldable": ({ tool, way }) =>
    said(
      "a record from which it does not follow",
      `what the system of record shows: what is believed of ${tool} follows from it`,
      ...record(way)
    ),
  "record.not_success": ({ unmet }, tell) =>
    said(tellAll(unmet, tell), "a record of the success", propose("correct the record, or settle it otherwise")),
  "record.not_wanted": () =>
    said("one", "a record with a success alone, of what is open", propose("leave the record out")),
  "record.other": () => said("another", "no other record than the one that was read", propose("leave the record out")),
  "record.outdated": ({ frozen }) =>
    said(
      "one from before",
      "a record that is later than the last sending",
      ...(frozen ? [{ as: ["reopened"], verb: "resolve" } as const] : []),
      { verb: "resume", words: "it is read again" }
    ),
  "reversal.not_open": () => said("none", "a reversal that is open", { as: ["reopened"], verb: "resolve" }),
  "review.unknown": () => said("none of this name", "a review that was asked for", { verb: "report" }),
  "tool.unverifiable": ({ tool }) =>
    said(`${tool}, which can be neither`, "a tool that can be asked or read", {
      as: ["success", "failure", "abandoned", "resent"],
      verb: "resolve"
    }),
  "undoing.waits": ({ verdict }) =>
    said(verdict, "failure or abandoned", { verb: "resume", words: "what can be undone is asked again, and undone" }),
  "values.gone": ({ tool, values }) =>
    said(
      `${tool}, of which ${values === 1 ? "a sealed value was" : `${values} sealed values were`} erased, or ` +
        "never in this store",
      "an action whose values are there",
      settle
    ),
  "verdict.unknown": ({ given, verdicts }) =>
    said(JSON.stringify(given), choices.names(verdicts), propose("give the verdict"))
} satisfies Partial<Findings>
