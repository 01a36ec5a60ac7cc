/** The words of a release: decisions under two contracts, what a gate examined, and what it found. */
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { ByCode } from "../../said/byCode.ts"
import type { Need, ReleaseWords, SafetyRule, ShortDecision } from "../../said/ReleaseWords.ts"
import { choices } from "../terms/steps.ts"

const decisions: ByCode<ShortDecision> = {
  adopted: () => "done before",
  allowed: () => "allowed",
  approval: ({ needs }) => (needs === undefined ? "needs an approval" : `needs an approval by ${choices.names(needs)}`),
  asks_record: () => "asks the record",
  awaits_run: () => "waits for another run",
  commits: () => "commits",
  completes: () => "completes",
  done: ({ basis }) => `done by ${basis}`,
  extended: () => "extended",
  failed: () => "failed",
  held: ({ discrepancy, recovery }) =>
    discrepancy === undefined ? "held" : `held: ${discrepancy}${recovery === undefined ? "" : `, ${recovery}`}`,
  learns_of_run: () => "learns of another run",
  looks_at_trace: () => "looks at a trace",
  not_extended: ({ message }) => message,
  reads_back: () => "reads back",
  reads_inside: () => "reads inside",
  refused: ({ checks }) => `refused by ${checks.length === 0 ? "the kernel" : checks.join(", ")}`,
  rolls_back: () => "rolls back",
  undoes: () => "undoes",
  violated: ({ predicate, since }) =>
    since === undefined ? `${predicate} not violated` : `${predicate} violated since tick ${since}`,
  waits: () => "waits"
}

const isDecision = (value: Json): value is ShortDecision & Canonical.JsonObject =>
  Canonical.isObject(value) && typeof value["code"] === "string" && Object.hasOwn(decisions, value["code"])

/** An outcome as JSON: a decision in words, or any other value. */
const outcome = (value: Json): string =>
  Canonical.encode(isDecision(value) ? (decisions[value.code] as (decision: ShortDecision) => string)(value) : value)

const needs: { readonly [N in Need]: string } = {
  canary: "the runs of a canary: name its tenant, or its share of the runs",
  history: "a history",
  nothing: "nothing",
  runtime: "a runtime"
}

/** The violation of each rule. */
const rules: { readonly [R in SafetyRule]: string } = {
  asks_without_key: "a key is asked about that is not on record",
  completes_before_pivot: "the remaining steps are sent although the pivot has not passed",
  counts_unproven_success: "it counts as a success although the contract does not let it",
  goes_on_at_risk: "the run goes on although much is at stake, or something else than a missing proof was found",
  leaves_duplicate: "a duplicate with consequences outside is left to a machine",
  reads_forever: "it is read again without a budget, so it never ends",
  repeats_blindly:
    "a request is sent again blindly: without a key that is on record and honoured, or too early to tell",
  repeats_unproven: "a request is sent again although it is not proven that nothing happened",
  reverses_unsafely:
    "a reversal is sent that is not declared, behind the pivot, in an open transaction or unverifiable",
  rolls_back_closed: "a transaction is rolled back that is not open",
  sends_unknown: "it is unknown what happened, and something is sent",
  takes_as_never_sent: "it is treated as never sent although it was",
  tells_nobody: "nobody is told of a wrong target or a failed reversal"
}

