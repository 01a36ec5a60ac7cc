/** Schedule form: slots are proposed from calendars, chosen by a person, and a form is submitted with all of them. */
import * as Domain from "./Domain.ts"

const edges = Domain.edges(`
  FORM_OPEN -load_participants-> PARTICIPANTS_READY
  PARTICIPANTS_READY -query_calendars-> QUERYING_CALENDARS
  SLOT_READY -query_calendars-> QUERYING_CALENDARS
  WAITING_SLOT_REFINEMENT -query_calendars-> QUERYING_CALENDARS
  QUERYING_CALENDARS -propose_times-> WAITING_SLOT_SELECTION
  WAITING_SLOT_SELECTION -ask_slot-> SLOT_SELECTED
  WAITING_SLOT_SELECTION -skip_slot-> SLOT_READY
  SLOT_SELECTED -hold_room-> WAITING_SLOT_REFINEMENT
  WAITING_SLOT_REFINEMENT -ask_refinement-> WAITING_SLOT_REFINEMENT
  WAITING_SLOT_REFINEMENT -preview_form-> WAITING_SLOT_REFINEMENT
  WAITING_SLOT_REFINEMENT -confirm_slot-> SLOT_READY
  WAITING_SLOT_REFINEMENT -confirm_last_slot-> REVIEW_READY
  WAITING_SLOT_REFINEMENT -confirm_and_close-> DONE
  REVIEW_READY -submit_form-> SUBMITTED
  SUBMITTED -render_schedule-> RENDERED
  RENDERED -notify_all-> NOTIFIED
  NOTIFIED -close_form-> DONE
  SUBMITTED -reopen_form-> SLOT_READY
`)

type Until = "ask_slot" | "confirm_last_slot" | "confirm_slot" | "hold_room" | "propose_times"

/** The steps of a slot, up to one of them. A slot is proposed around the one before it. */
const slot = (entity: number, until: Until = "confirm_slot"): ReadonlyArray<string> => {
  const last = until === "confirm_last_slot" ? until : "confirm_slot"
  const all = ["query_calendars", "propose_times", "ask_slot", "hold_room", last]
  const around = entity === 0 ? "" : ` < ${entity - 1}`
  return all
    .slice(0, all.indexOf(until) + 1)
    .map((tool) => `${tool} ${entity}${tool === "query_calendars" ? around : ""}`)
}
/** Slots one after another; the last one leads to the review. */
const slots = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, entity) => entity).flatMap((entity) =>
    slot(entity, entity === count - 1 ? "confirm_last_slot" : "confirm_slot")
  )
const rest = (entity: number, from: Until, to: Until = "confirm_slot"): ReadonlyArray<string> =>
  slot(entity, to).slice(slot(entity, from).length)
const begun = ["load_participants form"]
const onward = ["submit_form final", "render_schedule final", "notify_all final", "close_form final"]
const before = "nothing of the slot was handed over, and nobody stands on it"
const submitted = "the submitted form was committed, and nothing after it is consumed"

const official: ReadonlyArray<Domain.Case> = [
  Domain.failing("times of the second slot", "official", {
    until: [...begun, ...slot(0), ...slot(1, "propose_times")],
    onward: [...rest(1, "propose_times", "confirm_last_slot"), ...onward],
    signal: "tool_exception",
    expected: Domain.admitted("entry", "ResolveSlot::1::0", before)
  }),
  Domain.failing("choice of the third slot", "official", {
    until: [...begun, ...slot(0), ...slot(1), ...slot(2, "ask_slot")],
    onward: [...rest(2, "ask_slot", "confirm_last_slot"), ...onward],
    signal: "timeout",
    expected: Domain.admitted("entry", "ResolveSlot::2::0", before)
  }),
  Domain.failing("times of the first slot", "official", {
    until: [...begun, ...slot(0, "propose_times")],
    onward: [...rest(0, "propose_times"), ...slot(1, "confirm_last_slot"), ...onward],
    signal: "invalid_output",
    expected: Domain.admitted("entry", "ResolveSlot::0::0", before)
  }),
  Domain.failing("choice of a slot that is opened again", "official", {
    until: [...begun, ...slot(0), ...slot(1), ...slot(0, "ask_slot")],
    onward: [...rest(0, "ask_slot", "confirm_last_slot"), ...onward],
    signal: "missing_input",
    expected: Domain.admitted("entry", "ResolveSlot::0::1", before)
  })
]

/** A form that fails at its rendering, after it was submitted. */
const rendering = (id: string, signal: Domain.Case["signal"], resolved: ReadonlyArray<string>): Domain.Case =>
  Domain.failing(id, "commitment", {
    until: [...begun, ...resolved, "submit_form final", "render_schedule final"],
    onward: ["notify_all final", "close_form final"],
    signal,
    expected: Domain.admitted("commit", "FinalizeSchedule::final::0", submitted)
  })

