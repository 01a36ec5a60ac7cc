/**
 * Begins a run that shares another run's history up to a tick.
 *
 * The shared history is folded again and compared with what was committed
 * before anything is written. Nothing is copied: the fork's first transition
 * extends the parent's link at that tick.
 *
 * @source seed 5, section 4.1
 * @since 0.1.0
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Commit from "@backstitch/kernel/Commit"
import * as Contract from "@backstitch/reducer/Contract"
import * as State from "@backstitch/reducer/State"
import type { Digest } from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Fork from "@backstitch/version-control/Fork"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { RunExists } from "./Coordinator.ts"
import * as ForkedPack from "./ForkedPack.ts"
import * as History from "./History.ts"
import * as Library from "./Library.ts"

/**
 * A fork to be made. Without `pack`, the contract that binds the parent goes on; rules are added to either.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly parent: Run.Run
  /** The last tick to share. */
  readonly at: number
  readonly child?: Run.Run | undefined
  readonly reason?: string | undefined
  readonly pack?: TaskPack.TaskPack | undefined
  readonly rules?: ForkedPack.Rules | undefined
}

/**
 * A fork that was made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Forked {
  readonly run: Run.Run
  readonly parent: Run.Run
  readonly at: number
  readonly reason: string
  readonly head: HashChain.Head
  /** The contract from there on; absent for a run without one. */
  readonly pack?: TaskPack.TaskPack | undefined
  /** State digests of the shared history that came out again. */
  readonly compared: number
}

/**
 * Makes a fork.
 *
 * @category combinators
 * @since 0.1.0
 */
export const fork = Effect.fn("Forking.fork")(function* (request: Request) {
  const { at, parent, rules = { policy: [], toolPolicy: [] } } = request
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* Library.Library
  const { head: last } = yield* history.info(parent)
  if (!Number.isInteger(at) || at < 1 || at > last.tick) {
    return yield* new Fork.ForkOutOfRange({ run: parent.id, at, last: last.tick })
  }
  const child = request.child ?? (yield* freeName(parent, at))
  const known = yield* store.info(child)
  if (known !== undefined && !Run.same(parent, child)) {
    return yield* new RunExists({ run: child.id, tick: known.head.tick })
  }
  const shared = yield* check(parent, at)
  const pinned = Contract.of(shared.at.state).pack
  const bound = request.pack ?? (pinned === "" ? undefined : yield* library.pack(pinned))
  const pack = bound === undefined ? yield* unbound(rules) : yield* Effect.fromResult(ForkedPack.make(bound, rules))
  const digest = pack === undefined ? undefined : yield* library.keepPack(pack)
  const now = yield* Clock.currentTimeMillis
  const reason = request.reason ?? `to try tick ${at + 1} differently`
  const draft = yield* Effect.fromResult(
    Fork.draft({
      parent,
      child,
      head: shared.at.head,
      last: last.tick,
      reason,
      changes: changesOf({ digest, pinned, rules }),
      asOf: Math.max(now, shared.at.asOf),
      ts: now
    })
  )
  const commit = yield* library.folding(() =>
    Commit.assemble(history.fold, { run: child, at: shared.at, drafts: [draft] })
  )
  const head = yield* store.append({
    run: child,
    expected: shared.at.head,
    transitions: commit.sealed,
    claims: commit.claims,
    parent: { id: parent.id, tick: at }
  })
  const forked: Forked = { run: child, parent, at, reason, head, pack, compared: shared.compared }
  return forked
})

/** Folds the shared history from its beginning; a state that does not come out again is refused. */
const check = Effect.fnUntraced(function* (parent: Run.Run, tick: number) {
  const history = yield* History.History
  let compared = 0
  let unsound: Fork.ForkUnsound | undefined
  const start = { head: HashChain.genesis(yield* history.root(parent)), state: State.empty, asOf: 0 }
  const at = yield* history.walk(parent, {
    from: start,
    to: tick,
    visit: (state, transition) => {
      const committed = transition.stamp.state
      if (committed === undefined) return undefined
      compared++
      const folded = State.digest(state)
      if (folded === committed) return undefined
      unsound = new Fork.ForkUnsound({ run: parent.id, tick: transition.tick, committed, folded })
      return false
    }
  })
  return unsound === undefined ? { at, compared } : yield* Effect.fail(unsound)
})

const changesOf = (made: {
  readonly digest: Digest | undefined
  readonly pinned: string
  readonly rules: ForkedPack.Rules
}): Fork.Changes => ({
  ...(made.digest === undefined || made.digest === made.pinned ? {} : { pack: made.digest }),
  ...(made.rules.policy.length === 0 ? {} : { policy: made.rules.policy }),
  ...(made.rules.toolPolicy.length === 0 ? {} : { toolPolicy: made.rules.toolPolicy })
})

const unbound = ({ policy, toolPolicy }: ForkedPack.Rules) => {
  const rule = [...policy, ...toolPolicy][0]
  return rule === undefined
    ? Effect.succeed(undefined)
    : Effect.fail(new ForkedPack.RuleInvalid({ rule, problem: "the run has no contract. Name one with --pack" }))
}

const freeName = Effect.fnUntraced(function* (parent: Run.Run, at: number) {
  const store = yield* TraceStore.TraceStore
  for (let index = 1; ; index++) {
    const child = Run.make(`${parent.id}-fork-${at}${index === 1 ? "" : `-${index}`}`, parent.tenant)
    if ((yield* store.info(child)) === undefined) return child
  }
})
