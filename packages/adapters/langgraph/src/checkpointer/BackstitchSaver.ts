/**
 * A checkpointer of LangGraph whose checkpoints are facts of a run.
 *
 * The run has the name of the thread. Its trace holds the checkpoints of the graph and the acts of the tools that are
 * wrapped by contract, in one order and in one chain. A value is stored in parts, and a later one shares those that
 * have not changed, so the bytes of a step do not depend on how much was said before.
 */

import { type Backstitch, BackstitchError } from "@backstitch/sdk"
import { type FactStore, factsOf } from "@backstitch/sdk/adapter"
import type { RunnableConfig } from "@langchain/core/runnables"
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type DeltaChannelHistory,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS
} from "@langchain/langgraph-checkpoint"
import * as Limits from "../Limits.ts"
import * as CheckpointFormat from "./checkpointFormat.ts"
import type { CheckpointIndex, KeptCheckpoint } from "./checkpointIndex.ts"
import { GraphRun } from "./graphRun.ts"

/** Options of a checkpointer. */
export interface Options {
  /** Writes values as bytes; LangGraph's own serializer by default. */
  readonly serde?: SerializerProtocol | undefined
}

/** A checkpoint on the trace of a run: the tick of its fact, and whether it is the latest of its namespace. */
export interface CheckpointPlace {
  readonly run: string
  readonly tick: number
  readonly isLatest: boolean
  /** Tells whether it descends from the checkpoint of this id in the outermost graph; `undefined`: unknown. */
  readonly comesFrom: (id: string) => boolean | undefined
}

/**
 * Keeps the checkpoints of graphs.
 *
 * **Gotchas**
 *
 * After `deleteThread` the thread's checkpoints are no longer answered. Nothing is erased: the trace of what an agent
 * did stays.
 */
export class BackstitchSaver extends BaseCheckpointSaver {
  /** The store that keeps the checkpoints. */
  readonly backstitch: Backstitch.Backstitch
  readonly #store: FactStore
  readonly #threads = new Map<string, GraphRun>()

