/** One thread of a graph: its facts, in a run, and the values that they name. */

import type { JsonObject } from "@backstitch/sdk"
import type { FactStore, KeptText, TextsApart } from "@backstitch/sdk/adapter"
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  PendingWrite,
  SerializerProtocol
} from "@langchain/langgraph-checkpoint"
import * as Limits from "../Limits.ts"
import * as CheckpointFormat from "./checkpointFormat.ts"
import * as CheckpointIndex from "./checkpointIndex.ts"
import * as RunName from "./runName.ts"
import * as StoredValue from "./storedValue.ts"

/** A checkpoint to be kept, as the graph gives it. */
export interface Putting {
  readonly namespace: string
  readonly parent: string | undefined
  readonly checkpoint: Checkpoint
  readonly metadata: CheckpointMetadata
  readonly changed: ChannelVersions
}

/** Writes of one task to be kept. */
export interface Writing {
  readonly namespace: string
  readonly checkpoint: string
  readonly writes: ReadonlyArray<PendingWrite>
  readonly task: string
  readonly path: string
}

const { rememberedTextsMax } = Limits.pacing

/** One thread of a graph. */
export class GraphRun {
  readonly run: string
  readonly #index = new CheckpointIndex.CheckpointIndex()
  readonly #name: string
  readonly #serde: SerializerProtocol
  readonly #store: FactStore
  /** The texts that were kept last, by what they belong to: the next ones are taken apart along them. */
  readonly #texts = new Map<string, KeptText>()

  constructor(store: FactStore, serde: SerializerProtocol, name: string) {
    this.run = RunName.runOf(name)
    this.#name = name
    this.#serde = serde
    this.#store = store
  }

  /** Takes in the facts that were committed since, by whatever process. */
  async fresh(): Promise<CheckpointIndex.CheckpointIndex> {
    const { facts, head } = await this.#store.read(this.run, { namespace: "langgraph", from: this.#index.seen + 1 })
    for (const fact of facts) this.#index.apply(fact)
    this.#index.seen = Math.max(this.#index.seen, head)
    return this.#index
  }

