/**
 * Says how far a reader has come with the commits of all runs of a tenant, in a text that is short enough for a header.
 *
 * The place of such a reader is the next tick of each run. Written out, that grows with every run that the tenant ever
 * had. So the places at one moment are kept as a note, and a cursor names the note and the runs that have moved since.
 * When too many have, their places are noted anew. A process begins a new cursor at the last note that it has made, if
 * the cursor is short enough then. So notes are made because runs move, and not because many streams are opened.
 *
 * @source docs/decisions/0048
 */
import * as Digest from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Notes from "@backstitch/trace/Notes"
import type { RunId, Tenant } from "@backstitch/trace/Run"
import * as RunFeed from "@backstitch/trace/RunFeed"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Limits from "../Limits.ts"

/** Error for a cursor whose note was never there, or is no longer kept. */
export class CursorUnknown extends Schema.TaggedError<CursorUnknown>("@backstitch/runtime/CursorUnknown")(
  "CursorUnknown",
  { cursor: Schema.String }
) {
  override get message(): string {
    return (
      `Nobody knows any more how far "${this.cursor}" is: that is kept for a day. ` +
      "Begin without it: from now on, or from the first commit"
    )
  }
}

/** The place of a reader. It moves as the reader reads on. */
export interface FeedCursor {
  readonly tenant: Tenant
  /** The next tick of each run. */
  readonly positions: Map<RunId, number>
  /** The note of the places of before, as `day/digest`. */
  base: string
  /** The runs that have moved since then. */
  readonly moved: Set<RunId>
}

/** The kind of the notes. */
export const kind = "feed.cursor"

/** The last note that a process has made for each of its latest tenants. */
export class Bases {
  private readonly kept = new Map<Tenant, { readonly name: string; readonly positions: ReadonlyMap<RunId, number> }>()

  /** The place as a cursor from the last note; `undefined` if there is none of that day, or it would be long. */
  from(tenant: Tenant, positions: Map<RunId, number>, day: string): FeedCursor | undefined {
    const last = this.kept.get(tenant)
    if (last === undefined || !last.name.startsWith(day)) return undefined
    const moved = [...positions].filter(([run, next]) => last.positions.get(run) !== next).map(([run]) => run)
    const self: FeedCursor = { tenant, positions, base: last.name, moved: new Set(moved) }
    return textOf(self).length > Limits.pacing.cursorLengthMax ? undefined : self
  }

  keep({ base, positions, tenant }: FeedCursor): void {
    this.kept.delete(tenant)
    this.kept.set(tenant, { name: base, positions: new Map(positions) })
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= Limits.pacing.cursorTenantsMax) return
      this.kept.delete(oldest)
    }
  }
}

/** The place before every commit, or behind the last one. */
export const begin = Effect.fn("FeedCursor.begin")(function* (tenant: Tenant, from: "first" | "now", bases: Bases) {
  const store = yield* TraceStore.TraceStore
  const positions = new Map(from === "first" ? [] : RunFeed.after(yield* store.runs(tenant)))
  const day = dayOf(yield* Clock.currentTimeMillis)
  const known = from === "first" ? undefined : bases.from(tenant, positions, day)
  if (known !== undefined) return known
  const self: FeedCursor = { tenant, positions, base: "", moved: new Set() }
  yield* note(self)
  if (from === "now") bases.keep(self)
  return self
})

/** Finds the place that a cursor names. */
export const resume = Effect.fn("FeedCursor.resume")(function* (tenant: Tenant, cursor: string) {
  const [, base, moved] = /^(\d{4}-\d\d-\d\d\/[0-9a-f]{64})((?:,[^,~]+~\d{1,10})*)$/.exec(cursor) ?? []
  const found = base === undefined ? undefined : yield* (yield* Notes.Notes).find({ tenant, kind, name: base })
  if (base === undefined || moved === undefined || found === undefined) return yield* new CursorUnknown({ cursor })
  const self: FeedCursor = { tenant, base, positions: positionsOf(found.text), moved: new Set() }
  for (const each of moved.split(",").slice(1)) {
    const [run = "", next] = each.split("~")
    move(self, run as RunId, Number(next))
  }
  // A reader that comes back day after day is never behind a note that is about to be removed.
  if (!self.base.startsWith(dayOf(yield* Clock.currentTimeMillis))) yield* note(self)
  return self
})

/** Moves behind a commit, and answers the cursor of the place. */
export const pass = Effect.fnUntraced(function* (self: FeedCursor, run: RunId, tick: number) {
  move(self, run, tick + 1)
  const cursor = textOf(self)
  if (cursor.length <= Limits.pacing.cursorLengthMax) return cursor
  yield* note(self)
  return textOf(self)
})

/** The cursor of a place. */
export const textOf = ({ base, moved, positions }: FeedCursor): string =>
  [base, ...[...moved].map((run) => `${run}~${positions.get(run)}`)].join(",")

/** Removes the notes of cursors that were last made on a day before the one of a moment, in epoch milliseconds. */
export const expire = Effect.fn("FeedCursor.expire")(function* (before: number) {
  const notes = yield* Notes.Notes
  yield* Notes.stream({ kind, limit: Limits.pacing.pageRowsMax }).pipe(
    Stream.filter(({ name }) => name < dayOf(before)),
    Stream.runForEach((note) => notes.remove(note))
  )
})

const move = ({ moved, positions }: FeedCursor, run: RunId, next: number): void => {
  positions.set(run, next)
  moved.add(run)
}

/** Notes all places, unless they stand there already. */
const note = Effect.fnUntraced(function* (self: FeedCursor) {
  const text = JSON.stringify([...self.positions].sort(([one], [other]) => (one < other ? -1 : 1)))
  const name = `${dayOf(yield* Clock.currentTimeMillis)}/${Digest.ofBytes(text)}`
  yield* (yield* Notes.Notes).put({ tenant: self.tenant, kind, name, text, expected: 0 })
  self.base = name
  self.moved.clear()
})

const positionsOf = (text: string): Map<RunId, number> => new Map(JsonText.read(text) as ReadonlyArray<[RunId, number]>)

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
