/** Navigation: stops are searched, chosen by a person and confirmed, and a route is planned over them. */
import * as Domain from "./Domain.ts"

const edges = Domain.edges(`
  IDLE -set_origin-> ORIGIN_READY
  ORIGIN_READY -search_poi-> SEARCHING
  STOP_READY -search_poi-> SEARCHING
  ROUTES_PLANNED -search_poi-> SEARCHING
  SEARCHING -widen_search-> SEARCHING
  SEARCHING -rank_poi-> WAITING_POI_SELECTION
  WAITING_POI_SELECTION -ask_poi-> POI_SELECTED
  WAITING_POI_SELECTION -skip_stop-> STOP_READY
  WAITING_POI_SELECTION -widen_search-> SEARCHING
  POI_SELECTED -load_poi-> STOP_DETAILED
  POI_SELECTED -refine_poi-> WAITING_QUERY_REFINEMENT
  STOP_DETAILED -refine_poi-> WAITING_QUERY_REFINEMENT
  STOP_DETAILED -confirm_stop-> STOP_READY
  WAITING_QUERY_REFINEMENT -confirm_stop-> STOP_READY
  WAITING_QUERY_REFINEMENT -confirm_and_route-> ROUTES_PLANNED
  WAITING_QUERY_REFINEMENT -confirm_and_finish-> DONE
  WAITING_QUERY_REFINEMENT -preview_route-> WAITING_QUERY_REFINEMENT
  WAITING_QUERY_REFINEMENT -load_poi-> STOP_DETAILED
  STOP_READY -plan_route-> ROUTES_PLANNED
  ROUTES_PLANNED -present_routes-> WAITING_ROUTE_SELECTION
  WAITING_ROUTE_SELECTION -choose_route-> ROUTE_SELECTED
  WAITING_ROUTE_SELECTION -plan_route-> ROUTES_PLANNED
  ROUTE_SELECTED -build_guidance-> GUIDANCE_READY
  ROUTE_SELECTED -plan_route-> ROUTES_PLANNED
  GUIDANCE_READY -build_guidance-> GUIDANCE_READY
  GUIDANCE_READY -start_guidance-> GUIDING
  GUIDING -finish_trip-> DONE
  STOP_READY -abandon_trip-> DONE
`)

/** The steps of a stop, up to one of them. */
const stop = (entity: number, until = "confirm_stop", more: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const all = ["search_poi", ...more, "rank_poi", "ask_poi", "load_poi", "confirm_stop"]
  return all.slice(0, all.indexOf(until) + 1).map((tool) => `${tool} ${entity}`)
}
const rest = (entity: number, from: string): ReadonlyArray<string> => stop(entity).slice(stop(entity, from).length)
const origin = ["set_origin trip"]
const onward = [
  "plan_route all",
  "present_routes all",
  "choose_route all",
  "build_guidance trip",
  "start_guidance trip",
  "finish_trip trip"
]
const before = "nothing of the stop was handed over, and nobody stands on it"
const chosen = "the stop was committed with the person's choice, and nothing after it is consumed"

const official: ReadonlyArray<Domain.Case> = [
  Domain.failing("rank of the second stop", "official", {
    until: [...origin, ...stop(0), ...stop(1, "rank_poi")],
    onward: [...rest(1, "rank_poi"), ...onward],
    signal: "tool_exception",
    expected: Domain.admitted("entry", "ResolveStop::1::0", before)
  }),
  Domain.failing("rank of the first stop", "official", {
    until: [...origin, ...stop(0, "rank_poi")],
    onward: [...rest(0, "rank_poi"), ...stop(1), ...onward],
    signal: "timeout",
    expected: Domain.admitted("entry", "ResolveStop::0::0", before)
  }),
  Domain.failing("rank after a wider search", "official", {
    until: [...origin, ...stop(0), ...stop(1), ...stop(2, "rank_poi", ["widen_search"])],
    onward: [...rest(2, "rank_poi"), ...onward],
    signal: "invalid_output",
    expected: Domain.admitted("entry", "ResolveStop::2::0", before)
  }),
  Domain.failing("rank of a stop that is opened again", "official", {
    until: [...origin, ...stop(0), ...stop(1), ...stop(0, "rank_poi")],
    onward: [...rest(0, "rank_poi"), ...onward],
    signal: "tool_exception",
    expected: Domain.admitted("entry", "ResolveStop::0::1", before)
  })
]

const refine = (entity: number) => [...stop(entity, "ask_poi"), `refine_poi ${entity}`]

