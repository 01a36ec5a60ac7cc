/** Checks a mapping against the tools that a server lists: a key that its tool does not take recognises no call. */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { isObject } from "../message/JsonRpc.ts"
import type * as ToolMapping from "./ToolMapping.ts"

/** Tools as a server lists them, by name. */
type Listed = ReadonlyMap<string, JsonObject>

/** Names each tool and each argument of a mapping that the server does not have. */
export const misfits = ({ tools }: ToolMapping.Mapping, listed: Listed): ReadonlyArray<string> =>
  Object.entries(tools).flatMap(([name, own]) => misfitsOf(name, own, listed))

/** Names what of the mapping of one tool the server does not have. */
export const misfitsOf = (name: string, own: ToolMapping.ToolMapping, listed: Listed): ReadonlyArray<string> => {
  const tool = listed.get(name)
  if (tool === undefined) return [`the mapping names ${name}, and the server lists ${namesOf(listed.keys())}`]
  const { key, readback, sources, status } = own
  const asked = [readback, status, ...Object.values(sources)].flatMap((each) => (each === undefined ? [] : [each.tool]))
  const missing = [...new Set(asked)].filter((each) => !listed.has(each))
  const taken = argumentsOf(tool["inputSchema"])
  const isUntaken = key !== undefined && "argument" in key && taken !== undefined && !taken.includes(key.argument)
  return [
    ...missing.map((each) => `the mapping of ${name} asks ${each}, and the server lists ${namesOf(listed.keys())}`),
    ...(isUntaken
      ? [`the mapping of ${name} puts the key into ${key.argument}, and the tool takes ${namesOf(taken)}`]
      : [])
  ]
}

/**
 * The arguments that a schema names; `undefined` if it lets others pass by its own word, or is made of others.
 *
 * A schema that names some lets others pass by JSON Schema, too, but its server drops them; one that names none and
 * does not forbid any says nothing of its arguments.
 */
const argumentsOf = (schema: Json | undefined): ReadonlyArray<string> | undefined => {
  if (!isObject(schema) || made.some((each) => Object.hasOwn(schema, each))) return undefined
  const { additionalProperties: further, properties = {} } = schema
  if ((further !== undefined && further !== false) || !isObject(properties)) return undefined
  const names = Object.keys(properties)
  return names.length === 0 && further === undefined ? undefined : names
}

const made = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"] as const

const namesOf = (names: Iterable<string>): string => [...names].join(", ") || "none"
