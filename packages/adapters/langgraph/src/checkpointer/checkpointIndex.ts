/**
 * The checkpoints and writes of one thread, as its facts tell them.
 *
 * A fold of facts in the order of their ticks. A fact may be taken in before those of other processes that lie below
 * it, and again: what counts is its tick, not when it was taken in.
 */

import type { Json, JsonObject } from "@backstitch/sdk"
import type { Fact } from "@backstitch/sdk/adapter"
import {
  type ChannelVersions,
  compareWritesSortKeys,
  WRITES_IDX_MAP,
  writesSortKey
} from "@langchain/langgraph-checkpoint"
import * as CheckpointFormat from "./checkpointFormat.ts"
import * as StoredValue from "./storedValue.ts"

/** Types of the facts that a checkpointer commits. */
export const types = {
  checkpoint: "langgraph.checkpoint",
  deleted: "langgraph.deleted",
  writes: "langgraph.writes"
} as const

type Version = ChannelVersions[string]

/** The value of a channel, and the version that it has. */
export interface ChannelValue {
  readonly version: Version
  readonly value: StoredValue.StoredValue
}

/** A checkpoint as its fact tells it. */
export interface KeptCheckpoint {
  readonly tick: number
  readonly namespace: string
  readonly id: string
  readonly parent: string | undefined
  readonly channels: ReadonlyMap<string, ChannelValue>
  /** The checkpoint without the values of its channels. */
  readonly frame: StoredValue.StoredValue
  readonly metadata: StoredValue.StoredValue
}

/** One write of a task. */
export interface KeptWrite {
  readonly tick: number
  readonly task: string
  readonly path: string
  /** The place among the writes of the task; below 0 for the special ones, of which the last one counts. */
  readonly index: number
  readonly channel: string
  readonly value: StoredValue.StoredValue
}

/** The place of a write among those of its task. */
export const indexOf = (channel: string, position: number): number => WRITES_IDX_MAP[channel] ?? position

/** The checkpoints and writes of a thread. */
export class CheckpointIndex {
  /** The last tick up to which every fact was taken in. */
  seen = 0
  /** The name of the thread, if that of its run is another one. */
  thread: string | undefined
  #deleted = 0
  readonly #checkpoints = new Map<string, Map<string, KeptCheckpoint>>()
  readonly #writes = new Map<string, Map<string, KeptWrite>>()

