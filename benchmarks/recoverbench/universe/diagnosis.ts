/** Diagnosis: checks gather evidence, an operator judges it, and a repair is applied and verified. */
import * as Domain from "./Domain.ts"

const edges = Domain.edges(`
  TICKET_OPEN -read_symptoms-> SYMPTOMS_READY
  SYMPTOMS_READY -run_probe-> PROBING
  CHECK_READY -run_probe-> PROBING
  PROBING -collect_evidence-> EVIDENCE_READY
  EVIDENCE_READY -judge_check-> WAITING_VERDICT
  WAITING_VERDICT -draft_repair-> WAITING_VERDICT
  WAITING_VERDICT -ask_operator-> VERDICT_READY
  WAITING_VERDICT -dismiss_check-> CHECK_READY
  VERDICT_READY -record_check-> CHECK_READY
  VERDICT_READY -record_last_check-> PLAN_READY
  VERDICT_READY -close_unfounded-> DONE
  PLAN_READY -adopt_draft-> PLAN_READY
  PLAN_READY -stage_repair-> REPAIR_STAGED
  REPAIR_STAGED -apply_repair-> REPAIR_APPLIED
  REPAIR_STAGED -drop_repair-> PLAN_READY
  REPAIR_APPLIED -probe_service-> SERVICE_PROBED
  SERVICE_PROBED -restart_service-> REPAIR_APPLIED
  SERVICE_PROBED -verify_service-> SERVICE_VERIFIED
  SERVICE_VERIFIED -close_ticket-> DONE
`)

type Until = "ask_operator" | "collect_evidence" | "judge_check" | "record_check" | "record_last_check"

/** The steps of a check, up to one of them. */
const check = (entity: number, until: Until = "record_check"): ReadonlyArray<string> => {
  const last = until === "record_last_check" ? until : "record_check"
  const all = ["run_probe", "collect_evidence", "judge_check", "ask_operator", last]
  return all.slice(0, all.indexOf(until) + 1).map((tool) => `${tool} ${entity}`)
}
/** Checks one after another; the last one leads to the plan. */
const checks = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, entity) => entity).flatMap((entity) =>
    check(entity, entity === count - 1 ? "record_last_check" : "record_check")
  )
const rest = (entity: number, from: Until, to: Until = "record_last_check"): ReadonlyArray<string> =>
  check(entity, to).slice(check(entity, from).length)
const begun = ["read_symptoms ticket"]
const repair = ["stage_repair fix", "apply_repair fix"]
const onward = [...repair, "probe_service fix", "verify_service fix", "close_ticket fix"]
const before = "nothing of the check was handed over, and nobody stands on it"
const applied = "the repair was committed once it was applied, and nothing after it is consumed"

const official: ReadonlyArray<Domain.Case> = [
  Domain.failing("evidence of the first check", "official", {
    until: [...begun, ...check(0, "collect_evidence")],
    onward: [...rest(0, "collect_evidence", "record_check"), ...check(1, "record_last_check"), ...onward],
    signal: "tool_exception",
    expected: Domain.admitted("entry", "ResolveCheck::0::0", before)
  }),
  Domain.failing("judgment of the second check", "official", {
    until: [...begun, ...check(0), ...check(1, "judge_check")],
    onward: [...rest(1, "judge_check"), ...onward],
    signal: "invalid_output",
    expected: Domain.admitted("entry", "ResolveCheck::1::0", before)
  }),
  Domain.failing("verdict on the third check", "official", {
    until: [...begun, ...check(0), ...check(1), ...check(2, "ask_operator")],
    onward: [...rest(2, "ask_operator"), ...onward],
    signal: "timeout",
    expected: Domain.admitted("entry", "ResolveCheck::2::0", before)
  }),
  Domain.failing("evidence of the second check", "official", {
    until: [...begun, ...check(0), ...check(1, "collect_evidence")],
    onward: [...rest(1, "collect_evidence"), ...onward],
    signal: "timeout",
    expected: Domain.admitted("entry", "ResolveCheck::1::0", before)
  })
]

/** A repair that is applied and cannot be verified. */
const verification = (count: number, signal: Domain.Case["signal"]): Domain.Case =>
  Domain.failing(`verification of a repair after ${count} checks: ${signal}`, "commitment", {
    until: [...begun, ...checks(count), ...repair, "probe_service fix", "verify_service fix"],
    onward: ["close_ticket fix"],
    signal,
    expected: Domain.admitted("commit", "ApplyRepair::fix::0", applied)
  })

