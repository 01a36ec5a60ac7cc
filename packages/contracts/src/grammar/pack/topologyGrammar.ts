/** The topology in which agents work together, as a pack declares it. */

import * as NearestName from "@backstitch/expressions/NearestName"
import { defined } from "@backstitch/trace/Defined"
import * as Topology from "../../rules/Topology.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { duration } from "../language.ts"

const { key } = Grammar

const agent: Grammar.Grammar<string, string> = { ...Grammar.text, read: (node) => node.required("an agent") }

/** A span of time in which something can happen. */
const span: Grammar.Duration = {
  ...duration,
  read: (node, names) => {
    const millis = duration.read(node, names)
    if (millis === 0) node.unfit({ found: "no time", expected: "a duration above zero, such as 30s" })
    return millis
  }
}

const whole = Grammar.complete(
  Grammar.object("topology", "The shape in which agents work together.", {
    kind: key("The shape.", Grammar.needed(Grammar.oneOf(Topology.kinds), `one of ${Topology.kinds.join(", ")}`)),
    agents: key("Agents by their role.", Grammar.record(agent)),
    order: key("Stages or agents in their order.", Grammar.texts),
    steps: key("Steps of a loop, crashes included, at the most. At least 1.", Grammar.countFrom(1)),
    checkpoint: key(
      "Ticks after which a snapshot is kept, unless the program says otherwise. Default: decided for each step.",
      Grammar.count()
    ),
    rounds: key("Rounds of a debate at the most. At least 2: a draft, and its revision.", Grammar.countFrom(2)),
    queue: key(
      "Tasks that may wait at the root. At least 2: a shard of one task brings nothing together.",
      Grammar.countFrom(2)
    ),
    checklist: key("Tools that have to have answered well before the goal may be called reached.", Grammar.texts),
    on_failure: key(
      "After a failed step of a plan: a new plan (default), the next step, or the end.",
      Grammar.oneOf(Topology.onFailures)
    ),
    on_alarm: key("Holds the run at an alarm, until a person has written to it.", Grammar.oneOf(["hold"])),
    silence: key(
      "The time after which a silent worker counts as lost. Default: none; a long wait is noted in the trace.",
      span
    ),
    plan: key("The time for which a plan is valid.", span)
  }),
  ({
    agents = {},
    checkpoint,
    kind,
    on_alarm,
    on_failure,
    order = [],
    queue,
    rounds,
    steps,
    ...others
  }): Topology.Topology | undefined =>
    kind === undefined
      ? undefined
      : {
          kind,
          agents,
          order,
          ...others,
          ...defined({
            stepsMax: steps,
            checkpointTicks: checkpoint,
            roundsMax: rounds,
            onFailure: on_failure,
            queueMax: queue
          }),
          ...(on_alarm === undefined ? {} : { holds: true })
        }
)

/** A topology that can work: no agent plays a role that it does not have, and each stage has a name of its own. */
const sound: typeof whole = {
  ...whole,
  read: (node, names) => {
    const read = whole.read(node, names)
    if (read === undefined) return undefined
    refuseUnknownRoles(node.at("agents"), read)
    if (read.kind === "pipeline") refuseSharedNames(node.at("order"))
    return read
  }
}

/** A boss orders workers by names of its own; in every other topology the roles are known. */
const refuseUnknownRoles = (node: Node, { kind, order }: Topology.Topology): void => {
  const roles = [...(kind === "pipeline" ? order : []), ...Topology.roles[kind]]
  if (kind === "orchestrator" || kind === "react") return
  for (const [role, child] of node.entries()) {
    if (roles.includes(role)) continue
    const near = NearestName.nearest(role, roles)
    const hint = near === undefined ? undefined : `Did you mean ${near}?`
    child.unfit({ found: `the role ${role}`, expected: `one of ${roles.join(", ")}`, hint, key: true })
  }
}

/** A stage is known by its name: two of one name would be one stage, and `judge` judges all of them. */
const refuseSharedNames = (node: Node): void => {
  const taken = new Set<unknown>(Topology.roles.pipeline)
  for (const item of node.items()) {
    if (taken.has(item.value)) {
      item.unfit({ found: `the name ${String(item.value)} once more`, expected: "a stage with a name of its own" })
    }
    taken.add(item.value)
  }
}

/** A topology as a bare name, or with its agents and limits. */
export const topology = Grammar.bareOr(
  Grammar.complete(Grammar.oneOf(Topology.kinds), (kind): Topology.Topology => ({ kind, agents: {}, order: [] })),
  sound
)

/** Refuses items of the checklist that are no tools of the pack: nobody could ever check them off. */
export const refuseUnknownItems = (node: Node, tools: ReadonlyArray<string>): void => {
  for (const item of node.at("checklist").items()) {
    if (typeof item.value !== "string" || tools.includes(item.value)) continue
    item.fail({ found: `tool ${item.value}`, expected: `one of ${tools.join(", ")}` })
  }
}
