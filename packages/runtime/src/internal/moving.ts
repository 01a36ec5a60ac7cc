/**
 * Holds late evidence against how its action was settled, and a message against the actions that it reports.
 *
 * @since 0.1.0
 */
import type { Command } from "@backstitch/kernel/Command"
import type * as Commit from "@backstitch/kernel/Commit"
import type { Decision } from "@backstitch/kernel/Decision"
import * as Delivery from "@backstitch/kernel/Delivery"
import * as LateReading from "@backstitch/kernel/LateReading"
import * as Moves from "@backstitch/kernel/Moves"
import type { Terms } from "@backstitch/kernel/Terms"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import type { State } from "@backstitch/reducer/State"
import type { Run } from "@backstitch/trace/Run"
import type { Draft } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import type * as History from "../History.ts"

/** Where an answer is decided on. */
interface Asked {
  readonly terms: Terms
  readonly state: State
}

const begin = (action: string, state: State): number =>
  OpenActions.of(state)[action]?.tick ?? SettledActions.of(state).get(action)?.started ?? 1

export const make = (run: Run, history: History.History["Service"]) => {
  /** The trace says how it came to where it is, and what was decided of what it undoes. */
  const load = Effect.fnUntraced(function* (action: string, state: State) {
    const { undoes = action } = OpenActions.of(state)[action] ?? {}
    const from = Math.min(begin(action, state), begin(undoes, state))
    return ActionHistory.of(yield* history.transitions(run, { from }), action)
  })

  /** A message is held against how the actions stand that it reports, with what is decided and not yet durable. */
  const informed = Effect.fnUntraced(function* (
    command: Command,
    { head, state }: Commit.Position,
    waiting: ReadonlyArray<Draft>
  ) {
    if (command._tag !== "Propose" || !MessageReport.isMessage(command.proposal)) return command
    const { data = {} } = command.proposal
    const claims = MessageReport.claims(data) ?? []
    if (claims.length === 0) return command
    const stored = yield* history.transitions(run, {
      from: Math.min(...claims.map(({ action }) => begin(action, state)))
    })
    const drafts = waiting.map((draft, index) => ({ ...draft, tick: head.tick + index + 1 }))
    const histories = ActionHistory.all([...stored.filter(({ tick }) => tick <= head.tick), ...drafts])
    return { ...command, standings: MessageReport.standings(histories, data) }
  })

  /** What a record says that another process settled before: it is judged in the state in which that was settled. */
  const reading = Effect.fnUntraced(function* (at: Asked, action: string, read: LateReading.Read) {
    const from = SettledActions.of(at.state).get(action)?.started ?? 1
    const transitions = yield* history.transitions(run, { from })
    const settled = ActionHistory.of(transitions, action)
    if (settled?.reconciled === undefined) return []
    const before = yield* history.at(run, settled.reconciled.tick - 1)
    return LateReading.judge(at.terms, at.state, { history: settled, before: before.state, transitions }, read)
  })

  /** What an answer contradicts that comes after its action was settled. */
  const late = Effect.fnUntraced(function* (at: Asked, command: Command, decision: Decision) {
    const { drafts, next } = decision
    const adopted = next._tag === "End" && next.outcome._tag === "Done" ? next.outcome.adopted : undefined
    if (drafts.length > 0 || adopted?.action === undefined) return decision
    if (command._tag === "ReadBack") {
      const shown = yield* reading(at, adopted.action, command)
      return shown.length === 0 ? decision : { ...decision, drafts: shown }
    }
    const via = command._tag === "Answered" ? command.via : "webhook"
    const evidence =
      command._tag === "Answered"
        ? command.evidence
        : command._tag === "Deliver"
          ? Delivery.evidenceOf(at.terms, at.state, command)
          : undefined
    const settled = evidence === undefined ? undefined : yield* load(adopted.action, at.state)
    const anomaly =
      evidence === undefined || settled === undefined
        ? undefined
        : Moves.late(settled, { evidence, via, now: at.terms.now })
    return anomaly === undefined ? decision : { ...decision, drafts: [anomaly] }
  })

  return { informed, late }
}