  constructor(store: Backstitch.Backstitch, options: Options = {}) {
    super(options.serde)
    this.backstitch = store
    this.#store = factsOf(store)
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: name, checkpoint_ns: namespace = "" } = config.configurable ?? {}
    if (name === undefined) return undefined
    const thread = this.#thread(String(name))
    const index = await thread.fresh()
    const found = index.find(namespace, getCheckpointId(config) || undefined)
    return found === undefined ? undefined : await this.#tuple({ thread, index, name: String(name) }, found)
  }

  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { checkpoint_id: id, checkpoint_ns: namespace, thread_id: name } = config.configurable ?? {}
    const { before, filter = {}, limit = Number.POSITIVE_INFINITY } = options
    const older = before?.configurable?.["checkpoint_id"]
    const places = name === undefined ? await this.#places() : [await this.#place(String(name))]
    const found = places.flatMap((place) =>
      [...place.index.checkpoints(namespace)].map((checkpoint) => ({ place, checkpoint }))
    )
    let left = limit
    for (const { checkpoint, place } of found.sort((a, b) => (a.checkpoint.id < b.checkpoint.id ? 1 : -1))) {
      if (left <= 0) return
      if ((id !== undefined && checkpoint.id !== id) || (older !== undefined && checkpoint.id >= older)) continue
      if (!(await this.#fits(place.thread, checkpoint, filter))) continue
      left--
      yield await this.#tuple(place, checkpoint)
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions
  ): Promise<RunnableConfig> {
    const { checkpoint_id: parent, checkpoint_ns: namespace = "" } = config.configurable ?? {}
    const name = named(config, "checkpoint")
    await this.#thread(name).put({ namespace, parent, checkpoint, metadata, changed: newVersions })
    return configOf(name, { namespace, id: checkpoint.id })
  }

  override async putWrites(
    config: RunnableConfig,
    writes: Array<PendingWrite>,
    taskId: string,
    taskPath = ""
  ): Promise<void> {
    const { checkpoint_id: checkpoint, checkpoint_ns: namespace = "" } = config.configurable ?? {}
    const thread = this.#thread(named(config, "writes"))
    if (checkpoint === undefined) throw incomplete("writes", "checkpoint_id")
    await thread.write({ namespace, checkpoint, writes, task: taskId, path: taskPath })
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#thread(threadId).delete()
  }

  /** The place of a checkpoint on the trace of its run; `undefined` if no such checkpoint is kept. */
  async placeOf(config: RunnableConfig): Promise<CheckpointPlace | undefined> {
    const { checkpoint_ns: namespace = "", thread_id: name } = config.configurable ?? {}
    if (name === undefined) return undefined
    const { index, thread } = await this.#place(String(name))
    const found = index.find(namespace, getCheckpointId(config) || undefined)
    if (found === undefined) return undefined
    const outermost = namespace === "" ? found.id : config.configurable?.["checkpoint_map"]?.[""]
    return {
      run: thread.run,
      tick: found.tick,
      isLatest: found === index.find(namespace, undefined),
      comesFrom: (id) =>
        outermost === undefined || index.find("", id) === undefined ? undefined : index.before("", outermost).has(id)
    }
  }

  override async getDeltaChannelHistory(options: {
    config: RunnableConfig
    channels: Array<string>
  }): Promise<Record<string, DeltaChannelHistory>> {
    const { channels, config } = options
    const name = config.configurable?.["thread_id"]
    const namespace = config.configurable?.["checkpoint_ns"] ?? ""
    const { index, thread } = await this.#place(String(name))
    const target = index.find(namespace, getCheckpointId(config) || undefined)
    const histories = channels.map((channel) => [channel, historyOf(index, target, channel)] as const)
    const stored = histories.flatMap(([, { seed, writes }]) => [...writes.map(({ value }) => value), ...seed])
    const values = await thread.load(stored)
    let at = 0
    return Object.fromEntries(
      histories.map(([channel, { seed, writes }]) => {
        const loaded = writes.map(({ task }): CheckpointPendingWrite => [task, channel, values[at++]])
        return [channel, { writes: loaded, ...(seed.length === 0 ? {} : { seed: values[at++] }) }]
      })
    )
  }

  #thread(name: string): GraphRun {
    const known = this.#threads.get(name) ?? new GraphRun(this.#store, this.serde, name)
    this.#threads.delete(name)
    this.#threads.set(name, known)
    const [oldest] = this.#threads.keys()
    if (oldest !== undefined && this.#threads.size > Limits.pacing.rememberedThreadsMax) this.#threads.delete(oldest)
    return known
  }

  async #place(name: string): Promise<Place> {
    const thread = this.#thread(name)
    return { thread, index: await thread.fresh(), name }
  }

  /** Every thread of the store: a run is one if it has facts of a thread. */
  async #places(): Promise<ReadonlyArray<Place>> {
    const places: Array<Place> = []
    for await (const run of this.#store.runs()) {
      const place = await this.#place(run)
      const name = place.index.thread ?? run
      places.push(name === run ? place : await this.#place(name))
    }
    return places
  }

  async #fits(thread: GraphRun, checkpoint: KeptCheckpoint, filter: Record<string, unknown>): Promise<boolean> {
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined)
    if (wanted.length === 0) return true
    const [metadata] = (await thread.load([checkpoint.metadata])) as [Record<string, unknown>]
    return wanted.every(([field, value]) => JSON.stringify(metadata[field]) === JSON.stringify(value))
  }

  async #tuple({ index, name, thread }: Place, found: KeptCheckpoint): Promise<CheckpointTuple> {
    const { channels, frame, id, metadata, namespace, parent } = found
    const writes = index.writes(namespace, id)
    const given = [...channels]
    const [loadedFrame, loadedMetadata, ...values] = await thread.load([
      frame,
      metadata,
      ...given.map(([, { value }]) => value),
      ...writes.map(({ value }) => value)
    ])
    const checkpoint = {
      ...(loadedFrame as Omit<Checkpoint, "channel_values">),
      channel_values: Object.fromEntries(given.map(([channel], each) => [channel, values[each]]))
    }
    CheckpointFormat.checkCheckpoint(checkpoint.v, `Checkpoint ${id} of thread ${name}`)
    if (checkpoint.v < CheckpointFormat.checkpointFormat && parent !== undefined) {
      await this.#migrate(checkpoint, thread, index.writes(namespace, parent))
    }
    return {
      config: configOf(name, { namespace, id }),
      checkpoint,
      metadata: loadedMetadata as CheckpointMetadata,
      ...(parent === undefined ? {} : { parentConfig: configOf(name, { namespace, id: parent }) }),
      pendingWrites: writes.map(({ channel, task }, each) => [task, channel, values[given.length + each]])
    }
  }

  /** Moves the sends of an older format from the writes of the parent into a channel, where they are kept since. */
  async #migrate(
    checkpoint: Checkpoint,
    thread: GraphRun,
    writes: ReturnType<CheckpointIndex["writes"]>
  ): Promise<void> {
    const sends = writes.filter(({ channel }) => channel === TASKS)
    checkpoint.channel_values[TASKS] = await thread.load(sends.map(({ value }) => value))
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
  }
}

interface Place {
  readonly thread: GraphRun
  readonly index: CheckpointIndex
  readonly name: string
}

/** The writes of a channel on the way to a checkpoint, and the value that they begin with, if one was kept. */
const historyOf = (index: CheckpointIndex, target: KeptCheckpoint | undefined, channel: string) => {
  const writes: Array<ReturnType<CheckpointIndex["writes"]>[number]> = []
  let at = target
  while (at?.parent !== undefined) {
    at = index.find(at.namespace, at.parent)
    if (at === undefined) break
    writes.unshift(...index.writes(at.namespace, at.id).filter((write) => write.channel === channel))
    const seed = at.channels.get(channel)
    if (seed !== undefined) return { writes, seed: [seed.value] }
  }
  return { writes, seed: [] }
}

const configOf = (name: string, at: { readonly namespace: string; readonly id: string }): RunnableConfig => ({
  configurable: { thread_id: name, checkpoint_ns: at.namespace, checkpoint_id: at.id }
})

const named = (config: RunnableConfig, what: string): string => {
  const name: unknown = config.configurable?.["thread_id"]
  if (name === undefined || name === null || name === "") throw incomplete(what, "thread_id")
  return String(name)
}

const incomplete = (what: string, field: string): BackstitchError =>
  new BackstitchError({
    code: "config_incomplete",
    message: `The ${what} cannot be kept: the config has no configurable.${field}. Pass one, such as { configurable: { thread_id: "trip-42" } }`
  })
