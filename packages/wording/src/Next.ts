/**
 * What somebody may do next, as a verb with its arguments: a terminal spells it as a command, a page as a button, and
 * {@link plain} as words.
 *
 * A verb without a run, an action or a review is about the one at hand.
 *
 * @source docs/decisions/0027
 * @since 0.1.0
 */

/**
 * A step that somebody may take. `words` say more of it than its verb does.
 *
 * @category models
 * @since 0.1.0
 */
export type Next = { readonly words?: string } & (
  | { readonly verb: "resume"; readonly run?: string; readonly again?: true }
  | { readonly verb: "resolve"; readonly run?: string; readonly action?: string; readonly as?: ReadonlyArray<Verdict> }
  | { readonly verb: "attest"; readonly run?: string; readonly action?: string }
  | { readonly verb: "decide"; readonly run?: string; readonly review?: string }
  | { readonly verb: "report"; readonly run?: string }
  | { readonly verb: "review"; readonly run?: string }
  | { readonly verb: "fork"; readonly run?: string; readonly from: number }
  | { readonly verb: "propose" }
  | { readonly verb: "amend" }
  | { readonly verb: "look" }
  | { readonly verb: "wait" }
  | { readonly verb: "end" }
)

/**
 * A decision about an action that is held.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict = "abandoned" | "failure" | "noted" | "reopened" | "resent" | "success"

/**
 * A step in words, for whoever has no command to give.
 *
 * @category conversions
 * @since 0.1.0
 */
export const plain = (self: Next): string => {
  const said = verb(self)
  if (self.words === undefined) return said
  return said === "" ? self.words : `${said}: ${self.words}`
}

const verb = (self: Next): string => {
  switch (self.verb) {
    case "resume":
      return `resume ${runOf(self.run)}${self.again === true ? " and ask for one more" : ""}`
    case "resolve": {
      const as = self.as === undefined ? "" : ` as ${orOf(self.as)}`
      return `let a person settle ${self.action ?? "the action"}${inRun(self.run)}${as}`
    }
    case "attest":
      return `give the record that the system of record shows of ${self.action ?? "the action"}${inRun(self.run)}`
    case "decide":
      return `let a person decide${self.review === undefined ? "" : ` ${self.review}`}${inRun(self.run)}`
    case "report":
      return `read the report of ${runOf(self.run)}`
    case "review":
      return `look at what waits for a person${inRun(self.run)}`
    case "fork":
      return `fork ${runOf(self.run)} from tick ${self.from}`
    case "look":
      return "look at the system of record"
    case "end":
      return "end the run"
    case "amend":
    case "propose":
    case "wait":
      return ""
  }
}

/**
 * Names as a choice: `a, b or c`.
 *
 * @category conversions
 * @since 0.1.0
 */
export const orOf = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`

const runOf = (run: string | undefined): string => (run === undefined ? "the run" : `run ${run}`)

const inRun = (run: string | undefined): string => (run === undefined ? "" : ` of run ${run}`)
