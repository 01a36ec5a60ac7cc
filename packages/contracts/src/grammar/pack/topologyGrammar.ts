/** The topology in which agents work together, as a pack declares it. */

import * as Topology from "../../rules/Topology.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { duration } from "../language.ts"

const { key } = Grammar

const agent: Grammar.Grammar<string, string> = { ...Grammar.text, read: (node) => node.required("an agent") }

const whole = Grammar.complete(
  Grammar.object("topology", "The shape in which agents work together.", {
    kind: key("The shape.", Grammar.needed(Grammar.oneOf(Topology.kinds), `one of ${Topology.kinds.join(", ")}`)),
    agents: key("Agents by their role.", Grammar.record(agent)),
    order: key("Stages or agents in their order.", Grammar.texts),
    steps: key("Steps of a loop, crashes included, at the most.", Grammar.count()),
    checkpoint: key(
      "Ticks after which a snapshot is kept, unless the program says otherwise. Default: decided for each step.",
      Grammar.count()
    ),
    rounds: key("Rounds of a debate at the most.", Grammar.count()),
    queue: key("Tasks that may wait at the root.", Grammar.count()),
    checklist: key("Tools that have to have answered well before the goal may be called reached.", Grammar.texts),
    on_failure: key(
      "After a failed step of a plan: a new plan (default), the next step, or the end.",
      Grammar.oneOf(Topology.onFailures)
    ),
    on_alarm: key("Holds the run at an alarm, until a person has written to it.", Grammar.oneOf(["hold"])),
    silence: key("The time after which a silent worker counts as lost.", duration),
    plan: key("The time for which a plan is valid.", duration)
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
          ...(steps === undefined ? {} : { stepsMax: steps }),
          ...(checkpoint === undefined ? {} : { checkpointTicks: checkpoint }),
          ...(rounds === undefined ? {} : { roundsMax: rounds }),
          ...(on_failure === undefined ? {} : { onFailure: on_failure }),
          ...(queue === undefined ? {} : { queueMax: queue }),
          ...(on_alarm === undefined ? {} : { holds: true })
        }
)

/** A topology as a bare name, or with its agents and limits. */
export const topology = Grammar.bareOr(
  Grammar.complete(Grammar.oneOf(Topology.kinds), (kind): Topology.Topology => ({ kind, agents: {}, order: [] })),
  whole
)

/** Refuses items of the checklist that are no tools of the pack: nobody could ever check them off. */
export const refuseUnknownItems = (node: Node, tools: ReadonlyArray<string>): void => {
  for (const item of node.at("checklist").items()) {
    if (typeof item.value !== "string" || tools.includes(item.value)) continue
    item.fail({ found: `tool ${item.value}`, expected: `one of ${tools.join(", ")}` })
  }
}
