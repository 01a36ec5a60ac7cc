/** The words of checks: of the contract, of the shape of arguments and state, and of rules. */
import * as Field from "@backstitch/expressions/Field"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as ActionId from "@backstitch/trace/ActionId"
import type { Next } from "../../said/Next.ts"
import { fact, said } from "../../said/Said.ts"
import type { Checks, Findings } from "../../said/Words.ts"
import { choices } from "../terms/steps.ts"

/** The arguments as a whole, or one of them. */
const at = (path: string): string => (path === "" ? "the arguments" : path)

const propose = (words: string): Next => ({ verb: "propose", words })
const amend = (words: string): Next => ({ verb: "amend", words })
const settleFirst: Next = { verb: "resume", words: "that action is settled first" }
const decideFirst: Next = { verb: "resolve", words: "that action is settled first" }
const byHand: Next = { verb: "look", words: "what is there can only be taken back by hand" }

const delivery = (what: string, why: string) =>
  said(what, why, { verb: "wait", words: "look at what the provider sends" })

/** The words of checks of the author and the type of an intent. */
export const authorship = {
  "author.not_allowed": ({ author, authors }) => {
    const why = authors.length === 0 ? "no author: the kernel alone writes it" : `an author among ${authors.join(", ")}`
    return said(author, why, propose("propose an intent; the kernel writes this type itself"))
  },
  "contract.missing": () => said("a run without one", "a contract to extend", amend("begin the run under a pack")),
  "cost.unanswered": ({ tool }) =>
    said(
      "none",
      "a cost that can be evaluated",
      amend(`correct tools.${tool}.cost, or give the arguments that it reads`)
    ),
  "delivery.key_unknown": () => delivery("another", "the key of an action of this run"),
  "delivery.not_declared": () => delivery("none", "a tool whose contract has a webhook"),
  "delivery.not_genuine": () => delivery("another signature", "a body that the provider signed"),
  "delivery.not_timely": () => delivery("one of another time", "a delivery of about now"),
  "delivery.replayed": ({ action, run, tick }) =>
    said(
      `one that counts already: ${action} of run ${run} took it in at tick ${tick}`,
      "a delivery that was not taken in before",
      { verb: "wait", words: "nothing is to be done: a delivery counts once" }
    ),
  "delivery.unreadable": () => delivery("one that it cannot", "a body that its contract can read"),
  "extension.invalid": () =>
    said("one that does not fit", "an extension of the contract", amend("correct the extension")),
  "occurrence.author": ({ occurrence }) =>
    said(
      `occurrence ${occurrence} from a planner that decides step by step`,
      "an occurrence that a user, a plan or an instance has set",
      propose("propose it without occurrence; a step of a plan or the user may ask for one more of the same")
    ),
  "tool.unknown": ({ contract, tool }) =>
    said(
      contract === undefined
        ? "the run has no pack, so every tool call needs a person's approval"
        : `the pack ${contract} has no tool "${tool}": what it does cannot be verified or undone`,
      "a tool of the pack",
      amend("declare it")
    ),
  "type.unknown": ({ namespace, type }) =>
    said(
      namespace === undefined ? type : `${type}, and the namespace ${namespace} is not here`,
      "a type of the ontology, or of a namespace that the kernel has",
      propose("propose a type such as action.request or observation.add, or declare this one for the kernel")
    ),
  "type.unpinned": ({ namespace, pinned, since, type }) =>
    said(
      pinned === undefined ? "a run without that namespace" : `a run that pins version ${pinned}`,
      `a run that pins ${namespace} from version ${since}, which has ${type}`,
      amend("begin another run with this kernel: a run keeps the types that it began with")
    )
} satisfies Partial<Findings>

