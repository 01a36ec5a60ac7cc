/**
 * The tables that both databases share, and the form of a trace's values in them.
 *
 * Transitions are in one table under an integer key, run·2^24 + tick. One key that grows with each run keeps a row
 * near its neighbours, needs no second index, and stays a safe JavaScript number for 2^29 runs. Digests are 32 bytes,
 * and the three texts of a transition are stored as they were hashed.
 */

import type * as Claims from "@backstitch/trace/Claims"
import type * as Digest from "@backstitch/trace/Digest"
import type * as HashChain from "@backstitch/trace/HashChain"
import * as JsonText from "@backstitch/trace/JsonText"
import type { Run, RunId, Tenant } from "@backstitch/trace/Run"
import type { Sealed } from "@backstitch/trace/Transition"
import type { Generated } from "kysely"
import * as Limits from "../Limits.ts"

/**
 * A run: its name, its parent and the shared tick, and its head. On Postgres the last three columns are those of the
 * last transition, and the view `standing` joins them.
 */
export interface RunTable {
  readonly id: Generated<number>
  readonly tenant: string
  readonly name: string
  readonly parent: number | null
  readonly parent_tick: number | null
  readonly tick: number
  readonly link: Uint8Array
  readonly story: Uint8Array
}

/** A committed transition. */
export interface TransitionTable {
  readonly id: number
  readonly link: Uint8Array
  readonly story: Uint8Array
  readonly body: string
  readonly stamp: string
  readonly envelope: string
}

/** A committed transition in the form for reading: its digests in hex. */
export interface SealedRow extends Omit<TransitionTable, "link" | "story"> {
  readonly link: Digest.Digest
  readonly story: Digest.Digest
}

/** A held name. */
export interface ClaimTable {
  readonly tenant: string
  readonly namespace: string
  readonly name: string
  readonly owner: string
  readonly run: number
  readonly tick: number
}

/** A text under the digest of its bytes. */
export interface BlobTable {
  readonly digest: Uint8Array
  readonly text: string
}

/** A snapshot, under the key of the transition after which it was taken. */
export interface SnapshotTable {
  readonly id: number
  readonly text: string
}

/** The fingerprint of the secret from which the keys of a tenant are derived. */
export interface FingerprintTable {
  readonly tenant: string
  readonly digest: Uint8Array
}

/** The identity under which a tool of a tenant was last called. */
export interface ToolIdentityTable {
  readonly tenant: string
  readonly tool: string
  readonly identity: string
}

/** All tables, by name. */
export interface Tables {
  readonly run: RunTable
  readonly transition: TransitionTable
  readonly claim: ClaimTable
  readonly blob: BlobTable
  readonly snapshot: SnapshotTable
  readonly fingerprint: FingerprintTable
  readonly tool_identity: ToolIdentityTable
}

/** Ticks that fit into the keys of one run, including the one before the first tick. */
export const ticksPerRun = Limits.refusing.runTransitionsMax + 1

/** The key of a run's transition or snapshot. */
export const rowId = (run: number, tick: number): number => run * ticksPerRun + tick

/** The tick of a key. */
export const tickOf = (id: number): number => id % ticksPerRun

/** Writes a digest as 32 bytes. */
export const toBytes = (digest: string): Buffer => Buffer.from(digest, "hex")

/** Reads a digest from 32 bytes. */
export const fromBytes = (bytes: Uint8Array): Digest.Digest =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex") as Digest.Digest

/** Writes a name in a form for a text column: as within JSON quotes, because Postgres cannot store a NUL character. */
export const toName = (name: string): string => JSON.stringify(name).slice(1, -1)

/** Reads a name back. */
export const fromName = (text: string): string => (text.includes("\\") ? (JsonText.read(`"${text}"`) as string) : text)

/** Reads a transition from its row. */
export const toSealed = (row: SealedRow): Sealed => ({
  tick: tickOf(row.id),
  link: row.link,
  story: row.story,
  body: row.body,
  stamp: row.stamp,
  envelope: row.envelope
})

/** Reads a head from the columns that carry one. */
export const toHead = (row: Pick<RunTable, "tick" | "link" | "story">): HashChain.Head => ({
  tick: row.tick,
  link: fromBytes(row.link),
  story: fromBytes(row.story)
})

/** Names a run from columns that were checked when they were written. */
export const toRun = (tenant: string, name: string): Run => ({ tenant: tenant as Tenant, id: name as RunId })

/** Reads an entry of the index of names from its row. */
export const toEntry = (row: Omit<ClaimTable, "run"> & { readonly holder: string }): Claims.HeldClaim => ({
  namespace: row.namespace as Claims.Namespace,
  name: fromName(row.name),
  owner: fromName(row.owner),
  run: toRun(row.tenant, row.holder),
  tick: row.tick
})
