/** The words of the stages of enforcement: the benefit of each, and the requirements that a run does not meet. */
import type { Words } from "../../said/Words.ts"

/** The benefit of each stage. */
export const stages: Words["stages"] = {
  contracts: "refusals before the effect, cherry-picks that cannot be wrong in silence, declared dependencies",
  full: "sound bisect, keys before effects, reconciled truth, accountability for every transition",
  observe: "structured history, diff between runs, forks as a picture",
  replay: "bisect one can rely on, post-mortems that come out again, functions named that are not pure"
}

/** The requirements of a stage that a run does not meet. */
export const missing: Words["missing"] = {
  answer_unrecorded: ({ tick, tool = "a tool" }) => ({
    what: `the answer of ${tool} is not on the record`,
    where: `tick ${tick}`,
    remedy: "record the tool's output, so that replay need not call it"
  }),
  arguments_undeclared: ({ tool }) => ({
    what: "its arguments are not declared",
    where: `tools.${tool}.input`,
    remedy: "declare them"
  }),
  chain_broken: ({ fault }) => ({ what: fault, where: "the chain", remedy: "restore the trace from a copy" }),
  enforced_below: ({ stage }) => ({
    what: stage === 0 ? "its commits were made elsewhere, or are only observed" : `it enforces stage ${stage}`,
    where: "tick 1",
    remedy: "run the agent on the runtime at stage 3"
  }),
  identity_undeclared: ({ tool }) => ({
    what: "it has no key",
    where: `tools.${tool}.identity`,
    remedy: "declare its identity fields"
  }),
  impure: ({ id, message }) => ({
    what: message,
    where: id,
    remedy: "make it a function of its arguments alone"
  }),
  nothing_recorded: () => ({
    what: "the run has no transitions after its first",
    where: "tick 1",
    remedy: "record what the agent does"
  }),
  only_observed: ({ id, step, tick }) => ({
    what: `observed, not enforced: ${step} ${id}`,
    where: `tick ${tick}`,
    remedy: "change the agent or the pack before enforcing it"
  }),
  state_undeclared: () => ({
    what: "nothing folds into a state",
    where: "the pack",
    remedy: "declare state, and what each tool's answer changes"
  }),
  tool_undeclared: ({ tool }) => ({
    what: "it has no contract",
    where: `tools.${tool}`,
    remedy: "declare it, with its class"
  }),
  unverifiable: ({ tool }) => ({
    what: "what it did can never be verified",
    where: `tools.${tool}`,
    remedy: "declare a readback, or status: by_key"
  })
}
