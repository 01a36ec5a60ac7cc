/** Carries messages between an MCP client and an MCP server until one of them ends. */
import * as ContractFile from "@backstitch/mcp/ContractFile"
import * as Proxy from "@backstitch/mcp/Proxy"
import * as ServerTools from "@backstitch/mcp/ServerTools"
import * as StdioServer from "@backstitch/mcp/StdioServer"
import * as Wire from "@backstitch/mcp/Wire"
import * as Planner from "@backstitch/runtime/Planner"
import type { Next } from "@backstitch/wording/Next"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./mcpProxy.ts"

const example = "as in: backstitch mcp-proxy --pack shop.yaml -- npx -y @acme/shop-mcp"

const proxy = Effect.fnUntraced(function* (
  input: Input & { readonly pack: string },
  command: StdioServer.Command,
  globals: Globals
) {
  const contracts = yield* ContractFile.load(input.pack)
  const run = yield* StoreSession.run(input.run ?? Proxy.runName(contracts.pack), globals)
  const connections = Proxy.connections(() => StdioServer.start(command))
  const executor = ServerTools.layer(contracts, connections.connect)
  const settings: Proxy.Settings = {
    contracts,
    run,
    isNamed: input.run !== undefined,
    goal: contracts.pack.id,
    approver: input.by === undefined ? undefined : { by: input.by, role: input.role ?? "operator" },
    spell,
    note: Terminal.note
  }
  return yield* Effect.gen(function* () {
    Terminal.acting()
    const client = Wire.ofStreams(process.stdin, Terminal.stream())
    const ended = yield* Proxy.converse(settings, { client, command, connections })
    Terminal.note(`${ended.why}. run=${ended.run}`)
    return Printer.written(ended.by === "client" ? 0 : 1)
  }).pipe(Effect.provide(StoreSession.beginning(globals, { executor, planner: Planner.layerScript([]) })))
})

/** Writes the two files of a draft, and says what to do with them. */
const draft = Effect.fnUntraced(function* (pack: string, command: StdioServer.Command) {
  const drafted = yield* Proxy.draft(command)
  const files = yield* ContractFile.write(pack, drafted)
  const { left, tools } = drafted
  return Printer.answer({ files, left, tools }, () => {
    Table.sentence(Terminal.good("DRAFTED:"), `${files.join(", ")} | tools=${tools.length}`)
    for (const { tool, why } of left) Table.sentence(Terminal.wary("LEFT OUT:"), `${tool} | ${why}`)
    Terminal.print("Each tool asks a person until its line is taken out of approvals. Read the contracts first")
    Terminal.print(`${Terminal.dim("next")}  backstitch pack check ${pack}`)
  })
})

/** A run of a proxy has no agent that could resume it: a call that is made again settles what is open first. */
const spell = (step: Next): string =>
  step.verb === "resume" ? "call the tool again with the same arguments" : Spelling.of(step)

/** Stands between a client and a server. */
export const handler: Handler<Input> = (input, globals): ReturnType<Handler<Input>> => {
  const [program, ...args] = input.command
  if (program === undefined) return Effect.fail(new Usage({ problem: `Name the server's program, ${example}` }))
  if (input.draft) return draft(input.pack ?? "mcp.yaml", [program, ...args])
  if (input.pack === undefined) return Effect.fail(new Usage({ problem: `Name the pack with --pack, ${example}` }))
  return proxy({ ...input, pack: input.pack }, [program, ...args], globals)
}
