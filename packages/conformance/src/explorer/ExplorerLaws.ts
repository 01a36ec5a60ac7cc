/** The laws that hold in every state of an exploration. */

import * as ActionFate from "@backstitch/kernel/ActionFate"
import * as Check from "@backstitch/kernel/Check"
import type { Decided } from "@backstitch/kernel/Decision"
import * as InvalidMove from "@backstitch/kernel/InvalidMove"
import * as Payload from "@backstitch/kernel/Payload"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionState from "@backstitch/ledger/ActionState"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Claims from "@backstitch/trace/Claims"
import type { Awaiting, Facing } from "./ExploredDoing.ts"
import type * as ExploredLog from "./ExploredLog.ts"
import type { Setting } from "./ExplorerSetting.ts"
import type { ExplorerState } from "./ExplorerState.ts"
import { once } from "./once.ts"
import * as Scenario from "./Scenario.ts"
import * as World from "./World.ts"

/** A law: its name, and whether it holds in a state. */
export interface Law {
  readonly name: string
  readonly holds: (setting: Setting, state: ExplorerState) => boolean
}

/** The laws, in the order in which they are checked. */
export const all: ReadonlyArray<Law> = [
  {
    name: "no effect happens twice, and none is undone twice (L14)",
    holds: (_, { heads, world }) =>
      world.effects.length <= heads.length &&
      (heads.length === 1 || isDistinct(world.effects.map(({ key }) => key))) &&
      world.reversals.length <= world.effects.length
  },
  {
    name: "nobody undoes what was undone when its sender asked about it last (L5)",
    holds: (_, { world }) => world.reversals.every(({ knew }) => !knew)
  },
  {
    name: "an act is told as undone only if it is: the system of record has said so (L5, L8)",
    holds: (setting, { heads, world }) => World.isUndone(world) || !heads.some((head) => isUndone(head, setting))
  },
  {
    name: "an act is told as absent only if it is not there (L5, L8)",
    holds: (setting, { heads, world }) => world.effects.length === 0 || !heads.some((head) => isAbsent(head, setting))
  },
  {
    name: "no effect that happened is recorded as failed or refused (L14)",
    holds: (setting, { heads, world }) =>
      world.effects.every(({ key }) => heads.every((head) => !keysOfFailed(head, setting).has(key)))
  },
  {
    name: "nothing is recorded as failed that is still under way (decision 0036)",
    holds: ({ scenario, ...setting }, { clock, heads, network, world }) =>
      network.every(
        (each) =>
          each._tag === "Answer" ||
          World.isDecided(world, scenario, { key: each.key, clock }) ||
          heads.every((head) => !failedKeys(head, { scenario, ...setting }).has(each.key))
      )
  },
  {
    name: "no effect happens before its key is durable (L5)",
    holds: (setting, { heads, network, world }) =>
      [...world.effects, ...world.reversals, ...network].every(
        (each) => !("key" in each) || heads.some((head) => startedKeys(head, setting).has(each.key))
      )
  },
  {
    name: "nothing is sent of which the record could not be read before (decision 0017)",
    holds: (_, { network }) => !network.some((each) => each._tag === "Request" && each.unread === true)
  },
  {
    name: "an open transaction is committed only after that verdict is on record (decision 0011)",
    holds: (setting, { heads, network, world }) =>
      setting.scenario.transaction === undefined ||
      (world.effects.length === 0 && !network.some((each) => each._tag === "Request" && each.tool === "commit")) ||
      heads.every((head) => isJudged(head, setting))
  },
  {
    name: "a transaction that was rolled back for a person is settled by nobody else (decision 0011)",
    holds: (setting, { heads, world }) =>
      world.astray !== true ||
      heads.every((head) => settlements(head, setting).length === 0 || isDecided(head, setting))
  },
  {
    name: "nothing is sent or told on a settlement that is not durable (decision 0051)",
    holds: (_, { processes }) =>
      processes.every(
        ({ doing, staged }) =>
          !staged.some(({ soon }) => soon) ||
          (doing._tag !== "Ended" && !("via" in doing && (isSending(doing) || doing.via === "open")))
      )
  },
  {
    name: "no commit that was acknowledged is lost (L1, L14)",
    holds: ({ logs }, { heads, processes }) =>
      processes.every(({ at, doing, run }) => doing._tag === "Down" || leadsTo(logs[run]!.node(at), heads[run]!))
  },
  {
    name: "an action that is begun and not settled holds its target, and nothing else starts on it (L7)",
    holds: (setting, { heads }) => heads.every((head) => isHeld(head, setting))
  },
  {
    name: "no two runs of a tenant have begun on one target and not settled (L7)",
    holds: (_, { heads }) => heads.filter((head) => begun(head).length > 0).length <= 1
  },
  {
    name: "success is told only where it is reconciled and true (L8)",
    holds: (setting, { heads, processes, world }) =>
      processes.every(({ aside, at, doing, run }) => {
        if (doing._tag !== "Ended" || aside !== undefined) return true
        const head = heads[run]!
        if (doing.outcome === "Done") {
          const isReversed = reversalsOf(setting, head, world) > 0 && !isGone(head, setting)
          // An effect that stood when the run reported it, by all that the run knew, may have been undone since.
          const isSince = hasLost(head, setting) && !hasLost(setting.logs[run]!.node(at), setting)
          const isThere = settlements(head, setting).includes("ok") && shownOf(setting, head, world) > 0
          return isThere && (!isReversed || isSince)
        }
        return doing.outcome !== "Failed" || hasNotSucceeded(head, setting) || hasLost(head, setting)
      })
  },
  {
    name: "beliefs do not outrun effects (L8)",
    holds: (setting, { heads, world }) =>
      heads.every((head) => Number(head.position.state.world["paid"]) <= shownOf(setting, head, world))
  },
  {
    name: "an action is settled once (L14)",
    holds: (setting, { heads }) => heads.every((head) => isSettledOnce(head, setting))
  },
  {
    name: "the state of an action in the fold moves only by edges of the table (decision 0025)",
    holds: (setting, { heads }) => heads.every((head) => isMovedByEdges(head, setting))
  },
  {
    name: "nothing is decided that the table of states refuses (decision 0025)",
    holds: (setting, { heads }) => heads.every((head) => !isRefusedMove(head, setting))
  },
  {
    name: "the fold and the log know one thing of every effect (L2)",
    holds: (setting, { heads }) => heads.every((head) => isOneRelation(head, setting))
  },
  {
    name: "the trace of a holder tells other runs of every effect what its fold knows (L2)",
    holds: (setting, { heads }) => heads.every((head) => isToldAlike(head, setting))
  },
  {
    name: "names that are held are the fold of the log (L6, L7)",
    holds: (setting, { heads }) => heads.every((head) => isFoldOfNames(head, setting))
  }
]

