/**
 * The traces of a server as a `TraceStore` that only reads.
 *
 * **When to use** to look at runs of a server with what works on a store, such as a bisect on this machine. A run is
 * fetched once, as its export: the whole chain is checked here, and nothing that the server claims is believed beyond
 * that. Lists of runs are those of the server.
 */
import * as RunExport from "@backstitch/runtime/RunExport"
import * as Export from "@backstitch/trace/Export"
import type { Run, RunId } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Limits from "./Limits.ts"
import * as ServerClient from "./ServerClient.ts"

/** Creates a store over a server. */
export const make = Effect.fnUntraced(function* (given: ServerClient.Given) {
  const client = yield* ServerClient.make(given)
  const memory = yield* TraceStore.makeMemory
  const fetched = new Set<RunId>()

  const failed =
    (operation: TraceStore.TraceStoreError["operation"], run?: Run) =>
    (cause: unknown): TraceStore.TraceStoreError =>
      new TraceStore.TraceStoreError({
        operation,
        reason: "other",
        store: given.address,
        ...(run === undefined ? {} : { run: run.id }),
        cause: said(cause)
      })

  const refused = (operation: TraceStore.TraceStoreError["operation"]) =>
    Effect.fail(failed(operation)(new Error("a server is read through its API, and written by its own verbs")))

  const fetch = Effect.fnUntraced(function* (run: Run) {
    if (fetched.has(run.id)) return
    const exported = yield* client.exchange
      .export({ params: { run: run.id } })
      .pipe(Effect.catchIf(isAbsent, () => Effect.succeed(undefined)))
    if (exported === undefined) return
    const decoder = new Export.Decoder()
    yield* exported.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.runForEach((line) => Effect.sync(() => void decoder.push(line)))
    )
    const file = yield* Effect.fromResult(decoder.finish())
    yield* Effect.provideService(
      RunExport.importRun(file, { tenant: run.tenant }),
      TraceStore.TraceStore,
      TraceStore.TraceStore.of(memory)
    )
    fetched.add(run.id)
  })

  const having = <A>(run: Run, read: Effect.Effect<A, TraceStore.TraceStoreError>) =>
    Effect.andThen(Effect.mapError(fetch(run), failed("read", run)), read)

  return TraceStore.TraceStore.of({
    ...memory,
    info: (run) =>
      having(
        run,
        Effect.suspend(() => memory.info(run))
      ),
    read: (run, range) =>
      having(
        run,
        Effect.suspend(() => memory.read(run, range))
      ),
    runs: (tenant, page = {}) =>
      Effect.gen(function* () {
        const { limit = Number.POSITIVE_INFINITY } = page
        const found: Array<TraceStore.RunInfo> = []
        let after = page.after
        while (found.length < limit) {
          const asked = Math.min(limit - found.length, Limits.refusing.pageItemsMax)
          const query = { limit: asked, ...(after === undefined ? {} : { after }) }
          const { next, runs } = yield* Effect.mapError(client.runs.list({ query }), failed("runs"))
          for (const { head, parent, run, story, ticks } of runs) {
            found.push({
              run: { tenant, id: run as RunId },
              head: { tick: ticks, link: head, story } as TraceStore.RunInfo["head"],
              ...(parent === null ? {} : { parent: { id: parent.run as RunId, tick: parent.tick } })
            })
          }
          if (next === null) return found
          after = next as RunId
        }
        return found
      }),
    append: () => refused("append"),
    changes: () => Stream.fromEffect(refused("read")),
    claims: () => refused("claims"),
    putSnapshot: () => Effect.void,
    faults: refused("audit")
  })
})

/** Layer that provides the traces of a server. */
export const layer = (given: ServerClient.Given) => Layer.effect(TraceStore.TraceStore, make(given))

const isAbsent = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "status" in error && error.status === 404

/** A problem says in its own words what happened. */
const said = (cause: unknown): Error =>
  typeof cause === "object" && cause !== null && "detail" in cause
    ? new Error(String(cause.detail))
    : cause instanceof Error
      ? cause
      : new Error(String(cause))
