/** The results as aligned tables, for people. */
import { table } from "../src/Table.ts"
import * as Published from "./audits/Published.ts"
import type { External } from "./external/External.ts"
import type { Results } from "./Results.ts"

/** Writes all results. */
export const print = (results: Results): string =>
  [
    `Universe ${results.universe.digest.slice(0, 16)}…, ${results.universe.cases} cases, ` +
      `each repeated ${results.universe.repeats} times`,
    review(results),
    boundaries(results),
    ...(["commitment", "official"] as const).map((regime) => outcomes(results, regime)),
    semantics(results),
    calibration(results),
    consumers(results),
    localization(results),
    signals(results),
    statistics(results),
    ablations(results),
    overhead(results)
  ].join("\n\n")

const share = (value: number): string => value.toFixed(2)

const yes = (value: boolean): string => (value ? "yes" : "no")

const review = ({ review }: Results): string =>
  table(
    "Review load",
    ["domain", "skeletons", "commits", "exits", "pending", "states", "edges"],
    review.map(({ commits, domain, edges, exits, pending, skeletons, states }) => [
      domain,
      skeletons,
      commits,
      exits,
      pending,
      states,
      edges
    ])
  )

const boundaries = ({ exits, transfer }: Results): string =>
  [
    table(
      "Candidates of boundaries, drawn from the machines and the tools, against the reviewed skeletons",
      ["domain", "skeletons", "as reviewed", "fields that differ", "never reviewed"],
      transfer.map((each) => [
        each.domain,
        each.skeletons,
        each.exact,
        each.differs.join(", "),
        each.unreviewed.join(", ")
      ])
    ),
    table(
      "Reviewed exits, each reached by a played plan",
      ["domain", "edge", "exit checkpoint"],
      exits.map(({ domain, edge, isRealised }) => [domain, edge, yes(isRealised)])
    )
  ].join("\n\n")

const signals = ({ signals }: Results): string =>
  table(
    "One site, every signal",
    ["domain", "case", "signals", "decisions", "recoveries"],
    signals.map((each) => [each.domain, each.case, each.signals, each.decisions.join("; "), each.recoveries])
  )

const outcomes = ({ outcomes }: Results, regime: "commitment" | "official"): string =>
  table(
    `Recovery, ${regime === "commitment" ? "commitment-sensitive" : "official"} cases (medians of what ` +
      "succeeded; published: success, replay, upstream, preserved, status)",
    ["domain", "strategy", "success", "replay", "upstream", "preserved", "ms", "observed", "status", "published"],
    outcomes
      .filter((each) => each.regime === regime)
      .map(({ domain, millis, observed, preserved, replay, status, strategy, success, upstream }) => [
        domain,
        strategy,
        share(success),
        replay,
        upstream,
        preserved,
        millis,
        share(observed),
        status.join(", "),
        Published.outcomes[regime][domain]?.[strategy]?.join(", ")
      ])
  )

const semantics = ({ semantics }: Results): string =>
  table(
    "Semantic audit: the latest admissible checkpoint against a rerun",
    ["domain", "comparable", "safe-equivalent", "semantics", "prefix", "effects", "committed prefix"],
    semantics.map(({ checks, comparable, domain, safeEquivalent }) => [
      domain,
      comparable,
      safeEquivalent,
      checks.semantics,
      checks.prefix,
      checks.effects,
      checks.committed
    ])
  )

const calibration = ({ calibration: { counts, events } }: Results): string => {
  const others = events.filter(({ agrees }) => !agrees).map(({ case: id, domain, verdict }) => [domain, id, verdict])
  return [
    table(
      "Calibration of the gate",
      [
        "scope",
        "events",
        "as specified",
        "admitted",
        "unsafe",
        "blocked",
        "by dependency",
        "by effect",
        "false blocks",
        "blocked checkpoints",
        "false"
      ],
      counts.map((each) => [
        each.scope,
        each.events,
        each.agreed,
        each.admitted,
        each.unsafe,
        each.blocked,
        each.dependency,
        each.effect,
        each.falselyBlocked,
        each.checkpoints,
        each.checkpointsFalselyBlocked
      ])
    ),
    ...(others.length === 0
      ? []
      : [table("Events that were not decided as specified", ["domain", "case", "verdict"], others)])
  ].join("\n\n")
}

const consumers = ({ consumers: { rules, witness } }: Results): string =>
  [
    table(
      "The gate under each rule about consumers",
      ["rule", "events", "admitted", "unsafe", "blocked", "false blocks", "decided otherwise than by the standard"],
      rules.map((each) => [
        each.rule,
        each.events,
        each.admitted,
        each.unsafe,
        each.blocked,
        each.falselyBlocked,
        each.others.join("; ")
      ])
    ),
    table(
      "Witness: the first slot of a finished form is asked to go back",
      ["latest kind", "rule about consumers", "verdict", "reasons", "consumers"],
      witness.map((each) => [each.policy, each.rule, each.verdict, each.reasons.join(", "), each.consumers.join(", ")])
    )
  ].join("\n\n")

