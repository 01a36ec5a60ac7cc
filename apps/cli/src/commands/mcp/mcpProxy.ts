/** `backstitch mcp-proxy`: puts contracts between an MCP client and an MCP server. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  command: Argument.String("command").pipe(
    Argument.withMetavar("COMMAND"),
    Argument.withDescription("The server's program and its arguments, after --"),
    Argument.variadic()
  ),
  draft: Flags.flag(
    "draft",
    "Write a draft of the pack and of its mapping from the tools of the server, in which each tool asks a person"
  ),
  pack: Flags.file(
    "pack",
    "FILE",
    "Pack with the contracts of the tools; FILE.mcp.yaml beside it maps them to the server"
  ),
  url: Flags.text("url", "ADDRESS", "Address of the server, if it speaks streamable HTTP, in place of a program"),
  headers: Flags.texts(
    "header",
    "NAME=VARIABLE",
    "Header for each request to it, with the value of an environment variable"
  ),
  listen: Flags.port(
    "listen",
    "Listen for clients over HTTP on this port of this machine alone, until stopped; 0 for any"
  ),
  origins: Flags.texts(
    "allow-origin",
    "ORIGIN",
    "Origin whose pages may speak to it over HTTP, as in https://console.example; none by default"
  ),
  run: Flags.text("run", "RUN", "Run that the calls are recorded in; by default one for each version of the pack"),
  by: Flags.text("by", "NAME", "Name of the person at the client, who may approve calls there if their client can ask"),
  role: Flags.text("role", "ROLE", "Role in which they approve (default: operator)")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const mcpProxy = Command.make("mcp-proxy", config).pipe(
  Command.withDescription(
    "Stand between an MCP client and an MCP server, on stdin and stdout or over HTTP. Every call of a tool that is no read by its " +
      "contract gets a key, a ledger entry, a readback and an approval that is bound to its arguments. Everything else " +
      "passes unchanged. Neither side knows of it."
  ),
  Command.withShortDescription("Put contracts before an MCP server"),
  Command.withExamples([
    {
      command: "backstitch mcp-proxy --draft --pack shop.yaml -- npx -y @acme/shop-mcp",
      description: "Begin a review: shop.yaml and shop.mcp.yaml from what the server lists"
    },
    {
      command: "backstitch mcp-proxy --pack shop.yaml -- npx -y @acme/shop-mcp",
      description: "In the place of the server's own command, in the settings of an editor"
    },
    {
      command:
        "backstitch mcp-proxy --pack shop.yaml --url https://mcp.acme.example/mcp --header Authorization=SHOP_TOKEN",
      description: "Before a server at an address"
    }
  ])
)
