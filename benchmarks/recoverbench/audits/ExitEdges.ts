/**
 * Reviewed exits that are realised: a played plan reaches each of them, and its subtask has an exit checkpoint.
 *
 * The legal edges that are no exits stand in `Ablations`.
 *
 * @source DART, table 24
 */
import * as Instance from "@backstitch/admissibility/Instance"
import * as Effect from "effect/Effect"
import * as DomainPack from "../harness/DomainPack.ts"
import * as Trial from "../harness/Trial.ts"
import * as Domain from "../universe/Domain.ts"
import * as Plan from "../universe/Plan.ts"
import * as Universe from "../universe/Universe.ts"

/** A reviewed exit, and whether a played plan left an exit checkpoint there. */
export interface ExitEdge {
  readonly domain: Domain.Name
  readonly edge: string
  readonly isRealised: boolean
}

/** The steps before an exit, and the exits that are legal then. */
const plans: Readonly<
  Partial<Record<Domain.Name, { readonly before: ReadonlyArray<string>; readonly exits: ReadonlyArray<string> }>>
> = {
  navigation: {
    before: ["set_origin trip", "search_poi 0", "rank_poi 0", "ask_poi 0", "refine_poi 0"],
    exits: ["confirm_stop 0", "confirm_and_route 0", "confirm_and_finish 0"]
  },
  "schedule form": {
    before: ["load_participants form", "query_calendars 0", "propose_times 0", "ask_slot 0", "hold_room 0"],
    exits: ["confirm_slot 0", "confirm_last_slot 0", "confirm_and_close 0"]
  }
}

/** Plays a plan up to each reviewed exit. */
export const all = async (): Promise<ReadonlyArray<ExitEdge>> => {
  const rows: Array<ExitEdge> = []
  for (const domain of Universe.domains) {
    const { before = [], exits = [] } = plans[domain.name] ?? {}
    for (const exit of exits) rows.push(await played(domain, [...before, exit]))
  }
  return rows
}

const played = async (domain: Domain.Domain, plan: ReadonlyArray<string>): Promise<ExitEdge> => {
  const each: Domain.Case = {
    id: "exit",
    regime: "official",
    plan,
    fails: plan.length - 1,
    signal: "tool_exception",
    drifts: [],
    expected: Domain.admitted("entry", "", "")
  }
  const last = Plan.steps(domain, each).at(-1)
  let isRealised = false
  await Trial.play({
    case: each,
    domain,
    pack: DomainPack.of(domain),
    inspect: (handle) =>
      Effect.map(handle.subtasks, (lifted) => {
        const entry = [...(lifted?.registry.entries.values() ?? [])].find(
          ({ instance }) => Instance.show(instance) === last?.instance
        )
        isRealised = entry?.phase === "exited" && entry.checkpoints.at(-1)?.kind === "exit"
      })
  })
  return { domain: domain.name, edge: `${last?.from} → ${last?.to}`, isRealised }
}
