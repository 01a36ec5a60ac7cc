/**
 * The beginning of a run that shares another run's history up to a tick.
 *
 * Its first own transition, `run.fork`, names the parent, the tick, the link at that tick, the reason if one was
 * given, and the differences from there on. Whoever forks folds the shared history before that, and compares it with
 * its committed digests: a fork from a state that cannot be reproduced would prove nothing ({@link ForkUnsound}).
 *
 * Laws: a fork without further transitions has the parent's `world` and `working` at that tick (L2).
 *
 * @source Dendrer, section 4.1
 */
import { defined } from "@backstitch/trace/Defined"
import type * as Form from "@backstitch/trace/Form"
import type * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Draft } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Rebase from "./Rebase.ts"

/** The changes of a fork. A pack is named by its digest; `budget` is the fork's share, by name. */
export interface Changes {
  readonly budget?: typeof Form.Amounts.Type | undefined
  readonly pack?: string | undefined
  readonly policy?: Schema.Json | undefined
  readonly toolPolicy?: Schema.Json | undefined
  /** Actions of the shared history that the parent has undone since. */
  readonly undone?: { readonly [action: string]: { readonly by: string; readonly undo: string } } | undefined
  /** The ticks that the fork is to replay, for a rebase. */
  readonly rebase?: Rebase.RebaseOrigin | undefined
}

/** Error for a tick that the parent does not have. */
export class ForkOutOfRange extends Schema.TaggedError<ForkOutOfRange>("@backstitch/version-control/ForkOutOfRange")(
  "ForkOutOfRange",
  { run: Schema.String, at: Schema.Number, last: Schema.Natural }
) {
  override get message(): string {
    return this.last === 0
      ? `Run ${this.run} has no transition yet, so there is nothing to fork. Begin a new run`
      : `Run ${this.run} has no tick ${this.at}. Fork from a tick from 1 to ${this.last}`
  }
}

/** Error for a fork under its parent's own name. */
export class ForkOfItself extends Schema.TaggedError<ForkOfItself>("@backstitch/version-control/ForkOfItself")(
  "ForkOfItself",
  { run: Schema.String }
) {
  override get message(): string {
    return `A fork of ${this.run} cannot itself be named ${this.run}. Give it another name`
  }
}

/** Error for a shared history whose states do not come out again. */
export class ForkUnsound extends Schema.TaggedError<ForkUnsound>("@backstitch/version-control/ForkUnsound")(
  "ForkUnsound",
  { run: Schema.String, tick: Schema.Natural, committed: Schema.String, folded: Schema.String }
) {
  override get message(): string {
    return (
      `Run ${this.run} does not fold to what it committed: at tick ${this.tick} the state digest is ` +
      `${this.folded.slice(0, 12)}… and ${this.committed.slice(0, 12)}… was committed. ` +
      `Its pack or fold version is another one here; fork from before tick ${this.tick}, or fold with the version that it pins`
    )
  }
}

/**
 * The data for the beginning of a fork, except its name. `head` is that of the parent at the shared tick, and `last`
 * is the parent's last tick at that time: the fork is decided in the state of that tick.
 */
export interface ForkBeginning {
  readonly parent: Run.Run
  readonly head: HashChain.Head
  readonly last: number
  readonly reason?: string | undefined
  readonly changes?: Changes | undefined
}

/** Permits a fork from a tick that the parent has, under a name of its own. `last` is the parent's last tick. */
export const permit = ({
  at,
  child,
  last,
  parent
}: {
  readonly parent: Run.Run
  readonly at: number
  readonly child: Run.Run | undefined
  readonly last: number
}): Result.Result<void, ForkOutOfRange | ForkOfItself> => {
  if (!isTick(at) || at > last) return Result.fail(new ForkOutOfRange({ run: parent.id, at, last }))
  if (child !== undefined && Run.same(parent, child)) return Result.fail(new ForkOfItself({ run: parent.id }))
  return Result.void
}

/** The form in which a fork records acts of the shared history that its parent has undone since. */
export const undoneOf = (
  acts: ReadonlyArray<{ readonly action: string; readonly by: string; readonly undo: string }>
): NonNullable<Changes["undone"]> => Object.fromEntries(acts.map(({ action, by, undo }) => [action, { by, undo }]))

/**
 * Makes the `run.fork` transition with which the fork begins. Seal it after `head`, the parent's head at that tick.
 *
 * **Details**
 *
 * `asOf` is not earlier than that of the transition at `head`.
 */
export const draft = (
  options: ForkBeginning & { readonly child: Run.Run; readonly asOf: number; readonly ts: number }
): Result.Result<Draft, ForkOutOfRange | ForkOfItself> => {
  const { asOf, changes = {}, child, head, last, parent, reason, ts } = options
  const permitted = permit({ parent, at: head.tick, child, last })
  if (Result.isFailure(permitted)) return Result.fail(permitted.failure)
  const data = {
    at: head.tick,
    ...defined({ budget: changes.budget }),
    child: child.id,
    link: head.link,
    ...defined({ pack: changes.pack }),
    parent: parent.id,
    ...defined({ policy: changes.policy, reason }),
    ...(changes.rebase === undefined ? {} : { rebase: { ...changes.rebase } }),
    seen: last,
    ...defined({ toolPolicy: changes.toolPolicy }),
    ...(changes.undone === undefined || Object.keys(changes.undone).length === 0 ? {} : { undone: changes.undone })
  }
  return Result.succeed({ body: { author: "kernel", data, type: "run.fork" }, stamp: { asOf }, envelope: { ts } })
}

const isTick = (value: number): boolean => Number.isInteger(value) && value >= 1
