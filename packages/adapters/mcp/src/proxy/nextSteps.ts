/**
 * Next steps as the readers of a reply may take them: the client makes the call again or another one, and a person
 * decides, in a terminal.
 *
 * A client can neither resume a run nor ask for one more of an act that is on record. Such steps are left out, since it
 * would try them in vain.
 */
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"

/** The spelling of a step by the app, such as a command; `undefined` for a step that it has no command for. */
export type Spell = (step: Next.Next) => string | undefined

/** The steps of one reply. */
export interface Steps {
  /** `true` if the same call, made again, leads on by itself. */
  readonly isCallable: boolean
  /** `true` if a person's decision leads on. */
  readonly isDecided: boolean
  /** Facts that stay so meanwhile, in words. */
  readonly meanwhile: ReadonlyArray<string>
  /** Steps in words, for whoever reads them. */
  readonly words: ReadonlyArray<string>
  /** Steps of a person, as the app spells them. */
  readonly person: ReadonlyArray<string>
  /** The same steps for a program. */
  readonly told: ReadonlyArray<JsonObject>
}

/** The run, the words and the spelling of steps. */
export interface StepSpelling {
  readonly run: string
  readonly words: Words
  readonly spell: Spell
}

/** Reads the steps after an outcome that is no success. */
export const of = (outcome: Exclude<Outcome, { readonly _tag: "Done" }>, reading: StepSpelling): Steps => {
  const at = aboutOf(outcome, reading.run)
  const steps = stepsOf(outcome, reading).flatMap((step) => taken(Next.about(step, at), reading.run))
  const isCallable = steps.some(({ verb }) => verb === "resume")
  const others = steps.filter(({ verb }) => verb !== "resume")
  const spelled = others.map((step) => ({ step, command: reading.spell(withoutWords(step)) }))
  const said = (isWait: boolean) =>
    spelled.flatMap(({ command, step }) =>
      command === undefined && (step.verb === "wait") === isWait ? [Wording.step(step, reading.words)] : []
    )
  return {
    isCallable,
    isDecided: others.some(isDecision),
    meanwhile: unique(said(true)),
    words: unique(said(false)),
    person: unique(spelled.flatMap(({ command = "" }) => (command === "" ? [] : [command]))),
    told: spelled.map(({ command, step }) => ({ ...step, ...(command === undefined ? {} : { command }) }) as JsonObject)
  }
}

/** The run, the action and the review that an outcome is about. */
export const aboutOf = (
  outcome: Exclude<Outcome, { readonly _tag: "Done" }>,
  run: string
): { readonly run: string; readonly action?: string; readonly review?: string } => ({
  run: (outcome._tag === "Held" ? outcome.run : undefined) ?? run,
  ...("action" in outcome ? { action: outcome.action } : {}),
  ...("review" in outcome ? { review: outcome.review } : {})
})

const stepsOf = (
  outcome: Exclude<Outcome, { readonly _tag: "Done" }>,
  { run, words }: StepSpelling
): ReadonlyArray<Next.Next> => {
  switch (outcome._tag) {
    case "Failed":
      return [{ run, tick: outcome.tick, verb: "explain" }]
    case "Parked": {
      const { needs, review } = outcome
      const others = Wording.next(outcome, words).filter(({ verb }) => verb !== "decide")
      return [{ needs, review, verb: "decide" }, ...others]
    }
    default:
      return Wording.next(outcome, words)
  }
}

/** The same step, and those beside it, as far as they can be taken from here. */
const taken = (step: Next.Next, own: string): ReadonlyArray<Next.Next> => {
  const { or = [], ...alone } = step
  const others = or.flatMap((each) => taken(each, own))
  const first = alone as Next.Next
  if (first.verb === "propose") return [...(first.again === true ? [] : [first]), ...others]
  if (first.verb !== "resume") return [others.length === 0 ? first : { ...first, or: others }]
  if (first.again !== undefined || first.breakGlass !== undefined) return others
  // Another run is not carried on by a call to this one: its report says how it is.
  return [first.run === own ? first : { run: first.run ?? own, verb: "report" }, ...others]
}

/** Tells whether a person's step lets the call go on. That somebody has looked is no such step. */
const isDecision = (step: Next.Next): boolean =>
  step.verb === "attest" || step.verb === "decide" || (step.verb === "resolve" && step.as?.includes("noted") !== true)

/** A command says what it does, and the reasons stand before it. */
const withoutWords = (step: Next.Next): Next.Next => {
  const { words: _, ...rest } = step
  return rest as Next.Next
}

const unique = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]
