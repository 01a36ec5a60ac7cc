/**
 * Lists the packs that a tenant works under: those of the agents of its host, and those under which its runs began.
 *
 * A store keeps packs by digest for all tenants. So a pack is shown to a tenant only if one of its runs began under it,
 * or if an agent that it may give runs to has it (L15).
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Payload from "@backstitch/kernel/Payload"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Limits from "../Limits.ts"

/** Error for a pack that no agent has, and under which no run of the tenant began. */
export class PackUnknown extends Schema.TaggedError<PackUnknown>("@backstitch/runtime/PackUnknown")("PackUnknown", {
  digest: Schema.String
}) {
  override get message(): string {
    return `There is no pack ${this.digest} here: no agent has it, and no run began under it. List the packs, and name one of them`
  }
}

/** A pack at a glance, as plain JSON. Its id and version are `null` if the store has lost its text. */
export interface Listed {
  readonly digest: string
  readonly pack: string | null
  readonly version: string | null
  /** Agents of the host that work under it. */
  readonly agents: ReadonlyArray<string>
  /** The number of runs of the tenant that began under it. */
  readonly runs: number
}

/** A pack with its text, and the first of the runs that began under it. */
export interface ShownPack extends Listed {
  readonly begun: ReadonlyArray<string>
  /** The definition of the pack, with functions as their sources; `null` if the store has lost it. */
  readonly definition: JsonObject | null
}

/** The packs of the agents of a host, by the names of the agents. */
export type Served = ReadonlyMap<string, TaskPack.TaskPack>

/** Lists the packs of a tenant, by id, version and digest. */
export const ofTenant = Effect.fn("PackList.ofTenant")(function* (tenant: Tenant, served: Served = new Map()) {
  const all = yield* Effect.forEach(yield* places(tenant, served), ([digest, place]) => listed(digest, place))
  const order = ({ digest, pack, version }: Listed): string => JSON.stringify([pack, version, digest])
  return all.map(({ text: _, ...each }): Listed => each).sort((one, other) => (order(one) < order(other) ? -1 : 1))
})

/** Shows one pack of a tenant. */
export const show = Effect.fn("PackList.show")(function* (tenant: Tenant, digest: string, served: Served = new Map()) {
  const place = (yield* places(tenant, served)).get(digest)
  if (place === undefined) return yield* new PackUnknown({ digest })
  const { text, ...found } = yield* listed(digest, place)
  const begun = place.begun.slice(0, Limits.showing.packRunsMax)
  const shown: ShownPack = { ...found, begun, definition: text === undefined ? null : TaskPack.toJson(text) }
  return shown
})

/** The use of a pack: the agents that have it, and the runs that began under it. */
interface Place {
  readonly agents: Array<string>
  readonly begun: Array<string>
  readonly text: TaskPack.TaskPack | undefined
}

const places = Effect.fnUntraced(function* (tenant: Tenant, served: Served) {
  const store = yield* TraceStore.TraceStore
  const found = new Map<string, Place>()
  for (const [agent, text] of served) {
    const place = found.get(text.digest) ?? { agents: [], begun: [], text }
    place.agents.push(agent)
    found.set(text.digest, place)
  }
  const infos = yield* store.runs(tenant)
  const pins = yield* Effect.forEach(infos, pinOf, { concurrency: Limits.pacing.concurrentRunsMax })
  for (const [index, { run }] of infos.entries()) {
    const digest = pins[index]
    if (digest === undefined) continue
    const place = found.get(digest) ?? { agents: [], begun: [], text: undefined }
    place.begun.push(run.id)
    found.set(digest, place)
  }
  return found
})

const listed = Effect.fnUntraced(function* (digest: string, { agents, begun, text: served }: Place) {
  const library = yield* PackLibrary.PackLibrary
  const stored = Effect.catchTag(library.pack(digest), "SourceMissing", () => Effect.succeed(undefined))
  const text = served ?? (yield* stored)
  const { id = null, version = null } = text ?? {}
  return { digest, pack: id, version, agents, runs: begun.length, text }
})

/** The pack under which a run began. A fork that names none has that of its parent. */
const pinOf = ({ parent, run }: TraceStore.RunInfo): Effect.Effect<Digest | undefined, Lost, TraceStore.TraceStore> =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    const own = (parent?.tick ?? 0) + 1
    const [first] = yield* store.read(run, { from: own, to: own })
    const body = first === undefined ? undefined : Transition.open(first).body
    const pin = body && (Payload.of(body, "run.fork")?.pack ?? Payload.of(body, "run.started")?.pack)
    if (pin !== undefined || parent === undefined) return pin as Digest | undefined
    const above = yield* store.info({ tenant: run.tenant, id: parent.id })
    return above === undefined ? undefined : yield* pinOf(above)
  })

type Lost = TraceStore.TraceStoreError
