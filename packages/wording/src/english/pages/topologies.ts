/** The words of topologies in English. */
import * as Duration from "@backstitch/contracts/Duration"
import type { Facts, TopologyWords } from "../../said/TopologyWords.ts"

const quoted = (name: string | undefined, otherwise: string): string => (name === undefined ? otherwise : `"${name}"`)

const who = (agent: string | undefined, otherwise: string): string => agent ?? otherwise

const task = ({ subject }: Facts): string => (subject === undefined ? "a task" : `task ${subject}`)

const since = ({ evidence }: Facts): string => `since tick ${evidence[0] ?? 0}`

/** The sentences about topologies. */
export const topologies: TopologyWords = {
  kinds: {
    debate: "a debate",
    hierarchical: "a hierarchy",
    orchestrator: "an orchestrator",
    pipeline: "a pipeline",
    plan_execute: "a plan that is executed",
    react: "a ReAct loop"
  },
  basis: {
    calls: "one agent, and its calls",
    declared: "its pack declares it",
    handoffs: "the order in which its agents take turns",
    memos: "the memos of its agents"
  },
  none: "none of the six topologies",
  cracks: {
    boss_death: "boss death",
    capitulation: "capitulation",
    cascading_poison: "cascading poison",
    deadlock: "deadlock",
    lost_handoff: "lost handoff",
    oscillation: "oscillation",
    partial_execution: "partial execution",
    premature_stop: "premature stop",
    root_bottleneck: "root bottleneck",
    runaway: "runaway",
    silent_decay: "silent decay",
    stale_plan: "stale plan",
    worker_silence: "worker silence"
  },
  signals: {
    answers_alternate: () => "the same few calls take turns, each answered as before",
    call_unanswered: ({ subject }) => `the goal was declared reached before ${quoted(subject, "a call")} was answered`,
    dispatched_again: (facts) => `${task(facts)} was ordered again, and its result was there ${since(facts)}`,
    drafts_alternate: () => "two drafts take turns",
    echoed_brief: (facts) => `${who(facts.agent, "a worker")} repeats the brief of ${task(facts)}, and no result`,
    finished_over_failure: () => "the goal was declared reached over a step that had failed",
    fixes_undone: () => "later rounds take back what earlier ones had added",
    hangs_past_deadline: (facts) =>
      `${who(facts.agent, "a worker")} hangs in a call, past the time of ${task(facts)}, which it has ${since(facts)}`,
    items_open: ({ subject }) => `the goal was declared reached before ${quoted(subject, "an item")} was done`,
    malformed_report: (facts) => `the report of ${task(facts)} has another form than a report`,
    never_reported: (facts) => `${who(facts.agent, "a worker")} has ${task(facts)} ${since(facts)}, and never reported`,
    no_progress: ({ subject }) => `call after call of ${quoted(subject, "a tool")} brings nothing new`,
    object_not_found: (facts) => `${quoted(facts.subject, "an object")} is not found, and was there ${since(facts)}`,
    plan_expired: ({ evidence, subject }) =>
      `${quoted(subject, "a step")} begins after the time of the plan of tick ${evidence[0] ?? 0} is over`,
    queue_grows_leaves_idle: () => "the queue at the root grows, and leaves are idle",
    rounds_at_cap: ({ evidence }) =>
      `the rounds are at their cap, and the last ${evidence.length} still change the draft`,
    score_below_best: ({ evidence }) => `two rounds in a row are worse than the draft of tick ${evidence[0] ?? 0}`,
    silent_past_deadline: (facts) =>
      `${who(facts.agent, "a worker")} is silent past the time of ${task(facts)}, which it has ${since(facts)}`,
    steps_near_cap: () => "the steps are above four fifths of their cap",
    uncollected_report: (facts) =>
      `the result of ${task(facts)} was handed in, and ${who(facts.agent, "nobody")} has no record of it`,
    went_on_after_failure: ({ evidence, subject }) =>
      `${quoted(subject, "the next step")} begins, although the step at tick ${evidence[0] ?? 0} has failed`,
    worker_failed: (facts) =>
      `${who(facts.agent, "a worker")} ended with an error, and without a result of ${task(facts)}`,
    whole_red_stages_green: ({ agent, evidence }) =>
      "the whole is wrong, and every stage is green" +
      (agent === undefined ? "" : `: look at what ${agent} handed on at tick ${evidence[0] ?? 0}`),
    whole_score_falls: ({ evidence }) =>
      `the score of the whole has fallen since tick ${evidence[0] ?? 0}, and every stage is green`
  },
  responses: {
    boss_death:
      "check that orders and results are durable, and collect what was handed in before anything is ordered again",
    capitulation: "ship the best draft so far, and let somebody else judge",
    cascading_poison: "add a gate for the whole, and check what the first suspect handed on",
    double: "look whether both stand, take one of the two back, and put a key on the call before it is sent",
    deadlock: "ship the last good draft, and end a debate once a round changes little",
    held: "look at its system of record, and decide about it",
    lost_handoff: "check that orders and results are durable, and order the task once more under its own key",
    oscillation: "show the contradiction to a person or another planner, and do not ask again",
    partial_execution: "declare what follows a failed step: a new plan, the next step, or the end",
    premature_stop: "let nobody declare the goal reached before the checklist is done",
    repeat: "put a key on the call before it is sent, and check whether the tool honours it",
    root_bottleneck: "shard the root, and summarize below it",
    runaway: "check the rule by which the loop gives up, and that a resume carries its budget over",
    silent_decay: "judge the whole against a fixed set, and go back to the last clean stage",
    silence: "see whether it still works, and declare topology.silence, after which its task is given to another one",
    stale_plan: "give the plan a time to live, and check the world before each step",
    unanswered: "look at that tick: a field that it reads may be missing",
    violation: "look at the tick at which it first held, and at what led there",
    waits: "look at its arguments, and approve or deny it",
    worker_silence: "give each worker a deadline, and count a silent one as a lost handoff"
  },
  treated: {
    collected: "its result was taken over",
    judged: "its work was done again, and judged",
    planned: "a new plan was made",
    shipped: "a draft was shipped"
  },
  acts: {
    double: "an act done twice",
    held: "an action that waits for a person",
    repeat: "a repeated act",
    silence: "an agent without a sign"
  },
  violated: ({ isAnswered, predicate, tick }) =>
    isAnswered ? `it holds since tick ${tick}` : `${predicate} could not be evaluated at tick ${tick}`,
  waited: ({ agent, millis, task }) =>
    `${agent} gave no sign for ${Duration.format(millis)} of task ${task}, and has given none since`,
  doubled: ({ again, first, keys, tool }) =>
    `${tool} succeeded twice, at tick ${first} and at tick ${again}, ` +
    (keys === "two" ? "under two keys" : "and nothing shows a key that both had"),
  healthy:
    "no crack of any topology, no act that was repeated or done twice, no predicate violated, and nothing that waits " +
    "for a person; a wrong value that no predicate judges does not show",
  asked: "answer the question that waits, and resume the run",
  unseen: "the result is wrong, and no crack of a topology shows why: bisect a predicate that the right result keeps",
  profiles: {
    debate: {
      signal: "the rounds are at their cap, and the last one still changes the draft",
      recovery: "ship the last good draft",
      checkpoint: "each complete round",
      carries: "complete rounds, never half of one"
    },
    hierarchical: {
      signal: "the queue at the root grows while leaves are idle",
      recovery: "shard the root, with a layer that summarizes",
      checkpoint: "each level, as it is brought together",
      carries: "the levels that are brought together"
    },
    orchestrator: {
      signal: "a worker is silent past its time",
      recovery: "a durable queue of results, and the orders once more where nothing came",
      checkpoint: "each order and each report",
      carries: "what is ordered, handed in and collected"
    },
    pipeline: {
      signal: "the whole is red while every stage is green",
      recovery: "back to the last clean gate",
      checkpoint: "between all stages",
      carries: "the gates, and the outputs behind the clean ones"
    },
    plan_execute: {
      signal: "a step does not find its object, or the time of the plan is over",
      recovery: "a new plan from the world as it is",
      checkpoint: "the plan, and how far it is carried out",
      carries: "the plan while it is fresh, with the facts that it assumed"
    },
    react: {
      signal: "the steps are above four fifths of their cap, or calls bring nothing new",
      recovery: "resume, with the steps that are left",
      checkpoint: "every few steps",
      carries: "the steps that are used"
    }
  },
  silence: (millis) =>
    millis === undefined
      ? "none is declared: a long wait for a role is noted in the trace, and ends nothing"
      : `a role that is silent for ${Duration.format(millis)} counts as lost`,
  missing: {
    order: "declare topology.order, with two stages at least, because nobody sees the poison without gates",
    planMillis: "declare topology.plan, the time for which a plan is valid",
    queueMax: "declare topology.queue, the number of tasks that may wait at the root",
    roundsMax: "declare topology.rounds, two or three",
    silenceMillis: "declare topology.silence, the time after which a silent worker counts as lost",
    stepsMax: "declare topology.steps, the number of steps at the most, crashes included"
  }
}
