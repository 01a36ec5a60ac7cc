/** The topology in which agents work together, as a pack declares it. */

import * as Topology from "../../rules/Topology.ts"
import * as Grammar from "../Grammar.ts"
import { duration } from "../language.ts"

const agent: Grammar.Grammar<string, string> = { ...Grammar.text, read: (node) => node.required("an agent") }

const whole = Grammar.complete(
  Grammar.object("topology", "The shape in which agents work together.", {
    kind: Grammar.needed(Grammar.oneOf(Topology.kinds), `one of ${Topology.kinds.join(", ")}`),
    agents: Grammar.record(agent),
    order: Grammar.texts,
    steps: Grammar.count(),
    rounds: Grammar.count(),
    queue: Grammar.count(),
    silence: duration,
    plan: duration
  }),
  ({ agents = {}, kind, order = [], queue, rounds, steps, ...times }): Topology.Topology | undefined =>
    kind === undefined
      ? undefined
      : {
          kind,
          agents,
          order,
          ...times,
          ...(steps === undefined ? {} : { stepsMax: steps }),
          ...(rounds === undefined ? {} : { roundsMax: rounds }),
          ...(queue === undefined ? {} : { queueMax: queue })
        }
)

/** A topology as a bare name, or with its agents and limits. */
export const topology = Grammar.bareOr(
  Grammar.complete(Grammar.oneOf(Topology.kinds), (kind): Topology.Topology => ({ kind, agents: {}, order: [] })),
  whole
)
