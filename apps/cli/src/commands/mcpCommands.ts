/** Commands about servers of MCP. */
import * as Handler from "../program/Handler.ts"
import { mcpProxy } from "./mcp/mcpProxy.ts"
import { mcpServer } from "./mcp/mcpServer.ts"

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(mcpProxy, () => import("./mcp/mcpProxy.run.ts")),
  Handler.bind(mcpServer, () => import("./mcp/mcpServer.run.ts"))
] as const