/** Tells whether a process is about to send an effect, or has sent it. A call that only reads is none. */
const isSending = (doing: Facing | Awaiting): boolean =>
  doing.via === "call" && !("tool" in doing && Scenario.isRead(doing.tool))

const isDistinct = (keys: ReadonlyArray<string>): boolean => new Set(keys).size === keys.length

/** Effects of a run. If there is only one run, all effects are its own. */
const effectsOf = (setting: Setting, head: ExploredLog.Node, { effects }: World.World): number =>
  setting.logs.length === 1 ? effects.length : effects.filter(({ key }) => startedKeys(head, setting).has(key)).length

/** The same, with the effect of another act that the system of record shows in its place. */
const shownOf = (setting: Setting, head: ExploredLog.Node, world: World.World): number =>
  effectsOf(setting, head, world) + (world.foreign === true ? 1 : 0)

/** Undoings that a run has sent. */
const reversalsOf = (setting: Setting, head: ExploredLog.Node, { reversals }: World.World): number =>
  reversals.filter(({ key }) => startedKeys(head, setting).has(key)).length

/** Tells whether the run knows of a settled effect that no longer stands, or may not. */
const hasLost = once(({ position }) =>
  SettledActions.inOrder(position.state).some(([, { undo }]) => undo !== "standing")
)

