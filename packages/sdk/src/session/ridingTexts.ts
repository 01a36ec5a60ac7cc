/**
 * Texts that ride with the commit that names them, so that both are durable in one write, or neither.
 *
 * A fact is decided, sealed and appended by the runtime, which knows nothing of what it names. So its texts wait at the
 * store, and the next append of their run takes them along.
 */
import type { Digest } from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import { TraceStore, type TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Texts = ReadonlyMap<Digest, string>

/** Texts that wait for an append. */
export interface RidingTexts {
  /** A store whose appends take along what waits for them. */
  readonly carriedBy: <E>(layer: Layer.Layer<TraceStore, E>) => Layer.Layer<TraceStore, E>
  /** Commits to a run, with texts. If nothing was appended, the texts are kept all the same. */
  readonly during: <A, E, R>(
    run: Run,
    texts: Texts,
    commit: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TraceStoreError, R | TraceStore>
}

/** Makes a place where texts wait. */
export const make = (): RidingTexts => {
  const waiting = new Map<string, Set<Texts>>()

  const riding = (store: TraceStore["Service"]): TraceStore["Service"] =>
    TraceStore.of({
      ...store,
      append: (commit) => {
        const own = waiting.get(keyOf(commit.run))
        if (own === undefined) return store.append(commit)
        const taken = [...own]
        const blobs = new Map(taken.flatMap((texts) => [...texts]))
        return Effect.tap(store.append({ ...commit, blobs }), () =>
          Effect.sync(() => {
            for (const texts of taken) own.delete(texts)
          })
        )
      }
    })

  return {
    carriedBy: (layer) => Layer.effect(TraceStore, Effect.map(TraceStore, riding)).pipe(Layer.provide(layer)),
    during: Effect.fnUntraced(function* (run, texts, commit) {
      if (texts.size === 0) return yield* commit
      const key = keyOf(run)
      const own = waiting.get(key) ?? new Set()
      const leave = Effect.sync(() => {
        own.delete(texts)
        if (own.size === 0) waiting.delete(key)
      })
      return yield* Effect.gen(function* () {
        waiting.set(key, own.add(texts))
        const done = yield* commit
        if (own.has(texts)) yield* Effect.flatMap(TraceStore, (store) => store.putBlobs(texts))
        return done
      }).pipe(Effect.ensuring(leave))
    })
  }
}

const keyOf = ({ id, tenant }: Run): string => `${tenant}/${id}`
