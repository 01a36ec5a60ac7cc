/** The form of a tool in code, as plain JavaScript may give it. */
import { callable, type Form, object, optional, recordOf, text } from "../failures/givenArguments.ts"
import { isStandardSchema } from "./StandardSchema.ts"

/** The fields of a tool beside its function. */
export const fields: Readonly<Record<string, Form>> = {
  identityBefore: optional(text),
  readback: optional(callable),
  refuses: optional(callable),
  sources: optional(recordOf(callable)),
  status: optional(callable)
}

const schema: Form = { wants: "a schema of a library with the Standard Schema interface", fits: isStandardSchema }

/** A tool with its function. */
export const tool: Form = object({ ...fields, execute: callable, input: optional(schema) })
