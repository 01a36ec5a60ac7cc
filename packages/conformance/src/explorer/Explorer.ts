/**
 * Explores every interleaving of two processes, a network and a world, and checks the laws in every state.
 *
 * The kernel is pure, so a runtime that follows its decisions can be explored completely, at small scope: one
 * payment, two processes of one run that share a log by compare-and-swap (or of two runs that pay one account), a
 * clock with a few units, and a few faults. States are visited breadth first and once, so a violation comes with a
 * shortest trace.
 *
 * **Gotchas**
 *
 * The exploration covers the kernel and this package's interpreter of it, not a runtime with its drivers. A message
 * may be late by at most the contract's `settleAfter`: beyond that, the law promises nothing.
 *
 * @source docs/decisions/0045
 */
import type { Kernel } from "@backstitch/kernel/Kernel"
import * as Limits from "../Limits.ts"
import * as ExploredLog from "./ExploredLog.ts"
import * as ExplorerLaws from "./ExplorerLaws.ts"
import * as ExplorerSetting from "./ExplorerSetting.ts"
import * as ExplorerState from "./ExplorerState.ts"
import * as PersonLaws from "./PersonLaws.ts"
import * as RestoreLaws from "./RestoreLaws.ts"
import type { Scenario } from "./Scenario.ts"
import * as TwinLaws from "./TwinLaws.ts"

/** A law that does not hold, with the steps of a shortest history that shows it. */
export interface LawViolation {
  readonly law: string
  readonly trace: ReadonlyArray<string>
}

/** The result of an exploration. `isComplete` means that every state of the scenario was visited. */
export interface Explored {
  readonly states: number
  readonly steps: number
  readonly depth: number
  readonly isComplete: boolean
  readonly laws: ReadonlyArray<string>
  readonly violation: LawViolation | undefined
  /** The number of final states for each pair of outcomes that the processes reported, such as `Done, Held`. */
  readonly outcomes: Readonly<Record<string, number>>
}

/**
 * Explores a scenario until every state was visited, a law is broken, or a limit is reached.
 *
 * **Details**
 *
 * `kernel` and `store` replace the kernel and the log of each run: a deliberately broken one shows that a law would
 * detect it.
 */
export const explore = (
  scenario: Scenario,
  options: {
    readonly kernel?: Kernel | undefined
    readonly store?: ((log: ExploredLog.ExploredLog) => ExploredLog.ExploredLog) | undefined
    readonly laws?: ReadonlyArray<ExplorerLaws.Law> | undefined
    readonly depthMax?: number | undefined
    readonly statesMax?: number | undefined
  } = {}
): Explored => {
  const { depthMax = Number.POSITIVE_INFINITY, kernel, statesMax = Limits.pacing.exploredStatesMax } = options
  const { laws = lawsOf(scenario), store = (log) => log } = options
  const names = scenario.runs === 1 ? ["explored"] : ["explored", "rival"]
  const logs = names.map((name) => store(ExploredLog.make(scenario, { kernel, name })))
  const setting = ExplorerSetting.make(scenario, logs)
  const identify = identifier()
  const first: Visit = { state: ExplorerState.initial(setting), depth: 0, label: "", from: undefined }
  const seen = new Set([identify(first.state)])
  const outcomes: Record<string, number> = {}
  let frontier: Array<Visit> = [first]
  let steps = 0
  let depth = 0
  let isComplete = true
  const answer = (violation?: LawViolation): Explored => {
    const names = laws.map(({ name }) => name)
    return { states: seen.size, steps, depth, isComplete, laws: names, violation, outcomes }
  }

  while (frontier.length > 0) {
    if (depth >= depthMax) {
      isComplete = false
      break
    }
    const next: Array<Visit> = []
    for (const from of frontier) {
      for (const { label, state } of ExplorerState.steps(setting, from.state)) {
        steps++
        if (state === undefined) {
          isComplete = false
          return answer({
            law: "a process of the same run is never refused a name",
            trace: traceOf({ ...from, label, from })
          })
        }
        const id = identify(state)
        if (seen.has(id)) continue
        if (seen.size >= statesMax) {
          isComplete = false
          continue
        }
        seen.add(id)
        const visit: Visit = { state, depth: from.depth + 1, label, from }
        const broken = laws.find((law) => !law.holds(setting, state))
        if (broken !== undefined) {
          isComplete = false
          return answer({ law: broken.name, trace: traceOf(visit) })
        }
        count(outcomes, scenario, state)
        next.push(visit)
      }
    }
    if (next.length > 0) depth++
    frontier = next
  }
  return answer()
}

