/** Travel planning: cities and their days are planned, transport and stays are reserved. */
import * as Domain from "./Domain.ts"

const edges = Domain.edges(`
  BRIEF_OPEN -read_brief-> PLANNING
  PLANNING -search_stays-> STAYS_FOUND
  STAYS_FOUND -price_days-> STAYS_FOUND
  STAYS_FOUND -choose_stay-> STAY_CHOSEN
  STAY_CHOSEN -price_days-> STAY_CHOSEN
  STAY_CHOSEN -check_rules-> RULES_CHECKED
  RULES_CHECKED -accept_city-> PLANNING
  PLANNING -quote_transport-> TRANSPORT_QUOTED
  TRANSPORT_QUOTED -hold_seats-> SEATS_HELD
  SEATS_HELD -confirm_seats-> SEATS_CONFIRMED
  SEATS_CONFIRMED -issue_ticket-> PLANNING
  PLANNING -quote_stay-> STAY_QUOTED
  STAY_QUOTED -pay_deposit-> DEPOSIT_PAID
  DEPOSIT_PAID -confirm_stay-> STAY_CONFIRMED
  STAY_CONFIRMED -issue_voucher-> PLANNING
  PLANNING -assemble_plan-> PLAN_ASSEMBLED
  PLAN_ASSEMBLED -deliver_plan-> PLAN_DELIVERED
`)

const upTo = (tools: ReadonlyArray<string>, until: string | undefined): ReadonlyArray<string> =>
  until === undefined ? tools : tools.slice(0, tools.indexOf(until) + 1)
/** The steps of a city, whose days are priced once its stay is chosen. */
const city = (entity: number, until?: string): ReadonlyArray<string> =>
  upTo(["search_stays", "choose_stay", "price_days", "check_rules", "accept_city"], until).map(
    (tool) => `${tool} ${entity}`
  )
const leg = (entity: number, until?: string): ReadonlyArray<string> =>
  upTo(["quote_transport", "hold_seats", "confirm_seats", "issue_ticket"], until).map((tool) => `${tool} ${entity}`)
const stay = (entity: number, until?: string): ReadonlyArray<string> =>
  upTo(["quote_stay", "pay_deposit", "confirm_stay", "issue_voucher"], until).map((tool) => `${tool} ${entity}`)
const begun = ["read_brief brief"]
const onward = ["assemble_plan plan", "deliver_plan plan"]
const chosen = "the city was committed with its stay, and the days that were priced over it stay as they are"

const official: ReadonlyArray<Domain.Case> = [
  Domain.failing("stay of the first city", "official", {
    until: [...begun, ...city(0, "choose_stay")],
    onward: [...city(0).slice(2), ...leg(0), ...onward],
    signal: "tool_exception",
    expected: Domain.admitted("entry", "PlanCity::0::0", "no stay was chosen, and nobody stands on the search")
  }),
  Domain.failing("stay of the second city", "official", {
    until: [...begun, ...city(0), ...leg(0), ...city(1, "choose_stay")],
    onward: [...city(1).slice(2), ...stay(1), ...onward],
    signal: "timeout",
    expected: Domain.admitted("entry", "PlanCity::1::0", "no stay was chosen, and nobody stands on the search")
  }),
  Domain.failing("seats of the second leg", "official", {
    until: [...begun, ...city(0), ...leg(0), ...leg(1, "hold_seats")],
    onward: [...leg(1).slice(2), ...onward],
    signal: "tool_exception",
    expected: Domain.admitted("entry", "ReserveTransport::1::0", "no seat was held, and nobody stands on the quote")
  }),
  Domain.failing("deposit of the first stay", "official", {
    until: [...begun, ...city(0), ...stay(0, "pay_deposit")],
    onward: [...stay(0).slice(2), ...leg(0), ...onward],
    signal: "denied",
    expected: Domain.admitted("entry", "ReserveStay::0::0", "no deposit was paid, and nobody stands on the quote")
  })
]

/** Rules of a city that cannot be checked, once its days are priced. */
const rules = (id: string, signal: Domain.Case["signal"], before: ReadonlyArray<string>, entity: number): Domain.Case =>
  Domain.failing(id, "commitment", {
    until: [...begun, ...before, ...city(entity, "check_rules")],
    onward: [`accept_city ${entity}`, ...leg(entity), ...onward],
    signal,
    expected: Domain.admitted("commit", `PlanCity::${entity}::0`, chosen)
  })

const commitment: ReadonlyArray<Domain.Case> = [
  rules("rules of the second city", "tool_exception", [...city(0), ...leg(0), ...stay(0)], 1),
  rules("rules of the third city", "contract_violation", [...city(0), ...leg(0), ...city(1), ...leg(1)], 2),
  rules("rules of the second city, without an answer", "timeout", [...city(0), ...leg(0)], 1)
]