/** The words of checks of the form of an intent. */
export const shapes = {
  "action.unknown": ({ tick }) =>
    said(
      `none, and the run is at tick ${tick}`,
      "an action that was begun",
      propose("name an action by the id that its request was given")
    ),
  "argument.mismatch": ({ has, path, wants }) =>
    said(Field.named(has), Field.inWords(wants), propose(`give ${at(path)} as ${Field.inWords(wants)}`)),
  "context.changed": () =>
    said(
      "a field that it reads has changed since",
      "the state that the intent was decided on",
      propose("look at the new state and propose again")
    ),
  "dependency.not_allowed": ({ allowed }) =>
    said(
      "not a dependency that may be declared",
      `one of ${allowed.join(", ") || "no further fields"}`,
      propose("declare no other dependency")
    ),
  "payload.misfit": ({ path, type }) =>
    said(`another form at ${path}`, `a payload as ${type} declares it`, propose("correct that field")),
  "erasure.uncommitted": () =>
    said("a value that it never had", "values that the run has sealed", propose("name values of this run alone")),
  "proposal.not_recordable": () =>
    said(
      "a value that is none of these",
      "text, finite numbers, true, false, null, and lists and objects of them",
      propose("correct that value: nothing of the proposal was recorded")
    ),
  "state.mismatch": ({ field, has, subject, wants }) =>
    said(Field.named(has), Field.inWords(wants), propose(`commit ${field} before proposing ${subject}`)),
  "state.missing": ({ field, subject, wants }) =>
    said(
      "not in the state",
      wants === undefined ? "a field of the state" : Field.inWords(wants),
      propose(`commit ${field} before proposing ${subject}`)
    )
} satisfies Partial<Findings>

const again = (since: number, how: string) =>
  said(
    `${how} since tick ${since}`,
    "no violation that halts mutations",
    { from: since - 1, verb: "fork" },
    { from: since - 1, pack: true, verb: "fork" }
  )

