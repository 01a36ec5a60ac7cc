/**
 * Measures a call of an MCP tool that takes 10 ms through the proxy, by the bare call: a key that is durable before it,
 * the ledger, a readback by another tool, and the settlement.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as Connection from "@backstitch/mcp/Connection"
import * as StdioServer from "@backstitch/mcp/StdioServer"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"

const calls = 100
const root = fileURLToPath(new URL("../../", import.meta.url))

const figures = {
  median: {
    name: "mcp-proxy",
    title: "a call of an MCP tool that takes 10 ms, with readback, ÷ the bare call",
    better: "less",
    unit: "x",
    within: 1.3,
    durability: "FULL ÷ none"
  },
  tail: {
    name: "mcp-proxy-p99",
    title: `the same, the slowest of ${calls} calls but one`,
    better: "less",
    unit: "x",
    within: 1.5,
    durability: "FULL ÷ none"
  }
} satisfies Record<string, Figure.Figure>

const pack = `
pack: bench.mcp
version: 1.0.0
tools:
  write:
    class: low_risk_internal
    input: { n: int }
    target: "'n/' + string(args.n)"
    identity: { scope: run, fields: [n] }
    readback: { source: what the tool has kept, from: primary, expect: [actual.n == args.n, actual.key == key] }
    undo: X
  find: { class: read_only, input: { key: string } }
`
const mapping = `
tools:
  write:
    key: { argument: key }
    readback: { tool: find, args: { key: key }, pick: value.found }
`

/** The overhead of the proxy, in the median and in the tail. */
export const benchmark: Figure.Benchmark = {
  name: "mcp-proxy",
  run: async ({ folder, runs, say }) => {
    Fs.writeFileSync(Path.join(folder, "mcp.yaml"), pack)
    Fs.writeFileSync(Path.join(folder, "mcp.mcp.yaml"), mapping)
    const tool: StdioServer.ServerProgram = [process.execPath, Path.join(import.meta.dirname, "McpTool.ts")]
    const proxied = (store: string): StdioServer.ServerProgram => [
      ...([process.execPath, Path.join(root, "apps/cli/backstitch.js"), "mcp-proxy"] as const),
      ...["--pack", Path.join(folder, "mcp.yaml"), "--store", Path.join(folder, store), "--", ...tool]
    ]
    const pairs: Array<{ readonly bare: ReadonlyArray<number>; readonly ours: ReadonlyArray<number> }> = []
    for (let run = -1; run < runs; run++) {
      say(`mcp-proxy ${run + 2} of ${runs + 1}`)
      const pair = { bare: await times(tool), ours: await times(proxied(`mcp-${run}.db`)) }
      if (run >= 0) pairs.push(pair)
    }
    const ratios = (of: (times: ReadonlyArray<number>) => number) => pairs.map(({ bare, ours }) => of(ours) / of(bare))
    const { bare = [], ours = [] } = pairs.at(-1) ?? {}
    const note = `${Figure.round(Statistics.median(ours))} ÷ ${Figure.round(Statistics.median(bare))} ms`
    return [
      Figure.measured(figures.median, ratios(Statistics.median), note),
      Figure.measured(figures.tail, ratios(slowestButOne))
    ]
  }
}

const slowestButOne = (times: ReadonlyArray<number>): number => [...times].sort((one, other) => other - one)[1] ?? 0

/** Milliseconds of each of the calls, one after the other. */
const times = async (command: StdioServer.ServerProgram): Promise<ReadonlyArray<number>> => {
  const connection = await Connection.open(await StdioServer.start(command))
  const samples: Array<number> = []
  for (let n = 0; n < calls + 10; n++) {
    const began = performance.now()
    await connection.ask("tools/call", { name: "write", arguments: { n, key: `bare-${n}` } })
    // The first calls compile what all others run.
    if (n >= 10) samples.push(performance.now() - began)
  }
  await connection.close()
  return samples
}
