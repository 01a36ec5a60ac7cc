/**
 * The traces of a server as a `TraceStore` that only reads.
 *
 * **When to use** to look at runs of a server with what works on a store, such as a bisect on this machine. A run is
 * fetched once, as its export: the whole chain is checked here, and nothing that the server claims is believed beyond
 * that. Lists of runs and of held names are those of the server. Of a run that is followed, the server is asked for
 * the commits that are missing here, and each is checked behind those before, once.
 */
import * as RunExport from "@backstitch/runtime/RunExport"
import type * as Claims from "@backstitch/trace/Claims"
import * as CommitSignal from "@backstitch/trace/CommitSignal"
import { defined } from "@backstitch/trace/Defined"
import * as Export from "@backstitch/trace/Export"
import * as Run from "@backstitch/trace/Run"
import * as RunFeed from "@backstitch/trace/RunFeed"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type * as FeedApi from "./groups/FeedApi.ts"
import * as Limits from "./Limits.ts"
import * as ServerClient from "./ServerClient.ts"

/** Creates a store over a server. */
export const make = Effect.fnUntraced(function* (given: ServerClient.ServerAddress) {
  const client = yield* ServerClient.make(given)
  const memory = yield* TraceStore.makeMemory
  /** Imports of runs, each of which takes in what comes behind its last tick. */
  const followed = new Map<
    Run.RunId,
    { readonly take: ReturnType<typeof RunExport.following>; readonly tick: number }
  >()

  const failed =
    (operation: TraceStore.TraceStoreError["operation"], run?: Run.Run) =>
    (cause: unknown): TraceStore.TraceStoreError =>
      new TraceStore.TraceStoreError({
        operation,
        reason: isPassing(cause) ? "lost" : "other",
        store: given.address,
        ...(run === undefined ? {} : { run: run.id }),
        cause: said(cause)
      })

  const refused = (operation: TraceStore.TraceStoreError["operation"]) =>
    Effect.fail(
      new TraceStore.TraceStoreError({
        operation,
        reason: "other",
        store: given.address,
        cause: new Error("a server is read through its API, and written by its own verbs")
      })
    )

  const fetch = Effect.fnUntraced(function* (run: Run.Run) {
    const before = followed.get(run.id)
    const held = (yield* memory.info(run))?.head.tick
    // A run is asked for as a whole if a part was refused, or if a fork has brought more of it meanwhile.
    const own = before?.tick === held ? before : undefined
    const known = own?.tick
    const exported = yield* client.exchange
      .export({ params: { run: run.id }, query: known === undefined ? {} : { behind: known } })
      .pipe(Effect.catchIf(isAbsent, () => Effect.succeed(undefined)))
    if (exported === undefined) return
    const decoder = new Export.Decoder(Export.limits, known)
    yield* exported.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.runForEach((line) => Effect.sync(() => void decoder.push(line)))
    )
    const file = yield* Effect.fromResult(decoder.finish())
    // A server of an earlier version sends the whole again.
    const take = own === undefined || file.transitions[0]?.tick === 1 ? RunExport.following(run.tenant) : own.take
    yield* Effect.provideService(take(file), TraceStore.TraceStore, TraceStore.TraceStore.of(memory)).pipe(
      Effect.onError(() => Effect.sync(() => followed.delete(run.id)))
    )
    followed.set(run.id, { take, tick: file.head.tick })
  })

  // Two that fetch at once would both take in what comes behind the same tick.
  const turns = yield* Semaphore.make(1)
  const fetching = (run: Run.Run) => turns.withPermit(Effect.mapError(fetch(run), failed("read", run)))

  const having = <A>(run: Run.Run, read: Effect.Effect<A, TraceStore.TraceStoreError>) =>
    Effect.andThen(
      Effect.suspend(() => (followed.has(run.id) ? Effect.void : fetching(run))),
      read
    )

  const info: TraceStore.TraceStore["Service"]["info"] = (run) =>
    having(
      run,
      Effect.suspend(() => memory.info(run))
    )

  const runs: TraceStore.TraceStore["Service"]["runs"] = (tenant, page = {}) =>
    Effect.gen(function* () {
      const { limit = Number.POSITIVE_INFINITY } = page
      const found: Array<TraceStore.RunInfo> = []
      let after = page.after
      while (found.length < limit) {
        const asked = Math.min(limit - found.length, Limits.refusing.pageItemsMax)
        const query = { limit: asked, ...defined({ after }) }
        const { next, runs } = yield* Effect.mapError(client.runs.list({ query }), failed("runs"))
        for (const { head, parent, run, story, ticks } of runs) {
          found.push({
            run: { tenant, id: run as Run.RunId },
            head: { tick: ticks, link: head, story } as TraceStore.RunInfo["head"],
            ...(parent === null ? {} : { parent: { id: parent.run as Run.RunId, tick: parent.tick } })
          })
        }
        if (next === null) return found
        after = next as Run.RunId
      }
      return found
    })

  const { feed } = client

  /** The commits of a run behind those that are known. */
  const heard = (run: Run.Run, signal: CommitSignal.CommitSignal): Heard => ({
    open: Effect.flatMap(memory.info(run), (known) =>
      feed.follow({
        params: { run: run.id },
        query: {},
        headers: known === undefined ? {} : { "last-event-id": known.head.tick }
      })
    ),
    tell: () => signal.moved(run),
    cut: () => signal.moved(run)
  })

  /** The commits of all runs from now on, and behind the last one that was told. */
  const heardOfAll = (tenant: Run.Tenant, signal: CommitSignal.CommitSignal): Heard => {
    let last: string | undefined
    const open = Effect.suspend(() =>
      feed.followTenant({ query: {}, headers: last === undefined ? {} : { "last-event-id": last } })
    )
    return {
      // Between the look at the runs and the opened stream there may have been commits.
      open: Effect.tap(open, () => Effect.sync(signal.missed)),
      tell: ({ data, id }) => {
        last = id ?? last
        if ("run_id" in data) signal.moved({ tenant, id: data.run_id as Run.RunId })
      },
      cut: signal.missed
    }
  }

  const read = Effect.fnUntraced(function* (run: Run.Run, range: { readonly from: number; readonly limit: number }) {
    const known = yield* memory.info(run)
    if (known === undefined || known.head.tick < range.from) yield* fetching(run)
    return yield* memory.read(run, range)
  })

  const changes: TraceStore.TraceStore["Service"]["changes"] = (selection) => {
    const signal = CommitSignal.make()
    const told = "run" in selection ? heard(selection.run, signal) : heardOfAll(selection.tenant, signal)
    return RunFeed.make({ info, read, runs, signal, listening: listen(told) })(selection)
  }

  return TraceStore.TraceStore.of({
    ...memory,
    info,
    read: (run, range) =>
      having(
        run,
        Effect.suspend(() => memory.read(run, range))
      ),
    runs,
    append: () => refused("append"),
    changes,
    claims: (tenant, { name, namespace } = {}) =>
      Effect.gen(function* () {
        const query = defined({ name, namespace })
        const { claims } = yield* Effect.mapError(client.runs.claims({ query }), failed("claims"))
        return claims.map(({ name, namespace, owner, run, tick }) => {
          const entry: Claims.HeldClaim = { namespace, name, owner, run: Run.make(run, tenant), tick }
          return entry
        })
      }),
    putSnapshot: () => Effect.void,
    faults: refused("audit")
  })
})

