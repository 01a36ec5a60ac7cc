/** The form of the settings of a store, as plain JavaScript may give them. */
import { type Form, object, optional, text } from "../failures/givenArguments.ts"

/** The fields of settings. */
export const fields: Readonly<Record<string, Form>> = {
  secret: optional(text),
  store: optional(text),
  telemetry: optional(object({ api: object(), tracer: object() })),
  tenant: optional(text)
}
