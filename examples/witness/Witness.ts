/**
 * Keeps the last checkpoint of each log that it knows, and cosigns the next one if the log has only grown.
 *
 * A witness does nothing else, and this is its value: of two different histories of one log, only one is cosigned.
 *
 * @source C2SP tlog-witness
 */

import * as Digest from "@backstitch/trace/Digest"
import * as Cosignature from "@backstitch/transparency/Cosignature"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as WitnessRequest from "@backstitch/transparency/WitnessRequest"
import * as Result from "effect/Result"

/** Checkpoints by the origin of their log. They outlive the process. */
export interface Kept {
  readonly read: () => Readonly<Record<string, string>>
  /** Returns once the checkpoints are durable. */
  readonly write: (checkpoints: Readonly<Record<string, string>>) => void
}

/** An answer over HTTP. */
export interface Answer {
  readonly status: number
  readonly body: string
  readonly type?: string
}

/** A witness of the logs whose verifier texts it is given. */
export class Witness {
  readonly #signer: SignedNote.Signer
  readonly #logs: ReadonlyMap<string, ReadonlyArray<string>>
  readonly #kept: Kept

  constructor(options: {
    readonly signer: SignedNote.Signer
    readonly logs: ReadonlyArray<string>
    readonly kept: Kept
  }) {
    this.#signer = options.signer
    this.#kept = options.kept
    const names = options.logs.map((log) => [Result.getOrThrow(SignedNote.verifier(log)).name, log] as const)
    this.#logs = new Map(names.map(([name]) => [name, names.filter((each) => each[0] === name).map(([, log]) => log)]))
  }

  /**
   * Answers a request to cosign. No other request is handled between the read of the last checkpoint and the write of
   * the next one.
   */
  readonly add = (request: string, seconds: number): Answer => {
    const read = WitnessRequest.parse(request)
    if (Result.isFailure(read)) return refusal(400, read.failure.message)
    const { checkpoint, old, proof } = read.success
    const { head, origin } = checkpoint
    const keys = this.#logs.get(origin)
    if (keys === undefined) return refusal(404, "no such log is known here")
    const body = Result.getOrThrow(TreeCheckpoint.format({ ...checkpoint, signatures: [] }))
    const found = keys.map((key) => Result.getOrThrow(SignedNote.check(key, body, checkpoint.signatures)))
    if (found.includes("Wrong")) return refusal(403, "a signature is wrong")
    if (!found.includes("Signed")) return refusal(403, "the log did not sign it")
    if (old > head.size) return refusal(400, "the old size is above the new one")
    const all = this.#kept.read()
    const before = this.#last(all, origin)
    if (old !== before.size) return { status: 409, body: `${before.size}\n`, type: "text/x.tlog.size" }
    if (!TreeHead.verifyConsistency({ before, after: head, proof })) {
      return refusal(422, "the log has not only grown since it was last cosigned")
    }
    const cosignature = Cosignature.sign(this.#signer, body, seconds)
    const own = checkpoint.signatures.filter(({ name }) => name === origin)
    const cosigned = Result.getOrThrow(TreeCheckpoint.format({ ...checkpoint, signatures: [...own, cosignature] }))
    this.#kept.write({ ...all, [origin]: cosigned })
    return { status: 200, body: WitnessRequest.formatAnswer([cosignature]) }
  }

  /** Answers the last checkpoint of the log whose origin has this digest. */
  readonly latest = (digest: string): Answer => {
    const found = Object.entries(this.#kept.read()).find(([origin]) => Digest.ofBytes(origin) === digest)
    return found === undefined ? refusal(404, "nothing of it was cosigned") : { status: 200, body: found[1] }
  }

  readonly #last = (all: Readonly<Record<string, string>>, origin: string): TreeHead.TreeHead => {
    const text = Object.hasOwn(all, origin) ? all[origin] : undefined
    return text === undefined ? TreeHead.head(TreeHead.empty) : Result.getOrThrow(TreeCheckpoint.parse(text)).head
  }
}

const refusal = (status: number, why: string): Answer => ({ status, body: `${why}\n` })