const localization = ({ localization: { alignment, ambiguity, probes } }: Results): string =>
  [
    table(
      "Localization",
      ["measure", "count", "of"],
      [
        ["failed instance as specified", alignment.instances, alignment.repeats],
        ["restored checkpoint as specified", alignment.checkpoints, alignment.repeats],
        ["ambiguous under the full key", ambiguity.ambiguous.full, ambiguity.candidates],
        ["ambiguous without the ordinal", ambiguity.ambiguous.without_ordinal, ambiguity.candidates],
        ["ambiguous without the entity", ambiguity.ambiguous.without_entity, ambiguity.candidates],
        ["entities that were entered again", ambiguity.aliases, null]
      ]
    ),
    table(
      "Probes of the key without its ordinal",
      ["domain", "instance", "candidates", "abstains", "erased by the wrong one", "task survived that"],
      probes.map(({ abstains, candidates, domain, erased, instance, survived }) => [
        domain,
        instance,
        candidates.length,
        yes(abstains),
        erased.join(", "),
        survived === null ? null : yes(survived)
      ])
    )
  ].join("\n\n")

const statistics = ({ statistics }: Results): string =>
  table(
    "Paired differences, latest admissible less retry only (95 % of resampled medians; exact test of signs, Holm)",
    ["measure", "regime", "domain", "rerun", "restored", "difference", "from", "to", "d_z", "p", "pairs"],
    statistics.map((each) => [
      each.measure,
      each.regime,
      each.domain,
      each.rerun,
      each.restored,
      each.median,
      each.interval[0],
      each.interval[1],
      each.effect,
      each.adjusted,
      each.pairs
    ])
  )

const ablations = ({ ablations: { edges, unguarded } }: Results): string =>
  [
    table(
      "Blocked events with the conjunct left out that blocks them",
      ["domain", "case", "conjunct", "with it", "without it", "kernel", "consumers dropped", "task survived"],
      unguarded.map((each) => [
        each.domain,
        each.case,
        each.conjunct,
        each.guarded,
        each.unguarded,
        each.kernel,
        each.dropped,
        yes(each.survived)
      ])
    ),
    table(
      "Legal edges that are no exits",
      ["domain", "edge", "tests that it fails", "the subtask is then", "without these tests"],
      edges.map(({ domain, edge, failed, forced, frozen }) => [domain, edge, failed.join(", "), frozen, forced])
    )
  ].join("\n\n")

const overhead = ({ overhead: { depths, hooks, ratios } }: Results): string =>
  [
    table(
      "Runs in which nothing fails, with their subtasks on record and without",
      ["domain", "steps", "ms without", "ms with", "ms more a step", "checkpoints", "bytes"],
      hooks.map((each) => [each.domain, each.steps, each.off, each.on, each.more, each.checkpoints, each.bytes])
    ),
    table(
      "Checkpoints of a form, slot by slot",
      ["depth", "checkpoints", "registry bytes", "inline bytes", "registry ms", "inline ms"],
      depths.map((each) => [
        each.depth,
        each.checkpoints,
        each.registryBytes,
        each.inlineBytes,
        each.registryMillis,
        each.inlineMillis
      ])
    ),
    table(
      "The same as ratios at the last depth, and from the first to the last",
      ["payload, inline ÷ registry", "state of the latest, registry ÷ inline", "registry growth", "inline growth"],
      [[ratios.payload, ratios.restore, ratios.registryGrowth, ratios.inlineGrowth]]
    )
  ].join("\n\n")

/** Writes the results on LangGraph.js. */
export const external = ({ absent, cells, overlays, witnesses }: External): string =>
  absent === undefined
    ? [
        table(
          "LangGraph.js: G0 retry, G1 its own resume, G2 reviewed checkpoints, G3 the same with the gate",
          ["domain", "regime", "controller", "success", "replay", "upstream", "ms", "blocked"],
          cells.map((each) => [
            each.domain,
            each.regime,
            each.controller,
            share(each.success),
            each.replay,
            each.upstream,
            each.millis,
            each.blocked
          ])
        ),
        table(
          "Ends on LangGraph.js with the gate (G3), against those on the runtime",
          ["domain", "regime", "comparable", "safe-equivalent"],
          overlays.map((each) => [each.domain, each.regime, each.comparable, each.safeEquivalent])
        ),
        table(
          "Witnesses: a producer under committed consumers goes back on LangGraph.js",
          ["domain", "controller", "restore", "named by the gate", "invalidated by the restore", "task survived"],
          witnesses.map((each) => [
            each.domain,
            each.controller,
            each.restore,
            each.named.join(", "),
            each.invalidated.join(", "),
            each.survived === null ? null : yes(each.survived)
          ])
        )
      ].join("\n\n")
    : `LangGraph.js was not measured: ${absent}`
