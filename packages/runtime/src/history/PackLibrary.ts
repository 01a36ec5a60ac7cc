/**
 * Packs and initial states by digest, kept in the store beside the traces that name them.
 *
 * The fold is pure and synchronous, so everything that it needs has to be in memory. The library holds what was
 * loaded, and loads what a fold reports as missing: `folding` runs a fold, and on `SourceMissing` loads that pack or
 * state and continues. All content is addressed by its digest and checked.
 */

import * as PackExtension from "@backstitch/contracts/PackExtension"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Purity from "@backstitch/functions/Purity"
import type * as Kernel from "@backstitch/kernel/Kernel"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import * as PackRules from "@backstitch/reducer/PackRules"
import type * as Rules from "@backstitch/reducer/Rules"
import * as Snapshot from "@backstitch/reducer/Snapshot"
import type { State } from "@backstitch/reducer/State"
import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import { type Digest, ofBytes } from "@backstitch/trace/Digest"
import * as Node from "@backstitch/trace/Node"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Limits from "../Limits.ts"

/** Service that keeps packs and states by digest. */
export class PackLibrary extends Context.Service<
  PackLibrary,
  {
    /** The fold of a kernel over the content of the library. */
    readonly fold: (kernel: Pick<Kernel.Kernel, "parts" | "earlier">) => Fold.Fold
    /**
     * Keeps a pack and answers its digest. The functions of the pack have to be pure, unless impure ones are only
     * flagged.
     */
    readonly keepPack: (
      pack: TaskPack.TaskPack,
      options?: { readonly impure: "flag" | "refuse" }
    ) => Effect.Effect<Digest, Purity.Impure | TraceStore.TraceStoreError>
    /** Holds a pack in memory, so that a run under it need not read and compile it again. */
    readonly hold: (pack: TaskPack.TaskPack) => void
    /** Holds initial sections in memory and stores nothing; answers their digest. */
    readonly holdInitial: (sections: Rules.Sections) => Digest
    /** Keeps the sections in which runs begin; answers their digest. */
    readonly keepInitial: (sections: Rules.Sections) => Effect.Effect<Digest, TraceStore.TraceStoreError>
    /** A pack by digest. */
    readonly pack: (digest: string) => Effect.Effect<TaskPack.TaskPack, Fold.SourceMissing | TraceStore.TraceStoreError>
    /** The pack that applies at a tick, with its extensions. It is loaded where it is not in memory. */
    readonly inForce: (
      state: State,
      tick: number
    ) => Effect.Effect<TaskPack.TaskPack | undefined, Fold.SourceMissing | TraceStore.TraceStoreError>
    /** The same, for a step that `folding` runs. Throws `SourceMissing`. */
    readonly packAt: (state: State, tick: number) => TaskPack.TaskPack | undefined
    /** The sections in which a run under a pack begins. */
    readonly initial: (pack: TaskPack.TaskPack) => Rules.Sections
    /** Runs a pure step that folds. Loads missing content and runs the step again. */
    readonly folding: <A>(step: () => A) => Effect.Effect<A, Fold.SourceMissing | TraceStore.TraceStoreError>
    /**
     * Answers how to read the nodes below roots: at once if the store can do so, otherwise after loading them into
     * memory.
     */
    readonly nodes: (
      roots: ReadonlyArray<Digest>
    ) => Effect.Effect<(digest: Digest) => string | undefined, TraceStore.TraceStoreError>
  }
>()("@backstitch/runtime/PackLibrary") {}

