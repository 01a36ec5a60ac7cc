/** Commits for tests of stores: small, readable, and sealed as the kernel seals them. */
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"

/** The service under test. */
export type Store = TraceStore.TraceStore["Service"]

const draft = (body: Transition.Body, key?: string): Transition.Draft => ({
  body,
  stamp: { asOf: 1_700_000_000_000, ...(key === undefined ? {} : { key }) },
  envelope: { latencyMillis: 1.5, ts: 1_700_000_000_001 }
})

/** A run begins, and takes its name. */
export const began = draft({ author: "kernel", type: "run.started" })

/** A fork begins, and takes its name. */
export const forked = draft({ author: "kernel", type: "run.fork" })

/** An agent adds a note. No names are claimed or released. */
export const noted = (note: string): Transition.Draft =>
  draft({ author: "agent", data: { note }, type: "observation.add" })

/** An action starts, and claims its target and, if given, its key. */
export const started = (id: string, target: string, key?: string): Transition.Draft =>
  draft({ action: { id, target }, author: "kernel", type: "action.started" }, key)

/** An action without a key starts, and claims the names of its request. */
export const acted = (id: string, ...names: ReadonlyArray<string>): Transition.Draft => {
  const takes = Object.fromEntries(names.map((name, index) => [`scope-${index}`, name]))
  const data = { act: { name: "act", ordinal: 1, takes } }
  return draft({ action: { id }, author: "kernel", data, type: "action.started" })
}

/** Drafts the takeover of an act of another run, with its turn. */
export const adopted = (id: string, turn: string): Transition.Draft =>
  draft({
    action: { id },
    author: "kernel",
    data: { turns: { [id]: { name: turn, ordinal: 1 } } },
    type: "action.request"
  })

/** An action is settled, and releases its target. */
export const settled = (id: string, target: string): Transition.Draft =>
  draft({ action: { id, target }, author: "kernel", result: { status: "ok" }, type: "action.reconciled" })

/** Seals drafts after a head, with the names that they take and release. */
export const commit = (options: {
  readonly run: Run
  readonly head: HashChain.Head
  readonly drafts: ReadonlyArray<Transition.Draft>
  readonly parent?: TraceStore.Parent | undefined
}): TraceStore.Append => {
  const { drafts, parent, run } = options
  let head = options.head
  const transitions = drafts.map((draft) => {
    const sealed = HashChain.seal(head, draft)
    head = HashChain.headOf(sealed)
    return sealed
  })
  const claims = TraceStore.claimsOf(run, transitions.map(Transition.open))
  return { run, expected: options.head, transitions, claims, parent }
}

/** The head of a run, which is genesis if it was never written. */
export const headOf = (store: Store, run: Run) =>
  Effect.map(store.info(run), (info) => info?.head ?? HashChain.genesis(run))

/** Appends drafts to a run at its head. */
export const write = Effect.fnUntraced(function* (store: Store, run: Run, ...drafts: ReadonlyArray<Transition.Draft>) {
  return yield* store.append(commit({ run, head: yield* headOf(store, run), drafts }))
})

/** Begins a run that leaves its parent after a tick. */
export const fork = Effect.fnUntraced(function* (
  store: Store,
  run: Run,
  options: { readonly from: Run; readonly at: number }
) {
  const { at, from } = options
  const [last] = yield* store.read(from, { from: at, to: at })
  const head = last === undefined || at === 0 ? HashChain.genesis(run) : HashChain.headOf(last)
  return yield* store.append(commit({ run, head, drafts: [forked], parent: { id: from.id, tick: at } }))
})
