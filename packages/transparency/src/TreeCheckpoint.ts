/**
 * Tree heads as text that is signed, published and kept elsewhere.
 *
 * The text names the log, its size and its root, one per line, so that any witness of transparency logs can read and
 * cosign it. This module parses and keeps signature lines; `SignedNote` makes and checks them.
 *
 * @source C2SP tlog-checkpoint, C2SP signed-note
 */

import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64 from "./bytes/base64.ts"
import type * as TreeHead from "./TreeHead.ts"

/** One signature line of a note. */
export interface Signature {
  /** Name of the key. */
  readonly name: string
  /** Base64 of the four bytes of the key's id and the signature itself. */
  readonly value: string
}

/** A tree head with the name of its log. */
export interface TreeCheckpoint {
  /** Unique name of the log, such as a URL without its scheme. */
  readonly origin: string
  readonly head: TreeHead.TreeHead
  /** Further lines below the root; most logs have none. */
  readonly extensions: ReadonlyArray<string>
  readonly signatures: ReadonlyArray<Signature>
}

/** Error for text that is not a checkpoint, or a checkpoint that has no text. */
export class TreeCheckpointInvalid extends Schema.TaggedError<TreeCheckpointInvalid>(
  "@backstitch/transparency/TreeCheckpointInvalid"
)("TreeCheckpointInvalid", { line: Schema.Natural, expected: Schema.String, found: Schema.String }) {
  override get message(): string {
    return `Line ${this.line} of the checkpoint should be ${this.expected}, and is ${JSON.stringify(this.found)}`
  }
}

/** Writes a checkpoint. Without signatures, the text is the one to sign. */
export const format = (checkpoint: TreeCheckpoint): Result.Result<string, TreeCheckpointInvalid> => {
  const { extensions, head, origin, signatures } = checkpoint
  const body = [origin, String(head.size), Base64.ofDigest(head.root) ?? "", ...extensions]
  const signed = signatures.map(formatSignature)
  const text = `${(signed.length === 0 ? body : [...body, "", ...signed]).join("\n")}\n`
  // A line break inside a field would be read back as another field.
  return Result.flatMap(parse(text), (read) =>
    Canonical.encode(toJson(read)) === Canonical.encode(toJson(checkpoint))
      ? Result.succeed(text)
      : Result.fail(new TreeCheckpointInvalid({ line: 1, expected: "fields of one line each", found: text }))
  )
}

/** Reads a checkpoint, signed or not. Signatures are kept as they are, not checked. */
export const parse = (text: string): Result.Result<TreeCheckpoint, TreeCheckpointInvalid> => {
  const lines = text.split("\n")
  const fail = (index: number, expected: string) =>
    Result.fail(new TreeCheckpointInvalid({ line: index + 1, expected, found: text.split("\n")[index] ?? "" }))

  if (lines.pop() !== "") return fail(lines.length, "ended by a line break")
  for (const [index, line] of lines.entries()) {
    if (!line.isWellFormed() || control.test(line)) return fail(index, "text without control characters")
  }
  const blank = lines.indexOf("")
  const body = blank < 0 ? lines : lines.slice(0, blank)
  const [origin, size, base64, ...extensions] = body
  if (origin === undefined) return fail(0, "the origin of the log")
  if (size === undefined || !/^(0|[1-9][0-9]*)$/.test(size) || !Number.isSafeInteger(Number(size))) {
    return fail(1, "the size of the log in decimal digits")
  }
  const root = Base64.digestOf(base64 ?? "")
  if (root === undefined) return fail(2, "the root of the tree, 32 bytes in base64")

  const signatures: Array<Signature> = []
  for (let index = body.length + 1; index < lines.length; index++) {
    const signature = parseSignature(lines[index]!)
    if (signature === undefined) return fail(index, "a signature line")
    signatures.push(signature)
  }
  if (blank >= 0 && signatures.length === 0) return fail(lines.length, "a signature line")
  return Result.succeed({ origin, head: { size: Number(size), root }, extensions, signatures })
}

/** Writes a signature line, without its end. */
export const formatSignature = ({ name, value }: Signature): string => `— ${name} ${value}`

/** Reads a signature line, without its end; `undefined` for any other. */
export const parseSignature = (line: string): Signature | undefined => {
  const [, name, value] = signatureLine.exec(line) ?? []
  return name !== undefined && value !== undefined && Base64.isBase64(value, 5) ? { name, value } : undefined
}

const control = /\p{Cc}/u

const signatureLine = /^— ([^\s+]+) (\S+)$/u

const toJson = ({ extensions, head, origin, signatures }: TreeCheckpoint): Canonical.Json => [
  origin,
  head.size,
  head.root,
  extensions,
  signatures.map(({ name, value }) => [name, value])
]
