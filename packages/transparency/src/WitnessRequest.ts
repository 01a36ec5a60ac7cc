/**
 * The request of a log to a witness, and the answer, as text.
 *
 * The log names the size at which the witness knows it, proves that it has only grown since, and shows its newest
 * checkpoint. The answer is one line for each cosignature or, if the witness knows the log at another size, that
 * size.
 *
 * @source C2SP tlog-witness, "add-checkpoint"
 */
import type * as Digest from "@backstitch/trace/Digest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64 from "./bytes/base64.ts"
import * as Limits from "./Limits.ts"
import * as TreeCheckpoint from "./TreeCheckpoint.ts"

/** A checkpoint with the proof that its log grew from a size. */
export interface WitnessRequest {
  readonly old: number
  readonly proof: ReadonlyArray<Digest.Digest>
  readonly checkpoint: TreeCheckpoint.TreeCheckpoint
}

/** Error for text that is neither a request nor an answer. */
export class WitnessRequestInvalid extends Schema.TaggedError<WitnessRequestInvalid>(
  "@backstitch/transparency/WitnessRequestInvalid"
)("WitnessRequestInvalid", { line: Schema.Natural, expected: Schema.String, found: Schema.String }) {
  override get message(): string {
    return `Line ${this.line} of the exchange should be ${this.expected}, and is ${JSON.stringify(this.found)}`
  }
}

/** Writes a request. */
export const format = ({
  checkpoint,
  old,
  proof
}: WitnessRequest): Result.Result<string, TreeCheckpoint.TreeCheckpointInvalid> =>
  Result.map(TreeCheckpoint.format(checkpoint), (text) =>
    [`old ${old}`, ...proof.map((hash) => Base64.ofDigest(hash) ?? ""), "", text].join("\n")
  )

/** Reads a request. The checkpoint is parsed; its signatures and the proof are not checked. */
export const parse = (text: string): Result.Result<WitnessRequest, WitnessRequestInvalid> => {
  const lines = text.split("\n")
  const fail = (index: number, expected: string) =>
    Result.fail(new WitnessRequestInvalid({ line: index + 1, expected, found: lines[index] ?? "" }))
  const [, size] = /^old (0|[1-9][0-9]{0,15})$/.exec(lines[0] ?? "") ?? []
  if (size === undefined || !Number.isSafeInteger(Number(size))) return fail(0, "`old`, a space and a size")
  const blank = lines.indexOf("")
  if (blank < 0) return fail(lines.length - 1, "followed by an empty line and a checkpoint")
  if (blank - 1 > Limits.refusing.proofHashesMax)
    return fail(
      Limits.refusing.proofHashesMax + 1,
      `the empty line: a proof has ${Limits.refusing.proofHashesMax} hashes at most`
    )
  const proof: Array<Digest.Digest> = []
  for (let index = 1; index < blank; index++) {
    const hash = Base64.digestOf(lines[index]!)
    if (hash === undefined) return fail(index, "a hash, 32 bytes in base64")
    proof.push(hash)
  }
  const checkpoint = TreeCheckpoint.parse(lines.slice(blank + 1).join("\n"))
  if (Result.isFailure(checkpoint)) {
    const { expected, found, line } = checkpoint.failure
    return Result.fail(new WitnessRequestInvalid({ line: blank + 1 + line, expected, found }))
  }
  return Result.succeed({ old: Number(size), proof, checkpoint: checkpoint.success })
}

/** Writes an answer: the cosignatures, one per line. */
export const formatAnswer = (signatures: ReadonlyArray<TreeCheckpoint.Signature>): string =>
  signatures.map((signature) => `${TreeCheckpoint.formatSignature(signature)}\n`).join("")

/** Reads an answer. Its signatures are not checked. */
export const parseAnswer = (
  text: string
): Result.Result<ReadonlyArray<TreeCheckpoint.Signature>, WitnessRequestInvalid> => {
  const lines = text.split("\n")
  const fail = (index: number, expected: string) =>
    Result.fail(new WitnessRequestInvalid({ line: index + 1, expected, found: lines[index] ?? "" }))
  if (lines.pop() !== "" || lines.length === 0) return fail(lines.length, "signature lines, each with its end")
  const signatures: Array<TreeCheckpoint.Signature> = []
  for (const [index, line] of lines.entries()) {
    const signature = TreeCheckpoint.parseSignature(line)
    if (signature === undefined) return fail(index, "a signature line")
    signatures.push(signature)
  }
  return Result.succeed(signatures)
}

/** Reads the size that a witness knows, which is its answer to a request with another size. */
export const parseSize = (text: string): Result.Result<number, WitnessRequestInvalid> => {
  const [, size] = /^(0|[1-9][0-9]{0,15})\n$/.exec(text) ?? []
  return size !== undefined && Number.isSafeInteger(Number(size))
    ? Result.succeed(Number(size))
    : Result.fail(new WitnessRequestInvalid({ line: 1, expected: "a size, with its end", found: text.slice(0, 60) }))
}
