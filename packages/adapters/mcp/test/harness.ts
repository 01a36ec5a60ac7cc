/** The proxy in this process, before a real server in another one, driven by the official client. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { PassThrough } from "node:stream"
import { Kernel } from "@backstitch/kernel"
import * as ContractFile from "@backstitch/mcp/ContractFile"
import * as Proxy from "@backstitch/mcp/Proxy"
import * as ServerTools from "@backstitch/mcp/ServerTools"
import * as StdioServer from "@backstitch/mcp/StdioServer"
import * as Wire from "@backstitch/mcp/Wire"
import { Coordinator, History, PackLibrary, Sealing, TenantKeys } from "@backstitch/runtime"
import * as SqlLeases from "@backstitch/sql/SqlLeases"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as SqlVault from "@backstitch/sql/SqlVault"
import { Run, type TraceStore } from "@backstitch/trace"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Layer } from "effect"

export const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name)

/** A file of the example whose server takes payments. */
export const example = (name: string): string => join(import.meta.dirname, "../../../../examples/mcp-payments", name)

/** A transport of the official SDK over two streams, which keeps what it received. */
export class StreamTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly received: Array<JSONRPCMessage> = []
  /** Lines that are no messages. */
  readonly unread: Array<string> = []
  readonly #input: PassThrough
  readonly #output: PassThrough

  constructor(input: PassThrough, output: PassThrough) {
    this.#input = input
    this.#output = output
  }

  async start(): Promise<void> {
    void (async () => {
      for await (const line of Wire.linesOf(this.#input)) {
        const message = read(line.toString())
        if (message === undefined) this.unread.push(line.toString())
        else this.received.push(message)
        if (message !== undefined) this.onmessage?.(message)
      }
      this.onclose?.()
    })()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#output.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    this.#output.end()
  }
}

const read = (line: string): JSONRPCMessage | undefined => {
  try {
    return JSON.parse(line) as JSONRPCMessage
  } catch {
    return undefined
  }
}

export interface Started {
  readonly client: Client
  readonly transport: StreamTransport
  /** Sends a line as it is. */
  readonly raw: (line: string) => void
  /** The side of the client, as the proxy reads it. */
  readonly input: PassThrough
  readonly ended: Promise<Proxy.ConversationEnd>
  readonly notes: Array<string>
}

interface Options {
  readonly pack?: string
  readonly mapping?: string
  readonly command?: StdioServer.ServerProgram
  readonly approver?: { readonly by: string; readonly role: string } | undefined
  readonly run?: string | undefined
  /** Prepares the client before it connects. */
  readonly client?: (client: Client) => void
  readonly capabilities?: object
  /** `false` for a session that the client does not begin. */
  readonly handshake?: boolean
  /** `false` for a transport that another client starts. */
  readonly isStarted?: boolean
}

/** The commands of an app of tests, for the steps of a person. */
const spell: Proxy.Settings["spell"] = (step) => {
  if (step.verb === "resolve") return `app resolve ${step.run} ${step.action}`
  return step.verb === "decide" ? `app decide ${step.run} ${step.review} as ${step.needs?.join("|")}` : undefined
}

export class Harness {
  readonly folder = mkdtempSync(join(tmpdir(), "backstitch-mcp-"))
  readonly store = join(this.folder, "trace.db")
  readonly payments = join(this.folder, "payments.db")
  readonly env: Record<string, string> = {}

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Has the payment server fail once. */
  fault(kind: "die" | "late" | "lose" | "refuse"): void {
    writeFileSync(`${this.path("fault")}.${kind}`, "")
  }

  charges(): ReadonlyArray<{ readonly name: string; readonly amount: number; readonly key: string }> {
    const database = new DatabaseSync(this.payments, { readOnly: true })
    const rows = database.prepare("SELECT name, amount, key FROM charges").all()
    database.close()
    return rows.map((row) => ({ ...row })) as never
  }

  command(script = example("server.ts"), ...args: ReadonlyArray<string>): StdioServer.ServerProgram {
    const given = { PAYMENTS: this.payments, FAULT_FILE: this.path("fault"), ...this.env }
    const env = Object.entries(given).map(([name, value]) => `${name}=${value}`)
    return ["/usr/bin/env", ...env, process.execPath, script, ...args]
  }

  readonly contractsOf = (
    pack = readFileSync(example("payments.yaml"), "utf8"),
    mapping: string | undefined = readFileSync(example("payments.mcp.yaml"), "utf8")
  ) => {
    const name = `pack-${Math.trunc(performance.now() * 1000)}.yaml`
    writeFileSync(this.path(name), pack)
    if (mapping !== "") writeFileSync(ContractFile.beside(this.path(name)), mapping)
    return Effect.runPromise(ContractFile.load(this.path(name)))
  }

