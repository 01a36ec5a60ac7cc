/** A head that is known from a source other than the store: its link, and its tick if that is known, too. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A link, and its tick if that is known. */
export interface KnownHead {
  readonly link: string
  readonly tick: number | undefined
}

/** Error for text that is no head. */
export class HeadInvalid extends Schema.TaggedError<HeadInvalid>("@backstitch/runtime/HeadInvalid")("HeadInvalid", {
  text: Schema.String
}) {
  override get message(): string {
    return `A head is a link, 64 hex digits as a verification names them, or TICK:LINK; "${this.text}" is neither`
  }
}

/** Reads `LINK` or `TICK:LINK`. */
export const parse = (text: string): Result.Result<KnownHead, HeadInvalid> => {
  const [, tick, link] = /^(?:([1-9][0-9]{0,14}):)?([0-9a-f]{64})$/.exec(text) ?? []
  return link === undefined
    ? Result.fail(new HeadInvalid({ text }))
    : Result.succeed({ link, tick: tick === undefined ? undefined : Number(tick) })
}

/** Tells whether a head is the known one. */
export const is = (self: KnownHead, head: { readonly tick: number; readonly link: string }): boolean =>
  self.link === head.link && (self.tick === undefined || self.tick === head.tick)
