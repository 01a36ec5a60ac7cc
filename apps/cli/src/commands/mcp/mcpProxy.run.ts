/** Carries messages between MCP clients and an MCP server. */
import * as Challenge from "@backstitch/mcp/Challenge"
import * as ContractFile from "@backstitch/mcp/ContractFile"
import * as HttpServer from "@backstitch/mcp/HttpServer"
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
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./mcpProxy.ts"

const example = "as in: backstitch mcp-proxy --pack shop.yaml -- npx -y @acme/shop-mcp"

/** The server: a program, or an address with headers whose values stand in the environment. */
const serverOf = (input: Input): Effect.Effect<Wire.Start, Usage> => {
  const [program, ...args] = input.command
  const { url } = input
  if (program !== undefined && url === undefined) return Effect.succeed(StdioServer.starting([program, ...args]))
  if (program !== undefined) return Effect.fail(new Usage({ problem: "Name a program or an address, and not both" }))
  if (url === undefined) {
    return Effect.fail(new Usage({ problem: `Name the server's program, or its address with --url, ${example}` }))
  }
  if (!URL.canParse(url))
    return Effect.fail(new Usage({ problem: `${url} is no address, as in http://127.0.0.1:3000/mcp` }))
  return Effect.map(headersOf(input.headers), (headers) => HttpServer.starting({ url, headers }))
}

/** Headers as NAME=VARIABLE: a secret is never typed. */
const headersOf = (given: ReadonlyArray<string>): Effect.Effect<Record<string, string>, Usage> => {
  const headers: Record<string, string> = {}
  for (const each of given) {
    const [, name, variable = ""] = /^([\w-]+)=(\w+)$/.exec(each) ?? []
    if (name === undefined) {
      return Effect.fail(
        new Usage({ problem: `--header ${each} is not NAME=VARIABLE, as in Authorization=SHOP_TOKEN` })
      )
    }
    const value = process.env[variable]
    if (value === undefined)
      return Effect.fail(new Usage({ problem: `The environment has no ${variable} for the header ${name}` }))
    headers[name] = value
  }
  return Effect.succeed(headers)
}

const proxy = Effect.fnUntraced(function* (
  input: Input & { readonly pack: string },
  start: Wire.Start,
  globals: Globals
) {
  const contracts = yield* ContractFile.load(input.pack)
  const run = yield* StoreSession.run(input.run ?? Proxy.runName(contracts.pack), globals)
  const connections = Proxy.connections(start)
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
    const ended =
      input.listen === undefined
        ? yield* Proxy.converse(settings, {
            client: Wire.ofStreams(process.stdin, Terminal.stream()),
            start,
            connections
          })
        : yield* Proxy.listen(settings, {
            port: input.listen,
            description: input.url === undefined ? undefined : Challenge.descriptionOf(input.url),
            origins: input.origins,
            start,
            connections,
            listening: (port) => Terminal.note(`listening on http://127.0.0.1:${port}/mcp. Stop it with Ctrl-C`),
            stopped: stopped()
          })
    Terminal.note(`${ended.why}. run=${ended.run}`)
    return Printer.written(ExitCode.of(ended.by === "client"))
  }).pipe(Effect.provide(StoreSession.beginning(globals, { executor, planner: Planner.layerScript([]) })))
})

/** Settles once the process is asked to stop. */
const stopped = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("SIGINT", () => resolve())
    process.once("SIGTERM", () => resolve())
  })

/** Writes the two files of a draft, and says what to do with them. */
const draft = Effect.fnUntraced(function* (pack: string, start: Wire.Start) {
  const drafted = yield* Proxy.draft(start)
  const files = yield* ContractFile.write(pack, drafted)
  const { left, tools } = drafted
  return Printer.answer({ files, left, tools }, () => {
    TextTable.sentence(Terminal.good("DRAFTED:"), `${files.join(", ")} | tools=${tools.length}`)
    for (const { tool, why } of left) TextTable.sentence(Terminal.wary("LEFT OUT:"), `${tool} | ${why}`)
    Terminal.print("Each tool asks a person until its line is taken out of approvals. Read the contracts first")
    Terminal.print(`${Terminal.dim("next")}  backstitch pack check ${pack}`)
  })
})

/** Spells a step as a command, if there is one. */
const spell = (step: Next): string | undefined =>
  Spelling.told(step).command === undefined ? undefined : Spelling.of(step)

/** Stands between clients and a server, or drafts the contracts for it. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.flatMap(serverOf(input), (start): ReturnType<Handler<Input>> => {
    const { pack } = input
    if (input.draft) return draft(pack ?? "mcp.yaml", start)
    if (pack === undefined) return Effect.fail(new Usage({ problem: `Name the pack with --pack, ${example}` }))
    return proxy({ ...input, pack }, start, globals)
  })