  /** The contracts of the payment server, unless a test has others. */
  contracts = () => this.contractsOf()

  /** The services of a proxy, over the store of this folder. */
  readonly services = (contracts: ContractFile.Contracts, connections: Proxy.Connections) =>
    Coordinator.layer({ secret: "a secret of tests" }).pipe(
      Layer.provideMerge(History.layer(Kernel.standard)),
      Layer.provideMerge(PackLibrary.layer),
      Layer.provideMerge(ServerTools.layer(contracts, connections.connect)),
      Layer.provideMerge(SqlLeases.layerFromAddress(this.store)),
      Layer.provideMerge(Sealing.layer),
      Layer.provideMerge(TenantKeys.layerFile(this.path("sealing.key"), { make: true })),
      Layer.provideMerge(SqlVault.layerFromAddress(this.store)),
      Layer.provideMerge(SqlTraceStore.layerFromAddress(this.store))
    )

  readonly start = async (options: Options = {}): Promise<Started> => {
    const { approver, capabilities = {}, command = this.command() } = options
    const contracts = await this.contractsOf(options.pack, options.mapping)
    const connections = Proxy.connections(StdioServer.starting(command))
    const [toProxy, fromProxy] = [new PassThrough(), new PassThrough()]
    const notes: Array<string> = []
    const settings: Proxy.Settings = {
      contracts,
      run: Run.make(options.run ?? Proxy.runName(contracts.pack)),
      isNamed: options.run !== undefined,
      goal: contracts.pack.id,
      approver,
      spell,
      note: (says) => notes.push(says)
    }
    const sides = { client: Wire.ofStreams(toProxy, fromProxy), start: StdioServer.starting(command), connections }
    const ended = Effect.runPromise(
      Proxy.converse(settings, sides).pipe(Effect.provide(this.services(contracts, connections)))
    )
    ended.catch(() => {})
    const client = new Client({ name: "editor", version: "1.0.0" }, { capabilities })
    const transport = new StreamTransport(fromProxy, toProxy)
    options.client?.(client)
    if (options.isStarted !== false) {
      await (options.handshake === false ? transport.start() : client.connect(transport))
    }
    return { client, transport, raw: (line) => void toProxy.write(`${line}\n`), input: toProxy, ended, notes }
  }

  /** Starts a proxy that listens over HTTP before a server. `close` stops it. */
  readonly listen = async (
    start: Wire.Start,
    place: { readonly idleMillis?: number; readonly description?: URL } = {}
  ) => {
    const contracts = await this.contracts()
    const connections = Proxy.connections(start)
    const notes: Array<string> = []
    const [listening, stopped] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
    const settings: Proxy.Settings = {
      contracts,
      run: Run.make("http"),
      isNamed: true,
      goal: contracts.pack.id,
      approver: undefined,
      spell,
      note: (says) => notes.push(says)
    }
    const ended = Effect.runPromise(
      Proxy.listen(settings, {
        ...{ ...place, connections, origins: ["https://console.example"], port: 0, start },
        stopped: stopped.promise,
        listening: listening.resolve
      }).pipe(Effect.provide(this.services(contracts, connections)))
    )
    ended.catch(listening.reject)
    const url = `http://127.0.0.1:${await listening.promise}/mcp`
    return {
      url,
      notes,
      close: async () => {
        stopped.resolve()
        await ended
      }
    }
  }

  /** Answers about what a run has on record. */
  readonly ask = async <A, E>(
    effect: Effect.Effect<
      A,
      E,
      Coordinator.Coordinator | History.History | PackLibrary.PackLibrary | TraceStore.TraceStore
    >
  ): Promise<A> => {
    const contracts = await this.contracts()
    const none = Proxy.connections(() => Promise.reject(new Error("no server")))
    return Effect.runPromise(effect.pipe(Effect.scoped, Effect.provide(this.services(contracts, none))) as never)
  }

  readonly transitions = (run: string) =>
    this.ask(Effect.flatMap(History.History, (history) => history.transitions(Run.make(run), {})))

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The text of a result of a tool. */
export const textOf = (result: unknown): string =>
  (result as { readonly content: ReadonlyArray<{ readonly text?: string }> }).content
    .map(({ text = "" }) => text)
    .join("\n")

const servers = join(import.meta.dirname, "../node_modules/@modelcontextprotocol")

/** The command of a server of npm. */
export const commandOf = (name: "everything" | "filesystem" | "memory", folder: string): StdioServer.ServerProgram => {
  const main = [process.execPath, join(servers, `server-${name}/dist/index.js`)] as const
  switch (name) {
    case "everything":
      return [...main, "stdio"]
    case "filesystem":
      return [...main, folder]
    case "memory":
      return ["/usr/bin/env", `MEMORY_FILE_PATH=${join(folder, "memory.jsonl")}`, ...main]
  }
}