  /** Keeps a checkpoint: the values that have changed, and the addresses of all. */
  async put({ changed, checkpoint, metadata, namespace, parent }: Putting): Promise<void> {
    const where = `Checkpoint ${checkpoint.id} of thread ${this.#name}`
    CheckpointFormat.checkCheckpoint(checkpoint.v, where)
    const { channel_values, ...frame } = checkpoint
    const given = Object.entries(channel_values).filter(([, value]) => value !== undefined)
    const isChanged = ([channel]: readonly [string, unknown]): boolean => Object.hasOwn(changed, channel)
    // Everything is serialized before anything is awaited: a node may change a value that it has returned.
    const taken = [
      ...given.filter(isChanged).map(([channel, value]) => this.#take(value, `${namespace}\n${channel}`)),
      this.#take(frame, `${namespace}\n\nframe`),
      this.#take(metadata, `${namespace}\n\nmetadata`)
    ]
    const apart = this.#apart(await Promise.all(taken))
    const { stored } = apart
    const channels = new Map<string, StoredValue.StoredValue>()
    for (const [index, [channel]] of given.filter(isChanged).entries()) channels.set(channel, stored[index]!)
    const index = await this.fresh()
    const versions = checkpoint.channel_versions
    for (const [channel, value] of given.filter((entry) => !isChanged(entry))) {
      const known = index.valuesAt(channel, versions[channel], { namespace, parent })
      const own = known.length < 2 ? known[0] : await this.#same(known, value)
      if (own !== undefined) channels.set(channel, own)
    }
    const fields = {
      namespace,
      checkpoint: checkpoint.id,
      ...(parent === undefined ? {} : { parent }),
      channels: Object.fromEntries(
        [...channels].map(([channel, value]) => [channel, [versions[channel] ?? null, ...value]])
      ),
      frame: stored.at(-2)!,
      metadata: stored.at(-1)!
    }
    await this.#record(CheckpointIndex.types.checkpoint, fields, apart)
  }

  /** Keeps the writes of a task. Those that are kept already stay as they are, but for the special ones. */
  async write({ checkpoint, namespace, path, task, writes }: Writing): Promise<void> {
    const taken = writes.map(([, value]) => StoredValue.serialized(this.#serde, value))
    const index = await this.fresh()
    const placed = writes.map(([channel], position) => ({
      channel,
      at: CheckpointIndex.indexOf(channel, position),
      position
    }))
    const missing = placed.filter(({ at }) => !index.has(namespace, checkpoint, task, at))
    if (missing.length === 0) return
    const values = await Promise.all(taken)
    const apart = this.#apart(missing.map(({ position }) => ({ value: values[position]!, place: undefined })))
    const told = missing.map(({ at, channel }, each) => [at, channel, ...apart.stored[each]!])
    await this.#record(CheckpointIndex.types.writes, { namespace, checkpoint, task, path, writes: told }, apart)
  }

  /** Commits that the thread was deleted: what it kept so far is no longer answered. */
  async delete(): Promise<void> {
    const index = await this.fresh()
    if ([...index.checkpoints()].length > 0) await this.#record(CheckpointIndex.types.deleted, {})
    this.#texts.clear()
  }

  /** Reads stored values, all with as few questions to the store as their depth needs. */
  async load(stored: ReadonlyArray<StoredValue.StoredValue>): Promise<ReadonlyArray<unknown>> {
    const texts = await this.#store.texts(stored.map(([, , address]) => address))
    return Promise.all(stored.map((each, index) => StoredValue.loaded(this.#serde, each, texts[index]!)))
  }

  async #take(value: unknown, place: string): Promise<Taken> {
    return { value: await StoredValue.serialized(this.#serde, value), place }
  }

  #apart(taken: ReadonlyArray<Taken>): Apart {
    const { parts, texts } = this.#store.apart(
      taken.map(({ place, value }) => ({
        text: value.text,
        since: place === undefined ? undefined : this.#texts.get(place)
      }))
    )
    return {
      parts,
      stored: texts.map(({ address }, index) => [taken[index]!.value.type, taken[index]!.value.coding, address]),
      // Only a text that is kept may be one that the next grows out of.
      kept: () => {
        for (const [index, { place }] of taken.entries()) if (place !== undefined) this.#remember(place, texts[index]!)
      }
    }
  }

  #remember(place: string, text: KeptText): void {
    this.#texts.delete(place)
    this.#texts.set(place, text)
    const [oldest] = this.#texts.keys()
    if (oldest !== undefined && this.#texts.size > rememberedTextsMax) this.#texts.delete(oldest)
  }

  /** The stored value that equals a given one. */
  async #same(
    known: ReadonlyArray<StoredValue.StoredValue>,
    value: unknown
  ): Promise<StoredValue.StoredValue | undefined> {
    const { text } = await StoredValue.serialized(this.#serde, value)
    const address = this.#store.addressOf(text)
    return known.find((each) => each[2] === address) ?? known[0]
  }

  async #record(type: string, fields: JsonObject, apart?: Apart): Promise<void> {
    const named = this.run === this.#name ? {} : { thread: this.#name }
    const told = { format: CheckpointFormat.factsFormat, ...named, ...fields }
    const tick = await this.#store.record(this.run, { type, fields: told }, apart?.parts)
    apart?.kept()
    this.#index.apply({ tick, type, fields: told })
  }
}

/** Values as a fact names them, their parts for its commit, and what is to be done once that is made. */
interface Apart {
  readonly stored: ReadonlyArray<StoredValue.StoredValue>
  readonly parts: TextsApart["parts"]
  readonly kept: () => void
}

interface Taken {
  readonly value: StoredValue.SerializedValue
  readonly place: string | undefined
}
