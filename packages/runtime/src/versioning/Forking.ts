/**
 * Begins a run that shares another run's history up to a tick.
 *
 * Before anything is written, the shared history is folded again and compared with the committed digests. No
 * transition is copied: the fork's first transition extends the parent's link at that tick.
 *
 * The rules that refuse a fork are elsewhere, and are asked here in turn: `Fork` judges its tick and its name,
 * `UndoneActs` the acts that it would begin behind, `ForkPolicy` its rules, `BudgetSlice` and `ForkDecision` its
 * budget.
 *
 * @source Dendrer, section 4.1
 */
import * as PackExtension from "@backstitch/contracts/PackExtension"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BudgetSlice from "@backstitch/kernel/BudgetSlice"
import type { Command } from "@backstitch/kernel/Command"
import * as Commit from "@backstitch/kernel/Commit"
import * as DecisionRules from "@backstitch/kernel/DecisionRules"
import * as ForkPolicy from "@backstitch/kernel/ForkPolicy"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as UndoneActs from "@backstitch/ledger/UndoneActs"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as Replay from "@backstitch/reducer/Replay"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Fork from "@backstitch/version-control/Fork"
import type * as Rebase from "@backstitch/version-control/Rebase"
import * as English from "@backstitch/wording/English"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Limits from "../Limits.ts"
import { RunExists } from "../run/Coordinator.ts"

/**
 * A fork to be made. Without `pack`, the pack of the parent stays in force.
 *
 * **Details**
 *
 * `policy` holds expressions that refuse a tool call from the fork on; `toolPolicy` holds `TOOL=deny` and
 * `TOOL=approve`.
 */
export interface ForkRequest {
  readonly parent: Run.Run
  /** The last tick to share. */
  readonly at: number
  readonly child?: Run.Run | undefined
  readonly reason?: string | undefined
  readonly pack?: TaskPack.TaskPack | undefined
  readonly policy?: ReadonlyArray<string> | undefined
  readonly toolPolicy?: ReadonlyArray<string> | undefined
  /** Shares and amounts, in the form of {@link BudgetSlice.cut}. */
  readonly budget?: ReadonlyArray<string> | undefined
  /** Allows the fork to begin after acts that the parent has undone since, which the shared state still believes. */
  readonly behindUndone?: boolean | undefined
  /** The ticks that the fork is to replay, for a rebase. */
  readonly rebase?: Rebase.RebaseOrigin | undefined
}

/** Error for a rule under which a fork cannot continue, with the possible alternatives. */
export class ForkRuleInvalid extends Schema.TaggedError<ForkRuleInvalid>("@backstitch/runtime/ForkRuleInvalid")(
  "ForkRuleInvalid",
  { rule: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `The fork cannot go on under the rule "${this.rule}": ${this.problem}`
  }
}

/**
 * Error for a fork from a tick whose state believes an act that its run has undone since. `from` is the last tick
 * without such an act.
 */
export class ForkBehindUndone extends Schema.TaggedError<ForkBehindUndone>("@backstitch/runtime/ForkBehindUndone")(
  "ForkBehindUndone",
  {
    run: Run.RunId,
    at: Schema.Natural,
    from: Schema.Natural,
    acts: Schema.Array(Schema.Struct({ action: Schema.String, tool: Schema.String, isGone: Schema.Boolean }))
  }
) {
  override get message(): string {
    const acts = this.acts.map(
      ({ action, isGone, tool }) => `${tool} (${action}), which ${English.words.histories.undone(isGone)}`
    )
    return (
      `The state of run ${this.run} at tick ${this.at} still believes ${acts.join("; ")}. ` +
      `Fork from tick ${this.from}, the last one before, or say that the fork may begin behind what was undone`
    )
  }

  /** The fork that would be permitted. */
  get next(): ReadonlyArray<Next> {
    return [{ from: this.from, run: this.run, verb: "fork" }]
  }
}

/** A fork that was made. */
export interface Forked {
  readonly run: Run.Run
  readonly parent: Run.Run
  readonly at: number
  readonly reason: string | undefined
  readonly head: HashChain.Head
  /** The pack from the fork on; absent for a run without one. */
  readonly pack?: TaskPack.TaskPack | undefined
  /** The number of state digests of the shared history that came out again. */
  readonly compared: number
  /** The undone effects and passed pivots after which the fork begins, in the order of their requests. */
  readonly behind: ReadonlyArray<UndoneActs.UndoneAct>
  /** The budget of the fork, and the share that was taken from the parent. */
  readonly budget: BudgetSlice.BudgetSlice
}