/** Layer that provides the traces of a server. */
export const layer = (given: ServerClient.ServerAddress) => Layer.effect(TraceStore.TraceStore, make(given))

type Event = typeof FeedApi.Event.Type

/** A stream of commits: opened, told of an event, and told that it was cut. */
interface Heard {
  readonly open: Effect.Effect<Stream.Stream<Event, unknown>, unknown>
  readonly tell: (event: Event) => void
  readonly cut: () => void
}

/** Listens while the scope is open. A stream that was cut is opened again. */
const listen = ({ cut, open, tell }: Heard) =>
  Effect.flatMap(open, (events) => Stream.runForEach(events, (event) => Effect.sync(() => tell(event)))).pipe(
    Effect.ignore,
    Effect.andThen(Effect.sync(cut)),
    Effect.andThen(Effect.sleep(Limits.pacing.streamReopenMillis)),
    Effect.forever,
    Effect.forkScoped
  )

const isAbsent = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "status" in error && error.status === 404

/** A server that does not answer now may answer later. What it sent and nobody can believe stays as it is. */
const isPassing = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error) || (isProblem(error) && "status" in error && error.status === 503)

const isProblem = (error: unknown): error is { readonly detail: unknown } =>
  typeof error === "object" && error !== null && "detail" in error

/** A problem says in its own words what happened. */
const said = (cause: unknown): Error =>
  isProblem(cause) ? new Error(String(cause.detail)) : cause instanceof Error ? cause : new Error(String(cause))
