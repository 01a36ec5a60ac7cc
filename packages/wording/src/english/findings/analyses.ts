/**
 * The words of what is done with histories: what a search answers beside the tick that it found, and what imports and
 * rebases say.
 */
import { fact } from "../../said/Said.ts"
import type { Findings } from "../../said/Words.ts"

/** The words of the links of a causal chain. */
export const ties = {
  "link.asked": ({ action }) => fact(`asked for action ${action}`),
  "link.continues": ({ action }) => fact(`continues action ${action}`),
  "link.decided": ({ decision }) => fact(`policy said ${decision}`),
  "link.depends": ({ field }) => fact(`depends on ${field}`),
  "link.result": ({ status }) => fact(`the result is ${status}`),
  "link.trouble": () => fact("reports trouble"),
  "link.writes": ({ field }) => fact(`writes ${field}`),
  "link.wrote": ({ fields }) => fact(`last to write ${fields.join(", ")} before the onset`)
} satisfies Partial<Findings>

const othersOf = (names: ReadonlyArray<string>): string => (names.length === 0 ? "none at all" : names.join(", "))

/** The words of a search for an onset. */
export const searches = {
  "search.built_in": () => fact("It is built in and looks at single transitions: one pass, each looked at once"),
  "search.kind_unseen": ({ kind, kinds }) => fact(`The run has no anomaly of kind ${kind}. It has ${othersOf(kinds)}`),
  "search.metric": () => fact("A metric rises and falls, so every tick was looked at once. It is a heuristic"),
  "search.subject_unseen": ({ subject, subjects }) =>
    fact(`The run has no decision of policy on ${subject}. It has ${othersOf(subjects)}`),
  "search.unevaluated": ({ tick }) =>
    fact(`It could not be evaluated at tick ${tick}, so it may have held there unseen`, {
      verb: "look",
      words: `at tick ${tick}: a field that it reads may be missing`
    }),
  "search.unlatched": () =>
    fact(
      "The predicate was not registered when the run was made, so no tick latched it: " +
        "the ticks were evaluated one by one, up to the first at which it holds, if there is one"
    ),
  "search.unregistered": () =>
    fact(
      "The expression is not registered, so no tick latched it and it may recover: " +
        "the ticks were evaluated one by one, up to the first at which it holds, if there is one"
    )
} satisfies Partial<Findings>

const toolPolicy = "what tools may answer, with a policy of tools"

const changes = {
  guard: (type: string) => `the rules, with a guard on ${type} in another pack, or ${toolPolicy}`,
  rules: () => "the rules, with another pack or policy",
  rules_or_tools: () => `the rules, with another pack or policy, or ${toolPolicy}`,
  tools: () => toolPolicy
} as const

const inheritedOf = ({ field, tick }: { readonly field: string; readonly tick?: number }): string =>
  tick === undefined ? `${field}, written further back` : `${field} of tick ${tick}`

/** The words of the remedies that follow a diagnosis. */
export const remedies = {
  "remedy.anew": ({ judged }) =>
    fact(
      (judged === true
        ? "It was judged to be foundational, so every fork inherits it. "
        : "Nothing but the beginning of the run precedes it, so a fork shares only the goal and the pack that led to " +
          "it. ") +
        "Do not fork: review the goal and the pack, and begin a new run. This trace stays as the record of what went " +
        "wrong"
    ),
  "remedy.compare": ({ run }) =>
    fact(
      "They began differently: with another goal, pack or first state. That is no fault of either. See what " +
        "differs, or name a run that began alike",
      { other: run, to: 1, verb: "diff" }
    ),
  "remedy.fork": ({ begun, change, from, inherits = [], type, undone }) => {
    const before =
      undone !== undefined
        ? `${undone.tool} (${undone.action}), which was undone since`
        : begun === undefined
          ? type
          : `the request at tick ${begun} that led to ${type}`
    const kept = inherits.map(inheritedOf)
    const what =
      `Fork from tick ${from}, the last one before ${before}, and change what was wrong: ${changes[change](type)}` +
      (kept.length === 0 ? "" : `. It inherits ${kept.join(", ")}: if that was wrong, fork before it`)
    const fork = { from, verb: "fork", ...(change === "guard" ? { pack: true as const } : {}) } as const
    return fact(what, fork, ...(kept.length === 0 ? [] : [{ verb: "contributors" } as const]))
  },
  "remedy.none": () => fact("There is no onset, so there is nothing to fork from")
} satisfies Partial<Findings>

/** The words of the symptoms that precede an onset. */
export const symptoms = {
  "symptom.allowed": () => fact("policy looked at it and let it pass"),
  "symptom.decided": ({ decision }) => fact(`policy said ${decision}`),
  "symptom.doubt": ({ uncertainty }) => fact(`its author noted a doubt: ${uncertainty}`),
  "symptom.first": () => fact("it was so with the first transition, before the agent did anything"),
  "symptom.first_plan": () => fact("it came with the first plan, made from the goal alone"),
  "symptom.first_step": () => fact("nothing but the beginning of the run precedes it"),
  "symptom.observed": () => fact("it is an observation that nothing verified"),
  "symptom.reconciled": () => fact("the world did what was asked for, and no rule had refused to ask"),
  "symptom.result": ({ status }) => fact(`the result was ${status}`),
  "symptom.unsure": ({ confidence }) => fact(`its author was not sure (confidence ${confidence})`),
  "symptom.unverified": () => fact("what came back was not verified")
} satisfies Partial<Findings>

/** The words of the contexts of imported intents. */
export const imports = {
  "context.differs": ({ path }) => fact(`its proposer also looked at ${path}, which is another here`),
  "context.missing": ({ path }) => fact(`its proposer also looked at ${path}, which is not here`),
  "context.unbound": ({ subject }) => fact(`the pack declares no context for ${subject}: nothing was compared`)
} satisfies Partial<Findings>

/** The words of conflicts of a rebase. */
export const rebases = {
  "rebase.failed": ({ error }, tell) =>
    fact(`it had succeeded, and now came to ${tell(error)}`, {
      verb: "propose",
      words: "continue without it, or give the rebase up"
    }),
  "rebase.refused": ({ reasons }) => fact(`it may not be imported: ${reasons.join(", ")}`)
} satisfies Partial<Findings>