/** A fork as people and programs are shown it. */
export interface ShownFork extends Pick<Forked, "at" | "behind" | "budget" | "compared" | "head" | "reason"> {
  readonly run: string
  readonly parent: string
  /** The digest of the pack from the fork on; `null` for a run without one. */
  readonly pack: string | null
}

/** Shows a fork. */
export const shown = ({ at, behind, budget, compared, head, pack, parent, reason, run }: Forked): ShownFork => {
  const digest = pack?.digest ?? null
  return { run: run.id, parent: parent.id, at, reason, head, pack: digest, compared, behind, budget }
}

/** Makes a fork. */
export const fork = Effect.fn("Forking.fork")(function* (request: ForkRequest) {
  const { at, parent, policy = [], toolPolicy = [] } = request
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head: last } = yield* history.info(parent)
  yield* Effect.fromResult(Fork.permit({ parent, at, child: request.child, last: last.tick }))
  const child = request.child ?? (yield* freeName(parent, at))
  const known = yield* store.info(child)
  if (known !== undefined) {
    return yield* new RunExists({ run: child.id, tick: known.head.tick })
  }
  const shared = yield* check(parent, at)
  const pinned = PackInForce.of(shared.at.state).pack
  const pack = request.pack ?? (pinned === "" ? undefined : yield* library.pack(pinned))
  const rules = ForkPolicy.read(pack, { policy, toolPolicy })
  if (Result.isFailure(rules)) {
    const { problem, rule } = rules.failure
    return yield* new ForkRuleInvalid({ rule, problem: Wording.policyRefused(problem) })
  }
  if (pack !== undefined && pack.digest !== pinned) {
    // Extensions are folded state: the fork inherits them, so its pack has to accept them.
    yield* Effect.try({
      try: () => PackExtension.extendAll(pack, PackInForce.of(shared.at.state).extensions),
      catch: (cause) =>
        new ForkRuleInvalid({
          rule: `pack ${pack.id}`,
          problem: cause instanceof Error ? cause.message : String(cause)
        })
    })
  }
  const transitions = yield* history.transitions(parent)
  const standing = !DecisionRules.binds(shared.at.state, DecisionRules.begunUndoingsAreTold)
  const behind = UndoneActs.since(transitions, at, { standing })
  if (behind.length > 0 && request.behindUndone !== true) {
    const acts = behind.map(({ action, tool, undo }) => ({ action, tool, isGone: EffectStatus.isGone({ undo }) }))
    return yield* new ForkBehindUndone({ run: parent.id, at, from: UndoneActs.clear(transitions, at).from, acts })
  }
  const digest = pack === undefined ? undefined : yield* library.keepPack(pack)
  const { budget, seen } = yield* slice({ request, child, pack, shared: shared.at })
  const { reason } = request
  const decided = yield* decide(
    seen.state,
    { run: child, at: shared.at, pack },
    {
      _tag: "Fork",
      amounts: budget.given,
      begins: {
        parent,
        head: shared.at.head,
        last: seen.head.tick,
        reason,
        changes: {
          ...(digest === undefined || digest === pinned ? {} : { pack: digest }),
          ...(request.rebase === undefined ? {} : { rebase: request.rebase }),
          undone: Fork.undoneOf(behind),
          ...rules.success
        }
      }
    }
  )
  const commit = yield* library.folding(() =>
    Commit.assemble(history.fold, { run: child, at: shared.at, drafts: decided.drafts })
  )
  const head = yield* store.append({
    run: child,
    expected: shared.at.head,
    transitions: commit.sealed,
    claims: commit.claims,
    parent: { id: parent.id, tick: at }
  })
  const forked: Forked = { run: child, parent, at, reason, head, pack, compared: shared.compared, behind, budget }
  return forked
})

/**
 * The step that begins another run before a tick, and before any act that was undone since, so that it can decide
 * otherwise.
 */
export const before = (
  { id: run }: Run.Run,
  tick: number,
  transitions: ReadonlyArray<Transition>
): Next & { readonly verb: "fork" } => ({ from: UndoneActs.clear(transitions, tick - 1).from, run, verb: "fork" })

