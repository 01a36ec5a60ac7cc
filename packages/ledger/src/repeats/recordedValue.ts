/** The value of a recorded text: what it says as JSON, or the text itself, since texts are often recorded bare. */
import type * as Canonical from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"

/** Reads a recorded text as a value. */
export const recordedValue = (output: string): Canonical.Json => {
  try {
    return JsonText.read(output) as Canonical.Json
  } catch {
    return output
  }
}
