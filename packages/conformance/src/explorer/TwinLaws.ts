/**
 * The laws of twins: two runs of one goal that want the same act. It is done once, and is taken over or undone.
 *
 * @source docs/decisions/0018, 0023
 */
import * as ActionFate from "@backstitch/kernel/ActionFate"
import * as Payload from "@backstitch/kernel/Payload"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { Law } from "./ExplorerLaws.ts"
import type { Setting } from "./ExplorerSetting.ts"
import type { ExplorerState } from "./ExplorerState.ts"
import { once } from "./once.ts"
import * as World from "./World.ts"

/** The laws, in the order in which they are checked. */
export const all: ReadonlyArray<Law> = [
  {
    name: "an act of twins has one effect at most, and one reversal (L6, L14)",
    holds: (_, { world }) => world.effects.length <= 1 && world.reversals.length <= 1
  },
  {
    name: "nothing is taken over that is being undone, nor undone that another run relies on (decision 0023)",
    holds: (setting, { heads }) =>
      heads.every((head, index) =>
        reliedOn(head, setting).every((act) =>
          heads.every(
            (other, at) =>
              at === index || act.run !== setting.logs[at]!.run.id || !planned(other, setting).has(act.action)
          )
        )
      )
  },
  {
    name: "an effect that is told as success stands, or is told as reversed by the run that reversed it (L8)",
    holds: (setting, { heads, processes, world }) =>
      processes.every(
        ({ doing, run }) =>
          doing._tag !== "Ended" ||
          doing.outcome !== "Done" ||
          (world.effects.length > 0 && !World.isUndone(world)) ||
          hasReversed(heads[run]!, setting)
      )
  },
  {
    name: "nobody waits for another run for longer than an act and its reversal may take by contract (decision 0023)",
    holds: ({ scenario: { declared, times } }, { clock, processes }) => {
      const { sendWithin, settleAfter } = declared ?? times
      const longest = 2 * (sendWithin + settleAfter + readWithin)
      return processes.every(({ doing }) => doing._tag !== "Waiting" || clock - (doing.waits ?? clock) <= longest)
    }
  },
  {
    name: "a run that is held names a run that can go on, or a person: no two runs wait for one another (decision 0023)",
    holds: (setting, state) => state.processes.every((_, index) => canGoOn(setting, state, index))
  }
]

/** The time that the contract of a scenario gives a readback, in units of the clock. */
const readWithin = 1

interface Act {
  readonly run: string
  readonly action: string
}

/** Acts of another run that a run has taken over, and that it has not given up. */
const reliedOn = once(({ transitions }) =>
  transitions.flatMap(({ body }, index): ReadonlyArray<Act> => {
    const { action, run } = Payload.of(body, "action.request")?.adopted ?? {}
    if (run === undefined || action === undefined) return []
    const { settled, status } = ActionFate.of(transitions.slice(index), body.action?.id ?? "")
    return settled === undefined || status === "ok" ? [{ action, run }] : []
  })
)

/** Actions that a run has planned to undo, unless a person has called that off. */
const planned = once(({ transitions }): ReadonlySet<string> => {
  let found: ReadonlyArray<string> = []
  for (const { body } of transitions) {
    const { steps = [] } = Payload.of(body, "recovery.decided")?.plan ?? {}
    found = [...found, ...steps.map(({ undoes }) => undoes)]
    const decided = Payload.of(body, "review.decided")
    if (decided !== undefined && decided.undo !== "attested" && decided.undo !== "undoing") found = []
  }
  return new Set(found)
})

const hasReversed = once(({ position }) =>
  SettledActions.inOrder(position.state).some(([, effect]) => EffectStatus.isGone(effect))
)

/** The run has an action of its own under way, which a resume continues. */
const isUnfinished = once(({ position: { state } }) => {
  const isOpen = Object.values(OpenActions.of(state)).some((open) => open !== undefined)
  return isOpen || UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined
})

/** A person has decided about the reason for which the run was held. */
const isDecided = once(({ transitions }) => transitions.some(({ body }) => body.type === "review.decided"))

/** A held process waits for an action of its own run, or for one that another run had under way when it looked. */
const canGoOn = (setting: Setting, { heads, processes }: ExplorerState, index: number): boolean => {
  const { logs } = setting
  const { doing, run } = processes[index]!
  if (doing._tag !== "Ended" || doing.outcome !== "Held") return true
  const { behind } = doing
  if (behind === undefined) return isUnfinished(heads[run]!, setting) || isDecided(heads[run]!, setting)
  const other = logs.findIndex((log) => log.run.id === behind.run)
  const theirs = processes.find((process) => process.run === other)?.doing
  const isMutual = theirs?._tag === "Ended" && theirs.behind?.run === logs[run]!.run.id
  return isUnfinished(logs[other]!.node(behind.at), setting) && !isMutual
}
