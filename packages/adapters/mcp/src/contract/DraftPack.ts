/**
 * Drafts a pack, and the mapping beside it, from the tools that a server lists.
 *
 * A draft is where a review begins. It writes the server's word beside each tool and believes none of it: every tool
 * asks a person, reads too, until a reviewer takes its line out of `approvals`. Calls have no identity until a reviewer
 * says which arguments make two calls the same act.
 *
 * @source MCP, 2025-11-25, "Tools", section "Tool"; docs/decisions/0061
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Limits from "../Limits.ts"
import { isObject } from "../message/JsonRpc.ts"
import * as ToolMapping from "./ToolMapping.ts"

/** The text of the two files, and the tools that no pack can name, each with the reason. */
export interface DraftedFiles {
  readonly pack: string
  readonly mapping: string
  readonly tools: ReadonlyArray<string>
  readonly left: ReadonlyArray<{ readonly tool: string; readonly why: string }>
}

/** Drafts contracts for the tools of a server. `server` is its answer to the handshake. */
export const make = (server: JsonObject, listed: Iterable<JsonObject>): DraftedFiles => {
  const info = isObject(server["serverInfo"]) ? server["serverInfo"] : {}
  const name = typeof info["name"] === "string" ? info["name"] : "server"
  const version = typeof info["version"] === "string" ? info["version"] : ""
  const read = [...listed].map((tool) => ({ name: String(tool["name"]), tool, why: unnameable(tool) }))
  const drafted = read.filter(({ why }) => why === undefined)
  const left = read.flatMap(({ name: tool, why }) => (why === undefined ? [] : [{ tool, why }]))
  const of = `${name} ${version}`.trim()
  return {
    pack: [
      ...header(of),
      `pack: mcp.${name.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "") || "server"}`,
      "version: 0.1.0",
      ...left.map(({ tool, why }) => `# ${comment(tool)} is left out, and asks a person each time: ${why}`),
      ...(drafted.length === 0 ? ["tools: {}"] : ["tools:", ...drafted.flatMap(({ tool }) => toolLines(tool))]),
      ...(drafted.length === 0
        ? []
        : ["", "# Take a line out once you vouch for the contract of its tool.", "approvals:"]),
      ...drafted.map(({ name: tool }) => `  ${key(tool)}: { by: [operator] }`),
      ""
    ].join("\n"),
    mapping: [
      `# How the tools of ${comment(of)} are called and asked, beside the pack of the same name.`,
      "# reviewed is what the server listed: a tool that is listed otherwise is stopped.",
      ...(drafted.length === 0 ? ["tools: {}"] : ["tools:"]),
      ...drafted.flatMap(({ name: tool, tool: given }) => [
        `  ${key(tool)}:`,
        `    reviewed: ${JSON.stringify(ToolMapping.reviewedOf(given))}`
      ]),
      ""
    ].join("\n"),
    tools: drafted.map(({ name: tool }) => tool),
    left
  }
}

const header = (of: string): ReadonlyArray<string> => [
  `# Draft from the tools of ${comment(of)}. Nobody vouches for it yet: each call asks a person.`,
  "# For each tool, say what it does to the world (class), what makes two calls the same act (identity), what it",
  "# changes (target), how the record is read back (readback, and the mapping beside this file), and how it is undone."
]

const toolLines = (tool: JsonObject): ReadonlyArray<string> => {
  const { description, inputSchema, name } = tool
  const hints = isObject(tool["annotations"]) ? tool["annotations"] : {}
  const isRead = hints["readOnlyHint"] === true
  const says = typeof description === "string" ? description.trim().split("\n")[0]! : ""
  const words = says.slice(0, Limits.showing.descriptionCharactersMax).toWellFormed()
  const input = inputLines(inputSchema)
  const hinted = hintsOf(hints)
  return [
    `  ${key(String(name))}:`,
    ...(words === "" ? [] : [`    description: ${JSON.stringify(words)}`]),
    `    class: ${isRead ? "read_only" : "medium_risk_write"} # ${hinted}`,
    ...(input.length === 0 ? ["    input: {}"] : ["    input:", ...input]),
    ...(isRead
      ? []
      : [
          `    identity: none # or { scope: goal, fields: [${fieldsOf(inputSchema).slice(0, 2).join(", ")}] }`,
          "    idempotency: effectful # or idempotent_write, if the server does once what has one key",
          "    target: none",
          "    undo: X"
        ])
  ]
}

/** The server's own word about a tool. */
const hintsOf = (hints: JsonObject): string => {
  const said = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].flatMap((name) =>
    typeof hints[name] === "boolean" ? [`${name}: ${String(hints[name])}`] : []
  )
  return said.length === 0 ? "the server says nothing of it" : `the server says ${said.join(", ")}`
}

const inputLines = (schema: Json | undefined): ReadonlyArray<string> => {
  const required =
    isObject(schema) && Array.isArray(schema["required"]) ? (schema["required"] as ReadonlyArray<Json>) : []
  return Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const type = typeOf(property ?? null)
    const isOptional = !required.includes(name)
    return `      ${key(name)}: ${isOptional ? optional(type) : type}`
  })
}

const fieldsOf = (schema: Json | undefined): ReadonlyArray<string> => Object.keys(propertiesOf(schema))

const propertiesOf = (schema: Json | undefined): JsonObject =>
  isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {}

/** Types that a pack has words for. Anything else is kept and compared as JSON. */
const typeOf = (schema: Json): string => {
  if (!isObject(schema)) return "json"
  const { enum: values, items, type } = schema
  if (
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((each: Json) => typeof each === "string" && each !== "")
  ) {
    return `{ enum: ${JSON.stringify(values)} }`
  }
  switch (type) {
    case "string":
      return "string"
    case "integer":
      return "int"
    case "number":
      return "float"
    case "boolean":
      return "bool"
    case "array": {
      const item = typeOf(items ?? null)
      return ["string", "int", "float", "bool"].includes(item) ? `{ list: ${item} }` : "json"
    }
    default:
      return "json"
  }
}

const optional = (type: string): string =>
  type.startsWith("{") ? type.replace(/ }$/, ", optional: true }") : `{ type: ${type}, optional: true }`

/** The reason why a pack cannot declare a tool; `undefined` if it can. */
const unnameable = (tool: JsonObject): string | undefined => {
  const odd = fieldsOf(tool["inputSchema"]).find((name) => !/^[A-Za-z_]\w*$/.test(name))
  return odd === undefined ? undefined : `a pack has no name for its argument ${JSON.stringify(odd)}`
}

/** A key of YAML. Words that YAML reads as another type, and names with other characters, are quoted. */
const key = (name: string): string =>
  /^[A-Za-z_][\w-]*$/.test(name) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(name) ? name : JSON.stringify(name)

const comment = (text: string): string => text.replace(/\s+/g, " ")