  /** Takes a fact in. Facts of other types are passed over. */
  apply(fact: Fact): void {
    const { fields, tick, type } = fact
    if (type === types.deleted) this.#delete(tick)
    if (tick <= this.#deleted || (type !== types.checkpoint && type !== types.writes)) return
    const where = `Tick ${tick}`
    CheckpointFormat.checkFacts(fields["format"], where)
    const [namespace, id] = [textOf(fields, "namespace"), textOf(fields, "checkpoint")]
    if (type === types.checkpoint) this.#checkpoint(tick, { namespace, id, fields, where })
    else this.#write(tick, { namespace, id, fields, where })
  }

  /** A checkpoint; the latest one of its namespace if no id is given. */
  find(namespace: string, id: string | undefined): KeptCheckpoint | undefined {
    const own = this.#checkpoints.get(namespace)
    return id === undefined ? latest(own?.values() ?? []) : own?.get(id)
  }

  /** All checkpoints, of one namespace or of all. */
  *checkpoints(namespace?: string): Generator<KeptCheckpoint, undefined> {
    for (const [name, own] of this.#checkpoints) if (namespace === undefined || name === namespace) yield* own.values()
    return undefined
  }

  /** The checkpoints that a checkpoint comes from. */
  before(namespace: string, id: string): ReadonlySet<string> {
    const found = new Set<string>()
    for (let at = this.find(namespace, id)?.parent; at !== undefined && !found.has(at); ) {
      found.add(at)
      at = this.find(namespace, at)?.parent
    }
    return found
  }

  /** The writes to a checkpoint, in the order in which the graph applies them. */
  writes(namespace: string, id: string): ReadonlyArray<KeptWrite> {
    const found = [...(this.#writes.get(keyOf(namespace, id))?.values() ?? [])]
    const keyed = found.map((write) => ({ write, key: writesSortKey(write.path, write.task, write.index) }))
    return keyed.sort((left, right) => compareWritesSortKeys(left.key, right.key)).map(({ write }) => write)
  }

  /** Tells whether a task has a write at a place, which a later one does not replace. */
  has(namespace: string, id: string, task: string, index: number): boolean {
    return index >= 0 && this.#writes.get(keyOf(namespace, id))?.has(`${task}\n${index}`) === true
  }

  /** The values that a channel has for a version: that of the parent first, and no value twice. */
  valuesAt(
    channel: string,
    version: Version | undefined,
    from: { readonly namespace: string; readonly parent: string | undefined }
  ): ReadonlyArray<StoredValue.StoredValue> {
    if (version === undefined) return []
    const parent = from.parent === undefined ? undefined : this.find(from.namespace, from.parent)
    const own = parent?.channels.get(channel)
    if (own?.version === version) return [own.value]
    const found = new Map<string, StoredValue.StoredValue>()
    for (const { channels } of this.checkpoints(from.namespace)) {
      const each = channels.get(channel)
      if (each?.version === version) found.set(each.value.join("\n"), each.value)
    }
    return [...found.values()]
  }

  #delete(tick: number): void {
    this.#deleted = Math.max(this.#deleted, tick)
    for (const own of [...this.#checkpoints.values(), ...this.#writes.values()]) {
      for (const [key, each] of own) if (each.tick < tick) own.delete(key)
    }
  }

  #checkpoint(tick: number, { fields, id, namespace, where }: Told): void {
    const own = this.#checkpoints.get(namespace) ?? new Map<string, KeptCheckpoint>()
    this.#checkpoints.set(namespace, own)
    if (typeof fields["thread"] === "string") this.thread = fields["thread"]
    if ((own.get(id)?.tick ?? 0) > tick) return
    const channels = Object.entries((fields["channels"] ?? {}) as JsonObject).map(([channel, told]) => {
      const [version, ...value] = told as ReadonlyArray<Json>
      return [channel, { version: version as Version, value: StoredValue.read(value, where) }] as const
    })
    own.set(id, {
      tick,
      namespace,
      id,
      parent: typeof fields["parent"] === "string" ? fields["parent"] : undefined,
      channels: new Map(channels),
      frame: StoredValue.read(fields["frame"], where),
      metadata: StoredValue.read(fields["metadata"], where)
    })
  }

  #write(tick: number, { fields, id, namespace, where }: Told): void {
    const own = this.#writes.get(keyOf(namespace, id)) ?? new Map<string, KeptWrite>()
    this.#writes.set(keyOf(namespace, id), own)
    const [task, path] = [textOf(fields, "task"), textOf(fields, "path")]
    for (const told of (fields["writes"] ?? []) as ReadonlyArray<ReadonlyArray<Json>>) {
      const [index, channel, ...value] = told as readonly [number, string, ...ReadonlyArray<Json>]
      const known = own.get(`${task}\n${index}`)
      // Of the writes at one place the first counts, and of the special ones, such as an error, the last.
      if (known !== undefined && (index >= 0 ? known.tick <= tick : known.tick > tick)) continue
      own.set(`${task}\n${index}`, { tick, task, path, index, channel, value: StoredValue.read(value, where) })
    }
  }
}

interface Told {
  readonly namespace: string
  readonly id: string
  readonly fields: JsonObject
  readonly where: string
}

const keyOf = (namespace: string, id: string): string => `${namespace}\n${id}`

const textOf = (fields: JsonObject, field: string): string => String(fields[field] ?? "")

/** The checkpoint with the greatest id: ids grow with time. */
const latest = (all: Iterable<KeptCheckpoint>): KeptCheckpoint | undefined => {
  let found: KeptCheckpoint | undefined
  for (const each of all) if (found === undefined || each.id > found.id) found = each
  return found
}
