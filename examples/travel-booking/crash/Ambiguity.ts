/**
 * Hundreds of ambiguous time-outs: the first request of each booking gets no answer, and the world may have acted,
 * may act later, or may never act.
 *
 * The same faults occur in two settings: with the runtime between agent and airline, which asks about the original
 * key before it sends again; and with the loop of many agents, which tries again under a fresh key.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PowerLoss from "../../../packages/conformance/src/store/PowerLoss.ts"
import * as Client from "../Client.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as Services from "./Services.ts"
import * as TravelPack from "./TravelPack.ts"
import * as Truth from "./Truth.ts"

/** Ways in which an answer is missing. */
export const kinds = {
  timeout_before_commit: "silence, and nothing was done",
  timeout_after_commit: "silence, and it was done",
  lost_response: "done, and the connection was cut",
  slow_commit: "cut, done later; the key says pending",
  late_commit: "cut, done later; the key is unknown until then"
} as const

/** A way in which an answer is missing. */
export type Kind = keyof typeof kinds

const names = Object.keys(kinds) as ReadonlyArray<Kind>

/** Counts in the airline's database, after bookings that should be made once each. */
export interface Count {
  readonly wanted: number
  /** Bookings whose outcome was held as unknown for a time. */
  readonly held: number
  readonly booked: number
  readonly duplicates: number
  readonly lost: number
  /** Bookings that were reported to the caller, and that the airline does not hold. */
  readonly unreal: number
}

/** Counts by way. */
export type Counts = Readonly<Record<Kind, Count>>

const flight = "RH101-2026-12-18"
const times = { sendWithinMillis: 900, settleAfterMillis: 150, readWithinMillis: 2000 }
/** The world settles within the time of the contract, with a margin for a busy machine. */
const settlesWithinMillis = 75

/** Times that a held action is resumed. */
const resumesMax = 50

/** The last belief of a caller, and whether it had to say for a time that it does not know. */
interface Belief {
  readonly isBooked: boolean
  readonly isHeld: boolean
}

/** A caller: books a seat for a traveller. */
type Book = (traveller: string) => Promise<Belief>

/** Books a seat for each of `n` travellers through the runtime. */
export const withProtocol = (n: number, progress?: (done: number) => void): Promise<Counts> =>
  inWorld(n, progress, async (tools, bookAll) => {
    const folder = mkdtempSync(join(tmpdir(), "backstitch-ambiguity-"))
    const store = SqlTraceStore.layerSqlite({ filename: join(folder, "trace.db") })
    const all = Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const book = (traveller: string) =>
        Effect.gen(function* () {
          const opening = { pack: TravelPack.under(times), goal: `goal-${traveller}`, clauses: { traveller } }
          const handle = yield* coordinator.open(Run.make(`run-${traveller}`), opening)
          let outcome = yield* handle.propose({ tool: "book_flight", params: { flight, traveller, price: 18_400 } })
          const isHeld = outcome._tag === "Held"
          // A held booking is resumed, as a person or the next start of the agent would resume it.
          for (let resumed = 0; outcome._tag === "Held" && resumed < resumesMax; resumed++) {
            yield* Effect.sleep("50 millis")
            outcome = (yield* handle.resume)[0] ?? outcome
          }
          return { isBooked: outcome._tag === "Done", isHeld }
        }).pipe(Effect.scoped, Effect.runPromise)
      yield* Effect.promise(() => bookAll(book))
    })
    try {
      await Effect.runPromise(all.pipe(Effect.provide(Services.layer(store, { tools }), { local: true })))
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  })

/**
 * Books a seat for each of `n` travellers through the runtime, and cuts the power of its process as soon as the
 * process is told that the seat is booked, when that fact is in memory alone. Another process continues with the
 * state on the disk.
 */
