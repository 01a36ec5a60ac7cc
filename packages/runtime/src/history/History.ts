/**
 * Reads a run as it was at any tick: verified transitions, and states folded from the nearest snapshot.
 *
 * Every state, head and digest in an answer was folded from rows that exist and form a chain. If the store has lost
 * rows, or its recorded head differs from its rows, the read fails and names the tick.
 */

import * as NearestName from "@backstitch/expressions/NearestName"
import type * as Kernel from "@backstitch/kernel/Kernel"
import * as Fold from "@backstitch/reducer/Fold"
import * as Snapshot from "@backstitch/reducer/Snapshot"
import * as State from "@backstitch/reducer/State"
import * as Branded from "@backstitch/trace/Branded"
import type { Digest } from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import type * as Vocabulary from "@backstitch/trace/Vocabulary"
import type * as Descent from "@backstitch/version-control/Descent"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as OpenWriters from "./openWriters.ts"
import * as PackLibrary from "./PackLibrary.ts"

/** Error for a tick that a run has not reached, or that comes before its first. */
export class TickOutOfRange extends Schema.TaggedError<TickOutOfRange>("@backstitch/runtime/TickOutOfRange")(
  "TickOutOfRange",
  { run: Schema.String, tick: Schema.Number, last: Schema.Natural }
) {
  override get message(): string {
    return `Run ${this.run} has ticks 1 to ${this.last}; there is no tick ${this.tick}`
  }
}

/** Names the tick from which a trace differs from what was committed. */
export const broken = (run: Run, tick: number, found: HashChain.ChainFault, problem?: string): HashChain.ChainBroken =>
  new HashChain.ChainBroken({ run: run.id, tick, found, ...(problem === undefined ? {} : { problem }) })

/** Errors of reading a history. */
export type HistoryError =
  | HashChain.ChainBroken
  | Fold.SourceMissing
  | TickOutOfRange
  | TraceStore.RunUnknown
  | TraceStore.TraceStoreError

/**
 * A state and the head up to which it was folded. `asOf` is the latest time that the kernel had seen by then, and
 * `whole` the tick of the snapshot at which the fold began, 0 if there was none.
 */
export interface At {
  readonly head: HashChain.Head
  readonly state: State.State
  readonly asOf: number
  readonly whole?: number | undefined
  /** The run whose genesis begins the chain, if it was known without a further question to the store. */
  readonly root?: Run | undefined
}

/** A committed transition with the states before and after it, and the position after it. */
export interface Folded {
  readonly before: State.State
  readonly transition: Transition.Transition
  readonly at: At
}

/** Tells whether a transition may be folded, by its content, its stored texts and the head before it. */
export type Admits = (transition: Transition.Transition, sealed: Transition.Sealed, before: HashChain.Head) => boolean

/** Histories as a store has them. */
export interface Stored {
  /** Reads the head and the parent of a run; fails with similar names if the store has no such run. */
  readonly info: (run: Run) => Effect.Effect<TraceStore.RunInfo, TraceStore.RunUnknown | TraceStore.TraceStoreError>
  /** The run whose genesis begins the chain: the first ancestor. */
  readonly root: (run: Run) => Effect.Effect<Run, TraceStore.TraceStoreError>
  /** The run and its ancestors, with the ticks at which they left each other. */
  readonly lineage: (run: Run) => Effect.Effect<Descent.Descent, TraceStore.RunUnknown | TraceStore.TraceStoreError>
  /** Transitions of a range. Their links to each other are verified. */
  readonly transitions: (
    run: Run,
    range?: {
      readonly from?: number | undefined
      readonly to?: number | undefined
    }
  ) => Effect.Effect<ReadonlyArray<Transition.Transition>, HistoryError>
  /**
   * The state after a tick, from the nearest snapshot; tick 0 is the state before the first. Without a tick, the state
   * at the head.
   */
  readonly at: (run: Run, tick?: number) => Effect.Effect<At, HistoryError>
  /** Continues a fold from a position, passing each state to `visit` until `visit` answers `false`. */
  readonly walk: (
    run: Run,
    options: {
      readonly from: At
      readonly to: number
      /** Tells whether a transition may be folded. The walk ends before a transition that may not. */
      readonly admits?: Admits | undefined
      readonly visit: (
        state: State.State,
        transition: Transition.Transition,
        before: State.State,
        head: HashChain.Head
      ) => boolean | undefined
    }
  ) => Effect.Effect<At, HistoryError>
  /** Continues a fold from a position over transitions that were read already. */
  readonly advance: (
    run: Run,
    from: At,
    next: ReadonlyArray<Transition.Sealed>
  ) => Effect.Effect<ReadonlyArray<Folded>, HistoryError>
}

