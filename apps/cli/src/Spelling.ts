/**
 * Spells what may be done next as a command of this program: the one place at which a verb becomes text for a shell.
 *
 * @source docs/decisions/0027
 * @since 0.1.0
 */
import * as Next from "@backstitch/wording/Next"

/**
 * What a step is about where it does not say so itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface About {
  readonly run: string
  readonly action?: string | undefined
  readonly review?: string | undefined
}

/**
 * Spells one step: as a command where there is one, with what else it says behind it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const of = (next: Next.Next, about: About): string => {
  const command = commandOf(next, about)
  if (command === undefined) return Next.plain(next)
  return next.words === undefined ? command : `${command} (${next.words})`
}

/**
 * Spells steps after one another.
 *
 * @category conversions
 * @since 0.1.0
 */
export const all = (steps: ReadonlyArray<Next.Next>, about: About): string =>
  steps.map((step) => of(step, about)).join("; ")

const signed = "--by NAME --evidence TEXT"

const commandOf = (next: Next.Next, about: About): string | undefined => {
  switch (next.verb) {
    case "resume":
      return `backstitch resume ${next.run ?? about.run} --agent FILE${next.again === true ? " --again TICK" : ""}`
    case "resolve": {
      const as = next.as ?? ["success", "failure", "abandoned"]
      return `backstitch resolve ${next.run ?? about.run} ${next.action ?? about.action ?? "ACTION"} --as ${as.join("|")} ${signed}`
    }
    case "attest":
      return `backstitch resolve ${next.run ?? about.run} ${next.action ?? about.action ?? "ACTION"} --as success --record FILE ${signed}`
    case "decide": {
      const review = next.review ?? about.review
      return review === undefined ? undefined : `backstitch approve ${next.run ?? about.run} ${review} --by NAME`
    }
    case "report":
      return `backstitch report ${next.run ?? about.run}`
    case "review":
      return `backstitch review ${next.run ?? about.run}`
    case "fork":
      return `backstitch fork ${next.run ?? about.run} --from ${next.from} --reason TEXT`
    case "amend":
    case "end":
    case "look":
    case "propose":
    case "wait":
      return undefined
  }
}
