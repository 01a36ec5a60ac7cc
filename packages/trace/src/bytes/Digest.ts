/**
 * SHA-256 digests, written as 64 lower-case hex digits.
 *
 * A digest with a purpose of its own covers UTF-8 text that begins with a domain line, such as `backstitch.link.1`.
 * So no bytes that were hashed for one purpose pass as bytes for another. {@link Domain} lists all lines.
 * The texts of a transition, blobs and raw answers are digested as they are ({@link ofBytes}).
 *
 * On Node the hash comes from `node:crypto`, elsewhere from `@noble/hashes`; both have the same type and give the same
 * answers.
 */

import * as Schema from "effect/Schema"
import { sha256 } from "#sha256"
import * as Canonical from "./Canonical.ts"
import * as Form from "./Form.ts"

/** A SHA-256 digest as 64 lower-case hex digits. */
export const Digest = Form.Digest.pipe(Schema.brand("@backstitch/trace/Digest"))

/** A SHA-256 digest as 64 lower-case hex digits. */
export type Digest = typeof Digest.Type

/** Purposes of a digest. Each is the first line of the hashed text. */
export type Domain =
  | "backstitch.genesis.1"
  | "backstitch.link.1"
  | "backstitch.story.1"
  | "backstitch.state.1"
  | "backstitch.section.1"
  | "backstitch.row.1"
  | "backstitch.leaf.1"
  | "backstitch.branch.1"
  | "backstitch.list.1"
  | "backstitch.json.1"
  | "backstitch.text.1"
  | "backstitch.pack.1"
  | "backstitch.request.1"
  | "backstitch.act.1"
  | "backstitch.turn.1"
  | "backstitch.context.1"
  | "backstitch.initial.1"
  | "backstitch.sealed.1"
  | "backstitch.approval.1"
  | "backstitch.question.1"
  | "backstitch.break-glass.1"
  | "backstitch.record.1"
  | "backstitch.key.1"
  | "backstitch.api-key.1"
  | "backstitch.recovery.1"
  | "backstitch.delivery.1"
  | "backstitch.canary.1"

/** Digests text under a domain: SHA-256 of the domain, a newline and the text. */
export const ofText = (domain: Domain, text: string): Digest => sha256(`${domain}\n${text}`) as Digest

/** Digests the canonical form of a JSON value under a domain. */
export const ofJson = (domain: Domain, value: Canonical.Json): Digest => ofText(domain, Canonical.encode(value))

/**
 * Digests bytes as they are, without a domain.
 *
 * **When to use** for text that begins with its domain, such as that of a blob or a node, for canonical JSON, which
 * never begins with the letter of a domain, and for data of others.
 */
export const ofBytes = (data: string | Uint8Array): Digest => sha256(data) as Digest

/** The digest of an empty structure. */
export const zero: Digest = "0".repeat(64) as Digest

/** Tells whether a value has the form of a digest. */
export const isDigest = (value: unknown): value is Digest => typeof value === "string" && /^[0-9a-f]{64}$/.test(value)
