/**
 * A scenario of streambench as data: the steps of a task, the tools that can take them, and the words of its goal.
 *
 * Each step concerns one thing of the world and carries some of three terms of the goal: its theme, a total, and the
 * people. A step with a reversible twin can be taken by either tool, so the enabled tools decide how much of the task
 * can be undone. The words of a scenario name the terms as its contract and its tools do.
 *
 * @source Revisable by Design, appendix A
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"

/** Names of the scenarios, in the order in which they are reported. */
export const names = ["event planning", "travel", "report and publish"] as const

/** Name of a scenario. */
export type Name = (typeof names)[number]

/** The terms of a goal that steps carry. */
export const terms = ["theme", "total", "people"] as const

/** A term of a goal. */
export type Term = (typeof terms)[number]

/** The kinds of things of the world: an answer, a text, a message that was sent, a booking, a payment. */
export type Kind = "answer" | "booking" | "mail" | "payment" | "text"

/**
 * One step. `needs` names the earlier steps whose things it reads. `priced` marks the answers from which the total is
 * computed.
 */
export interface Step {
  readonly id: string
  readonly kind: Kind
  readonly tool: string
  /** The tool that does the same so that it can be undone exactly, for a step that acts on the world outside. */
  readonly twin?: string | undefined
  readonly carries: ReadonlyArray<Term>
  readonly needs: ReadonlyArray<string>
  readonly priced?: true | undefined
}

/** The scenario: its eight steps of preparation, and the steps that act on the world outside. */
export interface Scenario {
  readonly name: Name
  /** The words for the terms: the arguments of tools, and the clauses over them. */
  readonly words: Readonly<Record<Term, { readonly argument: string; readonly clause: string }>>
  readonly steps: ReadonlyArray<Step>
  /** Tools that are available and that no step of the plan needs. */
  readonly spare: ReadonlyArray<{ readonly tool: string; readonly kind: Kind; readonly twin: string }>
  /** Acting tools that stay when three of six are replaced by their twins. */
  readonly committing: ReadonlyArray<string>
  readonly themes: ReadonlyArray<string>
  readonly people: string
  readonly others: ReadonlyArray<string>
  /** The price of each priced answer in its full form, before the seed moves it. */
  readonly price: number
  /** The words of the user for each kind of revision. */
  readonly says: Readonly<
    Record<"additive" | "cancellation" | "priority_shift" | "restrictive" | "substitutive", string>
  >
}

/** Tools that do the work of all tools of their class, where few tools are enabled. */
export const general = { look: "look_up", write: "write_text" } as const

/** Classes of undoing by the kind of thing. */
const classes: Readonly<Record<Kind, ToolContract.Reversibility>> = {
  answer: "I",
  text: "R",
  mail: "K",
  booking: "K",
  payment: "X"
}

/** The class of a kind of thing. */
export const classOf = (kind: Kind): ToolContract.Reversibility => classes[kind]

/** Tells whether a step acts on the world outside, and so is a clause of the goal. */
export const isActing = ({ twin }: Pick<Step, "twin">): boolean => twin !== undefined

/** A step of preparation that asks. */
export const ask = (id: string, tool: string, more: Partial<Step> = {}): Step => ({
  id,
  tool,
  kind: "answer",
  carries: ["theme"],
  needs: [],
  ...more
})

/** A step of preparation that writes a text. */
export const write = (id: string, tool: string, carries: ReadonlyArray<Term>, needs: ReadonlyArray<string>): Step => ({
  id,
  tool,
  kind: "text",
  carries,
  needs
})
