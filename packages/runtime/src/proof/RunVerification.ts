/**
 * Verifies that a run is what was committed, or names the first tick that is not.
 *
 * `StrictReplay` checks the chain from its bytes, folds the run again, and compares each committed state digest. A
 * head that was kept elsewhere anchors the result, and so do the entries of an anchored log. Without them, anybody with
 * write access to the store could have written the whole run. Data that cannot be read, or that do not match their
 * digest, are bad at the tick that needs them.
 *
 * Snapshots are checked against the trace, too. A snapshot that differs from the state of its tick, or lacks a part,
 * is reported as damage. Such a run is read without it, and is still what was committed.
 *
 * Laws: relative to such a head, any byte that was changed, dropped, reordered or inserted is detected (L3).
 *
 * @source Dendrer, section 3.1
 */

import * as Payload from "@backstitch/kernel/Payload"
import * as Latch from "@backstitch/reducer/Latch"
import * as Snapshot from "@backstitch/reducer/Snapshot"
import * as State from "@backstitch/reducer/State"
import * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Node from "@backstitch/trace/Node"
import { type Run, RunId } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import type { SnapshotFault, VerificationFault } from "@backstitch/wording/ProofWords"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as Limits from "../Limits.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as KnownHead from "./KnownHead.ts"
import * as StrictReplay from "./StrictReplay.ts"

/** The verdict of a verification, as plain JSON. */
export interface RunVerdict {
  readonly run: string
  readonly consistent: boolean
  /** `true` if the head is the one that was kept elsewhere. */
  readonly anchored: boolean
  readonly verdict: "consistent, anchored" | "consistent, unanchored" | "broken"
  /** The first tick that cannot be trusted; `null` if all can. */
  readonly badTick: number | null
  readonly fault: VerificationFault | null
  /** The fault in words. */
  readonly problem: string | null
  readonly ticks: number
  readonly head: string
  /** State digests that were compared. */
  readonly compared: number
  /** Types and parts of embedders that are not known here. Their payloads and states are not verified. */
  readonly unknown: ReadonlyArray<string>
  /** Snapshots that differ from the trace's state of their ticks. */
  readonly damage: ReadonlyArray<Damage>
}

/** Damaged data beside a trace. */
export interface Damage {
  readonly tick: number
  readonly fault: SnapshotFault
  /** The fault in words. */
  readonly problem: string
}

/** Tells whether a run is what was committed, and no data beside its trace are damaged. */
export const isSound = ({ consistent, damage }: RunVerdict): boolean => consistent && damage.length === 0

/** Facts from outside the store against which a run is verified, and results that are known already. */
export interface Options {
  /** The head that is known from elsewhere, in the form that {@link KnownHead.parse} reads. */
  readonly head?: string | undefined
  /** Ticks of the run whose links were kept elsewhere, such as in an anchored log. */
  readonly anchors?: ReadonlyArray<{ readonly tick: number; readonly head: string }> | undefined
  readonly progress?: ((tick: number, of: number) => void) | undefined
  /** Texts that were verified just now, by digest. Runs that are verified together share them. */
  readonly sound?: Set<string> | undefined
}

