/**
 * Keeps the traces of many runs where other processes can find them.
 *
 * `TraceStore` is a port: all higher packages depend on this service, and each database package provides a layer. A
 * store does not know actions or contracts. It appends sealed transitions at an expected head, maintains the index of
 * claimed names in the same transaction, and also keeps blobs by digest (packs, trie nodes) and snapshots. The memory
 * layer is the reference for every other layer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Digest from "../bytes/Digest.ts"
import * as Claims from "../chain/Claims.ts"
import * as HashChain from "../chain/HashChain.ts"
import { type Run, RunId, type Tenant } from "../chain/Run.ts"
import type { Sealed, Transition } from "../transition/Transition.ts"
import * as CommitSignal from "./CommitSignal.ts"
import * as MemoryRuns from "./memoryRuns.ts"
import * as RunFeed from "./RunFeed.ts"
import type { StoreFault } from "./StoreFault.ts"

/** The parent of a fork, and the tick at which the fork left it. */
export interface Parent {
  readonly id: RunId
  readonly tick: number
}

/** A commit: transitions that follow `expected` and become durable together or not at all. */
export interface Append {
  readonly run: Run
  readonly expected: HashChain.Head
  readonly transitions: ReadonlyArray<Sealed>
  /** Names claimed and released, with one entry for each transition that changes any. */
  readonly claims: ReadonlyArray<{ readonly tick: number } & Claims.Changes>
  /** Only for the first commit of a fork. */
  readonly parent?: Parent | undefined
  /** Texts that the commit names. They are kept as by `putBlobs`, in the same write; none of a refused commit is. */
  readonly blobs?: ReadonlyMap<Digest.Digest, string> | undefined
}

/** A run as a store knows it without reading its transitions. */
export interface RunInfo {
  readonly run: Run
  readonly head: HashChain.Head
  readonly parent?: Parent | undefined
}

/** A stored state: the manifest of its fields, whose tables and lists are blobs. */
export interface Snapshot {
  readonly tick: number
  readonly text: string
}

/** Error for a writer that has not seen the latest transitions. */
export class TickConflict extends Schema.TaggedError<TickConflict>("@backstitch/trace/TickConflict")("TickConflict", {
  run: RunId,
  expected: Schema.Natural,
  actual: Schema.Natural
}) {
  override get message(): string {
    const advice = "Read the tail, then append facts again and decide decisions again"
    return `Run ${this.run} is at tick ${this.actual}, and this commit was made for tick ${this.expected}. ${advice}`
  }
}

/** Error for a run that its tenant does not have. It reveals nothing about other tenants' runs of that name. */
export class RunUnknown extends Schema.TaggedError<RunUnknown>("@backstitch/trace/RunUnknown")("RunUnknown", {
  run: Schema.String,
  similar: Schema.Array(Schema.String),
  tenant: Schema.String
}) {
  override get message(): string {
    const hint = this.similar.length > 0 ? ` Did you mean ${this.similar.join(" or ")}?` : ""
    return `Tenant ${this.tenant} has no run "${this.run}".${hint}`
  }
}

/**
 * Error for a store that could not answer.
 *
 * **Gotchas**
 *
 * A write may have happened: only its answer is lost. Repeating the same `append` is safe: if its last link is
 * already stored, it succeeds.
 */