const commitment: ReadonlyArray<Domain.Case> = [
  Domain.failing("details of the second stop", "commitment", {
    until: [...origin, ...stop(0), ...stop(1, "load_poi")],
    onward: [...rest(1, "load_poi"), ...onward],
    signal: "tool_exception",
    expected: Domain.admitted("commit", "ResolveStop::1::0", chosen)
  }),
  Domain.failing("details of the third stop", "commitment", {
    until: [...origin, ...stop(0), ...stop(1), ...stop(2, "load_poi")],
    onward: [...rest(2, "load_poi"), ...onward],
    signal: "timeout",
    expected: Domain.admitted("commit", "ResolveStop::2::0", chosen)
  }),
  Domain.failing("details of the fourth stop", "commitment", {
    until: [...origin, ...stop(0), ...stop(1), ...stop(2), ...stop(3, "load_poi")],
    onward: [...rest(3, "load_poi"), ...onward],
    signal: "invalid_output",
    expected: Domain.admitted("commit", "ResolveStop::3::0", chosen)
  }),
  Domain.failing("refinement of the third stop", "commitment", {
    until: [...origin, ...stop(0), ...stop(1), ...refine(2)],
    onward: ["confirm_stop 2", ...onward],
    signal: "missing_input",
    expected: Domain.admitted("commit", "ResolveStop::2::0", chosen)
  }),
  Domain.failing("details of the first stop, opened again", "commitment", {
    until: [...origin, ...stop(0), ...stop(1), ...stop(0, "load_poi")],
    onward: [...rest(0, "load_poi"), ...onward],
    signal: "tool_exception",
    expected: Domain.admitted("commit", "ResolveStop::0::1", chosen)
  }),
  Domain.failing("details of the second stop, opened again", "commitment", {
    until: [...origin, ...stop(0), ...stop(1), ...stop(2), ...stop(1, "load_poi")],
    onward: [...rest(1, "load_poi"), ...onward],
    signal: "contract_violation",
    expected: Domain.admitted("commit", "ResolveStop::1::1", chosen)
  }),
  Domain.failing("details after a wider search", "commitment", {
    until: [...origin, ...stop(0), ...stop(1), ...stop(2, "load_poi", ["widen_search"])],
    onward: [...rest(2, "load_poi"), ...onward],
    signal: "timeout",
    expected: Domain.admitted("commit", "ResolveStop::2::0", chosen)
  }),
  Domain.failing("details after two stops were opened again", "commitment", {
    until: [...origin, ...stop(0), ...stop(1), ...stop(0), ...stop(1, "load_poi")],
    onward: [...rest(1, "load_poi"), ...onward],
    signal: "chain_exception",
    expected: Domain.admitted("commit", "ResolveStop::1::1", chosen)
  })
]

const blocked: ReadonlyArray<Domain.Case> = [
  Domain.failing("confirmation of a stop whose refinement a route was previewed over", "blocked", {
    until: [...origin, ...refine(0), "preview_route all", "confirm_stop 0"],
    onward: [...stop(1), ...onward],
    signal: "contract_violation",
    expected: Domain.depended("ResolveStop::0::0", {
      checkpoints: ["commit", "entry"],
      consumers: ["PlanRoute::all::0"],
      why: "the refined stop was written after the commit, and the committed preview was computed over it"
    })
  })
]

/** Navigation. */
export const navigation: Domain.Domain = {
  name: "navigation",
  machine: { initial: "IDLE", states: Domain.statesOf(edges), edges },
  tools: {
    set_origin: Domain.ask("origin"),
    search_poi: Domain.look("found", Domain.every("origin")),
    widen_search: Domain.look("found", Domain.own("found")),
    rank_poi: Domain.look("ranked", Domain.own("found")),
    ask_poi: Domain.ask("stop", Domain.own("ranked")),
    skip_stop: Domain.look("skipped", Domain.own("ranked")),
    load_poi: Domain.look("details", Domain.own("stop")),
    refine_poi: Domain.ask("stop", Domain.own("stop")),
    confirm_stop: Domain.look("confirmed", Domain.own("stop")),
    confirm_and_route: Domain.look("confirmed", Domain.own("stop")),
    confirm_and_finish: Domain.look("confirmed", Domain.own("stop")),
    preview_route: Domain.look("route", Domain.every("stop")),
    plan_route: Domain.look("route", Domain.every("stop")),
    present_routes: Domain.look("routes", Domain.own("route")),
    choose_route: Domain.ask("chosen", Domain.own("routes")),
    build_guidance: Domain.look("guidance", Domain.every("chosen")),
    start_guidance: Domain.look("started", Domain.own("guidance")),
    finish_trip: Domain.look("finished", Domain.own("started")),
    abandon_trip: Domain.ask("finished", Domain.every("stop"))
  },
  skeletons: {
    ResolveStop: {
      tools: [
        "search_poi",
        "widen_search",
        "rank_poi",
        "ask_poi",
        "skip_stop",
        "load_poi",
        "refine_poi",
        "confirm_stop",
        "confirm_and_route",
        "confirm_and_finish"
      ],
      states: ["SEARCHING", "WAITING_POI_SELECTION", "POI_SELECTED", "STOP_DETAILED", "WAITING_QUERY_REFINEMENT"],
      outputs: ["stop"],
      commits: ["ask_poi"],
      exits: ["confirm_stop", "confirm_and_route", "confirm_and_finish"],
      pending: ["skip_stop"]
    },
    PlanRoute: {
      tools: ["preview_route", "plan_route", "present_routes", "choose_route"],
      states: ["WAITING_QUERY_REFINEMENT", "ROUTES_PLANNED", "WAITING_ROUTE_SELECTION"],
      outputs: ["route"],
      commits: ["preview_route", "plan_route"],
      exits: ["choose_route"],
      pending: []
    },
    FinalizeTrip: {
      tools: ["build_guidance", "start_guidance", "finish_trip"],
      states: ["GUIDANCE_READY", "GUIDING"],
      outputs: ["guidance"],
      commits: ["build_guidance"],
      exits: ["finish_trip"],
      pending: []
    }
  },
  anchors: ["IDLE", "ORIGIN_READY", "STOP_READY"],
  cases: [...official, ...commitment, ...blocked],
  calibrated: ["official"]
}
