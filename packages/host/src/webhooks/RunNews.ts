/**
 * The news of a run that people want to be told of: approvals that wait, actions that are held, incidents, violations,
 * and its end.
 *
 * News are read from the folded state, like the waits of a run. Only the finding about a held action and its incident
 * are read from its history. Each has an id that follows from what it is about, so news that are found again after a
 * crash have the same id, and a receiver knows them.
 */
import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Latch from "@backstitch/reducer/Latch"
import type { State } from "@backstitch/reducer/State"
import type * as AlarmHold from "@backstitch/runtime/AlarmHold"
import type { NewsType } from "@backstitch/runtime/NewsType"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import type * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import type * as RunWaits from "../waiting/RunWaits.ts"

/**
 * One piece of news. Its data name things of the run, and hold no argument of a call: those are asked for. So a card is
 * kept apart, and sent as its endpoint may see it.
 */
export interface RunNews {
  readonly id: string
  readonly type: NewsType
  readonly data: JsonObject
  readonly card?: ApprovalCard.ApprovalCard | undefined
}

/** The end of the work on a run, and the round of its assignment. */
export interface EndedWork {
  readonly how: string
  readonly round: number
  readonly next?: string | undefined
}

/**
 * A state of a run, with what it waits for, the cards of its approvals that wait, and the alarms of its topology that
 * are on record.
 */
export interface RunSituation {
  readonly state: State
  readonly waits: ReadonlyArray<RunWaits.RunWait>
  readonly cards: ReadonlyArray<ApprovalCard.ApprovalCard>
  /** The histories of the actions that are held. Without them, news do not say what was found of an action. */
  readonly histories?: ActionHistories.ActionHistories | undefined
  readonly alarms?: ReadonlyArray<AlarmHold.Alarm> | undefined
}

/**
 * Lists the news that stand in a state: what is decided or settled is none any more. An alarm is told as a violation,
 * by the id of its crack.
 */
export const of = (run: Run, situation: RunSituation): ReadonlyArray<RunNews> => {
  const { alarms = [], cards, state } = situation
  const alarmed = alarms.map(({ predicate, tick }) => [predicate, tick] as const)
  const violations = [...Object.entries(Latch.of(state)), ...alarmed]
  return [
    ...cards.map((card) => {
      const { needs, review, tick, tool } = card
      return { ...make(run, "approval.requested", { review, tick, tool }, { needs }), card }
    }),
    ...held(run, situation),
    ...violations.map(([predicate, tick]) => make(run, "violation.found", { predicate, tick }))
  ]
}

/** Tells whether a run waits for anything about actions, whose histories then belong to its news. */
export const isHolding = (waits: ReadonlyArray<RunWaits.RunWait>): boolean => waits.some(holds)

const holds = ({ for: reason }: RunWaits.RunWait): boolean =>
  reason !== "approval" && reason !== "revision" && reason !== "step"

/** The news that a run has come to its end. The reason is asked for: it may hold what a person or a tool has said. */
export const ended = (run: Run, { how, next, round }: EndedWork): RunNews =>
  make(run, "run.ended", { how, round }, next === undefined ? {} : { next })

/** The news that were not told yet. */
export const fresh = (news: ReadonlyArray<RunNews>, told: ReadonlySet<string>): ReadonlyArray<RunNews> =>
  news.filter(({ id }) => !told.has(id))

/** One piece of news for each action, whatever else it waits for, and one for each incident about one. */
const held = (run: Run, { histories, state, waits }: RunSituation): ReadonlyArray<RunNews> => {
  const open = OpenActions.of(state)
  return [...Map.groupBy(waits.filter(holds), (wait) => wait.about)].flatMap(([about, held]) => {
    const action = Object.hasOwn(open, about) ? open[about] : undefined
    // An action that a person has tried again, and that is held again, is news again.
    const since = action === undefined ? {} : { tick: action.tick, tool: action.tool, tries: action.renewed ?? 0 }
    const { decision, discrepancy, incident } = histories?.get(about) ?? {}
    const found = {
      ...(discrepancy === undefined ? {} : { discrepancy }),
      ...(decision === undefined ? {} : { decision })
    }
    const opened =
      incident === undefined ? [] : [make(run, "incident.opened", { about, incident }, { ...found, ...since })]
    const named = incident === undefined ? {} : { incident }
    return [
      make(run, "action.held", { about, ...since }, { waitsFor: held.map((wait) => wait.for), ...found, ...named }),
      ...opened
    ]
  })
}

/** The id follows from `what`; `more` may change while the news stand. */
const make = (run: Run, type: NewsType, what: JsonObject, more: JsonObject = {}): RunNews => {
  const named = Canonical.encode({ run: run.id, tenant: run.tenant, type, what })
  return {
    id: `msg_${Digest.ofBytes(`backstitch.news.1\n${named}`).slice(0, 32)}`,
    type,
    data: { run: run.id, ...what, ...more }
  }
}
