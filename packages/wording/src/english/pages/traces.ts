/** The words of a trace: the types of its transitions, the line and the effect of a step, and questions about them. */
import * as Canonical from "@backstitch/trace/Canonical"
import * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import type { StepRemark, TraceWords } from "../../said/TraceWords.ts"

/** A value for a line: the beginning of one that is too long. */
const short = (value: Canonical.Json | undefined, size = 48): string => {
  if (value === undefined) return "nothing"
  const text = Canonical.encode(value)
  return text.length > size ? `${text.slice(0, size - 1)}…` : text
}

const settledAs = { error: "failed", mismatch: "not as intended", ok: "done", unknown: "unknown" } as const

const rests = {
  attested: "by word alone",
  readback: "by readback",
  recorded: "from the record",
  status: "by the record of its key"
} as const

const because = (why: string | undefined): string => (why === undefined ? "" : `, because ${why}`)

const behind = (text: string | undefined): string => (text === undefined ? "" : `: ${text}`)

const holding = ({ predicate, since }: { readonly predicate: string; readonly since?: number | undefined }): string =>
  since === undefined ? `${predicate} holds from here on` : `${predicate} holds since tick ${since}`

/** Lists acts that were undone or not, each list under its name. */
const restored = (self: Extract<StepRemark, { readonly code: "restored" }>): string => {
  const { absent, attested, checkpoint, residue, undone } = self
  const by = checkpoint?.policy === undefined ? "" : ` by policy ${checkpoint.policy}`
  const back =
    checkpoint === undefined
      ? ""
      : `${checkpoint.instance} back at its ${checkpoint.kind} checkpoint of tick ${checkpoint.tick}${by}; `
  const lists = { undone, "nothing there of": absent, "undone by a person's word": attested, "left over of": residue }
  const found = Object.entries(lists).flatMap(([name, acts]) =>
    acts.length === 0 ? [] : [`${name} ${acts.join(", ")}`]
  )
  return `${back}${found.length === 0 ? "nothing had to be undone" : found.join("; ")}${because(self.because)}`
}

const inLine = (value: Canonical.Json | undefined): string => short(value, 60)