/** Actions that have started and are not settled. */
const begun = (head: ExploredLog.Node): ReadonlyArray<string> =>
  Object.entries(OpenActions.of(head.position.state)).flatMap(([action, open]) =>
    open === undefined || !OpenAction.isBegun(open) || open.adopted ? [] : [action]
  )

/** Tells whether a commit that a process has seen is in the history of a log. */
const leadsTo = (node: ExploredLog.Node, head: ExploredLog.Node): boolean => {
  const { link, tick } = node.position.head
  if (tick === 0) return true
  let at: ExploredLog.Node | undefined = head
  while (at !== undefined && at.position.head.tick > tick) at = at.parent
  return at?.position.head.link === link
}

/** Actions other than payments: their reversals, and later actions. */
const othersIn = (transitions: ExploredLog.Node["transitions"]): ReadonlySet<string> =>
  new Set(
    transitions.flatMap(({ body: { action, type } }) =>
      type === "action.request" && action !== undefined && action.tool !== "pay" ? [action.id] : []
    )
  )

/** Settlements of payments. The outcome of a reversal counts for its original. */
const settlements = once((head) => {
  const others = othersIn(head.transitions)
  return head.transitions.flatMap(({ body }) => {
    if (others.has(body.action?.id ?? "")) return []
    if (body.type === "action.reconciled") return [body.result?.status ?? "none"]
    return body.type === "intent.dropped" ? ["dropped"] : []
  })
})

const startedKeys = once(
  (head): ReadonlySet<string> =>
    new Set(head.transitions.flatMap(({ stamp }) => (stamp.key === undefined ? [] : [stamp.key])))
)

/** The keys of payments that were settled as failures. An abandoned one was not, since its outcome is unknown. */
const keysOfFailed = once(({ transitions }): ReadonlySet<string> => {
  const others = othersIn(transitions)
  const failed = new Set(
    transitions.flatMap(({ body: { action, result, type } }) => {
      const isFailed = type === "action.reconciled" && result?.status !== "ok" && result?.status !== "unknown"
      return (isFailed || type === "intent.dropped") && action !== undefined && !others.has(action.id)
        ? [action.id]
        : []
    })
  )
  return new Set(
    transitions.flatMap(({ body, stamp }) =>
      stamp.key !== undefined && failed.has(body.action?.id ?? "") ? [stamp.key] : []
    )
  )
})

/** Tells whether an action was settled as something other than a success. */
const hasNotSucceeded = once(({ transitions }) =>
  transitions.some(
    ({ body }) => body.type === "intent.dropped" || (body.type === "action.reconciled" && body.result?.status !== "ok")
  )
)

/** Keys of actions that have failed, according to the log. */
const failedKeys = once(({ transitions }): ReadonlySet<string> => {
  const keys = new Map<string, string>()
  const failed = new Set<string>()
  for (const { body, stamp } of transitions) {
    const { id = "" } = body.action ?? {}
    if (body.type === "action.started" && stamp.key !== undefined) keys.set(id, stamp.key)
    if (body.type === "action.reconciled" && body.result?.status === "error") failed.add(keys.get(id) ?? "")
  }
  return failed
})

/** Tells whether a person has decided. */
const isDecided = once(({ transitions }) => transitions.some(({ body }) => body.type === "review.decided"))

const isJudged = once(({ transitions }) =>
  transitions.some(({ body }) => Payload.of(body, "action.verified")?.verdict === "commit")
)

const isUndone = once((head) => SettledActions.inOrder(head.position.state).some(([, { undo }]) => undo === "undone"))

/** Tells whether the run reports an effect as undone, attested to be undone, or absent. */
const isGone = once((head) =>
  SettledActions.inOrder(head.position.state).some(([, effect]) => EffectStatus.isGone(effect))
)

