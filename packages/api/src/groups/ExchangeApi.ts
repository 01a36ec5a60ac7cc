/** Routes that carry whole runs in and out, as JSON lines that anybody can verify without the server. */

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"
import * as Limits from "../Limits.ts"

/** The media type of an export. */
export const contentType = "application/x-ndjson"

const exportRun = HttpApiEndpoint.get("export", "/runs/:run/export", {
  params: Paths.run,
  // A tick that the reader has: what comes up to it is left out, and the rest is verified by the reader.
  query: { behind: Schema.optionalKey(Paths.Tick) },
  success: HttpApiSchema.StreamUint8Array({ contentType })
})

/** A run that was imported, as `import --json` has it. */
export const Imported = Schema.Struct({
  run: Schema.String,
  ticks: Schema.Finite,
  head: Schema.String,
  blobs: Schema.Finite,
  present: Schema.Boolean,
  unknown: Schema.Array(Schema.String)
}).annotate({ identifier: "Imported" })

/** The runs that an import brought. */
export const Brought = Schema.Struct({ runs: Schema.Array(Imported) })

const importRun = HttpApiEndpoint.post("import", "/imports", {
  headers: WriteHeaders.named,
  payload: HttpApiSchema.StreamUint8Array({ contentType, maxBytes: Limits.refusing.importBytesMax }),
  success: Brought
})

/** The group of these routes. */
export const group = HttpApiGroup.make("exchange")
  .add(Access.by("viewer", "Export a run with everything that verifies it")(exportRun))
  .add(Access.by("operator", "Verify an export, and import its run")(importRun.annotate(Access.Dear, true)))
  .annotate(OpenApi.Title, "Exchange")
