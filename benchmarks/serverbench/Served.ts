/** The real server process over a new store, with the keys of its clients. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as SqlApiKeys from "@backstitch/sql/SqlApiKeys"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import { freePort } from "../../tooling/src/freePort.ts"
import { ServerProcess } from "../../tooling/src/serverProcess.ts"

/** A server, and one key for each client. */
export interface Served {
  readonly address: string
  readonly keys: ReadonlyArray<string>
  /** Bytes of memory that its process occupies. */
  readonly residentBytes: () => number
  /** Milliseconds of processors that its process has used. */
  readonly processorMillis: () => number
  readonly stop: () => Promise<void>
}

/** Settings: the store, the number of keys, the time of a call of a tool, and options of Node for the process. */
export interface Settings {
  readonly store: string
  readonly keys: number
  readonly toolMillis?: number | undefined
  readonly options?: ReadonlyArray<string> | undefined
}

const agent = fileURLToPath(new URL("./agent.ts", import.meta.url))

/** Starts the server. */
export const start = async ({ keys: count, options, store, toolMillis = 0 }: Settings): Promise<Served> => {
  const keys = await Effect.runPromise(Effect.provide(keysOf(count), SqlApiKeys.layerFromAddress(store)))
  const environment = { TOOL_MILLIS: String(toolMillis) }
  const server = new ServerProcess({ store, port: await freePort(), agents: { pages: agent }, environment, options })
  await server.start()
  return {
    address: server.address,
    keys,
    residentBytes: () => residentOf(server.pid ?? 0),
    processorMillis: () => processorOf(server.pid ?? 0),
    stop: () => server.end("SIGTERM")
  }
}

const keysOf = (count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, at) => {
    const { tenant } = Run.make("any")
    const asked = { tenant, name: `client ${at}`, role: "admin", capacities: ["editor"] } as const
    return Effect.map(CallerKeys.create(asked), ({ text }) => text)
  })

/** Memory by the table of processes of Linux; 0 elsewhere. */
const residentOf = (pid: number): number => {
  const place = Path.join("/proc", String(pid), "status")
  if (!Fs.existsSync(place)) return 0
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(Fs.readFileSync(place, "utf8")) ?? []
  return Number(kilobytes) * 1024
}

/** Processor time by the table of processes of Linux, of which a tick is ten milliseconds; 0 elsewhere. */
const processorOf = (pid: number): number => {
  const place = Path.join("/proc", String(pid), "stat")
  if (!Fs.existsSync(place)) return 0
  const text = Fs.readFileSync(place, "utf8")
  // The name of the process, in parentheses, may have spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return 10 * (Number(fields[11]) + Number(fields[12]))
}
