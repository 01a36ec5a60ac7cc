/**
 * The answers of writes that arrived over a network, by the name that the sender gave to the request.
 *
 * A package of a database provides a layer. A name belongs to one request of one tenant, until a time: then it is free,
 * and is deleted with its answer.
 *
 * @source docs/decisions/0066
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Tenant } from "../chain/Run.ts"
import type { TraceStoreError } from "./TraceStore.ts"

/** A request by its name, and the digest of all that it asks for. */
export interface Named {
  readonly tenant: Tenant
  readonly name: string
  readonly digest: string
}

/** An answer, as it was sent. */
export interface WriteAnswer {
  readonly status: number
  readonly body: string
}

/** A request that was begun: by which digest, until when its name is taken, and its answer once there is one. */
export interface BegunWrite {
  readonly digest: string
  readonly until: number
  readonly answer: WriteAnswer | null
}

/** Service that keeps answers. */
export class WriteAnswers extends Context.Service<
  WriteAnswers,
  {
    /**
     * Begins a request, if its name is free or was no longer taken at `now`, and holds the name until `until`; else
     * answers what holds it.
     */
    readonly begin: (
      request: Named,
      time: { readonly now: number; readonly until: number }
    ) => Effect.Effect<BegunWrite | undefined, TraceStoreError>
    /** Keeps the answer of a request that was begun, until `until`. */
    readonly finish: (request: Named, answer: WriteAnswer, until: number) => Effect.Effect<void, TraceStoreError>
    /** Frees the name of a request that was begun and came to nothing. */
    readonly forget: (request: Named) => Effect.Effect<void, TraceStoreError>
    /** Deletes at most `limit` names that were no longer taken at `now`, of any tenant. Answers how many it deleted. */
    readonly expire: (now: number, limit: number) => Effect.Effect<number, TraceStoreError>
  }
>()("@backstitch/trace/WriteAnswers") {}

/** Decides a request from what holds its name. This is the specification for every layer. */
export const isFree = (known: BegunWrite | undefined, now: number): boolean => known === undefined || known.until <= now

/** Layer that keeps answers within the current process. */
export const layerMemory: Layer.Layer<WriteAnswers> = Layer.sync(WriteAnswers, () => {
  const kept = new Map<string, BegunWrite>()
  const keyOf = ({ name, tenant }: Named): string => `${tenant}/${name}`
  return WriteAnswers.of({
    begin: (request, { now, until }) =>
      Effect.sync(() => {
        const known = kept.get(keyOf(request))
        if (!isFree(known, now)) return known
        kept.set(keyOf(request), { digest: request.digest, until, answer: null })
        return undefined
      }),
    finish: (request, answer, until) =>
      Effect.sync(() => {
        if (isOpen(kept.get(keyOf(request)), request))
          kept.set(keyOf(request), { digest: request.digest, until, answer })
      }),
    forget: (request) =>
      Effect.sync(() => {
        if (isOpen(kept.get(keyOf(request)), request)) kept.delete(keyOf(request))
      }),
    expire: (now, limit) =>
      Effect.sync(() => {
        const over = [...kept].filter(([, known]) => isFree(known, now)).slice(0, limit)
        for (const [key] of over) kept.delete(key)
        return over.length
      })
  })
})

const isOpen = (known: BegunWrite | undefined, { digest }: Named): boolean =>
  known !== undefined && known.answer === null && known.digest === digest
