/** Compares what a server says of a tool with what it said when people reviewed the tool's contract. */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as JsonPatch from "effect/JsonPatch"
import * as Limits from "../Limits.ts"
import * as ToolMapping from "./ToolMapping.ts"

/** Names each difference; none if the tool is as it was reviewed. */
export const changes = (reviewed: ToolMapping.Reviewed, listed: JsonObject): ReadonlyArray<string> => {
  const before = reviewed as JsonObject
  const now = ToolMapping.reviewedOf(listed) as JsonObject
  if (Canonical.equals(before, now)) return []
  const found = JsonPatch.get(before as never, now as never).map(({ op, path, ...rest }) => {
    const place = path.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~") || "the tool"
    if (op === "remove") return `${place} was removed`
    const value = JSON.stringify("value" in rest ? (rest.value as Json) : null)
    return op === "add" ? `${place} was added as ${value}` : `${place} was changed to ${value}`
  })
  const shown = found.slice(0, Limits.showing.changesMax)
  const more = found.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}