export class TraceStoreError extends Schema.TaggedError<TraceStoreError>("@backstitch/trace/TraceStoreError")(
  "TraceStoreError",
  {
    operation: Schema.Literals([
      "open",
      "append",
      "read",
      "runs",
      "claims",
      "blobs",
      "snapshots",
      "leases",
      "notes",
      "fingerprint",
      "identity",
      "vault",
      "audit",
      "keys",
      "answers"
    ]),
    reason: Schema.Literals([
      "locked",
      "full",
      "lost",
      "corrupt",
      "readonly",
      "disk",
      "unsupported",
      "missing",
      "replaced",
      "other"
    ]),
    store: Schema.String,
    run: Schema.optionalKey(Schema.String),
    cause: Schema.Defect()
  }
) {
  /** Tells whether the same call may succeed later without a person's help. */
  get isRetryable(): boolean {
    return this.reason === "locked" || this.reason === "lost"
  }

  /**
   * Tells whether the place of the store keeps it from answering, whatever it is asked: the same call succeeds once the
   * place is mended, as when its disk has space again. No run is at fault, and nothing is damaged.
   */
  get isOutage(): boolean {
    return this.isRetryable || ["full", "readonly", "disk", "replaced"].includes(this.reason)
  }

  /** The message for a log. What a driver says of a reason that nobody foresaw may quote values: its code does not. */
  get forLogs(): string {
    if (this.reason !== "other") return this.message
    const { cause } = this
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no code"
    return `Its operation "${this.operation}" failed in ${this.store} (${code})`
  }

  override get message(): string {
    const subject = this.run === undefined ? this.store : `run ${this.run} of ${this.store}`
    const act = {
      open: "open",
      append: "append to",
      read: "read",
      runs: "list the runs of",
      claims: "list the names held in",
      blobs: "reach the texts of",
      leases: "reach the leases of",
      notes: "reach the notes of",
      fingerprint: "reach the fingerprints of secrets in",
      identity: "reach the identities of tools in",
      vault: "reach the sealed values of",
      audit: "look through",
      keys: "reach the API keys of",
      answers: "reach the answers of writes in",
      snapshots: "reach the snapshots of"
    }[this.operation]
    const problem = this.cause instanceof Error ? this.cause.message : String(this.cause)
    const what = {
      locked: "another process has held its lock for too long. Wait for that process or stop it, then repeat",
      full: "the disk is full. Nothing of this commit was kept; free some space, then repeat",
      lost:
        this.operation === "open"
          ? `no server answers there (${problem}). Check the address and that the server runs, then repeat`
          : "the connection was lost. Repeat: a commit that did arrive is recognised and not made twice",
      corrupt:
        this.operation === "open"
          ? "the file is damaged too far to be opened. Restore a copy, and verify that against a head that you kept"
          : "the file is damaged. Verify it to find the first bad tick, and restore a copy",
      readonly: this.store.startsWith("postgres:")
        ? `the server takes no writes (${problem}). Name the primary server, then repeat`
        : "the file, its folder or its disk can only be read. Permit writing, or copy it with what lies beside it to " +
          "a folder that can be written",
      disk: `the disk failed (${problem}). What was acknowledged is kept; check the disk and its limits, then repeat`,
      unsupported: "it was written by a newer version. Upgrade Backstitch to open it",
      missing: "a folder of its path is missing, or is no folder. Make the folder, or name another store",
      replaced:
        "while this process had the file open, it was moved, removed or replaced, so nothing more is kept in it. Put it " +
        "back, or start this process again on the file that is there now",
      other: problem
    }[this.reason]
    return `Could not ${act} ${subject}: ${what}`
  }
}

/**
 * Service that stores sealed transitions, claims, blobs and snapshots.
 *
 * **Details**
 *
 * A run that was never written has the genesis head, so no separate step creates it. Reading a fork includes its
 * shared history.
 */
