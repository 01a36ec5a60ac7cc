/** A body that is larger than the server takes. */
import * as Schema from "effect/Schema"

/** Error for a body that is larger than the server takes. Only an import knows how many bytes it may have. */
export class RequestTooLarge extends Schema.TaggedError<RequestTooLarge>("@backstitch/server/RequestTooLarge")(
  "RequestTooLarge",
  { importBytesMax: Schema.optionalKey(Schema.Natural) }
) {
  override get message(): string {
    return this.importBytesMax === undefined
      ? "The body of the request is larger than is taken. Send less with one request"
      : `An import may have ${this.importBytesMax} bytes. Import it with the command line, on the store`
  }
}
