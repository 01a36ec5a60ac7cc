/** The digest to which an approval is bound. */
import type * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { Json } from "../values/Json.ts"

/** Digests what a person is asked about: equal values have one digest, in whatever order their fields are written. */
export const digestOf = (value: Json): string => Digest.ofJson("backstitch.request.1", value as Canonical.Json)
