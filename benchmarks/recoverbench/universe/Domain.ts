/**
 * A domain of the benchmark as data: the machine of an agent, its tools, its reviewed boundaries, and its cases.
 *
 * A plan is a list of calls such as `ask_poi 1`, a tool and the entity on which it works; `query_calendars 1 < 0`
 * also reads the part of the entity before. Everything else follows from the tools: the keys that a step reads and
 * writes, its subtask, and the state of the agent after it.
 *
 * @source DART, definitions 1 to 4, and appendix D
 */
import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"

/** Names of the domains, in the order in which they are reported. */
export const names = ["navigation", "schedule form", "diagnosis", "etl pipeline", "travel planning"] as const

/** Name of a domain. */
export type Name = (typeof names)[number]

/** A legal move: in a state, a call that succeeds leads to another state. */
export interface Edge {
  readonly from: string
  readonly tool: string
  readonly to: string
}

/** The state machine of an agent. */
export interface Machine {
  readonly initial: string
  readonly states: ReadonlyArray<string>
  readonly edges: ReadonlyArray<Edge>
}

/** A key that a tool reads: the part of its own entity, that of the entity before it, or every part. */
export interface Read {
  readonly key: string
  readonly of: "every" | "own" | "previous"
}

/**
 * A tool of a domain: it looks something up, asks a person, or changes a system of record for good.
 *
 * A person answers a question once in a session. If asked again, they give no new answer.
 */
export interface Tool {
  readonly does: "act" | "ask" | "look"
  readonly reads: ReadonlyArray<Read>
  readonly writes: string
}

/** A reviewed boundary: the tools whose success commits an instance, and those whose success ends it. */
export interface Skeleton {
  readonly tools: ReadonlyArray<string>
  readonly states: ReadonlyArray<string>
  readonly outputs: ReadonlyArray<string>
  readonly commits: ReadonlyArray<string>
  readonly exits: ReadonlyArray<string>
  /** Tools whose edge leaves the subtask and was not reviewed as a boundary. */
  readonly pending: ReadonlyArray<string>
}

/** Regimes of the cases that are compared, and the scenarios that only the calibration uses. */
export type Regime = "blocked" | "commitment" | "official"

/** Families of the reasons for a block. */
export type Family = "dependency" | "effect"

/** The decision that the specification requires of latest admissible recovery, and the reason in a sentence. */
export type Expected = { readonly instance: string; readonly why: string } & (
  | { readonly verdict: "admitted"; readonly checkpoint: "commit" | "entry" }
  | {
      readonly verdict: "blocked"
      readonly family: Family
      /** The checkpoints that are blocked, the latest first. */
      readonly checkpoints: ReadonlyArray<"commit" | "entry">
      readonly consumers: ReadonlyArray<string>
    }
)

/** One case: a plan, the step at which the world fails once, and the required decision. */
export interface Case {
  readonly id: string
  readonly regime: Regime
  readonly plan: ReadonlyArray<string>
  /** The position in the plan of the step that fails, and the signal that is observed. */
  readonly fails: number
  readonly signal: FailureEvent.Signal
  /** Lookups whose answers change during a session: prices move, calendars change. */
  readonly drifts: ReadonlyArray<string>
  readonly expected: Expected
}

/** A domain. */
export interface Domain {
  readonly name: Name
  readonly machine: Machine
  readonly tools: Readonly<Record<string, Tool>>
  readonly skeletons: Readonly<Record<string, Skeleton>>
  /** States from which a coarse recovery may start again. */
  readonly anchors: ReadonlyArray<string>
  readonly cases: ReadonlyArray<Case>
  /** The regimes whose cases reach the gate in the calibration, in addition to the blocked ones. */
  readonly calibrated: ReadonlyArray<Regime>
}

/** Reads the own part of a key. */
export const own = (key: string): Read => ({ key, of: "own" })

/** Reads every part of a key. */
export const every = (key: string): Read => ({ key, of: "every" })

/** Reads the part of the entity before. */
export const previous = (key: string): Read => ({ key, of: "previous" })

/** A tool that looks something up. */
export const look = (writes: string, ...reads: ReadonlyArray<Read>): Tool => ({ does: "look", reads, writes })

/** A tool that asks a person. */
export const ask = (writes: string, ...reads: ReadonlyArray<Read>): Tool => ({ does: "ask", reads, writes })

/** A tool that changes a system of record in a way that cannot be undone. */
export const act = (writes: string, ...reads: ReadonlyArray<Read>): Tool => ({ does: "act", reads, writes })

/** The edges of a machine, from lines such as `IDLE -set_origin-> ORIGIN_READY`. */
export const edges = (lines: string): ReadonlyArray<Edge> =>
  lines
    .trim()
    .split("\n")
    .map((line) => {
      const [, from, tool, to] = /^(\w+) -(\w+)-> (\w+)$/.exec(line.trim()) ?? []
      if (from === undefined || tool === undefined || to === undefined) throw new Error(`no edge: ${line}`)
      return { from, tool, to }
    })

/** States of a machine in the order in which its edges name them. */
export const statesOf = (edges: ReadonlyArray<Edge>): ReadonlyArray<string> => [
  ...new Set(edges.flatMap(({ from, to }) => [from, to]))
]

/** A case that fails at the last step of `until`, and continues with `onward`. */
export const failing = (
  id: string,
  regime: Regime,
  more: {
    readonly until: ReadonlyArray<string>
    readonly onward: ReadonlyArray<string>
    readonly signal: FailureEvent.Signal
    readonly drifts?: ReadonlyArray<string>
    readonly expected: Expected
  }
): Case => ({
  id,
  regime,
  plan: [...more.until, ...more.onward],
  fails: more.until.length - 1,
  signal: more.signal,
  drifts: more.drifts ?? [],
  expected: more.expected
})

/** A required admission. */
export const admitted = (checkpoint: "commit" | "entry", instance: string, why: string): Expected => ({
  verdict: "admitted",
  checkpoint,
  instance,
  why
})

/** A required block because of consumers. */
export const depended = (
  instance: string,
  more: {
    readonly checkpoints: ReadonlyArray<"commit" | "entry">
    readonly consumers: ReadonlyArray<string>
    readonly why: string
  }
): Expected => ({ verdict: "blocked", family: "dependency", instance, ...more })

/** A required block because of effects. */
export const crossed = (instance: string, checkpoints: ReadonlyArray<"commit" | "entry">, why: string): Expected => ({
  verdict: "blocked",
  family: "effect",
  instance,
  checkpoints,
  consumers: [],
  why
})