/** The words of checks by the rules of a pack. */
export const rules = {
  "action.never_started": () => fact("it was never started, so nothing happened"),
  "fork.denies": () =>
    said(
      "denied when the run was forked",
      "a tool that this fork allows",
      propose("use another tool, or fork with another policy of tools")
    ),
  "fork.refuses": () =>
    said(
      "its condition holds",
      "no condition of the fork that refuses",
      propose("change the intent, or fork with another policy")
    ),
  "fork.unanswered": () =>
    said(
      "its condition cannot be evaluated",
      "a condition of the fork that has an answer",
      propose("change the intent, or fork with another policy")
    ),
  "breach.open": ({ action, tool }) =>
    said(
      `${action} (${tool}) has crossed a boundary, and nobody has decided about it yet`,
      "no act of this run outside of what it was allowed to touch",
      { action, verb: "resolve" }
    ),
  "forward.begun": ({ action, state }) =>
    said(`action ${action} is ${state}`, "a step that nobody has begun", settleFirst),
  "forward.remains": ({ pivot, steps }) =>
    said(
      `remaining: ${steps.join(", ")}, since ${pivot} cannot be undone`,
      "every step behind the pivot to be done",
      propose(`propose ${steps.join(", then ")}, or let a person give it up`)
    ),
  "checklist.open": ({ tools }) =>
    said(
      `not done: ${tools.join(", ")}`,
      "every tool of the checklist to have done its work",
      propose(`propose ${tools.join(" and ")}, or let a person declare the goal reached`)
    ),
  "goal.reached": ({ since }) =>
    said(
      `declared reached at tick ${since}`,
      "a goal that is not reached yet",
      propose("propose nothing more for it: another goal is another run")
    ),
  "guard.refuses": ({ condition, name = "the guard" }) =>
    said("it holds", `not ${condition}`, propose(`change the intent so that ${name} no longer refuses it`)),
  "guard.unanswered": ({ condition, name = "the guard" }) =>
    said("it has no answer", `not ${condition}`, propose(`change the intent so that ${name} no longer refuses it`)),
  "guard.unsettled": ({ actions, condition }) => {
    const frozen = actions.filter(OpenAction.isFrozen).map(({ action }) => ({ action, verb: "resolve" }) as const)
    return said(
      `it may hold: ${actions.map(({ action, state, tool }) => `${action} (${tool}, ${state})`).join(", ")} may count`,
      `not ${condition}, whatever comes of what is under way`,
      ...(frozen.length > 0 ? frozen : [{ verb: "resume", words: "settle that first" } as const])
    )
  },
  "message.unclaimed": ({ reports }) =>
    said(
      reports === undefined ? "nothing" : JSON.stringify(reports),
      "the actions that the message reports, in data.reports",
      propose(
        'list them, as in ["a7"] or [{ "action": "a7", "standing": "pending" }]; ' +
          "an empty list declares that it reports none"
      )
    ),
  "message.unreconciled": ({ action, claimed, found }, _tell, words) =>
    said(
      `told as ${claimed}`,
      `${action} told as ${found}`,
      propose(`say of ${action}: "${words.statuses[found].user}", and report it as ${found}`)
    ),
  "pivot.passed": ({ action, pivot, skeleton, steps, tool, tools }) =>
    said(
      `${tool} undoes ${action} (${tools.undone}), and ${pivot} (${tools.pivot}) stands and cannot be undone`,
      `no way back behind the pivot of ${skeleton}`,
      ...(steps === undefined ? [] : [propose(`complete ${steps.join(", then ")}`)]),
      amend(`let a person undo it: \`approvals\` of the pack names whom to ask about ${tool}`)
    ),
  "reducer.failed": ({ since }) =>
    said(
      `its operations failed at tick ${since}, so the state no longer shows what it did`,
      "a tool whose effects fold into the state",
      amend("correct on_reconciled, and fork with the corrected pack from before that tick")
    ),
  "undo.consumed": ({ by = "a step of no subtask", keys, subtask }) =>
    said(
      keys.length === 0
        ? `${by} stands on an effect of ${subtask}`
        : `${by} has read ${keys.join(", ")} from ${subtask}`,
      "a subtask on which nothing else of its run relies",
      byHand
    ),
  "undo.forbidden": ({ skeleton }) => said(`${skeleton} forbids it`, "a subtask that may be undone", byHand),
  "undo.given_up": () =>
    said("a person gave its undoing up, and nobody knows whether it stands", "an act that stands", { verb: "report" }),
  "undo.overwritten": ({ by, path }) =>
    said(`${by} has written ${path} since`, "fields that nobody else has written", byHand),
  "undo.pivot": () => said("it stands and cannot be undone", "an action before the pivot", byHand),
  "undo.plan_open": ({ plan }) => said(`the plan ${plan} is open`, "one plan at a time", { verb: "resume" }),
  "undo.resend_unsafe": ({ pivot }) =>
    said(
      `${pivot} cannot be undone, and sending the rest again might do it twice`,
      "steps that may be sent again",
      byHand
    ),
  "undo.too_late": () => said("the time in which it could be undone is over", "an undo in its time", byHand),
  "undo.undecidable": ({ tool }) =>
    said(
      `${tool} has no strong readback and cannot be asked by its key, so nobody can find out whether there is ` +
        "anything to undo",
      "an effect that can be asked about",
      byHand
    ),
  "undo.unregistered": () =>
    said("no compensation was registered for it when it started", "a reversal that is registered", byHand),
  "undo.unsettled": ({ state }) =>
    said(`it is ${state}`, "nothing in flight", OpenAction.isFrozen({ state }) ? decideFirst : settleFirst),
  "undo.unverifiable": ({ tool }) =>
    said(`${tool} has no readback, so nobody would know whether it worked`, "a reversal that is verified", byHand),
  "undoing.open": ({ because, plan, status }, tell) =>
    said(
      `${plan === undefined ? "an undoing that waits" : `the plan ${plan} (${status})`}: ${tell(because)}`,
      "no undoing under way",
      { verb: "resume" },
      { verb: "review" }
    ),
  "violation.halts": ({ since }) => again(since, "violated"),
  "violation.unanswered": ({ since }) => again(since, "not to be evaluated")
} satisfies Partial<Findings>

/** The sentences about checks as a whole. */
export const summary: Checks = {
  decides: (roles) => `${choices.names(roles)} decides`,
  fails: ({ expected, found, id, step }) =>
    // A decision about an action is no approval of a call, and is told of the action.
    `${step === "approval" && ActionId.tickOf(id) !== undefined ? "action" : step} ${id}: ${expected === "" ? "" : `expected ${expected}, `}found ${found}`,
  pass: "every check holds"
}