/** Cuts the budget of the fork from what the parent has left now, whatever tick the fork begins at. */
const slice = (about: {
  readonly request: ForkRequest
  readonly child: Run.Run
  readonly pack: TaskPack.TaskPack | undefined
  readonly shared: History.At
}) =>
  Effect.gen(function* () {
    const { child, pack, request, shared } = about
    const history = yield* History.History
    const { head } = yield* history.info(request.parent)
    const at = head.tick === shared.head.tick ? shared : yield* history.at(request.parent, head.tick)
    const asked = { child: child.id, rules: request.budget ?? [] }
    const cut = BudgetSlice.cut(pack?.budget ?? {}, at.state, asked)
    if (Result.isFailure(cut)) {
      const { problem, rule } = cut.failure
      return yield* new ForkRuleInvalid({ rule: `budget ${rule}`, problem: Wording.sliceRefused(problem) })
    }
    if (Object.keys(cut.success.taken).length === 0) return { budget: cut.success, seen: at }
    return { budget: cut.success, seen: yield* take(request.parent, child, { at, slice: cut.success }) }
    // If another fork took a share in the meantime, less is left.
  }).pipe(Effect.retry({ times: Limits.pacing.conflictsMax, while: ({ _tag }) => _tag === "TickConflict" }))

/** The parent gives before the fork begins. A crash in between leaves a share for the next fork of that name. */
const take = Effect.fnUntraced(function* (
  parent: Run.Run,
  child: Run.Run,
  from: { readonly at: History.At; readonly slice: BudgetSlice.BudgetSlice }
) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { at, slice } = from
  const pack = yield* library.inForce(at.state, at.head.tick + 1)
  const command: Command = { _tag: "Slice", amounts: slice.taken, child: child.id }
  const { drafts } = yield* decide(at.state, { run: parent, at, pack }, command)
  const commit = yield* library.folding(() => Commit.assemble(history.fold, { run: parent, at, drafts }))
  const { claims, sealed: transitions } = commit
  yield* store.append({ run: parent, expected: at.head, transitions, claims })
  return { head: commit.position.head, state: commit.position.state, asOf: commit.position.asOf } satisfies History.At
})

/** Asks the kernel for a decision at a position; fails with its finding if it refuses. */
const decide = Effect.fnUntraced(function* (
  state: State.State,
  where: { readonly run: Run.Run; readonly at: History.At; readonly pack: TaskPack.TaskPack | undefined },
  command: Command
) {
  const { at, pack, run } = where
  const now = Math.max(yield* Clock.currentTimeMillis, at.asOf)
  const terms = { lineage: run.id, now, pack, run, secret: "", tick: at.head.tick + 1 }
  const { drafts, next } = Interpreter.rehearse(Kernel.standard, terms, state, command)
  if (next._tag === "End" && next.outcome._tag === "Refused") {
    return yield* new ForkRuleInvalid({ rule: "budget", problem: Wording.why(next.outcome) })
  }
  return { drafts }
})

/** Folds the shared history from its beginning. A state that does not come out again refuses the fork. */
const check = Effect.fnUntraced(function* (parent: Run.Run, tick: number) {
  const history = yield* History.History
  let compared = 0
  let unsound: Fork.ForkUnsound | undefined
  const start = { head: HashChain.genesis(yield* history.root(parent)), state: State.empty, asOf: 0 }
  const at = yield* history.walk(parent, {
    from: start,
    to: tick,
    visit: (state, transition) => {
      if (transition.stamp.state === undefined) return undefined
      compared++
      const divergence = Replay.divergence(state, transition)
      if (divergence === undefined) return undefined
      unsound = new Fork.ForkUnsound({ run: parent.id, ...divergence })
      return false
    }
  })
  return unsound === undefined ? { at, compared } : yield* Effect.fail(unsound)
})

const freeName = Effect.fnUntraced(function* (parent: Run.Run, at: number) {
  const store = yield* TraceStore.TraceStore
  for (let index = 1; ; index++) {
    const child = Run.make(`${parent.id}-fork-${at}${index === 1 ? "" : `-${index}`}`, parent.tenant)
    if ((yield* store.info(child)) === undefined) return child
  }
})
