/**
 * The rules by which a kernel decides, numbered, so that a run says by which of them it was decided.
 *
 * A fold says what recorded decisions come to, and never changes for a run.
 * How decisions are made does change: what was allowed is refused, what was
 * taken for settled is asked about. Each such change is named here with the
 * version that brings it. `run.started` pins the version, and a run that goes
 * on under other rules says so in a `run.migrated` before the first decision
 * that is made by them. So the state before a decision tells by which rules it
 * was made, and deciding it again accuses no run of what was right then.
 *
 * | a change | what the kernel does | what deciding again answers |
 * | --- | --- | --- |
 * | keeps the older rule behind {@link binds} | decides by the rules of the state | the same decision |
 * | drops the older rule | decides by the newer one | decided under older rules, with the change named |
 *
 * @see `docs/decisions/0021-decisions-say-by-which-rules.md`
 * @since 0.1.0
 */
import * as Contract from "@backstitch/reducer/Contract"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Body } from "@backstitch/trace/Transition"
import type { Command } from "./Command.ts"
import * as Presence from "./Presence.ts"
import type { Terms } from "./Terms.ts"

/**
 * A recorded decision that comes out otherwise: where it was made, what was committed, and what is decided now.
 *
 * @category models
 * @since 0.1.0
 */
export interface Judged {
  readonly terms: Terms
  readonly state: State
  readonly command: Command
  readonly committed: Body
  /** Absent where nothing is decided any more. */
  readonly decided: Body | undefined
}

/**
 * A change of the rules. `since` is the first version that has it.
 *
 * **Details**
 *
 * `accounts` tells whether a decision of before may come out otherwise because of it, and of nothing else: it excuses
 * what it accepts, so it reads the class, the command and the fields that the change is about.
 *
 * @category models
 * @since 0.1.0
 */
export interface Change {
  readonly id: string
  readonly since: number
  readonly accounts: (judged: Judged) => boolean
}

/**
 * The rules of a kernel: their version, and how they came to be what they are.
 *
 * @category models
 * @since 0.1.0
 */
export interface DecisionRules {
  readonly version: number
  readonly changes: ReadonlyArray<Change>
}

/**
 * A request is hashed with the spelling of its identity, not with what its key is made of, and normalisers refuse what
 * is not of their kind.
 *
 * @see docs/decisions/0019-a-key-asks-and-a-spelling-answers.md
 * @category constants
 * @since 0.1.0
 */
export const spellings: Change = {
  id: "requests_are_hashed_as_they_are_spelt",
  since: 2,
  accounts: (judged) =>
    isSameBut(["action.requestHash"], judged) || isRefusedByKey(judged.decided) !== isRefusedByKey(judged.committed)
}

/**
 * A message says which actions it reports, and they have to stand so.
 *
 * @category constants
 * @since 0.1.0
 */
export const messages: Change = {
  id: "messages_are_held_against_the_record",
  since: 2,
  accounts: ({ committed }) => committed.type === "message.sent"
}

/**
 * What is tried again because a person decided so has as many sends as it had at first.
 *
 * @category constants
 * @since 0.1.0
 */
export const renewals: Change = {
  id: "what_a_person_has_tried_again_is_sent_anew",
  since: 2,
  accounts: (judged) => judged.committed.type === "review.decided" && isSameBut(["data.renews"], judged)
}

/**
 * The rules in force. Runs that say nothing of rules were decided by version 1.
 *
 * @category constants
 * @since 0.1.0
 */