/** Describes the result for a person: states, steps, outcomes and laws, or the violated law and its trace. */
export const summary = (name: string, explored: Explored): string => {
  const { depth, isComplete, laws, outcomes, states, steps, violation } = explored
  const scope = `${states} states, ${steps} steps, depth ${depth}, ${isComplete ? "complete" : "cut there"}`
  if (violation !== undefined) {
    const lines = violation.trace.map((label, index) => `  ${String(index + 1).padStart(2)}. ${label}`)
    return [`${name}: BROKEN: ${violation.law} (${scope})`, ...lines].join("\n")
  }
  const told = Object.entries(outcomes)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([outcome, times]) => `${outcome} ${times}`)
  return [`${name}: ${laws.length} laws hold in ${scope}`, `  at rest: ${told.join("; ")}`].join("\n")
}

const lawsOf = ({ approvedFor, insists, restores, twins }: Scenario): ReadonlyArray<ExplorerLaws.Law> => [
  ...ExplorerLaws.all,
  ...(approvedFor === undefined && !insists ? [] : PersonLaws.all),
  ...(twins === undefined ? [] : TwinLaws.all),
  ...(restores === undefined ? [] : RestoreLaws.all)
]

interface Visit {
  readonly state: ExplorerState.ExplorerState
  readonly depth: number
  readonly label: string
  readonly from: Visit | undefined
}

const traceOf = (last: Visit): ReadonlyArray<string> => {
  const labels: Array<string> = []
  for (let visit: Visit | undefined = last; visit?.from !== undefined; visit = visit.from) labels.push(visit.label)
  return labels.reverse()
}

const count = (
  outcomes: Record<string, number>,
  { restores }: Scenario,
  { processes }: ExplorerState.ExplorerState
): void => {
  const present = restores === "alone" ? processes.slice(0, 1) : processes
  const told = present.map(({ doing }) => (doing._tag === "Ended" ? doing.outcome : undefined))
  if (told.includes(undefined)) return
  const name = told.sort().join(", ")
  outcomes[name] = (outcomes[name] ?? 0) + 1
}

/**
 * A short name for each state. The two processes run the same program, so states that differ only by swapping them
 * are one.
 */
const identifier = () => {
  const known = new Map<string, number>()
  // Steps share unchanged parts, so most values occur again as the same object.
  const same = new WeakMap<object, number>()
  const number = (value: object): number => {
    const numbered = same.get(value)
    if (numbered !== undefined) return numbered
    const text = JSON.stringify(value)
    const found = known.get(text) ?? known.size
    known.set(text, found)
    same.set(value, found)
    return found
  }
  const mirrors = new WeakMap<ExplorerState.ExploredMessage, ExplorerState.ExploredMessage>()
  const mirrored = (message: ExplorerState.ExploredMessage): ExplorerState.ExploredMessage => {
    if (message.to === undefined) return message
    const found = mirrors.get(message) ?? { ...message, to: 1 - message.to }
    mirrors.set(message, found)
    return found
  }
  return ({ clock, heads, left, network, processes, world }: ExplorerState.ExplorerState): string => {
    const [one, two] = processes.map(number) as [number, number]
    const rest = `${clock} ${heads.map(({ id }) => id).join(" ")} ${number(world)} ${number(left)}`
    const messages = (swap: boolean): string =>
      network
        .map((message) => number(swap ? mirrored(message) : message))
        .sort((left, right) => left - right)
        .join(",")
    const [straight, swapped] = [`${one} ${two} ${messages(false)}`, `${two} ${one} ${messages(true)}`]
    return `${rest} ${[straight, swapped].sort()[0]}`
  }
}