const commitment: ReadonlyArray<Domain.Case> = [
  verification(2, "tool_exception"),
  verification(2, "timeout"),
  verification(2, "reconciliation_failed"),
  verification(3, "tool_exception"),
  verification(3, "invalid_output"),
  verification(3, "chain_exception")
]

const blocked: ReadonlyArray<Domain.Case> = [
  Domain.failing("verdict on a check that a repair was drafted over", "blocked", {
    until: [...begun, ...check(0, "judge_check"), "draft_repair plan", "ask_operator 0"],
    onward: [...rest(0, "ask_operator"), ...onward],
    signal: "contract_violation",
    drifts: ["run_probe"],
    expected: Domain.depended("ResolveCheck::0::0", {
      checkpoints: ["entry"],
      consumers: ["DraftRepair::plan::0"],
      why: "the draft was committed over the judgment, and another probe would lead to another judgment"
    })
  }),
  Domain.failing("verification after the service was restarted", "blocked", {
    until: [
      ...begun,
      ...checks(2),
      ...repair,
      "probe_service fix",
      "restart_service fix",
      "probe_service fix",
      "verify_service fix"
    ],
    onward: ["close_ticket fix"],
    signal: "reconciliation_failed",
    drifts: ["probe_service"],
    expected: Domain.crossed(
      "ApplyRepair::fix::0",
      ["commit", "entry"],
      "the service was restarted after the commit, and another probe would restart it once more"
    )
  })
]

/** Diagnosis. */
export const diagnosis: Domain.Domain = {
  name: "diagnosis",
  machine: { initial: "TICKET_OPEN", states: Domain.statesOf(edges), edges },
  tools: {
    read_symptoms: Domain.look("symptoms"),
    run_probe: Domain.look("probe", Domain.every("symptoms")),
    collect_evidence: Domain.look("evidence", Domain.own("probe")),
    judge_check: Domain.look("check", Domain.own("evidence")),
    draft_repair: Domain.look("draft", Domain.every("check")),
    ask_operator: Domain.ask("verdict", Domain.own("check")),
    dismiss_check: Domain.look("dismissed", Domain.own("check")),
    record_check: Domain.look("recorded", Domain.own("verdict")),
    record_last_check: Domain.look("recorded", Domain.own("verdict")),
    close_unfounded: Domain.look("recorded", Domain.own("verdict")),
    adopt_draft: Domain.look("adopted", Domain.own("draft")),
    stage_repair: Domain.look("staged", Domain.every("recorded")),
    apply_repair: Domain.act("repair", Domain.own("staged")),
    drop_repair: Domain.look("dropped", Domain.own("staged")),
    probe_service: Domain.look("service", Domain.own("repair")),
    restart_service: Domain.act("restart", Domain.own("service")),
    verify_service: Domain.look("verified", Domain.own("service")),
    close_ticket: Domain.look("closed", Domain.own("verified"))
  },
  skeletons: {
    ResolveCheck: {
      tools: [
        "run_probe",
        "collect_evidence",
        "judge_check",
        "ask_operator",
        "dismiss_check",
        "record_check",
        "record_last_check",
        "close_unfounded"
      ],
      states: ["PROBING", "EVIDENCE_READY", "WAITING_VERDICT", "VERDICT_READY"],
      outputs: ["check"],
      commits: ["ask_operator"],
      exits: ["record_check", "record_last_check", "close_unfounded"],
      pending: []
    },
    DraftRepair: {
      tools: ["draft_repair", "adopt_draft"],
      states: ["WAITING_VERDICT", "PLAN_READY"],
      outputs: ["draft"],
      commits: ["draft_repair"],
      exits: ["adopt_draft"],
      pending: []
    },
    ApplyRepair: {
      tools: [
        "stage_repair",
        "apply_repair",
        "drop_repair",
        "probe_service",
        "restart_service",
        "verify_service",
        "close_ticket"
      ],
      states: ["REPAIR_STAGED", "REPAIR_APPLIED", "SERVICE_PROBED", "SERVICE_VERIFIED"],
      outputs: ["repair"],
      commits: ["apply_repair", "verify_service"],
      exits: ["drop_repair", "close_ticket"],
      pending: []
    }
  },
  anchors: ["TICKET_OPEN", "SYMPTOMS_READY", "CHECK_READY", "PLAN_READY"],
  cases: [...official, ...commitment, ...blocked],
  calibrated: ["commitment"]
}
