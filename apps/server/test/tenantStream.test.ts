/** The stream of all runs of a tenant: each commit once, over connections and processes, and none of another tenant. */
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { park } from "./parked.ts"
import * as Places from "./places.ts"
import { type Served, serve } from "./served.ts"

/** An event: its id, and the run and tick that it tells of, if any. */
interface Seen {
  readonly id: string
  readonly run: string
  readonly tick: number
}

/** Reads a stream until `isEnough`, and answers the last id with all that was seen. */
const read = (
  { address }: Served,
  key: string,
  given: { readonly query?: string; readonly after?: string | undefined; readonly onOpen?: () => void },
  isEnough: (seen: ReadonlyArray<Seen>) => boolean
): Effect.Effect<{ readonly last: string; readonly seen: ReadonlyArray<Seen> }> =>
  Effect.promise(async () => {
    const { after, onOpen = () => {}, query = "" } = given
    const stop = new AbortController()
    const response = await fetch(`${address}/v1/events${query}`, {
      headers: { authorization: `Bearer ${key}`, ...(after === undefined ? {} : { "last-event-id": after }) },
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)])
    })
    if (response.status !== 200) throw new Error(await response.text())
    const seen: Array<Seen> = []
    let [text, last] = ["", ""]
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const [, id] = /^id: (.+)$/m.exec(text.slice(0, end)) ?? []
        const [, data] = /^data: (.+)$/m.exec(text.slice(0, end)) ?? []
        text = text.slice(end + 2)
        if (id !== undefined && last === "") onOpen()
        last = id ?? last
        if (data === undefined) continue
        const { run_id, tick } = JSON.parse(data) as { run_id: string; tick: number }
        seen.push({ id: id!, run: run_id, tick })
        if (isEnough(seen)) {
          stop.abort()
          return { last, seen }
        }
      }
    }
    throw new Error("the stream ended")
  })

const placesOf = (seen: ReadonlyArray<Seen>): ReadonlyArray<string> => seen.map(({ run, tick }) => `${run}@${tick}`)

describe.each(Places.all(process.env["BACKSTITCH_TEST_POSTGRES"]))("the stream of a tenant on %s", (_, place) => {
  it.live(
    "tells each commit once, goes on behind any of them at another process, and shows no other tenant (L15)",
    () =>
      Effect.gen(function* () {
        const first = yield* serve(yield* place)
        const second = yield* serve(first.store)
        const [mine, theirs] = [yield* first.key("acme", "viewer"), yield* first.key("beta", "viewer")]
        const write = (tenant: string, name: string) => park(first.store, Run.make(name, tenant))
        for (const name of ["one", "two", "three"]) yield* write("acme", name)
        yield* write("beta", "hidden")
        const count = 3 * 3
        const all = yield* read(first, mine, { query: "?from=first" }, ({ length }) => length === count)
        assert.strictEqual(new Set(placesOf(all.seen)).size, count)
        assert.deepStrictEqual([...new Set(all.seen.map(({ run }) => run))].sort(), ["one", "three", "two"])
        // A reader that was cut behind any event has the rest, whoever answers.
        for (const [index, { id }] of all.seen.entries()) {
          if (index === count - 1) break
          const rest = yield* read(second, mine, { after: id }, ({ length }) => length === count - 1 - index)
          assert.deepStrictEqual(
            placesOf([...all.seen.slice(0, index + 1), ...rest.seen]).toSorted(),
            placesOf(all.seen).toSorted()
          )
        }
        // From now on: commits of any process, of this tenant alone.
        const later = yield* read(
          second,
          mine,
          {
            onOpen: () => void Effect.runPromise(Effect.andThen(write("beta", "hidden-too"), write("acme", "four")))
          },
          ({ length }) => length === 3
        )
        assert.deepStrictEqual(placesOf(later.seen), ["four@1", "four@2", "four@3"])
        // What the reader has not seen is not lost while it is away.
        yield* write("acme", "five")
        const away = yield* read(first, mine, { after: later.last }, ({ length }) => length === 3)
        assert.deepStrictEqual(placesOf(away.seen), ["five@1", "five@2", "five@3"])
        // The cursor of another tenant is none.
        const foreign = yield* Effect.promise(() =>
          first.ask("/v1/events", { key: theirs, headers: { "last-event-id": later.last } })
        )
        assert.strictEqual(foreign.status, 404)
        assert.include(yield* Effect.promise(() => foreign.text()), '"tag":"CursorUnknown"')
        const hidden = yield* read(first, theirs, { query: "?from=first" }, ({ length }) => length === 6)
        assert.deepStrictEqual([...new Set(hidden.seen.map(({ run }) => run))].sort(), ["hidden", "hidden-too"])
      })
  )
})