const commitment: ReadonlyArray<Domain.Case> = [
  rendering("rendering of five slots, with an error", "tool_exception", slots(5)),
  rendering("rendering of five slots, without an answer", "timeout", slots(5)),
  rendering("rendering of five slots, unreadable", "invalid_output", slots(5)),
  rendering("rendering of four slots", "chain_exception", slots(4)),
  rendering("rendering of five slots, one opened again", "tool_exception", [
    ...slot(0),
    ...slot(1),
    ...slot(2),
    ...slot(1),
    ...slot(3),
    ...slot(4, "confirm_last_slot")
  ]),
  rendering("rendering of four slots, two opened again", "timeout", [
    ...slot(0),
    ...slot(1),
    ...slot(0),
    ...slot(2),
    ...slot(1),
    ...slot(3, "confirm_last_slot")
  ]),
  rendering("rendering of three slots, the last opened again", "contract_violation", [
    ...slot(0),
    ...slot(1),
    ...slot(2),
    ...slot(2, "confirm_last_slot")
  ])
]

const blocked: ReadonlyArray<Domain.Case> = [
  Domain.failing("confirmation of a refined slot that another one and a preview stand on", "blocked", {
    until: [
      ...begun,
      ...slot(0, "hold_room"),
      "ask_refinement 0",
      ...slot(1, "hold_room"),
      "preview_form final",
      "confirm_slot 0"
    ],
    onward: [...slot(2, "confirm_last_slot"), ...onward],
    signal: "contract_violation",
    expected: Domain.depended("ResolveSlot::0::0", {
      checkpoints: ["commit", "entry"],
      consumers: ["ResolveSlot::1::0", "FinalizeSchedule::final::0"],
      why: "the refined slot was written after the commit; the next slot was proposed around it, and the form shows it"
    })
  }),
  Domain.failing("closing of a form whose invitations are sent", "blocked", {
    until: [...begun, ...slots(2), ...onward],
    onward: [],
    signal: "tool_exception",
    drifts: ["render_schedule"],
    expected: Domain.crossed(
      "FinalizeSchedule::final::0",
      ["commit", "entry"],
      "the invitations were sent after the commit, and another rendering would send others"
    )
  })
]

/** Schedule form. */
export const scheduleForm: Domain.Domain = {
  name: "schedule form",
  machine: { initial: "FORM_OPEN", states: Domain.statesOf(edges), edges },
  tools: {
    load_participants: Domain.look("participants"),
    query_calendars: Domain.look("calendars", Domain.every("participants"), Domain.previous("slot")),
    propose_times: Domain.look("times", Domain.own("calendars")),
    ask_slot: Domain.ask("slot", Domain.own("times")),
    skip_slot: Domain.look("skipped", Domain.own("times")),
    hold_room: Domain.look("room", Domain.own("slot")),
    ask_refinement: Domain.ask("slot", Domain.own("slot")),
    confirm_slot: Domain.look("confirmed", Domain.own("slot")),
    confirm_last_slot: Domain.look("confirmed", Domain.own("slot")),
    confirm_and_close: Domain.look("confirmed", Domain.own("slot")),
    preview_form: Domain.look("form", Domain.every("slot")),
    submit_form: Domain.act("form", Domain.every("slot")),
    render_schedule: Domain.look("rendered", Domain.own("form")),
    notify_all: Domain.act("invitations", Domain.own("rendered")),
    close_form: Domain.look("closed", Domain.own("form")),
    reopen_form: Domain.look("reopened", Domain.own("form"))
  },
  skeletons: {
    CollectParticipants: {
      tools: ["load_participants"],
      states: ["PARTICIPANTS_READY"],
      outputs: ["participants"],
      commits: ["load_participants"],
      exits: ["load_participants"],
      pending: []
    },
    ResolveSlot: {
      tools: [
        "query_calendars",
        "propose_times",
        "ask_slot",
        "skip_slot",
        "hold_room",
        "ask_refinement",
        "confirm_slot",
        "confirm_last_slot",
        "confirm_and_close"
      ],
      states: ["QUERYING_CALENDARS", "WAITING_SLOT_SELECTION", "SLOT_SELECTED", "WAITING_SLOT_REFINEMENT"],
      outputs: ["slot"],
      commits: ["ask_slot"],
      exits: ["confirm_slot", "confirm_last_slot", "confirm_and_close"],
      pending: []
    },
    FinalizeSchedule: {
      tools: ["preview_form", "submit_form", "render_schedule", "notify_all", "close_form", "reopen_form"],
      states: ["WAITING_SLOT_REFINEMENT", "SUBMITTED", "RENDERED", "NOTIFIED"],
      outputs: ["form"],
      commits: ["preview_form", "submit_form"],
      exits: ["close_form", "reopen_form"],
      pending: []
    }
  },
  anchors: ["FORM_OPEN", "PARTICIPANTS_READY", "SLOT_READY", "REVIEW_READY"],
  cases: [...official, ...commitment, ...blocked],
  calibrated: ["official"]
}