/** Verifies a run, from its first tick. */
export const verify = Effect.fn("RunVerification.verify")(function* (run: Run, options: Options = {}) {
  const sound = options.sound ?? new Set<string>()
  const known = options.head === undefined ? undefined : yield* Effect.fromResult(KnownHead.parse(options.head))
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const words = yield* Lexicon.Lexicon
  const info = yield* Effect.result(history.info(run))
  if (Result.isFailure(info)) {
    if (info.failure._tag === "RunUnknown" || info.failure.reason !== "corrupt") return yield* info.failure
    const fault = { code: "head_unreadable", store: info.failure.store } as const
    return broken({ run: run.id, ticks: 0, head: "" }, { tick: 1, fault }, { words })
  }
  const { head } = info.success
  const facts = { run: run.id, ticks: head.tick, head: head.link as string }
  let folded = 0
  const progress = (tick: number, of: number) => {
    folded = tick
    options.progress?.(tick, of)
  }
  const verified = yield* StrictReplay.of(run, { progress }).pipe(
    Effect.catchTags({
      ChainBroken: ({ message, tick }) => Effect.succeed<Bad>({ tick, fault: { code: "chain_broken", message } }),
      SourceMissing: ({ message, tick }) => Effect.succeed<Bad>({ tick, fault: { code: "source_missing", message } }),
      TraceStoreError: (error) => (error.reason === "corrupt" ? unreadable(run, folded, error) : Effect.fail(error))
    }),
    Effect.catchDefect((defect) =>
      Latch.isAbsent(defect) && defect instanceof Error
        ? Effect.succeed<Bad>({ tick: folded + 1, fault: { code: "data_broken", message: defect.message } })
        : Effect.die(defect)
    )
  )
  if ("fault" in verified) return broken(facts, verified, { words })
  const { compared, divergences, initials, misfit } = verified
  const ending = { compared, words }
  if (misfit !== undefined) {
    const { problem: message, tick } = misfit
    return broken(facts, { tick, fault: { code: "payload_unfit", message } }, ending)
  }
  const first = divergences[0]
  if (first !== undefined) {
    return broken(facts, { tick: first.tick, fault: { code: "state_differs", ...first } }, ending)
  }
  const { parent } = info.success
  if (parent !== undefined) {
    const [own] = yield* store.read(run, { from: parent.tick + 1, to: parent.tick + 1 })
    if (own !== undefined && (yield* isOthers(run, own, parent))) {
      const { message } = new HashChain.ChainBroken({ tick: own.tick, found: "fork" })
      return broken(facts, { tick: own.tick, fault: { code: "chain_broken", message } }, ending)
    }
  }
  for (const initial of initials) {
    const message = yield* damageOf(initial.digest, sound)
    if (message === undefined) continue
    return broken(facts, { tick: initial.tick, fault: { code: "data_broken", message } }, ending)
  }
  const anchors = [...(options.anchors ?? [])]
  if (known?.tick !== undefined) anchors.push({ tick: known.tick, head: known.link })
  else if (known !== undefined) {
    const at = yield* find(run, known.link)
    if (at === undefined) {
      return broken(facts, { tick: head.tick, fault: { code: "head_unknown", link: known.link } }, ending)
    }
  }
  const rewritten = yield* againstAnchors(run, anchors)
  if (rewritten !== undefined) return broken(facts, rewritten, ending)
  const anchored = known !== undefined || anchors.length > 0
  const verdict: RunVerdict = {
    ...facts,
    consistent: true,
    anchored,
    verdict: anchored ? "consistent, anchored" : "consistent, unanchored",
    badTick: null,
    fault: null,
    problem: null,
    compared,
    unknown: [...verified.unknown, ...verified.absent],
    damage: (yield* snapshotFaults(run, sound)).map((fault) => {
      return { tick: fault.tick, fault, problem: Wording.snapshotFault(fault, words) }
    })
  }
  return verdict
})

interface Bad {
  readonly tick: number
  readonly fault: VerificationFault
}

/** The verdict on a run that cannot be trusted from a tick on. */
export const broken = (
  facts: Pick<RunVerdict, "run" | "ticks" | "head">,
  { fault, tick }: Bad,
  { compared = 0, words }: { readonly compared?: number; readonly words?: Words | undefined }
): RunVerdict => ({
  ...facts,
  consistent: false,
  anchored: false,
  verdict: "broken",
  badTick: tick,
  fault,
  problem: Wording.verificationFault(fault, words),
  compared,
  unknown: [],
  damage: []
})

/** Tells whether the parent that a fork names is in the store, with another history than the fork shares. */
const isOthers = Effect.fnUntraced(function* (run: Run, own: Transition.Sealed, parent: TraceStore.Parent) {
  const store = yield* TraceStore.TraceStore
  const named = Payload.of(Transition.open(own).body, "run.fork")?.parent
  if (named === parent.id || !Schema.is(RunId)(named)) return false
  const range = { from: parent.tick, to: parent.tick }
  const [last] = yield* store.read(run, range)
  const [theirs] = yield* store.read({ ...run, id: named }, range)
  return theirs !== undefined && theirs.link !== last?.link
})

/** The first tick after the folded ones at which the store cannot be read. */
const unreadable = Effect.fnUntraced(function* (run: Run, folded: number, error: TraceStore.TraceStoreError) {
  const store = yield* TraceStore.TraceStore
  let tick = folded + 1
  while (true) {
    const page = yield* Effect.result(store.read(run, { from: tick, to: tick }))
    if (Result.isFailure(page) || page.success.length === 0) break
    tick++
  }
  return { tick, fault: { code: "tick_unreadable", store: error.store, tick } } satisfies Bad
})

/** Finds the first fault of an initial state, including parts that no transition has read. */
const damageOf = Effect.fnUntraced(function* (digest: string, sound: Set<string>) {
  const store = yield* TraceStore.TraceStore
  const text = (yield* store.getBlobs([digest as Digest.Digest])).get(digest as Digest.Digest)
  // An initial state that the pack itself declares is not stored separately.
  return text === undefined ? undefined : yield* damageBelow(text.slice(text.indexOf("\n") + 1), sound)
})