const isAbsent = once((head) => SettledActions.inOrder(head.position.state).some(([, { undo }]) => undo === "absent"))

/** Each logged state follows from the one before by an edge, and the last one is that of the fold. */
const isMovedByEdges = once(({ position, transitions }) => {
  const histories = ActionHistories.all(transitions)
  const open = OpenActions.of(position.state)
  return (
    Object.entries(open).every(([action, each]) => each?.state === histories.get(action)?.state) &&
    [...histories.values()].every(({ visited }) =>
      visited.every(({ state }, index) => {
        const from = visited[index - 1]?.state
        return from === undefined || ActionState.edge(from, state) !== undefined
      })
    )
  )
})

const isOneRelation = once(({ position, transitions }) => {
  const histories = ActionHistories.all(transitions)
  return SettledActions.inOrder(position.state).every(([action, { undo }]) => undo === histories.get(action)?.undo)
})

/** For other runs, a plan is an undoing even before its first reversal has begun. */
const isToldAlike = once(({ position, transitions }) =>
  SettledActions.inOrder(position.state).every(([action, { started, undo }]) => {
    const { doubtful, undoing, undone } = ActionFate.of(transitions.slice(started - 1), action)
    if (EffectStatus.isGone({ undo }) || undone !== undefined)
      return EffectStatus.isGone({ undo }) && undone !== undefined
    return (doubtful !== undefined) === (undo === "doubtful") && (undo !== "undoing" || undoing !== undefined)
  })
)

const isRefusedMove = once(({ transitions }, { scenario }) =>
  transitions.some(({ body }) => {
    const { evidence, kind } = Payload.of(body, "kernel.anomaly") ?? {}
    // A provider that contradicts a settlement has decided nothing.
    const isContradicted = evidence !== undefined && scenario.faults.contradictions > 0
    return !isContradicted && (kind === InvalidMove.kind || kind === InvalidMove.unrequested)
  })
)

const isSettledOnce = once(({ transitions }) => {
  const settled = transitions.flatMap(({ body }) => (body.type === "action.reconciled" ? [body.action?.id] : []))
  return new Set(settled).size === settled.length
})

const isHeld = once((head, { logs, scenario }) => {
  const log = logs.find(({ run }) => run.id === head.run.id)!
  const isRival = Scenario.proposalOf(scenario, logs.indexOf(log)) === Scenario.rival
  const proposal = isRival ? Scenario.payment : Scenario.rival
  const open = OpenActions.of(head.position.state)
  return begun(head).every((action) => {
    // The reversal of an open action uses the target that its original holds.
    const undone = open[open[action]?.undoes ?? ""] === undefined ? undefined : open[action]?.undoes
    const owned = [...head.claims.values()].some(
      ({ namespace, owner }) => namespace === "target" && (owner === action || owner === undone)
    )
    return owned && isRefusedTarget(log.decide(head, { clock: 0, command: { _tag: "Propose", proposal } }))
  })
})

/** While an undoing is under way, no other action may begin. */
const isRefusedTarget = ({ next }: Decided): boolean =>
  next._tag === "End" &&
  next.outcome._tag === "Refused" &&
  Check.failing(next.outcome.checks).some(({ id, step }) => step === "target" || id === "undoing")

const heldNames = (held: Iterable<Pick<Claims.HeldClaim, "namespace" | "name" | "owner">>): string =>
  [...held]
    .map(({ name, namespace, owner }) => `${namespace} ${name} ${owner}`)
    .sort()
    .join("\n")

/** Folded again from the transitions alone. */
const isFoldOfNames = once((head) => {
  const held = new Map<string, Claims.Claim>()
  for (const transition of head.transitions) {
    const { release, take } = Claims.of(head.run, transition)
    for (const claim of take) held.set(`${claim.namespace} ${claim.name}`, claim)
    for (const claim of release) held.delete(`${claim.namespace} ${claim.name}`)
  }
  return heldNames(held.values()) === heldNames(head.claims.values())
})
