/**
 * Spells next steps as commands of this program. No other module turns a verb into text for a shell.
 *
 * @source docs/decisions/0027
 */
import * as Next from "@backstitch/wording/Next"
import * as ShownText from "@backstitch/wording/ShownText"
import * as Wording from "@backstitch/wording/Wording"
import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"

/** The place that a command works on, as its flags name it. */
export interface CommandPlace {
  readonly server?: string | undefined
  readonly store?: string | undefined
  readonly tenant?: string | undefined
}

/** The place of the command that runs. Its next steps work there, too. */
export const CommandPlace = Context.Reference<CommandPlace>("@backstitch/cli/Spelling/Place", {
  defaultValue: () => ({})
})

/** Reads the place from a command line. */
export const placeIn = (args: ReadonlyArray<string>): CommandPlace => {
  const end = args.indexOf("--")
  const own = end < 0 ? args : args.slice(0, end)
  const valueOf = (flag: string): string | undefined => {
    const at = own.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
    return own[at] === flag ? own[at + 1] : own[at]?.slice(flag.length + 1)
  }
  return { server: valueOf("--server"), store: valueOf("--store"), tenant: valueOf("--tenant") }
}

const here = (): CommandPlace => Fiber.getCurrent()?.getRef(CommandPlace) ?? {}

/** The place of a step. A server has the tenant of the key. */
const placeOf = (next: Next.Next): CommandPlace => {
  const { server, store, tenant } = here()
  if (server === undefined) return { store, tenant }
  return needsStore(next) ? {} : { server }
}

/** Spells one step: as a command if there is one, followed by its words. */
export const of = (next: Next.Next, about: Next.StepDefaults = {}): string => spelled(Next.about(next, about))

/** Spells several steps, one after another. */
export const all = (steps: ReadonlyArray<Next.Next>, about: Next.StepDefaults = {}): string =>
  steps.map((step) => of(step, about)).join("; ")

/** A step in `--json`: its verb with the arguments, and the `command` if there is one. */
export type SpelledStep = Omit<Next.Next, "or"> & {
  readonly command?: string
  readonly or?: ReadonlyArray<SpelledStep>
}

/** Writes one step for a program. */
export const told = (next: Next.Next, about: Next.StepDefaults = {}): SpelledStep => {
  const { or, ...step } = Next.about(next, about)
  const { verb, words, ...args } = step
  const command = commandOf(step)
  return {
    verb,
    ...args,
    ...(words === undefined ? {} : { words }),
    ...(command === undefined ? {} : { command }),
    ...(or === undefined ? {} : { or: or.map((each) => told(each)) })
  }
}

/** Writes the step of each of several rows for a program. */
export const rows = <Row extends { readonly next: Next.Next }>(
  rows: ReadonlyArray<Row>
): ReadonlyArray<Omit<Row, "next"> & { readonly next: SpelledStep }> =>
  rows.map((row) => ({ ...row, next: told(row.next) }))

/** A nested step about the same action is the same command with other flags: only these are spelled. */
const spelled = (next: Next.Next, within?: Next.Next): string => {
  const { or = [], words } = next
  const step = (within !== undefined && isOfSame(next, within) ? verdictOf(next) : undefined) ?? commandOf(next)
  if (step === undefined) return Wording.step(next)
  const more = [
    ...(here().server !== undefined && needsStore(next) ? ["where the store is"] : []),
    ...(words === undefined ? [] : [words]),
    ...laterOf(next),
    ...or.map((each) => `or ${spelled(each, within ?? next)}`)
  ]
  return `${step}${more.length === 0 ? "" : ` (${more.join(", ")})`}`
}

/** The verdicts that the same command accepts from a later moment on. */
const laterOf = (next: Next.Next): ReadonlyArray<string> =>
  next.verb === "resolve" && next.later !== undefined
    ? [`--as ${next.later.as.join("|")} from ${ShownText.moment(next.later.from)} on`]
    : []

const isOfSame = (next: Next.Next, other: Next.Next): boolean =>
  verdictOf(other) !== undefined && "action" in next && "action" in other && next.action === other.action

const verdictOf = (next: Next.Next): string | undefined => {
  if (next.verb === "attest") return "--as success --record FILE"
  return next.verb === "resolve" ? `--as ${(next.as ?? ["success", "failure", "abandoned"]).join("|")}` : undefined
}