/** Finds the first node below a manifest that is missing or does not match its digest. Each sound node is read once. */
const damageBelow = Effect.fnUntraced(function* (manifest: string, sound: Set<string>) {
  const store = yield* TraceStore.TraceStore
  let below = Snapshot.roots(manifest)
  const seen = new Set<string>()
  while (below.length > 0) {
    // No node is stored for an empty table or list.
    const fresh = [...new Set(below)].filter(
      (digest) => digest !== Digest.zero && !sound.has(digest) && !seen.has(digest)
    )
    const texts = yield* store.getBlobs(fresh)
    for (const digest of fresh) {
      const read = Result.try({ try: () => Node.read((node) => texts.get(node), digest), catch: (error) => error })
      if (Result.isFailure(read)) return read.failure instanceof Error ? read.failure.message : String(read.failure)
      seen.add(digest)
    }
    below = fresh.flatMap((digest) => Node.children(texts.get(digest) ?? ""))
  }
  for (const digest of seen) sound.add(digest)
  return undefined
})

/** Finds the fault of a snapshot of a tick, by its text and the digest that the tick committed. */
const snapshotFault = Effect.fnUntraced(function* (
  { text, tick }: TraceStore.Snapshot,
  committed: string,
  sound: Set<string>
) {
  const store = yield* TraceStore.TraceStore
  const differs: SnapshotFault = { code: "snapshot_differs", tick }
  const roots = Result.try(() => Snapshot.roots(text))
  if (Result.isFailure(roots)) return differs
  const message = yield* damageBelow(text, sound)
  if (message !== undefined) return { code: "snapshot_broken", message, tick } satisfies SnapshotFault
  const texts = yield* store.getBlobs(roots.success)
  const said = Result.try(() => State.digest(Snapshot.read(text, (digest) => texts.get(digest))))
  return Result.isFailure(said) || said.success !== committed ? differs : undefined
})

/** Checks the snapshots from which a run may be read against the digests committed with their ticks. */
const snapshotFaults = Effect.fnUntraced(function* (run: Run, sound: Set<string>) {
  const store = yield* TraceStore.TraceStore
  const found: Array<SnapshotFault> = []
  for (const tick of yield* store.snapshotTicks(run)) {
    const [sealed] = yield* store.read(run, { from: tick, to: tick })
    const snapshot = yield* store.nearestSnapshot(run, tick)
    // A snapshot whose tick has no digest is never read.
    const committed = sealed === undefined ? undefined : Transition.open(sealed).stamp.state
    if (committed === undefined || snapshot?.tick !== tick) continue
    const fault = yield* snapshotFault(snapshot, committed, sound)
    if (fault !== undefined) found.push(fault)
  }
  return found as ReadonlyArray<SnapshotFault>
})

/** The first tick after the last confirmed anchor, if an anchor is not confirmed. */
const againstAnchors = Effect.fnUntraced(function* (run: Run, anchors: ReadonlyArray<{ tick: number; head: string }>) {
  const store = yield* TraceStore.TraceStore
  let sound = 0
  for (const { head, tick } of anchors.toSorted((left, right) => left.tick - right.tick)) {
    const [sealed] = yield* store.read(run, { from: tick, to: tick })
    if (sealed?.link === head) {
      sound = tick
      continue
    }
    const stored = sealed === undefined ? {} : { stored: sealed.link }
    const fault = { code: "anchor_differs", anchored: sound, link: head, tick, ...stored } as const
    return { tick: sound + 1, fault } satisfies Bad
  }
  return undefined
})

/** The tick up to which a head that was kept elsewhere, `LINK` or `TICK:LINK`, anchors a run; 0 if it is not in it. */
export const tickOf = Effect.fnUntraced(function* (run: Run, head: string) {
  const known = yield* Effect.fromResult(KnownHead.parse(head))
  return known.tick ?? (yield* find(run, known.link))?.tick ?? 0
})

/** A run may have continued since its head was kept. A kept head anywhere in it anchors everything before. */
const find = Effect.fnUntraced(function* (run: Run, link: string) {
  const store = yield* TraceStore.TraceStore
  for (let from = 1; ; from += Limits.pacing.pageRowsMax) {
    const page = yield* store.read(run, { from, limit: Limits.pacing.pageRowsMax })
    const found = page.find((sealed) => sealed.link === link)
    if (found !== undefined || page.length < Limits.pacing.pageRowsMax)
      return found === undefined ? undefined : HashChain.headOf(found)
  }
})