/** The sentences about a trace. */
export const traces: TraceWords = {
  builtIns: {
    "kernel.anomaly_free": "the kernel noted no anomaly",
    "kernel.budget_kept": "no budget was exhausted",
    "kernel.contract_kept": "no predicate of the pack held",
    "kernel.effects_verified": "every action settled as what was asked for",
    "kernel.outcomes_known": "every tool said what came of it",
    "kernel.policy_compliant": "policy denied nothing"
  },
  diagnoses: {
    foundational: {
      name: "foundational",
      says: "The goal or the pack was wrong before the first transition, and every fork inherits it"
    },
    policy: {
      name: "contingent (policy)",
      says: "The agent acted soundly under the rules as they were, and the rules were wrong"
    },
    state: {
      name: "contingent (state)",
      says: "The agent acted soundly on what it had been told, and what it had been told was wrong"
    }
  },
  effects: {
    anomaly: ({ kind }) => `anomaly: ${kind}`,
    changed: ({ after, before, path }) => `${path} ${short(before)} → ${short(after)}`,
    intent: ({ description }) => description,
    more: () => "and more",
    policy: ({ decision }) => `policy: ${decision}`,
    result: ({ status }) => `result: ${status}`,
    tool: ({ tool }) => `tool ${tool}`,
    type: ({ type }) => type,
    unevaluated: ({ predicate }) => `predicate ${predicate} could not be evaluated`,
    violated: (self) => `predicate ${holding(self)}`
  },
  imports: {
    context_violation: ({ onto, path, problem, source, run, subject, target }) => {
      if (problem === "differs") {
        return {
          text: `${run} decided it with ${path} = ${inLine(source)}, and ${onto} has ${inLine(target)}`,
          remedy: `bring ${path} of ${onto} to ${inLine(source)} by an action of its own, then repeat`
        }
      }
      const found = problem === "missing" ? "does not have it" : `has ${inLine(target)}, which the pack does not accept`
      return {
        text: `${subject} requires ${path}, and ${onto} ${found}`,
        remedy: `commit ${path} in ${onto} first, then repeat`
      }
    },
    contract_mismatch: ({ onto, source, target }) => ({
      text:
        source === target
          ? `both runs name their pack ${source}, and it is not the same text`
          : `the intent was committed under ${source}, and ${onto} is under ${target}`,
      remedy: `propose it anew in ${onto}, under its own pack`
    }),
    hash_underspecified: ({ binds, isHashed }) => {
      const fields = binds.join(", ") || "its context"
      return {
        text: isHashed
          ? `the context hash of the intent does not cover the fields that the pack in force binds: ${fields}`
          : `the intent carries no context hash, and the pack in force binds ${fields}`,
        remedy: "have it proposed anew, so that it is bound to the pack in force"
      }
    }
  },
  questions: {
    Anomaly: ({ kind }) =>
      kind === undefined ? "the first kernel.anomaly" : `the first kernel.anomaly of kind ${kind}`,
    Contract: () => `predicate ${OnsetQuestion.contractKept}`,
    Divergence: ({ run }) => `divergence from run ${run}`,
    Expression: ({ source }) => `${OnsetQuestion.isBuiltIn(source) ? "predicate" : "expression"} ${source}`,
    PolicyFlip: ({ subject }) => `policy on ${subject} going from allow to deny`,
    Predicate: ({ id }) => `predicate ${id}`,
    Regression: ({ metric }) => `the first fall of ${metric} below its best`
  },
  remarks: {
    recovered: ({ decision, discrepancy, isLater }) => {
      const chosen = [discrepancy, decision].filter((part) => part !== undefined).join(": ")
      return `${chosen || "sent again"}${isLater ? ", once what it undoes was asked about" : ""}`
    },
    recovery_altered: () => "not sent: what it undoes is not as it was",
    recovery_stopped: (self) => `a person decides: ${self.because}`,
    restored,
    settled: ({ basis, status }) => `settled${status === "ok" ? "" : ` as ${settledAs[status]}`} ${rests[basis]}`,
    undo_absent: () => "is to be undone: nothing of it is there",
    undo_altered: ({ difference, record }) =>
      `is to be undone, and is not as it was${behind(difference)}${behind(record)}`,
    undo_attested: ({ record }) => `is undone, as a person attests${behind(record)}`,
    undo_due: ({ record }) => `is to be undone: ${record}`,
    undo_pending: () => "is to be undone: under way",
    undo_unknown: (self) => `is to be undone: not known${because(self.because)}`,
    violated: holding
  },
  types: {
    "action.asked": "the world is about to be asked what became of an action, against the budget of that",
    "action.reconciled": "what the action did to the world is settled, with the basis of that belief",
    "action.request": "an agent proposes a tool call, or the kernel one that undoes another",
    "action.result": "a tool answered; evidence, not yet belief",
    "action.started": "key and request are durable and the effect may begin",
    "action.verified": "the system of record was read back and the predicates were evaluated",
    "anomaly.flag": "an agent flags its own doubt",
    "artifact.write": "an agent delivers an artifact",
    "bisect.result": "a bisect was made and recorded",
    "budget.exhausted": "a budget can no longer cover what was asked",
    "budget.sliced": "a fork was given a share of what this run may use",
    "causal.chain": "the propagation from an onset was computed and recorded",
    "checkpoint.commit": "a subtask's output became visible to others",
    "checkpoint.entry": "a subtask instance began",
    "checkpoint.exit": "a subtask instance ended",
    "diff.summary": "a comparison of two runs was made and recorded",
    "failure.observed": "a subtask failed",
    "goal.complete": "an agent declares the goal reached",
    "intent.adopted": "an intent was answered from the record: it was carried out before",
    "intent.dropped": "an action that was requested and never started ended: nothing happened",
    "intent.refused": "an intent was refused in the ordinary way: guard, contract, budget or policy",
    "kernel.anomaly": "an invariant was broken or an author overstepped",
    "memory.write": "an agent writes to its long-term memory",
    "message.received": "a person or the system addressed the agent",
    "message.sent": "the agent addressed a person",
    "observation.add": "an agent records an observation",
    "plan.update": "an agent changes its plan",
    "policy.contract_extension": "the pack in force gains fields, seeds or predicates",
    "policy.decision": "policy allowed, denied or escalated an intent",
    "predicate.violation": "a registered predicate holds for the first time",
    "recovery.decided": "a recovery was chosen",
    "recovery.restored": "working state went back to a checkpoint",
    "review.decided": "a person decided what was submitted for review",
    "review.requested": "a person is asked to decide",
    "revision.absorbed": "a revision took effect",
    "revision.injected": "the user changed the goal",
    "run.cherrypick": "an intent of another run was imported",
    "run.fork": "this run shares its parent's history up to a tick",
    "run.migrated": "the run goes on under other rules of the kernel",
    "run.rebase": "a rebase stopped at an intent, left it out, or was given up",
    "run.started": "a run begins, with all that it pins",
    "sealed.erased": "sealed values are erased; what they were is not said",
    "topology.crack": "a topology shows its characteristic failure"
  }
}