const commandOf = (next: Next.Next): string | undefined => {
  const place = placeOf(next)
  const said = wordsOf(next, place.server)
  return said === undefined ? undefined : `backstitch ${[...said, ...flagsOf(place)].join(" ")}`
}

const flagsOf = ({ server, store, tenant }: CommandPlace): ReadonlyArray<string> =>
  Object.entries({ server, store, tenant }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, holdsPassword.test(value) ? flag.toUpperCase() : quoted(value)]
  )

/** An address that may hold a password. */
const holdsPassword = /^\w+:\/\/(?:[^/]*@|.*\?)/

/** Quotes a value that a shell would not take for one word as it stands. */
const quoted = (value: string): string => (/^[\w:/.-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`)

/** Tells whether a step has a flag that a server does not take. */
const needsStore = (next: Next.Next): boolean => {
  switch (next.verb) {
    case "resume":
      return next.again !== undefined || next.breakGlass !== undefined || next.past !== undefined
    case "fork":
      return next.pack === true
    case "verify":
      return next.run === undefined
    default:
      return false
  }
}

/** The command and its flags. Values to be filled in are in capitals. A server knows agents by their names. */
const wordsOf = (next: Next.Next, address: string | undefined): ReadonlyArray<string> | undefined => {
  const { run = "RUN", verb } = next
  switch (verb) {
    case "resume": {
      const again = next.again === undefined ? [] : ["--again", next.again === true ? "TICK" : String(next.again)]
      const glass = next.breakGlass === undefined ? [] : ["--break-glass", next.breakGlass, "--by NAME --reason TEXT"]
      const past = next.past === undefined ? [] : ["--past", next.past, "--by NAME --reason TEXT"]
      return [verb, run, address === undefined ? "--agent FILE" : "--agent NAME", ...again, ...glass, ...past]
    }
    case "fork": {
      const reason = next.reason === undefined ? "TEXT" : quoted(next.reason)
      return [
        verb,
        run,
        "--from",
        String(next.from),
        "--reason",
        reason,
        ...(next.pack === true ? ["--pack FILE"] : [])
      ]
    }
    case "absorb": {
      const keep = next.keep === undefined ? [] : ["--keep", next.keep]
      // The agent that has the run absorbs it on a server.
      const agent = address === undefined ? ["--agent FILE"] : []
      return ["inject", run, ...keep, ...(next.widen === true ? ["--widen"] : []), ...agent]
    }
    case "rebase":
      return [verb, run, ...("stopped" in next ? stoppedFlags[next.stopped] : ["--onto", next.onto ?? "RUN"])]
    case "recover":
      return [verb, run, ...(next.instance === undefined ? [] : ["--instance", next.instance])]
    case "attest":
    case "resolve":
      return ["resolve", run, next.action ?? "ACTION", verdictOf(next) ?? "", "--evidence TEXT --by NAME"]
    case "decide": {
      const [role = "ROLE", ...others] = next.needs ?? []
      if (next.review === undefined) return undefined
      const verdict = next.as === "denied" ? "deny" : "approve"
      const seen = next.digest === undefined ? [] : ["--digest", next.digest]
      return [verdict, run, next.review, "--by NAME --role", others.length === 0 ? role : "ROLE", ...seen]
    }
    case "amend":
    case "end":
    case "look":
    case "propose":
    case "wait":
      return undefined
    default:
      return looking(next)
  }
}

/** The flags that end a rebase which has stopped. */
const stoppedFlags = { abort: ["--abort"], continue: ["--continue"], skip: ["--continue", "--skip"] } as const

const looking = (next: Next.Next & Next.Looking): ReadonlyArray<string> => {
  const { run = "RUN", verb } = next
  switch (verb) {
    case "action":
      return [verb, next.action ?? "ACTION", ...(next.run === undefined ? [] : ["--run", run])]
    case "bisect":
    case "contributors":
      return [verb, run, ...(next.predicate === undefined ? ["--anomaly"] : ["--predicate", quoted(next.predicate)])]
    case "diff":
      return [verb, run, next.other, ...(next.to === undefined ? [] : ["--to", String(next.to)])]
    case "explain":
      return [verb, `${run}@${next.tick}`]
    case "list":
      return ["runs"]
    case "review":
      return [verb, ...(next.run === undefined ? [] : [run])]
    case "verify":
      return [verb, ...(next.run === undefined ? ["--all"] : [run])]
    case "subtasks":
      return ["instances", run]
    case "ledger":
    case "report":
    case "show":
    case "watch":
      return [verb, run]
  }
}