export class TraceStore extends Context.Service<
  TraceStore,
  {
    /** Makes a commit durable if the run is still at `expected` and every claimed name is free; answers the head. */
    readonly append: (
      append: Append
    ) => Effect.Effect<HashChain.Head, TickConflict | Claims.ClaimRefused | TraceStoreError>

    /** Answers the head and the lineage of a run; `undefined` if it was never written. */
    readonly info: (run: Run) => Effect.Effect<RunInfo | undefined, TraceStoreError>

    /** Transitions with `from` ≤ tick ≤ `to`, in order, at most `limit` of them. */
    readonly read: (
      run: Run,
      range?: {
        readonly from?: number | undefined
        readonly to?: number | undefined
        readonly limit?: number | undefined
      }
    ) => Effect.Effect<ReadonlyArray<Sealed>, TraceStoreError>

    /** All commits, past and future, of a run or of each run of a tenant, from any tick on. Fails like a read. */
    readonly changes: (selection: RunFeed.Selection) => Stream.Stream<RunFeed.FeedTransition, TraceStoreError>

    /** Runs of a tenant in order of id, after `after`, at most `limit` of them. */
    readonly runs: (
      tenant: Tenant,
      page?: {
        readonly after?: RunId | undefined
        readonly limit?: number | undefined
      }
    ) => Effect.Effect<ReadonlyArray<RunInfo>, TraceStoreError>

    /** Names that are held in a tenant, of one namespace or of all. */
    readonly claims: (
      tenant: Tenant,
      filter?: {
        readonly namespace?: Claims.Namespace | undefined
        readonly name?: string | undefined
      }
    ) => Effect.Effect<ReadonlyArray<Claims.HeldClaim>, TraceStoreError>

    /** Keeps texts by the SHA-256 of their bytes. Existing texts stay. */
    readonly putBlobs: (blobs: ReadonlyMap<Digest.Digest, string>) => Effect.Effect<void, TraceStoreError>

    /** The texts of the given digests, as far as they exist. */
    readonly getBlobs: (
      digests: ReadonlyArray<Digest.Digest>
    ) => Effect.Effect<ReadonlyMap<Digest.Digest, string>, TraceStoreError>

    /**
     * The text of one digest, synchronously, if the store supports that. Then a state that is read from a snapshot
     * loads its nodes at their first use, and not all of them beforehand. Works while the store is open.
     */
    readonly blob?: ((digest: Digest.Digest) => string | undefined) | undefined

    /**
     * Keeps a snapshot of a tick that the run itself has committed. An existing one stays. `nodes` are texts that it
     * names. They are kept as by `putBlobs`, in the same write, even if the snapshot existed already.
     */
    readonly putSnapshot: (
      run: Run,
      snapshot: Snapshot,
      nodes?: ReadonlyMap<Digest.Digest, string>
    ) => Effect.Effect<void, TraceStoreError>

    /** The latest snapshot at or before a tick, of the run or of its shared history. */
    readonly nearestSnapshot: (run: Run, tick: number) => Effect.Effect<Snapshot | undefined, TraceStoreError>

    /** Ticks with a snapshot, in order, including those of the shared history. */
    readonly snapshotTicks: (run: Run) => Effect.Effect<ReadonlyArray<number>, TraceStoreError>

    /** The fingerprint of the secret from which a tenant's keys are derived; `undefined` if none was used yet. */
    readonly fingerprint: (tenant: Tenant) => Effect.Effect<Digest.Digest | undefined, TraceStoreError>

    /** Replaces a fingerprint if it is still `expected`; answers the resulting one. */
    readonly putFingerprint: (
      tenant: Tenant,
      change: { readonly expected: Digest.Digest | undefined; readonly next: Digest.Digest }
    ) => Effect.Effect<Digest.Digest, TraceStoreError>

    /** The identity under which a tool of a tenant was last called, as a text; `undefined` if the store knows none. */
    readonly identity: (tenant: Tenant, tool: string) => Effect.Effect<string | undefined, TraceStoreError>

    /** Replaces the identity of a tool if it is still `expected`; answers the resulting one. */
    readonly putIdentity: (
      tenant: Tenant,
      change: { readonly tool: string; readonly expected: string | undefined; readonly next: string }
    ) => Effect.Effect<string, TraceStoreError>

    /** Lists faults of the whole store, of every tenant, that the chains of its runs do not show. */
    readonly faults: Effect.Effect<ReadonlyArray<StoreFault>, TraceStoreError>
  }
>()("@backstitch/trace/TraceStore") {}

