/**
 * Keeps small texts of a host beside its traces, such as which agent works on which run.
 *
 * A note has a tenant, a kind and a name, and a revision that counts its changes, so that of two writers one learns
 * that the other was faster. What a trace says is not noted: a note says what people have asked of a process, or how
 * far a process has come with telling them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import type { Tenant } from "../chain/Run.ts"
import type { TraceStoreError } from "./TraceStore.ts"

/** The place of a note. */
export interface NoteName {
  readonly tenant: Tenant
  readonly kind: string
  readonly name: string
}

/** A note. Its revision is 1 when it is first kept, and one more with each change. */
export interface Note extends NoteName {
  readonly text: string
  readonly revision: number
}

/** A note to be kept. With `expected`, it is kept only if that revision stands; 0 means that there is no note. */
export interface NewNote extends NoteName {
  readonly text: string
  readonly expected?: number | undefined
}

/** The answer to a request: the note was kept, or another one stands. */
export type NoteAnswer =
  | { readonly _tag: "Kept"; readonly note: Note }
  | { readonly _tag: "Changed"; readonly standing: Note | undefined }

/** A page of notes of one kind: those of a tenant, or of all. They are in the order of tenants and names. */
export interface Page {
  readonly kind: string
  readonly tenant?: Tenant | undefined
  /** The place after which the page begins. */
  readonly after?: Pick<NoteName, "tenant" | "name"> | undefined
  readonly limit?: number | undefined
}

/** Service that keeps notes. */
export class Notes extends Context.Service<
  Notes,
  {
    /** Keeps a note, unless another revision than the expected one stands. */
    readonly put: (given: NewNote) => Effect.Effect<NoteAnswer, TraceStoreError>
    /** Removes a note, unless another revision than the expected one stands; answers whether it is gone. */
    readonly remove: (place: NoteName & Pick<NewNote, "expected">) => Effect.Effect<boolean, TraceStoreError>
    /** The note at a place. */
    readonly find: (place: NoteName) => Effect.Effect<Note | undefined, TraceStoreError>
    /** The notes of a kind. */
    readonly list: (page: Page) => Effect.Effect<ReadonlyArray<Note>, TraceStoreError>
  }
>()("@backstitch/trace/Notes") {}

/** Decides a request. This is the specification for every layer. */
export const decide = (standing: Note | undefined, given: NewNote): NoteAnswer => {
  const { expected, kind, name, tenant, text } = given
  const revision = standing?.revision ?? 0
  if (expected !== undefined && expected !== revision) return { _tag: "Changed", standing }
  return { _tag: "Kept", note: { tenant, kind, name, text, revision: revision + 1 } }
}

/** Creates notes that exist only within the current process. */
export const makeMemory: Effect.Effect<Notes["Service"]> = Effect.sync(() => {
  const kept = new Map<string, Note>()
  const keyOf = ({ kind, name, tenant }: NoteName): string => JSON.stringify([kind, tenant, name])
  return Notes.of({
    put: (given) =>
      Effect.sync(() => {
        const answer = decide(kept.get(keyOf(given)), given)
        if (answer._tag === "Kept") kept.set(keyOf(given), answer.note)
        return answer
      }),
    remove: ({ expected, ...place }) =>
      Effect.sync(() => {
        const standing = kept.get(keyOf(place))
        if (standing !== undefined && expected !== undefined && standing.revision !== expected) return false
        kept.delete(keyOf(place))
        return true
      }),
    find: (place) => Effect.sync(() => kept.get(keyOf(place))),
    list: ({ after, kind, limit = Number.POSITIVE_INFINITY, tenant }) =>
      Effect.sync(() =>
        [...kept.values()]
          .filter((note) => note.kind === kind && note.tenant === (tenant ?? note.tenant))
          .filter((note) => after === undefined || order(note, after) > 0)
          .sort(order)
          .slice(0, limit)
      )
  })
})

/** Layer that provides notes in memory. */
export const layerMemory: Layer.Layer<Notes> = Layer.effect(Notes, makeMemory)

const order: Order.Order<Pick<NoteName, "name" | "tenant">> = Order.combine(
  Order.mapInput(Order.String, ({ tenant }) => tenant),
  Order.mapInput(Order.String, ({ name }) => name)
)