/**
 * Service that reads histories. Before it reads a run that this process writes, it makes the writer's decisions
 * durable. So a caller who was told of a settlement does not read the action as open.
 */
export class History extends Context.Service<
  History,
  Stored & {
    /** Reads the store without asking a writer. For the writer itself. */
    readonly stored: Stored
    /** Registers how to make the waiting transitions of a run durable, until the scope is closed. */
    readonly written: (run: Run, flush: Effect.Effect<void, unknown>) => Effect.Effect<void, never, Scope.Scope>
    /**
     * Keeps a snapshot of a position. Parts of its state that are also in `since`, an earlier snapshot, are not
     * written again.
     */
    readonly snapshot: (
      run: Run,
      at: At,
      since?: State.State | undefined
    ) => Effect.Effect<void, TraceStore.TraceStoreError>
    /** The fold with which this history is read. */
    readonly fold: Fold.Fold
    /** The vocabularies of embedders that the kernel of this history has. */
    readonly vocabularies: ReadonlyArray<Vocabulary.Vocabulary>
  }
>()("@backstitch/runtime/History") {}

/** Creates a history over the store, folding with a kernel. */
export const make = Effect.fnUntraced(function* (kernel: Kernel.Kernel) {
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const fold = library.fold(kernel)
  const kept = new Set<string>()
  /** Remembers that the store has a node. One that is forgotten is stored again, which changes nothing. */
  const remember = (digest: string) => {
    kept.add(digest)
    if (kept.size <= Limits.pacing.storedNodesMax) return
    const [oldest = digest] = kept
    kept.delete(oldest)
  }
  const writers = OpenWriters.make()

  const info = Effect.fnUntraced(function* (run: Run) {
    const found = yield* store.info(run)
    if (found !== undefined) return found
    const others = yield* store.runs(run.tenant, { limit: Limits.pacing.pageRowsMax })
    const similar = NearestName.similar(
      run.id,
      others.map((other) => other.run.id)
    )
    return yield* new TraceStore.RunUnknown({ run: run.id, similar, tenant: run.tenant })
  })

  /** The first ancestor of a run about which the facts were read. */
  const rootOf = Effect.fnUntraced(function* (found: TraceStore.RunInfo) {
    let { parent, run } = found
    while (parent !== undefined) {
      const above: TraceStore.RunInfo | undefined = yield* store.info({ tenant: run.tenant, id: parent.id })
      if (above === undefined) break
      ;({ parent, run } = above)
    }
    return run
  })

  const root: Stored["root"] = Effect.fnUntraced(function* (run) {
    const found = yield* store.info(run)
    return found === undefined ? run : yield* rootOf(found)
  })

  const lineage: Stored["lineage"] = Effect.fnUntraced(function* (run) {
    const line: Array<Descent.Descent[number]> = []
    let at: TraceStore.RunInfo | undefined = yield* info(run)
    while (at !== undefined) {
      line.push({ id: at.run.id, left: at.parent?.tick })
      at = at.parent === undefined ? undefined : yield* store.info({ tenant: run.tenant, id: at.parent.id })
    }
    return line
  })

  const beginning = Effect.fnUntraced(function* (found: TraceStore.RunInfo) {
    const at: At = { head: HashChain.genesis(yield* rootOf(found)), state: State.empty, asOf: 0 }
    return at
  })

  /** Checks that the rows end at the store's recorded head. */
  const ends = (run: Run, at: HashChain.Head, head: HashChain.Head): Effect.Effect<void, HashChain.ChainBroken> =>
    at.tick === head.tick && (at.link !== head.link || at.story !== head.story)
      ? Effect.fail(broken(run, head.tick, "end"))
      : Effect.void

  /**
   * Folds one transition, if it may be folded. It is part of its caller's generator, because an effect would cost
   * more than the fold.
   */
  function* folding(run: Run, { head: before, state }: At, sealed: Transition.Sealed, admits?: Admits) {
    const followed = HashChain.follow(before, sealed)
    if (Result.isFailure(followed)) return yield* broken(run, followed.failure.tick, followed.failure.found)
    const transition = Transition.open(sealed)
    if (admits?.(transition, sealed, before) === false) return undefined
    const after = stepped(state, transition) ?? (yield* library.folding(() => fold.evolve(state, transition)))
    const at: At = { head: followed.success, state: after, asOf: transition.stamp.asOf }
    return { before: state, transition, at } satisfies Folded
  }

  /** Reads the transitions of a range, as many as are read at a time. */
  const pageOf = (run: Run, range: { readonly from: number; readonly to: number }) =>
    store.read(run, { ...range, limit: Limits.pacing.pageRowsMax })

  /** Folds onto a position the transitions of `read`, if some were read already, and then those of the store. */
  const follow = Effect.fnUntraced(function* (
    run: Run,
    { admits, from, to, visit }: Parameters<Stored["walk"]>[1],
    read: ReadonlyArray<Transition.Sealed> = []
  ) {
    let at = from
    let page = read
    while (at.head.tick < to) {
      if (page.length === 0) page = yield* pageOf(run, { from: at.head.tick + 1, to })
      if (page.length === 0) return yield* broken(run, at.head.tick + 1, "tick")
      for (const sealed of page) {
        const folded: Folded | undefined = yield* folding(run, at, sealed, admits)
        if (folded === undefined) return at
        at = folded.at
        if (visit(at.state, folded.transition, folded.before, at.head) === false) return at
      }
      page = []
    }
    return at
  })

  const advance: Stored["advance"] = Effect.fnUntraced(function* (run, from, next) {
    const steps: Array<Folded> = []
    for (const sealed of next) {
      const folded: Folded | undefined = yield* folding(run, steps.at(-1)?.at ?? from, sealed)
      if (folded !== undefined) steps.push(folded)
    }
    return steps
  })

  const walk: Stored["walk"] = Effect.fnUntraced(function* (run, options) {
    const { head } = yield* info(run)
    const found = yield* follow(run, options)
    yield* ends(run, found.head, head)
    return found
  })

  /** The next state; `undefined` if the fold lacks a source. */
  const stepped = (state: State.State, transition: Transition.Transition): State.State | undefined => {
    try {
      return fold.evolve(state, transition)
    } catch (error) {
      if (!Branded.isError(error, Fold.SourceMissing)) throw error
      return undefined
    }
  }

  /**
   * The nearest snapshot at or before a tick, as a position, and the transitions behind it that were read with its own;
   * `undefined` if there is none. A snapshot is a cache: one that cannot be read, or that differs from the chain's
   * digest of its tick, is not used.
   */
  const nearest = Effect.fnUntraced(function* (run: Run, tick: number) {
    const snapshot = tick === 0 ? undefined : yield* store.nearestSnapshot(run, tick)
    if (snapshot === undefined) return undefined
    const [sealed, ...behind] = yield* pageOf(run, { from: snapshot.tick, to: tick })
    if (sealed?.tick !== snapshot.tick) return undefined
    const { stamp } = Transition.open(sealed)
    const roots = attempt(() => Snapshot.roots(snapshot.text))
    if (stamp.state === undefined || roots === undefined) return undefined
    const stored = yield* library.nodes(roots)
    const node = (digest: Digest) => {
      const text = stored(digest)
      if (text !== undefined) remember(digest)
      return text
    }
    const state = attempt(() => {
      const read = Snapshot.read(snapshot.text, node)
      return State.digest(read) === stamp.state ? read : undefined
    })
    if (state === undefined) return undefined
    const at: At = { head: HashChain.headOf(sealed), state, asOf: stamp.asOf }
    return { at, behind }
  })

  const at: Stored["at"] = Effect.fnUntraced(function* (run, asked) {
    const found = yield* info(run)
    const { head } = found
    const tick = asked ?? head.tick
    if (!Number.isInteger(tick) || tick < 0 || tick > head.tick) {
      return yield* new TickOutOfRange({ run: run.id, tick, last: head.tick })
    }
    const snapshot = yield* nearest(run, tick)
    const from = snapshot?.at ?? (yield* beginning(found))
    const folded = yield* follow(run, { from, to: tick, visit: () => undefined }, snapshot?.behind)
    yield* ends(run, folded.head, head)
    return { ...folded, whole: from.head.tick, root: found.parent === undefined ? found.run : undefined }
  })

  const stored: Stored = {
    info,
    root,
    lineage,
    at,
    walk,
    advance,
    transitions: Effect.fnUntraced(function* (run, { from = 1, to = Number.POSITIVE_INFINITY } = {}) {
      const found = yield* info(run)
      const { head } = found
      const last = Math.min(to, head.tick)
      const opened: Array<Transition.Transition> = []
      if (from > last) return opened
      // The transition before the first is read with it: its links are those that the first has to follow.
      let page = yield* pageOf(run, { from: Math.max(1, from - 1), to: last })
      const [first] = page
      let before: HashChain.Head
      if (from <= 1) before = (yield* beginning(found)).head
      else {
        if (first?.tick !== from - 1) return yield* broken(run, from - 1, "tick")
        before = HashChain.headOf(first)
        page = page.slice(1)
      }
      while (before.tick < last) {
        if (page.length === 0) page = yield* pageOf(run, { from: before.tick + 1, to: last })
        if (page.length === 0) return yield* broken(run, before.tick + 1, "tick")
        for (const sealed of page) {
          const followed: Result.Result<HashChain.Head, HashChain.ChainBroken> = HashChain.follow(before, sealed)
          if (Result.isFailure(followed)) return yield* broken(run, followed.failure.tick, followed.failure.found)
          before = followed.success
          opened.push(Transition.open(sealed))
        }
        page = []
      }
      yield* ends(run, before, head)
      return opened
    })
  }

  return History.of({
    ...settling(stored, writers),
    fold,
    vocabularies: kernel.vocabularies ?? [],
    stored,
    written: writers.written,
    snapshot: Effect.fnUntraced(function* (run, { head, state }, since) {
      const blobs = new Map<HashChain.Head["link"], string>()
      const nodes: Snapshot.Nodes = {
        // Nodes that were never read came from this store. Otherwise a new process would read a whole state just to
        // store it again.
        has: (digest, isUnread) => isUnread === true || kept.has(digest) || blobs.has(digest),
        put: (digest, node) => blobs.set(digest, node)
      }
      const text = Snapshot.write(state, nodes, since)
      yield* store.putSnapshot(run, { tick: head.tick, text }, blobs)
      for (const digest of blobs.keys()) remember(digest)
    })
  })
})

/** Layer that reads histories with a kernel. */
export const layer = (
  kernel: Kernel.Kernel
): Layer.Layer<History, never, TraceStore.TraceStore | PackLibrary.PackLibrary> => Layer.effect(History, make(kernel))

/** Reads the store once the writers of a run have made their decisions durable. */
const settling = (stored: Stored, { settled }: OpenWriters.OpenWriters): Stored => ({
  root: stored.root,
  lineage: stored.lineage,
  advance: stored.advance,
  info: (run) => settled(run, stored.info(run)),
  at: (run, tick) => settled(run, stored.at(run, tick)),
  walk: (run, options) => settled(run, stored.walk(run, options)),
  transitions: (run, range) => settled(run, stored.transitions(run, range))
})

/** `undefined` for data that differ from what was written. */
const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
