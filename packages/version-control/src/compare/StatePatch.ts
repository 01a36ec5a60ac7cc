/**
 * The change from one state to another, as a JSON Patch (RFC 6902) of `world` and `working`.
 *
 * Only fields that differ are written and compared, so the cost depends on the parts that the states do not share.
 *
 * Laws: the patch turns the first state into the second; between equal states it is empty.
 *
 * @source RFC 6902
 */
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as JsonPatch from "effect/JsonPatch"
import type * as Schema from "effect/Schema"
import * as FieldPath from "../address/FieldPath.ts"
import * as Changes from "./Changes.ts"

/**
 * The patch that turns the first state into the second.
 *
 * **Example** (A field that was set)
 *
 * ```ts import.meta.vitest
 * import { State } from "@backstitch/reducer"
 * import { StatePatch } from "@backstitch/version-control"
 *
 * const after = { ...State.empty, world: { spent: 80 } }
 *
 * StatePatch.between(State.empty, after) // => [{ op: "add", path: "/world/spent", value: 80 }]
 * ```
 */
export const between = (before: State.State, after: State.State): JsonPatch.JsonPatch => {
  const fields = Changes.fields(before, after)
  return JsonPatch.get(partOf(before, fields) as Schema.Json, partOf(after, fields) as Schema.Json)
}

/** A state as the document to which its patches apply. */
export const document = ({ working, world }: State.State): JsonObject => ({
  working: State.sectionToJson(working),
  world: State.sectionToJson(world)
})

const partOf = (state: State.State, fields: ReadonlyArray<string>): JsonObject => {
  const part = (section: "world" | "working") => {
    const found: { [name: string]: Json } = {}
    for (const path of fields) {
      const name = path.slice(section.length + 1)
      if (!path.startsWith(`${section}.`)) continue
      const value = FieldPath.valueAt(state, { section, field: name, keys: [] })
      if (value !== undefined) found[name] = value
    }
    return found
  }
  return { working: part("working"), world: part("world") }
}