/** Creates a library over the store. */
export const make = Effect.gen(function* () {
  const store = yield* TraceStore.TraceStore
  const packs = new Map<string, TaskPack.TaskPack>()
  // Only packs of stored runs are taken from memory: those were registered, and equal digests mean equal packs.
  const held = new Map<string, TaskPack.TaskPack>()
  const extended = new Map<string, TaskPack.TaskPack>()
  const initials = new Map<string, Rules.Sections>()
  const heldInitials = new Map<string, Rules.Sections>()
  const cache = new Map<Digest, string>()

  const find = (
    digest: string,
    extensions: PackInForce.PackInForce["extensions"],
    engine: string
  ): TaskPack.TaskPack | undefined => {
    const pack = packs.get(digest) ?? held.get(digest)
    if (pack === undefined || (extensions.length === 0 && pack.engine === engine)) return pack
    const name = `${engine} ${digest} ${JSON.stringify(extensions)}`
    const known = extended.get(name)
    if (known !== undefined) return known
    const next = PackExtension.extendAll(TaskPack.under(pack, engine), extensions)
    extended.set(name, next)
    return next
  }

  const sources: Fold.Sources = {
    rules: (digest, extensions, engine) => {
      const pack = find(digest, extensions, engine)
      return pack === undefined ? undefined : PackRules.of(pack)
    },
    initial: (digest) => initials.get(digest) ?? heldInitials.get(digest)
  }

  const packAt = (state: State, tick: number): TaskPack.TaskPack | undefined => {
    const contract = PackInForce.of(state)
    if (contract.pack === "") return undefined
    const pack = find(contract.pack, PackInForce.bindingAt(contract, tick), PackInForce.engineOf(contract))
    if (pack === undefined) throw new Fold.SourceMissing({ kind: "pack", digest: contract.pack, tick })
    return pack
  }

  // A node that was handed out stays available, because a state may read it at any time. Only the shared cache is
  // bounded.
  const nodes = Effect.fnUntraced(function* (roots: ReadonlyArray<Digest>) {
    if (store.blob !== undefined) return store.blob
    const own = new Map<Digest, string>()
    let wanted: ReadonlyArray<Digest> = roots
    while (wanted.length > 0) {
      const missing = wanted.filter((digest) => !cache.has(digest))
      for (const [digest, text] of missing.length === 0 ? [] : yield* store.getBlobs(missing)) cache.set(digest, text)
      const below = new Set<Digest>()
      for (const digest of wanted) {
        const text = cache.get(digest)
        if (text === undefined || own.has(digest)) continue
        own.set(digest, text)
        for (const child of Node.children(text)) below.add(child)
      }
      wanted = [...below]
    }
    if (cache.size > Limits.pacing.cachedNodesMax) cache.clear()
    return (digest: Digest) => own.get(digest)
  })

  const text = (missing: Fold.SourceMissing) =>
    Effect.flatMap(store.getBlobs([missing.digest as Digest]), (found) => {
      const blob = found.get(missing.digest as Digest)
      if (blob === undefined) return Effect.fail(missing)
      // Damaged text does not match its digest, so the named content counts as absent.
      if (ofBytes(blob) !== missing.digest) return Effect.fail(new Fold.SourceMissing({ ...missing, isAltered: true }))
      return Effect.succeed(blob.slice(blob.indexOf("\n") + 1))
    })

  const load = Effect.fnUntraced(function* (missing: Fold.SourceMissing) {
    if (missing.kind !== "pack" && missing.kind !== "initial state") return yield* missing
    const manifest = yield* text(missing)
    if (missing.kind === "pack") {
      const pack = TaskPack.fromJson(Canonical.parse(manifest))
      if (Result.isFailure(pack)) return yield* missing
      packs.set(missing.digest, pack.success)
      return
    }
    const node = yield* nodes(Snapshot.roots(manifest))
    const sections = Snapshot.readSections(manifest, node)
    initials.set(missing.digest, { world: sections["world"] ?? {}, working: sections["working"] ?? {} })
  })

  const folding = <A>(step: () => A): Effect.Effect<A, Fold.SourceMissing | TraceStore.TraceStoreError> =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(step())
      } catch (error) {
        if (!Branded.isError(error, Fold.SourceMissing)) throw error
        return Effect.andThen(load(error), folding(step))
      }
    })

  return PackLibrary.of({
    fold: ({ earlier, parts }) => Fold.make({ earlier, parts, sources }),
    keepPack: Effect.fnUntraced(function* (pack, { impure } = { impure: "refuse" }) {
      const { digest } = pack
      if (packs.get(digest) === undefined) {
        if (impure === "refuse") yield* Effect.fromResult(PackPurity.check(pack))
        yield* store.putBlobs(new Map([[digest, `backstitch.pack.1\n${Canonical.encode(TaskPack.toJson(pack))}`]]))
        packs.set(digest, pack)
      }
      return digest
    }),
    hold: (pack) => {
      held.set(pack.digest, pack)
    },
    holdInitial: (sections) => {
      const digest = Fold.initialDigest(sections)
      heldInitials.set(digest, sections)
      return digest
    },
    keepInitial: Effect.fnUntraced(function* (sections) {
      const digest = Fold.initialDigest(sections)
      if (!initials.has(digest)) {
        const blobs = new Map<Digest, string>()
        Snapshot.collect(
          { working: sections.working, world: sections.world },
          {
            has: (node) => blobs.has(node),
            put: (node, content) => blobs.set(node, content)
          }
        )
        const { working, world } = sections
        blobs.set(digest, `backstitch.initial.1\n${Snapshot.manifest({ working, world })}`)
        yield* store.putBlobs(blobs)
        initials.set(digest, sections)
      }
      return digest
    }),
    pack: Effect.fnUntraced(function* (digest) {
      if (!packs.has(digest)) yield* load(new Fold.SourceMissing({ kind: "pack", digest, tick: 0 }))
      return packs.get(digest)!
    }),
    inForce: (state, tick) => folding(() => packAt(state, tick)),
    packAt,
    initial: (pack) => PackRules.of(pack).initial,
    folding,
    nodes
  })
})

/** Layer that provides the library over the store. */
export const layer: Layer.Layer<PackLibrary, never, TraceStore.TraceStore> = Layer.effect(PackLibrary, make)
