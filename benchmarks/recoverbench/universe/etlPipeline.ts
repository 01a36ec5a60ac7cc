/** ETL pipeline: partitions are extracted, transformed and merged into a table, and a report is published over them. */
import * as Domain from "./Domain.ts"

const edges = Domain.edges(`
  JOB_OPEN -open_source-> SOURCE_READY
  SOURCE_READY -extract-> EXTRACTED
  PART_READY -extract-> EXTRACTED
  EXTRACTED -transform-> TRANSFORMED
  TRANSFORMED -aggregate-> TRANSFORMED
  TRANSFORMED -validate-> VALIDATED
  VALIDATED -stage_rows-> STAGED
  STAGED -merge_rows-> MERGED
  MERGED -verify_counts-> COUNTED
  COUNTED -seal_partition-> PART_READY
  PART_READY -build_report-> REPORT_BUILT
  REPORT_BUILT -announce_report-> REPORT_ANNOUNCED
  REPORT_ANNOUNCED -publish_report-> PUBLISHED
  PUBLISHED -index_report-> INDEXED
  INDEXED -close_job-> JOB_CLOSED
`)

const whole = ["extract", "transform", "validate", "stage_rows", "merge_rows", "verify_counts", "seal_partition"]

/** The steps of a partition, up to one of them. */
const partition = (entity: number, until = "seal_partition"): ReadonlyArray<string> =>
  whole.slice(0, whole.indexOf(until) + 1).map((tool) => `${tool} ${entity}`)
const partitions = (from: number, to: number): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index).flatMap((entity) => partition(entity))
const rest = (entity: number, from: string): ReadonlyArray<string> =>
  partition(entity).slice(partition(entity, from).length)
const begun = ["open_source job"]
const report = ["build_report daily", "announce_report daily", "publish_report daily"]
const onward = [...report, "index_report daily", "close_job daily"]

/** A job whose partition `entity` of `count` fails at a tool. */
const failing = (
  regime: "commitment" | "official",
  {
    count,
    entity,
    signal,
    tool
  }: {
    readonly count: number
    readonly entity: number
    readonly signal: Domain.Case["signal"]
    readonly tool: string
  }
): Domain.Case => {
  const instance = `LoadPartition::${entity}::0`
  return Domain.failing(`${tool} of partition ${entity + 1} of ${count}: ${signal}`, regime, {
    until: [...begun, ...partitions(0, entity), ...partition(entity, tool)],
    onward: [...rest(entity, tool), ...partitions(entity + 1, count), ...onward],
    signal,
    expected:
      regime === "official"
        ? Domain.admitted("entry", instance, "no row of the partition was staged, and nobody stands on it")
        : Domain.admitted("commit", instance, "the merged rows were committed, and nothing after them is consumed")
  })
}

const official: ReadonlyArray<Domain.Case> = [
  failing("official", { count: 2, entity: 0, signal: "tool_exception", tool: "transform" }),
  failing("official", { count: 2, entity: 1, signal: "tool_exception", tool: "validate" }),
  failing("official", { count: 3, entity: 1, signal: "timeout", tool: "validate" }),
  failing("official", { count: 3, entity: 2, signal: "invalid_output", tool: "transform" }),
  failing("official", { count: 3, entity: 2, signal: "contract_violation", tool: "validate" }),
  failing("official", { count: 4, entity: 3, signal: "missing_input", tool: "validate" }),
  failing("official", { count: 4, entity: 2, signal: "chain_exception", tool: "transform" })
]

const commitment: ReadonlyArray<Domain.Case> = [
  failing("commitment", { count: 2, entity: 0, signal: "tool_exception", tool: "verify_counts" }),
  failing("commitment", { count: 2, entity: 1, signal: "reconciliation_failed", tool: "verify_counts" }),
  failing("commitment", { count: 3, entity: 1, signal: "timeout", tool: "verify_counts" }),
  failing("commitment", { count: 3, entity: 2, signal: "tool_exception", tool: "verify_counts" }),
  failing("commitment", { count: 3, entity: 2, signal: "invalid_output", tool: "verify_counts" }),
  failing("commitment", { count: 4, entity: 3, signal: "contract_violation", tool: "verify_counts" }),
  failing("commitment", { count: 4, entity: 2, signal: "chain_exception", tool: "verify_counts" })
]