export const standard: DecisionRules = {
  version: 2,
  changes: [
    spellings,
    messages,
    renewals,
    {
      // Before, a success meant that a reversal is tried again, and one that was open was closed as failed by that.
      id: "who_settles_a_reversal_says_that_it_is_undone",
      since: 2,
      accounts: ({ command }) =>
        command._tag === "Propose" &&
        command.proposal.type === "review.decided" &&
        command.proposal.data?.["plan"] !== undefined &&
        command.proposal.data["undo"] === "undoing"
    },
    {
      id: "a_success_rests_on_a_record",
      since: 2,
      accounts: ({ committed: { data = {}, type } }) =>
        type === "review.decided" && data["as"] === "success" && (data["record"] ?? null) === null
    },
    {
      id: "a_name_of_spaces_is_nobody",
      since: 2,
      accounts: ({ committed: { data = {}, type } }) =>
        type === "review.decided" && [data["by"], data["evidence"]].some((said) => String(said ?? "-").trim() === "")
    },
    {
      id: "a_goal_is_reached_once_and_told_as_it_is",
      since: 2,
      accounts: ({ committed }) => committed.type === "goal.complete"
    },
    {
      id: "occurrences_have_authors",
      since: 2,
      accounts: ({ command, committed: { intent } }) =>
        command._tag === "Propose" && intent?.occurrence !== undefined && intent.occurrenceBy === undefined
    },
    {
      id: "acts_without_keys_have_names",
      since: 2,
      accounts: (judged) => judged.committed.type === "action.started" && isSameBut(["data.act"], judged)
    },
    {
      id: "citations_cite_actions",
      since: 2,
      accounts: (judged) => judged.committed.type === "observation.add" && isSameBut(["data.trust"], judged)
    },
    {
      // Before, it was begun at once.
      id: "what_is_undone_is_asked_about_first",
      since: 2,
      accounts: ({ command, committed, decided }) =>
        command._tag === "Compensate" && decided === undefined && isOfUndoing(committed)
    },
    {
      // Before, its plan was admitted.
      id: "what_cannot_be_asked_about_is_not_undone",
      since: 2,
      accounts: ({ committed, state, terms }) => {
        const plan = committed.type === "recovery.decided" ? Canonical.objectOf(committed.data?.["plan"]) : {}
        const steps = (Array.isArray(plan["steps"]) ? plan["steps"] : []).map(Canonical.objectOf)
        return steps.some(({ undoes }) => Presence.question(terms, state, String(undoes)) === undefined)
      }
    },
    {
      id: "what_is_shared_is_taken_in_turns",
      since: 2,
      accounts: (judged) =>
        (judged.committed.type === "recovery.decided" || judged.committed.type === "action.request") &&
        isSameBut(["data.reverses", "data.turns"], judged)
    },
    {
      id: "a_review_says_what_its_approval_is_bound_to",
      since: 2,
      accounts: (judged) => judged.committed.type === "review.requested" && isSameBut(["data.bound"], judged)
    }
  ]
}

/** The start of a reversal, what a person is asked about it, and that it could not be begun. */
const isOfUndoing = ({ action, data, type }: Body): boolean =>
  action?.undoes !== undefined ||
  (type === "policy.decision" && data?.["undoes"] !== undefined) ||
  (type === "recovery.decided" && data?.["stops"] !== undefined)

/**
 * The version of the rules by which the next decision of a state is made.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (state: State): number => Contract.of(state).rules ?? 1

/**
 * Tells whether a change binds the next decision of a state: a decider that keeps the older rule asks this.
 *
 * @category guards
 * @since 0.1.0
 */
export const binds = (state: State, { since }: Pick<Change, "since">): boolean => of(state) >= since

/**
 * Tells whether a state says other rules than those of the kernel that is to decide in it.
 *
 * @category guards
 * @since 0.1.0
 */
export const isOther = ({ version }: DecisionRules, state: State): boolean =>
  Object.keys(state.kernel).length > 0 && of(state) !== version

/**
 * The change by which a decision was right when it was made, although it comes out otherwise now.
 *
 * @category combinators
 * @since 0.1.0
 */
export const accountable = ({ changes }: DecisionRules, judged: Judged): Change | undefined =>
  changes.find((change) => !binds(judged.state, change) && change.accounts(judged))

/**
 * Tells whether two bodies are the same but for fields that are named by their paths, such as `data.reason`.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSameBut = (paths: ReadonlyArray<string>, { committed, decided }: Judged): boolean => {
  const rest = (body: Body) =>
    paths.reduce((left, path) => without(left, path.split(".")), Canonical.objectOf({ ...body }))
  return decided !== undefined && Canonical.equals(rest(committed), rest(decided))
}

const isRefusedByKey = (body: Body | undefined): boolean =>
  body?.type === "intent.refused" && String(body.data?.["reason"]).startsWith("key ")

const without = (value: Canonical.JsonObject, [name = "", ...more]: ReadonlyArray<string>): Canonical.JsonObject => {
  const { [name]: inner, ...rest } = value
  return more.length === 0 || !Canonical.isObject(inner) ? rest : { ...rest, [name]: without(inner, more) }
}