/** The sentences about a release. */
export const releases: ReleaseWords = {
  decisions,
  examinations: {
    canary: ({ actions, others, runs }) => `${runs} runs of the canary, ${others} others with ${actions} actions`,
    failure_injection: ({ faults, tools, unrecorded }) => {
      const rest = unrecorded.length === 0 ? "" : `; no success is recorded of ${unrecorded.join(", ")}`
      return `${faults} failures were injected into ${tools.length} tools: ${tools.join(", ")}${rest}`
    },
    false_success: ({ drills, runs }) =>
      `every state, the messages of ${runs} runs, and the reports of ${drills} drills`,
    ledger_schema: ({ entries }) =>
      `${entries} recorded entries were validated, and the schema compared field by field`,
    no_canary: () => "no canary was named: a share of the runs, or a tenant",
    predicate_diff: ({ packs, tools }) => `${tools} tools of ${packs} packs were compared`,
    recovery_drill: ({ paths }) =>
      `${paths.join(", ") || "nothing"}: what the contracts of the recorded actions can take`,
    trace_replay: ({ evidence, proposals, runs }) =>
      `${evidence} pieces of evidence of ${runs} runs were judged again, and ${proposals} proposals decided again`,
    unknown_state: ({ drills }) => `every row of the table in every case, and ${drills} tools that were asked for again`
  },
  objections: {
    canary_alone: () => "there is nobody to compare the canary with: the other runs saw no action",
    canary_pack: ({ run }) => `${run} of the canary ran under another pack`,
    canary_small: ({ least, seen }) => `the canary saw ${seen} actions, and ${least} are needed`,
    drill_reported: ({ fault, tool }) => `${fault} of ${tool} was told as a success`,
    effects_repeated: ({ effects, fault, of }) => `${fault} of ${of} led to ${effects} effects`,
    entry_refused: ({ action, message, run }) => `entry ${run}/${action} is not taken: ${message}`,
    fails_alone: ({ of, outcome }) => `${of} comes to ${outcome} although nothing fails`,
    fault_mistaken: ({ fault, found, of }) =>
      `${of === undefined ? fault : `${fault} of ${of}`} was taken for ${found}`,
    fault_untried: ({ fault }) => `${fault} was not injected`,
    field_gone: ({ at }) => `${at} is gone`,
    field_required: ({ at }) => `${at} is required now`,
    keys_repeated: ({ keys, tool }) => `${tool} was sent under ${keys} keys while its outcome was unknown`,
    measure_rose: ({ is, measure, was }) => `${measure} rose from ${was} to ${is}`,
    not_run: () => "it was not run",
    run_twice: () => "it has two verdicts: run the gates once, and promote what they answer",
    nothing_examined: ({ gate, needs: need }) => `${gate} looked at nothing: it needs ${needs[need]}`,
    outcome_changed: ({ action, is, was }) => `${action} came to ${outcome(was)} and comes to ${outcome(is)}`,
    path_ended: ({ ended, path }) => `${path} ended at ${ended}`,
    path_undrilled: ({ path }) => `${path} was not drilled`,
    reversal_missing: ({ fault, tool }) => `${tool} is told as compensated (${fault}), and nothing was reversed`,
    reversal_undrilled: ({ tool }) =>
      `${tool} was not drilled: no record that meets its expectations could be made up. ` +
      "Record a success of it, or accept it as undrilled",
    row_unsafe: ({ action, row, rule, section, sideEffect }) =>
      `row ${row} of ${section}, ${sideEffect}, leads to ${action}: ${rules[rule]}`,
    success_early: ({ state, trust, undo }) => `success is told of ${state} at trust ${trust}, ${undo}`,
    success_escaped: ({ action, tick }) => `tick ${tick} told a success of ${action} that there was not`,
    tool_untried: ({ tool }) =>
      `${tool} was not tried: no success of it is recorded. Record one, or accept it as undrilled`,
    undo_dropped: ({ by, tool }) =>
      `${tool} can no longer be undone: ${by} undid it. Keep its undo, or name ${tool} as reviewed`,
    undo_undecidable: ({ by, tool }) =>
      `${tool} is undone by ${by}, and nobody can find out whether there is anything to undo. ` +
      `Declare a strong readback of ${tool}, or status: by_key with its times`,
    values_lost: ({ at, values }) => `${at} no longer takes ${values.join(", ")}`,
    verification_changed: ({ actions, added, removed, tool }) => {
      const what = [...added.map((source) => `+ ${source}`), ...removed.map((source) => `- ${source}`)].join(", ")
      return `${tool} is verified otherwise, unreviewed: ${what || "its source"}; ${actions} recorded actions`
    }
  }
}