const blocked: ReadonlyArray<Domain.Case> = [
  Domain.failing("validation of a partition that an aggregate was computed over", "blocked", {
    until: [...begun, ...partition(0, "transform"), "aggregate totals", "validate 0"],
    onward: [...rest(0, "validate"), ...onward],
    signal: "contract_violation",
    drifts: ["extract"],
    expected: Domain.depended("LoadPartition::0::0", {
      checkpoints: ["entry"],
      consumers: ["Aggregate::totals::0"],
      why: "the aggregate was committed over the transformed rows, and another extract would hold others"
    })
  }),
  Domain.failing("merge of rows that are staged", "blocked", {
    until: [...begun, ...partition(0), ...partition(1, "merge_rows")],
    onward: [...rest(1, "merge_rows"), ...onward],
    signal: "tool_exception",
    drifts: ["extract"],
    expected: Domain.crossed(
      "LoadPartition::1::0",
      ["entry"],
      "the rows were staged for good, and another extract would stage others beside them"
    )
  }),
  Domain.failing("publication of a report that is announced", "blocked", {
    until: [...begun, ...partition(0), ...report],
    onward: ["index_report daily", "close_job daily"],
    signal: "tool_exception",
    drifts: ["build_report"],
    expected: Domain.crossed(
      "PublishReport::daily::0",
      ["entry"],
      "the report was announced to its readers, and another one would be announced beside it"
    )
  })
]

/** ETL pipeline. */
export const etlPipeline: Domain.Domain = {
  name: "etl pipeline",
  machine: { initial: "JOB_OPEN", states: Domain.statesOf(edges), edges },
  tools: {
    open_source: Domain.look("source"),
    extract: Domain.look("extract", Domain.every("source")),
    transform: Domain.look("rows", Domain.own("extract")),
    aggregate: Domain.look("totals", Domain.every("rows")),
    validate: Domain.look("valid", Domain.own("rows")),
    stage_rows: Domain.act("staged", Domain.own("rows")),
    merge_rows: Domain.act("merged", Domain.own("staged")),
    verify_counts: Domain.look("counted", Domain.own("merged")),
    seal_partition: Domain.look("sealed", Domain.own("counted")),
    build_report: Domain.look("report", Domain.every("sealed")),
    announce_report: Domain.act("announced", Domain.own("report")),
    publish_report: Domain.act("published", Domain.own("report")),
    index_report: Domain.look("indexed", Domain.own("published")),
    close_job: Domain.look("closed", Domain.own("indexed"))
  },
  skeletons: {
    LoadPartition: {
      tools: whole,
      states: ["EXTRACTED", "TRANSFORMED", "VALIDATED", "STAGED", "MERGED", "COUNTED"],
      outputs: ["merged"],
      commits: ["merge_rows"],
      exits: ["seal_partition"],
      pending: []
    },
    Aggregate: {
      tools: ["aggregate"],
      states: ["TRANSFORMED"],
      outputs: ["totals"],
      commits: ["aggregate"],
      exits: [],
      pending: []
    },
    PublishReport: {
      tools: [...report.map((step) => step.split(" ")[0] ?? ""), "index_report", "close_job"],
      states: ["REPORT_BUILT", "REPORT_ANNOUNCED", "PUBLISHED", "INDEXED"],
      outputs: ["published"],
      commits: ["publish_report"],
      exits: ["close_job"],
      pending: []
    }
  },
  anchors: ["JOB_OPEN", "SOURCE_READY", "PART_READY"],
  cases: [...official, ...commitment, ...blocked],
  calibrated: ["official", "commitment"]
}
