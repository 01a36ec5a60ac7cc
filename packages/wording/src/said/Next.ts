/**
 * A step that somebody may take next, as a verb with its arguments: a terminal spells it as a command, a page as a
 * button, and `Wording.step` as words.
 *
 * A verb without a run, an action, a predicate or a review is about the one at hand, which {@link about} fills in.
 *
 * @source docs/decisions/0027
 */
import type { HoldVerdict } from "@backstitch/kernel/Resolution"
import { defined } from "@backstitch/trace/Defined"

/**
 * A step that somebody may take. `words` say more of it than its verb does, `or` what leads on as well, and `and` what
 * has to follow.
 */
export type Next = {
  readonly run?: string
  readonly words?: string
  readonly or?: ReadonlyArray<Next>
} & (Going | Deciding | Looking | Speaking)

/**
 * A step that lets a run go on, or begins another. `again` asks for one more act, at the tick that refused it;
 * `breakGlass` names the review that is not waited for, and `past` the alarm that a person has looked at; `pack` says
 * that another pack has to bind. A rebase that has `stopped` is continued, with the intent or without it, or is given
 * up. An absorption of revisions may `keep` an act about which no contract decides, or `widen`. A recovery without an
 * `instance` is of the subtask that failed last.
 */
export type Going =
  | { readonly verb: "resume"; readonly again?: number | true; readonly breakGlass?: string; readonly past?: string }
  | { readonly verb: "fork"; readonly from: number; readonly pack?: true; readonly reason?: string }
  | { readonly verb: "rebase"; readonly onto?: string }
  | { readonly verb: "rebase"; readonly stopped: "continue" | "skip" | "abort" }
  | { readonly verb: "recover"; readonly instance?: string }
  | { readonly verb: "absorb"; readonly keep?: string; readonly widen?: true }

/**
 * A step by which a person decides: about an action, by verdicts or by its record, or about a review, by a role of
 * `needs`; a `digest` names the card that is decided about. `later` are the verdicts that are taken `from` a moment on,
 * in epoch milliseconds.
 */
export type Deciding =
  | {
      readonly verb: "resolve"
      readonly action?: string
      readonly as?: ReadonlyArray<HoldVerdict>
      readonly later?: { readonly as: ReadonlyArray<HoldVerdict>; readonly from: number }
    }
  | { readonly verb: "attest"; readonly action?: string }
  | {
      readonly verb: "decide"
      readonly review?: string
      readonly as?: "approved" | "denied"
      readonly needs?: ReadonlyArray<string>
      readonly digest?: string
    }

/** A step that shows more. A search without a predicate asks about the first anomaly. */
export type Looking =
  | { readonly verb: "action"; readonly action?: string }
  | { readonly verb: "bisect" | "contributors"; readonly predicate?: string }
  | { readonly verb: "diff"; readonly other: string; readonly to?: number }
  | { readonly verb: "explain"; readonly tick: number }
  | { readonly verb: "ledger" | "list" | "report" | "review" | "show" | "subtasks" | "verify" | "watch" }

/** A step outside of Backstitch: its words say it. `again` asks for one more act, by its occurrence. */
export type Speaking =
  | { readonly verb: "amend" | "end" | "look" | "wait" }
  | { readonly verb: "propose"; readonly again?: true }

/** The run, action, predicate or review that a step is about where it names none. */
export interface StepDefaults {
  readonly run?: string | undefined
  readonly action?: string | undefined
  readonly predicate?: string | undefined
  readonly review?: string | undefined
}

/** The same step, with what it is about filled in. What speaks alone is about nothing. */
export const about = (self: Next, at: StepDefaults): Next => {
  const { or } = self
  const more = or === undefined ? {} : { or: or.map((each) => about(each, at)) }
  const run = self.run ?? at.run
  const placed = { ...defined({ run }), ...more }
  switch (self.verb) {
    case "amend":
    case "end":
    case "list":
    case "look":
    case "propose":
    case "wait":
      return { ...self, ...more }
    case "action":
    case "attest":
    case "resolve":
      return { ...defined({ action: at.action }), ...self, ...placed }
    case "bisect":
    case "contributors":
      return { ...defined({ predicate: at.predicate }), ...self, ...placed }
    case "decide":
      return { ...defined({ review: at.review }), ...self, ...placed }
    default:
      return { ...self, ...placed }
  }
}
