/** `backstitch mcp-server`: serves the runs of a store as an MCP server. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  allowDecisions: Flags.flag("allow-decisions", "Let the client approve and deny, in the name and role that are given"),
  by: Flags.text("by", "NAME", "Name of the person at the client, for --allow-decisions"),
  role: Flags.text("role", "ROLE", "Role in which they decide (default: operator)")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const mcpServer = Command.make("mcp-server", config).pipe(
  Command.withDescription(
    "Serve the runs of the store as an MCP server, on stdin and stdout: runs, ledger, report, explain, bisect, diff, " +
      "verify and approvals, as tools and as resources. It only reads, unless it is allowed to decide."
  ),
  Command.withShortDescription("Serve runs as an MCP server"),
  Command.withExamples([
    { command: "backstitch mcp-server --store .backstitch/trace.db", description: "In the mcp.json of an editor" }
  ])
)