/** The claims of a commit, in the form for `append`. */
export const claimsOf = (run: Run, transitions: ReadonlyArray<Transition>): Append["claims"] =>
  transitions.flatMap((transition) => {
    const { release, take } = Claims.of(run, transition)
    return take.length + release.length === 0 ? [] : [{ tick: transition.tick, take, release }]
  })

/** Creates a store that exists only within the current process. */
export const makeMemory: Effect.Effect<TraceStore["Service"]> = Effect.sync(() => {
  const runs = MemoryRuns.make()
  const claims = new Map<string, Claims.HeldClaim>()
  const blobs = new Map<Digest.Digest, string>()
  const fingerprints = new Map<Tenant, Digest.Digest>()
  const identities = new Map<string, string>()
  const signal = CommitSignal.make()

  const { find, read } = runs
  const headOf = (run: Run): HashChain.Head => find(run)?.head ?? HashChain.genesis(run)

  const keep = (texts: ReadonlyMap<Digest.Digest, string>): void => {
    for (const [digest, text] of texts) if (!blobs.has(digest)) blobs.set(digest, text)
  }

  /**
   * Finds the head that the first commit of a run follows: genesis, or for a fork the parent's head at the shared
   * tick.
   */
  const startOf = ({ parent, run }: Append): { readonly head: HashChain.Head | undefined; readonly actual: number } => {
    if (parent === undefined) return { head: HashChain.genesis(run), actual: 0 }
    const reached = find({ tenant: run.tenant, id: parent.id })?.head.tick
    if (reached === undefined || parent.tick > reached) return { head: undefined, actual: reached ?? 0 }
    if (parent.tick === 0) return { head: HashChain.genesis(run), actual: 0 }
    const last = read({ tenant: run.tenant, id: parent.id }, parent.tick, parent.tick)[0]!
    return { head: HashChain.headOf(last), actual: parent.tick }
  }

  /** A commit whose last link is already stored was made before, and its acknowledgement was lost. */
  const stands = (known: MemoryRuns.MemoryRun, last: Sealed): boolean =>
    known.transitions[last.tick - (known.parent?.tick ?? 0) - 1]?.link === last.link

  const append = (commit: Append): Result.Result<HashChain.Head, TickConflict | Claims.ClaimRefused> => {
    const { expected, parent, run, transitions } = commit
    const last = transitions[transitions.length - 1]
    if (last === undefined) return Result.succeed(headOf(run))
    const known = find(run)
    if (known !== undefined && stands(known, last)) return Result.succeed(HashChain.headOf(last))
    const start = known === undefined ? startOf(commit) : { head: known.head, actual: known.head.tick }
    if (start.head?.link !== expected.link || start.actual !== expected.tick) {
      return Result.fail(new TickConflict({ run: run.id, expected: expected.tick, actual: start.actual }))
    }
    const changed = new Map<string, Claims.HeldClaim | undefined>()
    for (const { release, take, tick } of commit.claims) {
      for (const claim of take) {
        const key = claimKey(run.tenant, claim)
        const held = changed.has(key) ? changed.get(key) : claims.get(key)
        if (!Claims.mayTake(run, claim, held)) return Result.fail(Claims.refuse(held!))
        if (held === undefined) changed.set(key, { ...claim, run, tick })
      }
      for (const claim of release) {
        const key = claimKey(run.tenant, claim)
        const held = changed.has(key) ? changed.get(key) : claims.get(key)
        if (held !== undefined && Claims.mayTake(run, claim, held)) changed.set(key, undefined)
      }
    }
    for (const [key, held] of changed) held === undefined ? claims.delete(key) : claims.set(key, held)
    if (commit.blobs !== undefined) keep(commit.blobs)
    const head = HashChain.headOf(last)
    if (known === undefined) {
      runs.add({ run, parent, head, transitions: [...transitions], snapshots: [] })
    } else {
      known.transitions.push(...transitions)
      known.head = head
    }
    signal.moved(run, transitions)
    return Result.succeed(head)
  }

  const reading: Pick<TraceStore["Service"], "info" | "read" | "runs"> = {
    info: (run) =>
      Effect.sync(() => {
        const known = find(run)
        return known && { run: known.run, head: known.head, parent: known.parent }
      }),
    read: (run, { from = 1, limit = Number.POSITIVE_INFINITY, to = Number.POSITIVE_INFINITY } = {}) =>
      Effect.sync(() => {
        const first = Math.max(1, from)
        return read(run, first, Math.min(to, first + limit - 1))
      }),
    runs: (tenant, { after, limit = Number.POSITIVE_INFINITY } = {}) =>
      Effect.sync(() =>
        [...runs.all()]
          .filter(({ run }) => run.tenant === tenant && (after === undefined || run.id > after))
          .sort((left, right) => (left.run.id < right.run.id ? -1 : 1))
          .slice(0, limit)
          .map(({ head, parent, run }) => ({ run, head, parent }))
      )
  }

  return TraceStore.of({
    append: (commit) => Effect.suspend(() => Effect.fromResult(append(commit))),
    ...reading,
    changes: RunFeed.make({ ...reading, signal }),
    claims: (tenant, filter = {}) =>
      Effect.sync(() =>
        [...claims.values()]
          .filter(
            ({ name, namespace, run }) =>
              run.tenant === tenant && namespace === (filter.namespace ?? namespace) && name === (filter.name ?? name)
          )
          .sort(Claims.byName)
      ),
    putBlobs: (texts) => Effect.sync(() => keep(texts)),
    blob: (digest) => blobs.get(digest),
    getBlobs: (digests) =>
      Effect.sync(
        () =>
          new Map(
            digests.flatMap((digest) => {
              const text = blobs.get(digest)
              return text === undefined ? [] : [[digest, text] as const]
            })
          )
      ),
    putSnapshot: (run, snapshot, nodes = new Map()) =>
      Effect.sync(() => {
        keep(nodes)
        const known = find(run)
        if (known === undefined || known.snapshots.some(({ tick }) => tick === snapshot.tick)) return
        if (snapshot.tick > known.head.tick || snapshot.tick <= (known.parent?.tick ?? 0)) return
        known.snapshots.push(snapshot)
      }),
    nearestSnapshot: (run, tick) =>
      Effect.sync(() => runs.snapshots(run).findLast((snapshot) => snapshot.tick <= tick)),
    snapshotTicks: (run) => Effect.sync(() => runs.snapshots(run).map((snapshot) => snapshot.tick)),
    fingerprint: (tenant) => Effect.sync(() => fingerprints.get(tenant)),
    putFingerprint: (tenant, { expected, next }) =>
      Effect.sync(() => {
        const standing = fingerprints.get(tenant)
        if (standing !== undefined && standing !== expected) return standing
        fingerprints.set(tenant, next)
        return next
      }),
    identity: (tenant, tool) => Effect.sync(() => identities.get(`${tenant}/${tool}`)),
    putIdentity: (tenant, { expected, next, tool }) =>
      Effect.sync(() => {
        const standing = identities.get(`${tenant}/${tool}`)
        if (standing !== undefined && standing !== expected) return standing
        identities.set(`${tenant}/${tool}`, next)
        return next
      }),
    // In memory nothing can be lost or orphaned, but a text may have been kept under a wrong digest.
    faults: Effect.sync(() => {
      const [first, ...more] = [...blobs].filter(([digest, text]) => Digest.ofBytes(text) !== digest)
      return first === undefined ? [] : [{ table: "blob", found: "altered", count: more.length + 1, example: first[0] }]
    })
  })
})

/** Layer that provides an in-memory `TraceStore`. */
export const layerMemory: Layer.Layer<TraceStore> = Layer.effect(TraceStore, makeMemory)

const claimKey = (tenant: Tenant, { name, namespace }: Claims.Claim): string => `${tenant}/${namespace}/${name}`