export const withPowerCuts = (n: number): Promise<Counts> =>
  inWorld(n, undefined, async (tools, bookAll) => {
    const folder = mkdtempSync(join(tmpdir(), "backstitch-power-"))
    const book = (disk: TraceStore.TraceStore["Service"], traveller: string) => {
      const opening = { pack: TravelPack.under(times), goal: `goal-${traveller}`, clauses: { traveller } }
      const opened = Effect.flatMap(Coordinator.Coordinator, ({ open }) => open(Run.make(`run-${traveller}`), opening))
      const as = (store: Layer.Layer<TraceStore.TraceStore>) =>
        Effect.provide(Services.layer(store, { tools }), { local: true })
      const power = PowerLoss.make(disk)
      let isHeld = false
      const first = Effect.gen(function* () {
        const proposal = { tool: "book_flight", params: { flight, traveller, price: 18_400 } }
        isHeld = (yield* (yield* opened).propose(proposal))._tag === "Held"
        yield* power.cut
      })
      const second = Effect.gen(function* () {
        const handle = yield* opened
        let isBooked = false
        for (let resumed = 0; !isBooked && resumed < resumesMax; resumed++) {
          yield* Effect.sleep("50 millis")
          // A booking that no process left open is on record, and was reported as recorded.
          isBooked = (yield* handle.resume).every(({ _tag }) => _tag === "Done")
        }
        return { isBooked, isHeld }
      })
      const disked = Layer.succeed(TraceStore.TraceStore, disk)
      return Effect.andThen(
        Effect.exit(first.pipe(Effect.scoped, as(power.layer))),
        second.pipe(Effect.scoped, as(disked))
      )
    }
    const all = Effect.flatMap(TraceStore.TraceStore, (disk) =>
      Effect.promise(() => bookAll((traveller) => Effect.runPromise(book(disk, traveller))))
    )
    try {
      const store = SqlTraceStore.layerSqlite({ filename: join(folder, "trace.db") })
      await Effect.runPromise(Effect.provide(all, store, { local: true }))
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  })

/** Books a seat for each of `n` travellers by trying again, under a fresh key each time, until there is an answer. */
export const withBlindRetry = (n: number, progress?: (done: number) => void): Promise<Counts> =>
  inWorld(n, progress, async (tools, bookAll) => {
    await bookAll(async (traveller) => {
      for (let attempt = 1; attempt <= 5; attempt++) {
        const context = {
          key: `${traveller}-${attempt}`,
          action: traveller,
          deadlineMillis: times.sendWithinMillis,
          sendBefore: Date.now() + times.sendWithinMillis,
          signal: AbortSignal.timeout(times.sendWithinMillis),
          observed: undefined
        }
        const params: JsonObject = { flight, traveller, price: 18_400 }
        const isBooked = await Promise.resolve(tools["book_flight"]!.execute(params as never, context)).then(
          () => true,
          () => false
        )
        if (isBooked) return { isBooked, isHeld: false }
      }
      return { isBooked: false, isHeld: false }
    })
  })

/**
 * Makes a world with enough seats whose first answer to each traveller is missing, and counts its bookings in the
 * end.
 */
const inWorld = async (
  n: number,
  progress: ((done: number) => void) | undefined,
  body: (tools: ToolExecutor.Tools, bookAll: (book: Book) => Promise<void>) => Promise<void>
): Promise<Counts> => {
  const world = await WorldProcess.start({ settleAfterMillis: settlesWithinMillis, capacity: 10 * n })
  try {
    const believed = new Map<string, Belief>()
    await body(faulty(world.url), (book) =>
      inLanes(n, progress, async (index) => {
        const traveller = travellerOf(index)
        believed.set(traveller, await book(traveller))
      })
    )
    await new Promise((resolve) => setTimeout(resolve, 4 * settlesWithinMillis))
    return counted(n, believed, (await Truth.read(world.url))["bookings"] ?? [])
  } finally {
    await world.kill()
  }
}

const travellerOf = (index: number): string => `Traveller-${index}-${names[index % names.length]}`
const kindOf = (traveller: string): Kind => traveller.split("-")[2] as Kind

/** The client of the example. The first request for a traveller asks for its fault. */
const faulty = (url: string): ToolExecutor.Tools => {
  const seen = new Set<string>()
  return Client.tools(url, ({ traveller }) => {
    const name = String(traveller)
    if (seen.has(name)) return {}
    seen.add(name)
    return { Fault: kindOf(name) }
  })
}

const lanesMax = 24

const inLanes = async (
  n: number,
  progress: ((done: number) => void) | undefined,
  body: (index: number) => Promise<void>
): Promise<void> => {
  let next = 0
  let done = 0
  const lane = async (): Promise<void> => {
    for (let index = next++; index < n; index = next++) {
      await body(index)
      progress?.(++done)
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanesMax, n) }, lane))
}

const counted = (n: number, believed: ReadonlyMap<string, Belief>, bookings: ReadonlyArray<Truth.Row>): Counts => {
  const held = new Map<string, number>()
  for (const { traveller } of bookings) held.set(String(traveller), (held.get(String(traveller)) ?? 0) + 1)
  const travellers = Array.from({ length: n }, (_, index) => travellerOf(index))
  const of = (kind: Kind): Count => {
    const concerned = travellers.filter((traveller) => kindOf(traveller) === kind)
    const booked = concerned.map((traveller) => ({ traveller, seats: held.get(traveller) ?? 0 }))
    return {
      wanted: concerned.length,
      held: concerned.filter((traveller) => believed.get(traveller)?.isHeld).length,
      booked: booked.reduce((sum, { seats }) => sum + seats, 0),
      duplicates: booked.reduce((sum, { seats }) => sum + Math.max(0, seats - 1), 0),
      lost: booked.filter(({ seats, traveller }) => seats === 0 || believed.get(traveller)?.isBooked !== true).length,
      unreal: booked.filter(({ seats, traveller }) => seats === 0 && believed.get(traveller)?.isBooked === true).length
    }
  }
  return Object.fromEntries(names.map((kind) => [kind, of(kind)])) as Record<Kind, Count>
}

/** The sum over all ways. */
export const total = (counts: Counts): Count =>
  names.reduce<Count>(
    (sum, kind) => ({
      wanted: sum.wanted + counts[kind].wanted,
      held: sum.held + counts[kind].held,
      booked: sum.booked + counts[kind].booked,
      duplicates: sum.duplicates + counts[kind].duplicates,
      lost: sum.lost + counts[kind].lost,
      unreal: sum.unreal + counts[kind].unreal
    }),
    { wanted: 0, held: 0, booked: 0, duplicates: 0, lost: 0, unreal: 0 }
  )

/** The table of both settings, with a row for each way. */
export const render = (protocol: Counts, blind: Counts): string => {
  const row = (name: string, meaning: string, ours: Count, theirs: Count) => [
    name,
    meaning,
    ...[ours.wanted, ours.held, ours.duplicates, ours.lost, theirs.duplicates, theirs.lost].map(String)
  ]
  const rows = [
    ["fault", "what happened", "bookings", "held", "duplicates", "lost", "blind: duplicates", "lost"],
    ...names.map((kind) => row(kind, kinds[kind], protocol[kind], blind[kind])),
    row("all", "", total(protocol), total(blind))
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((each) => each[column]!.length)))
  return rows
    .map((each) =>
      each
        .map((text, column) => (column < 2 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)))
        .join("   ")
    )
    .join("\n")
}
