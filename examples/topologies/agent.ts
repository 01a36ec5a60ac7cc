/**
 * The debate as an agent of the command line: its pack names the topology, and its roles are functions. Its critic
 * finds a chapter too short and too long by turns.
 */
import type { Agent } from "@backstitch/runtime/Agent"

interface Drafting {
  readonly round: number
}

const agent: Agent = {
  pack: "debate.yaml",
  goal: "a chapter",
  tools: {},
  roles: {
    drafter: (drafting) => ((drafting as Drafting).round % 2 === 1 ? "A knot." : "A knot, and the tale of the knot."),
    critic: (draft) => ((draft as Drafting).round % 2 === 1 ? "too short" : "too long"),
    judge: (drafts) => (drafts as ReadonlyArray<Drafting>)[0]?.round
  }
}

export default agent