const blocked: ReadonlyArray<Domain.Case> = [
  Domain.failing("stay of a city whose days are priced", "blocked", {
    until: [...begun, "search_stays 0", "price_days 0", "choose_stay 0"],
    onward: ["check_rules 0", "accept_city 0", ...onward],
    signal: "tool_exception",
    drifts: ["search_stays"],
    expected: Domain.depended("PlanCity::0::0", {
      checkpoints: ["entry"],
      consumers: ["PlanDays::0::0"],
      why: "the days were priced over the stays that were found, and another search would find others"
    })
  }),
  Domain.failing("confirmation of seats that are held", "blocked", {
    until: [...begun, ...city(0), ...leg(0, "confirm_seats")],
    onward: [...leg(0).slice(3), ...onward],
    signal: "tool_exception",
    drifts: ["quote_transport"],
    expected: Domain.crossed(
      "ReserveTransport::0::0",
      ["entry"],
      "the seats were held at the quoted price, and another quote would hold others beside them"
    )
  }),
  Domain.failing("confirmation of the seats of a second leg", "blocked", {
    until: [...begun, ...city(0), ...leg(0), ...leg(1, "confirm_seats")],
    onward: [...leg(1).slice(3), ...onward],
    signal: "denied",
    drifts: ["quote_transport"],
    expected: Domain.crossed(
      "ReserveTransport::1::0",
      ["entry"],
      "the seats were held at the quoted price, and another quote would hold others beside them"
    )
  }),
  Domain.failing("confirmation of a stay whose deposit is paid", "blocked", {
    until: [...begun, ...city(0), ...stay(0, "confirm_stay")],
    onward: [...stay(0).slice(3), ...onward],
    signal: "tool_exception",
    drifts: ["quote_stay"],
    expected: Domain.crossed(
      "ReserveStay::0::0",
      ["entry"],
      "the deposit was paid for the quote, and another quote would have another one paid beside it"
    )
  })
]

/** Travel planning. */
export const travelPlanning: Domain.Domain = {
  name: "travel planning",
  machine: { initial: "BRIEF_OPEN", states: Domain.statesOf(edges), edges },
  tools: {
    read_brief: Domain.look("brief"),
    search_stays: Domain.look("stays", Domain.every("brief")),
    choose_stay: Domain.look("city", Domain.own("stays")),
    price_days: Domain.look("days", Domain.own("stays"), Domain.own("city")),
    check_rules: Domain.look("checked", Domain.own("city")),
    accept_city: Domain.look("accepted", Domain.own("city")),
    quote_transport: Domain.look("transport", Domain.every("brief")),
    hold_seats: Domain.act("seats", Domain.own("transport")),
    confirm_seats: Domain.act("confirmed", Domain.own("seats")),
    issue_ticket: Domain.look("ticket", Domain.own("confirmed")),
    quote_stay: Domain.look("quote", Domain.every("brief")),
    pay_deposit: Domain.act("deposit", Domain.own("quote")),
    confirm_stay: Domain.act("booked", Domain.own("deposit")),
    issue_voucher: Domain.look("voucher", Domain.own("booked")),
    assemble_plan: Domain.look("plan", Domain.every("accepted"), Domain.every("ticket"), Domain.every("voucher")),
    deliver_plan: Domain.act("delivered", Domain.own("plan"))
  },
  skeletons: {
    PlanCity: {
      tools: ["search_stays", "choose_stay", "check_rules", "accept_city"],
      states: ["STAYS_FOUND", "STAY_CHOSEN", "RULES_CHECKED"],
      outputs: ["city"],
      commits: ["choose_stay"],
      exits: ["accept_city"],
      pending: []
    },
    PlanDays: {
      tools: ["price_days"],
      states: ["STAYS_FOUND", "STAY_CHOSEN"],
      outputs: ["days"],
      commits: ["price_days"],
      exits: [],
      pending: []
    },
    ReserveTransport: {
      tools: ["quote_transport", "hold_seats", "confirm_seats", "issue_ticket"],
      states: ["TRANSPORT_QUOTED", "SEATS_HELD", "SEATS_CONFIRMED"],
      outputs: ["confirmed"],
      commits: ["confirm_seats"],
      exits: ["issue_ticket"],
      pending: []
    },
    ReserveStay: {
      tools: ["quote_stay", "pay_deposit", "confirm_stay", "issue_voucher"],
      states: ["STAY_QUOTED", "DEPOSIT_PAID", "STAY_CONFIRMED"],
      outputs: ["booked"],
      commits: ["confirm_stay"],
      exits: ["issue_voucher"],
      pending: []
    }
  },
  anchors: ["BRIEF_OPEN", "PLANNING"],
  cases: [...official, ...commitment, ...blocked],
  calibrated: ["official", "commitment"]
}
