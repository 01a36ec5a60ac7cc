/**
 * Keeps small texts of a host beside its traces, such as which agent works on which run.
 *
 * A note has a tenant, a kind and a name, and a revision that counts its changes, so that of two writers one learns
 * that the other was faster. What a trace says is not noted: a note says what people have asked of a process, or how
 * far a process has come with telling them.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Tenant } from "../chain/Run.ts"
import { TraceStoreError } from "./TraceStore.ts"

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

/**
 * Makes the reader of notes of one form. It refuses a text of another form, which was altered or which a later version
 * wrote: a caller that works on the notes of several tenants leaves that note out, and goes on.
 */
export const reader = <A>(form: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownResult(form)
  return ({ kind, name, tenant, text }: Note): Result.Result<A, TraceStoreError> =>
    Result.mapError(decode(text), () => {
      const cause = new Error("its text is not of the form that this version keeps. Open it with the version that did")
      return new TraceStoreError({ operation: "notes", reason: "other", store: `${kind} ${name} of ${tenant}`, cause })
    })
}

/** Reads the notes of which it can, and logs the others: none of them keeps those beside it from their work. */
export const readable = <A>(notes: ReadonlyArray<Note>, read: (note: Note) => Result.Result<A, TraceStoreError>) =>
  Effect.gen(function* () {
    const [found, problems] = Arr.partition(notes, read)
    for (const { message } of problems) yield* Effect.logWarning(message)
    return found
  })

/** Reads all notes of a kind, of which `limit` are in memory at a time. */
export const stream = (page: Omit<Page, "after"> & { readonly limit: number }) =>
  Stream.paginate(
    undefined as Note | undefined,
    Effect.fnUntraced(function* (after: Note | undefined) {
      const notes = yield* Notes
      const found = yield* notes.list({ ...page, after })
      return [found, found.length < page.limit ? Option.none() : Option.fromUndefinedOr(found.at(-1))] as const
    })
  )

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
